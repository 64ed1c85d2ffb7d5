// diff: prints the differences between two files of one format.
#ifndef WLFMT_TOOLS_DIFF_HPP
#define WLFMT_TOOLS_DIFF_HPP

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <wlfmt/diff.hpp>
#include <wlfmt/stream.hpp>
#include <wlfmt/wlfmt.hpp>

#include "chosen.hpp"
#include "files.hpp"
#include "folder.hpp"
#include "grid.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// One of the two sides: a file, or a folder with the op logs of a run. Documents are views of the input's text, which
// lives as long as this.
class diff_side {
public:
    diff_side(const char* path, const settings& s)
        : log(s.by.empty() ? wlfmt::diff::log_sums() : wlfmt::diff::log_sums(s.by.back())), name_(path) {
        std::error_code ignored;
        const bool folder = name_ != "-" && std::filesystem::is_directory(name_, ignored);
        good_ = folder ? read_folder(s) : read_file(s);
    }

    bool good() const noexcept { return good_; }
    wlfmt::file_format kind() const noexcept { return kind_; }
    const std::string& name() const noexcept { return name_; }

    wlfmt::diff::log_sums log;
    wlfmt::workload::document layers;
    wlfmt::table::document tables;

private:
    bool read_file(const settings& s) {
        from_.emplace(name_.c_str());
        input& from = *from_;
        if (from.error()) {
            standard_error.append(wlfmt::explain(from.error(), {}, from.name()));
            return false;
        }
        report r(from.name(), s);
        kind_ = format_of(from, s, r);
        if (kind_ == wlfmt::file_format::oplog) {
            add_log(from, s, r);
        } else if (kind_ != wlfmt::file_format::unknown) {
            const std::string_view text = from.whole();
            r.about(text);
            if (kind_ == wlfmt::file_format::workload) {
                auto read = wlfmt::workload::read(text, options_for(s, r));
                if (!read) r.error(read.error());
                layers = *std::move(read);
            } else {
                for_each_prefix(text, s, r, [&](const wlfmt::options& with) {
                    auto read = wlfmt::table::read(text, with);
                    for (auto& one : read->tables) tables.tables.push_back(std::move(one));
                    return read.error();
                });
            }
        }
        return kind_ != wlfmt::file_format::unknown && r.errors() == 0 && !from.error();
    }
    // Reads the newest file of each rank. Files that are no op logs are named and left out.
    bool read_folder(const settings& s) {
        path_list files;
        if (!files.add_folder(name_)) return false;
        exit_status worst = clean;
        stray_files strays;
        for (const std::size_t n : choose_of_run(files, run_use::together, worst)) {
            const std::string path = files[n];
            const exit_status one = with_file(path.c_str(), s, [&](input& from, report& r) {
                if (strays.take(files, n, from, s)) return;
                const wlfmt::file_format kind = format_of(from, s, r);
                if (kind == wlfmt::file_format::unknown) return;
                if (kind != wlfmt::file_format::oplog)
                    return r.warning(std::string_view(), "this is no op log, and left out");
                kind_ = kind;
                add_log(from, s, r);
            });
            worst = (std::max)(worst, one);
        }
        const bool any = kind_ != wlfmt::file_format::unknown;
        worst = (std::max)(worst, strays.tell(s, !any));
        if (!any) say(name_, "the folder holds no op log", wlfmt::severity::error);
        return any && worst == clean;
    }
    void add_log(input& from, const settings& s, report& r) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            // The errors of a list come up when the list is walked.
            log.add(op);
        });
    }

    std::optional<input> from_;
    std::string name_;
    wlfmt::file_format kind_ = wlfmt::file_format::unknown;
    bool good_ = false;
};

// Prints a title, and a row for each difference, or that there is none.
inline void print_as_markdown(const std::vector<wlfmt::diff::difference>& all, const std::string& before,
                              const std::string& after) {
    chosen_layout = layout::markdown;
    print_title(before + " and " + after);
    if (all.empty()) return print_note("the same");
    grid lines;
    lines.row({"what", "change", "field", "before", "after", "by", "of all"});
    for (const wlfmt::diff::difference& d : all)
        lines.row({d.item, std::string(name_of(d.change)), d.field, d.before, d.after,
                   d.ratio == 0 ? "" : (d.ratio > 0 ? "+" : "") + fixed(100 * d.ratio, 1) + "%",
                   fixed(100 * d.effect, 1) + "%"});
    lines.print();
}

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
        return refuse(before.name() + " is of the format `" + kind + "`, " + after.name() + " of `" +
                      std::string(name_of(after.kind())) + "`: give two files of one format");
    const std::string_view by = before.kind() == wlfmt::file_format::oplog      ? "operation"
                                : before.kind() == wlfmt::file_format::workload ? "layer"
                                                                                : "row";
    const bool dimensions = before.kind() == wlfmt::file_format::oplog && !s.by.empty();
    if (!s.compared.empty() && s.compared != by && !dimensions)
        return refuse("files of the format `" + kind + "` are compared by " + std::string(by) + ", not by " +
                      std::string(s.compared));
    const std::vector<wlfmt::diff::difference> all =
        before.kind() == wlfmt::file_format::oplog ? wlfmt::diff::compare(before.log, after.log, s.tolerance)
        : before.kind() == wlfmt::file_format::workload
            ? wlfmt::diff::compare(before.layers, after.layers, s.tolerance)
            : wlfmt::diff::compare(before.tables, after.tables, s.tolerance);
    if (s.markdown) print_as_markdown(all, before.name(), after.name());
    for (const wlfmt::diff::difference& d : all) {
        if (s.markdown) break;
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
