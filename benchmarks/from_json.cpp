// Reading op-log records back from JSON Lines: every field of every operation and sub-operation typed and added up.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>
#ifdef WLFMT_BENCH_NLOHMANN
#include <nlohmann/json.hpp>
#endif

#include "bench.hpp"
#include "oplog.hpp"

namespace {

using bench::answer;
using bench::input;
using bench::job;

using files = std::shared_ptr<const std::vector<std::string>>;
files to_json(const input& in) { return std::make_shared<const std::vector<std::string>>(bench::json_of(in)); }

answer read_wlfmt(std::string_view json) {
    answer a;
    wlfmt::json::texts kept;
    wlfmt::json::oplog_reader log(json, kept);
    // JSON has null for None.
    const auto size_of = [](std::string_view text) { return wlfmt::is_none(text) ? 0 : text.size(); };
    while (const wlfmt::oplog::operation* op = log.next()) bench::add(a, *op, size_of);
    if (!log.ok()) bench::fail(wlfmt::explain(log.error(), json, wlfmt::in_file("input")));
    return a;
}

job prepare_wlfmt(const input& in) {
    return [all = to_json(in)] {
        answer a;
        for (const std::string& file : *all) a += read_wlfmt(file);
        return a;
    };
}

// nlohmann/json: a value for each line.

#ifdef WLFMT_BENCH_NLOHMANN
using nlohmann::json;

std::size_t text_of(const json& o, const char* key) {
    const auto at = o.find(key);
    return at != o.end() && at->is_string() ? at->get_ref<const std::string&>().size() : 0;
}
double decimal_of(const json& o, const char* key) {
    const auto at = o.find(key);
    return at != o.end() && at->is_number() ? at->get<double>() : 0;
}
void add_integer(answer& a, const json& o, const char* key) {
    const auto at = o.find(key);
    if (at != o.end() && at->is_number_integer()) a.add(at->get<std::int64_t>());
}
void add_shape(answer& a, const json& o) {
    const auto at = o.find("input__shape");
    if (at == o.end() || !at->is_array()) return;
    for (const json& dim : *at) a.add(dim.get<std::int64_t>());
}

answer read_nlohmann(const std::string& file) {
    answer a;
    for (std::size_t at = 0; at != file.size();) {
        const std::size_t end = file.find('\n', at);
        const json o = json::parse(file.data() + at, file.data() + end);
        at = end + 1;
        ++a.records;
        for (const char* key : {"rank", "stage_id", "batch_id"}) add_integer(a, o, key);
        for (const char* key : {"duration", "timestamp"}) a.decimals += decimal_of(o, key);
        add_shape(a, o);
        for (const char* key : {"op", "mg_state", "description", "group_kind", "input__dtype"})
            a.text += text_of(o, key);
        const auto subs = o.find("sub_operations");
        if (subs == o.end()) continue;
        for (const json& s : *subs) {
            ++a.parts;
            for (const char* key : {"duration", "timestamp"}) a.decimals += decimal_of(s, key);
            add_shape(a, s);
            for (const char* key : {"trace_src_func", "input__dtype", "func_name", "group", "comm_func"})
                a.text += text_of(s, key);
        }
    }
    return a;
}

job prepare_nlohmann(const input& in) {
    return [all = to_json(in)] {
        answer a;
        for (const std::string& file : *all) a += read_nlohmann(file);
        return a;
    };
}
#else
job prepare_nlohmann(const input&) { return {}; }
#endif

const bool added = bench::add({"oplog_from_json",
                               bench::format::oplog,
                               {bench::floor_way(), {"wlfmt", prepare_wlfmt}, {"nlohmann/json", prepare_nlohmann}}});

}  // namespace
