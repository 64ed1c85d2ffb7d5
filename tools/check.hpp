// check: reports every problem of a file, what makes no sense to a simulator, and how many records the file holds.
#ifndef WLFMT_TOOLS_CHECK_HPP
#define WLFMT_TOOLS_CHECK_HPP

#include "analysis/simulators/simulators.hpp"

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "run/checks.hpp"

namespace tool {

// Pulls every record and reports each error that the reader can skip. Leaves any other error to the caller.
template <class Reader, class Pull> void pull_all(Reader& reader, report& r, Pull&& pull) {
    for (;;) {
        pull();
        if (reader.ok()) return;
        const wlfmt::problem e = reader.error();
        if (!reader.skip()) return;
        r.error(e);
    }
}

inline std::string check_oplog(input& from, const settings& s, report& r, run_checks& run) {
    std::uint64_t records = 0;
    std::uint64_t nested = 0;
    run.begin_text(from.name());
    for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
        ++records;
        for (const auto& sub : op.sub_operations.only<wlfmt::oplog::fields::none>()) nested += sub.damaged ? 0 : 1;
        if (r.blames(op.source)) return;
        const wlfmt::oplog::stream_line line = log.line_of(op.source);
        run.add(op, line.text, line.number, [&](wlfmt::problem e) {
            e.offset += line.offset;
            r.warning(e);
        });
    });
    return joined(
        {"oplog, ", counted(records, "record", "records"), ", ", counted(nested, "sub-operation", "sub-operations")});
}

// Counts the layers of a text, whatever else is wrong with it.
inline std::int64_t count_layers(std::string_view text) {
    wlfmt::workload::reader file(text, lenient_options());
    std::int64_t layers = 0;
    while (file.next() != nullptr) ++layers;
    return layers;
}

// Reports, as errors, what the simulator of --for does not take, and how that is mended.
inline void check_for_simulator(input& from, const settings& s, report& r) {
    namespace simulators = wlfmt::analysis::simulators;
    r.about(from.whole());
    simulators::examine(*s.simulator, wlfmt::text_view(from.whole()), from.name(),
                        [&](const simulators::finding& f) { r.error(f.place, simulators::words_of(f)); });
}

inline std::string check_workload(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::workload::reader file(text, options_for(s, r));
    const auto implausible = [&](const wlfmt::problem& e) { r.warning(e); };
    if (file.ok()) wlfmt::lint::examine(file.header(), count_layers(text), text, implausible);
    const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
    std::uint64_t layers = 0;
    pull_all(file, r, [&] {
        while (const auto* layer = file.next()) {
            ++layers;
            if (sizes->known()) wlfmt::lint::examine(*layer, *sizes, text, implausible);
            else wlfmt::lint::examine(*layer, text, implausible);
        }
    });
    if (!file.ok()) r.error(file.error());
    if (s.simulator) check_for_simulator(from, s, r);
    return "workload, " + counted(layers, "layer", "layers");
}

inline std::string check_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    std::uint64_t tables = 0;
    std::uint64_t rows = 0;
    for_each_prefix(text, s, r, [&](const wlfmt::options& options, wlfmt::table::losses& lost) {
        wlfmt::table::reader reader(text, options);
        bool in_table = false;
        pull_all(reader, r, [&] {
            // After a skipped error, the same table continues.
            for (; in_table || reader.next_table(); in_table = false) {
                if (!in_table) lost.begin(reader);
                in_table = true;
                for (const wlfmt::table::row* row; (row = reader.next()) != nullptr; ++rows) lost.add(*row);
                if (!reader.ok()) return;
                lost.end(reader);
                ++tables;
            }
        });
        return reader.error();
    });
    return joined({"table, ", counted(tables, "table", "tables"), ", ", counted(rows, "row", "rows")});
}

inline void check(input& from, wlfmt::file_format kind, const settings& s, report& r, run_checks& run) {
    std::string contents = "unknown format";
    if (s.simulator && kind != wlfmt::file_format::workload && kind != wlfmt::file_format::unknown)
        r.error({"this is no workload file, of which --for says whether a simulator takes it"});
    switch (kind) {
    case wlfmt::file_format::oplog: contents = check_oplog(from, s, r, run); break;
    case wlfmt::file_format::workload: contents = check_workload(from, s, r); break;
    case wlfmt::file_format::table: contents = check_tables(from, s, r); break;
    case wlfmt::file_format::unknown: break;
    }
    if (r.errors() != 0) contents += ", " + counted(r.errors(), "problem", "problems");
    if (r.warnings() != 0) contents += ", " + counted(r.warnings(), "warning", "warnings");
    print_line({from.name(), ": ", contents});
}

exit_status do_check(const settings& s) {
    settings listing = s;
    listing.lists_problems = true;
    run_checks run;
    const exit_status worst = for_each_given(
        listing, true, [&](input& from, report& r) { check(from, format_of(from, listing, r), listing, r, run); });
    return run.report(listing) && listing.strict ? (std::max)(worst, problems) : worst;
}

}  // namespace tool

#endif
