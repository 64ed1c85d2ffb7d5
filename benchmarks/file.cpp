// From a file on disk, in the page cache, to typed records: mapped, and read into memory, against a text that is in
// memory already.
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/script.hpp"

namespace {

using bench::answer;
using bench::input;
using bench::job;
using bench::peers::temporary_file;

// Adds up enough of each record that all of it has to be read.
answer read_oplog(std::string_view text) {
    answer a;
    wlfmt::oplog::reader log(text);
    while (const auto* op = log.next()) {
        ++a.records;
        a.decimals += op->duration.value_or(0.0);
        a.decimals += op->timestamp.value_or(0.0);
        for (const auto& s : op->sub_operations) {
            ++a.parts;
            a.decimals += s.duration.value_or(0.0);
            a.decimals += s.timestamp.value_or(0.0);
            for (const std::int64_t dim : s.input_shape) a.add(dim);
            a.text += s.comm_func.size();
        }
    }
    return a;
}

answer read_workload(std::string_view text) {
    answer a;
    wlfmt::workload::reader file(text);
    while (const auto* l = file.next()) {
        ++a.records;
        for (const auto* p : {&l->forward, &l->input_grad, &l->weight_grad}) {
            a.decimals += p->compute.value_or(0.0);
            a.add(p->bytes.as<std::int64_t>().value_or(0));
        }
    }
    return a;
}

answer read_table(std::string_view text) {
    answer a;
    wlfmt::table::reader tables(text);
    while (tables.next_table())
        while (const auto* r = tables.next()) {
            ++a.records;
            for (const auto& c : r->cells) a.decimals += c.value_or(0.0);
        }
    return a;
}

using reader = answer (*)(std::string_view);

using paths = std::shared_ptr<std::vector<std::unique_ptr<temporary_file>>>;
paths on_disk(const input& in) {
    const auto files = std::make_shared<std::vector<std::unique_ptr<temporary_file>>>();
    for (const std::string_view file : in.files) files->push_back(std::make_unique<temporary_file>(file));
    return files;
}

template <reader Read> job prepare_mapped(const input& in) {
    return [files = on_disk(in)] {
        answer a;
        for (const auto& path : *files) {
            const wlfmt::text_file file(path->path());
            if (!file.mapped()) bench::fail("a file that is not mapped");
            a += Read(file.text());
        }
        return a;
    };
}

template <reader Read> job prepare_read(const input& in) {
    return [files = on_disk(in), text = std::make_shared<std::string>()] {
        answer a;
        for (const auto& path : *files) {
            if (wlfmt::read_file(path->path().c_str(), *text)) bench::fail("a file that cannot be read");
            a += Read(*text);
        }
        return a;
    };
}

template <reader Read> bool add(const char* name, bench::format f) {
    using bench::takes;
    constexpr std::size_t most = 64 * bench::megabyte;
    return bench::add({name,
                       f,
                       {bench::floor_way(),
                        {"memory", bench::each_file<Read>, most, takes::any_text},
                        {"mapped file", prepare_mapped<Read>, most, takes::any_text},
                        {"read_file", prepare_read<Read>, most, takes::any_text}}});
}

const bool added = add<read_oplog>("file_oplog", bench::format::oplog) &&
                   add<read_workload>("file_workload", bench::format::workload) &&
                   add<read_table>("file_table", bench::format::table);

}  // namespace
