// Reading rank op logs: every field of every operation and sub-operation typed and added up.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "oplog.hpp"
#include "peers/oplog_simdjson.hpp"
#include "peers/script.hpp"
#include "peers/split.hpp"

namespace {

namespace oplog = wlfmt::oplog;
using bench::answer;
using bench::input;
using bench::job;

answer read_all(std::string_view text) {
    answer a;
    oplog::reader log(text);
    while (const oplog::operation* op = log.next()) bench::add(a, *op, [](std::string_view t) { return t.size(); });
    if (!log.ok()) bench::fail(wlfmt::explain(log.error(), text, wlfmt::in_file("input")));
    return a;
}

// A program that wants only durations pays only for durations.
answer read_durations(std::string_view text) {
    using oplog::fields;
    answer a;
    oplog::reader log(text);
    while (const oplog::operation* op = log.next()) {
        ++a.records;
        a.add(op->rank);
        a.text += op->op.size();
        a.decimals += op->duration.value_or(0.0);
        a.decimals += op->timestamp.value_or(0.0);
        for (const oplog::sub_operation& s : op->sub_operations.only<fields::duration | fields::comm_func>()) {
            ++a.parts;
            a.decimals += s.duration.value_or(0.0);
            a.text += s.comm_func.size();
        }
    }
    if (!log.ok()) bench::fail(wlfmt::explain(log.error(), text, wlfmt::in_file("input")));
    return a;
}

// simdjson: the same records as JSON Lines.

job prepare_simdjson(const input& in) {
    if (!bench::peers::simdjson_runs()) return {};
    const auto reader = std::make_shared<bench::peers::json_lines>(bench::json_of(in));
    return [reader] { return reader->read(); };
}

// What one would write first: one expression for the record, one for key=value, one for the quoted strings.
class regex_reader {
public:
    answer read(std::string_view text) const {
        answer a;
        const char* const end = text.data() + text.size();
        std::cmatch record;
        for (const char* p = text.data(); p != end;) {
            const char* stop = std::find(p, end, '\n');
            if (std::regex_match(p, stop, record, record_)) {
                ++a.records;
                a.add(std::stoll(record[1].str()));
                a.text += static_cast<std::uint64_t>(record[2].length());
                fields(a, record[3].first, record[3].second);
                for (std::cregex_iterator s(record[4].first, record[4].second, string_), none; s != none; ++s) {
                    ++a.parts;
                    fields(a, (*s)[1].first, (*s)[1].second);
                }
            }
            p = stop == end ? end : stop + 1;
        }
        return a;
    }

private:
    void fields(answer& a, const char* begin, const char* end) const {
        for (std::cregex_iterator f(begin, end, field_), none; f != none; ++f) {
            const std::string key = (*f)[1];
            const std::string value = (*f)[2];
            if (key == "stage_id" || key == "batch_id") {
                if (value != "None") a.add(std::stoll(value));
            } else if (key == "duration" || key == "timestamp") {
                if (value != "None") a.decimals += std::stod(value);
            } else if (key == "input__shape") {
                for (std::sregex_iterator d(value.begin(), value.end(), integer_), last; d != last; ++d)
                    a.add(std::stoll(d->str()));
            } else {
                a.text += value.size();
            }
        }
    }

    std::regex record_{R"(rank:(\d+):(\w+)\((.*),sub_operations=\[(.*)\]\))"};
    std::regex field_{R"((\w+)=(\[[^\]]*\]|.*?)(?=,\w+=|$))"};
    std::regex string_{R"('([^']*)')"};
    std::regex integer_{R"(\d+)"};
};

job prepare_regex(const input& in) {
    const auto reader = std::make_shared<regex_reader>();
    return [&in, reader] {
        answer a;
        for (const std::string_view file : in.files) a += reader->read(file);
        return a;
    };
}

using bench::takes;
const bool added = bench::add({"oplog_read",
                               bench::format::oplog,
                               {bench::floor_way(),
                                {"wlfmt", bench::each_file<read_all>, 64 * bench::megabyte, takes::any_text},
                                {bench::peers::simdjson_name(), prepare_simdjson},
                                bench::peers::split_way(bench::peers::split_oplog),
                                {"std::regex", prepare_regex, 16 * bench::kilobyte},
                                bench::peers::script_way("Python re, ast.literal_eval", "oplog.py")}}) &&
                   bench::add({"oplog_read_durations",
                               bench::format::oplog,
                               {bench::floor_way(),
                                {"wlfmt", bench::each_file<read_durations>, 64 * bench::megabyte, takes::any_text}}});

}  // namespace
