// diff: what two files of one format say differently.
#ifndef WLFMT_TOOLS_DIFF_HPP
#define WLFMT_TOOLS_DIFF_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/diff.hpp>
#include <wlfmt/wlfmt.hpp>

#include "files.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// One of the two files. Documents are views of the input's text, which lives as long as this.
class diff_side {
public:
    diff_side(const char* path, const settings& s) : from_(path), report_(from_.name(), s) {
        if (from_.error()) {
            standard_error.append(wlfmt::explain(from_.error(), {}, from_.name()));
            return;
        }
        kind_ = format_of(from_, s, report_);
        text_ = from_.whole();
        report_.about(text_);
        const wlfmt::options how = options_for(s, report_);
        if (kind_ == wlfmt::file_format::oplog) log = take(wlfmt::oplog::read(text_, how));
        if (kind_ == wlfmt::file_format::workload) layers = take(wlfmt::workload::read(text_, how));
        if (kind_ == wlfmt::file_format::table)
            for_each_prefix(text_, s, report_, [&](const wlfmt::options& with) {
                auto read = wlfmt::table::read(text_, with);
                for (auto& one : read->tables) tables.tables.push_back(std::move(one));
                return read.error();
            });
        good_ = kind_ != wlfmt::file_format::unknown && report_.errors() == 0 && !from_.error();
    }

    bool good() const noexcept { return good_; }
    wlfmt::file_format kind() const noexcept { return kind_; }
    std::string_view name() const noexcept { return from_.name(); }

    wlfmt::oplog::document log;
    wlfmt::workload::document layers;
    wlfmt::table::document tables;

private:
    template <class Document>
    Document take(wlfmt::result<Document> read) {
        if (!read) report_.error(read.error());
        return *std::move(read);
    }
    input from_;
    report report_;
    std::string_view text_;
    wlfmt::file_format kind_ = wlfmt::file_format::unknown;
    bool good_ = false;
};

inline exit_status compare(const settings& s) {
    const auto refuse = [](const std::string& what) {
        standard_error.append("wlfmt: " + what + "\n");
        return unusable;
    };
    if (std::string_view(s.files[0]) == "-" && std::string_view(s.files[1]) == "-")
        return refuse("standard input is one file: give another one to compare it with");
    const diff_side before(s.files[0], s);
    const diff_side after(s.files[1], s);
    if (!before.good() || !after.good()) return unusable;
    const std::string kind(name_of(before.kind()));
    if (before.kind() != after.kind())
        return refuse(std::string(before.name()) + " is of the format `" + kind + "`, " + std::string(after.name()) +
                      " of `" + std::string(name_of(after.kind())) + "`: give two files of one format");
    const std::string_view by = before.kind() == wlfmt::file_format::oplog      ? "operation"
                                : before.kind() == wlfmt::file_format::workload ? "layer"
                                                                                : "row";
    if (!s.compared.empty() && s.compared != by)
        return refuse("files of the format `" + kind + "` are compared by " + std::string(by) + ", not by " +
                      std::string(s.compared));
    const std::vector<wlfmt::diff::difference> all =
        before.kind() == wlfmt::file_format::oplog ? wlfmt::diff::compare(before.log, after.log, s.tolerance)
        : before.kind() == wlfmt::file_format::workload
            ? wlfmt::diff::compare(before.layers, after.layers, s.tolerance)
            : wlfmt::diff::compare(before.tables, after.tables, s.tolerance);
    for (const wlfmt::diff::difference& d : all) {
        if (s.json) {
            static_cast<void>(write_json(standard_output, d));
            continue;
        }
        std::string line;
        static_cast<void>(write(line, d));
        line.pop_back();
        print_line(line);
    }
    return all.empty() ? clean : problems;
}

}  // namespace tool

#endif
