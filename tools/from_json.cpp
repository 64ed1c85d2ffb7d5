// from-json: turns what `wlfmt json` printed back into the original format.
#if defined(WLFMT_WITH_SIMDJSON)
#include <wlfmt/json/read.hpp>
#endif
#include <wlfmt/json.hpp>

#include "command_line/commands.hpp"
#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "output/read_back.hpp"

namespace tool {

// Finds out the format of JSON Lines by the first member that only one format has.
inline wlfmt::file_format kind_of_json(std::string_view beginning) noexcept {
    using wlfmt::file_format;
    file_format kind = file_format::unknown;
    std::size_t first = std::string_view::npos;
    constexpr std::pair<std::string_view, file_format> members[] = {{"\"op\"", file_format::oplog},
                                                                    {"\"header\"", file_format::workload},
                                                                    {"\"declared_layers\"", file_format::workload},
                                                                    {"\"columns\"", file_format::table},
                                                                    {"\"totals\"", file_format::table}};
    for (const auto& [member, format] : members) {
        const std::size_t at = beginning.find(member);
        if (at < first) kind = format;
        first = (std::min)(first, at);
    }
    return kind;
}

#if defined(WLFMT_WITH_SIMDJSON)

// Whether each object is on a line of its own, so that the file can be read piece by piece.
inline bool is_json_lines(std::string_view beginning) noexcept {
    std::string_view line = beginning.substr(0, beginning.find('\n'));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return !line.empty() && line.back() == '}';
}

// Hands each record of a text to `write`, and goes on after errors. A record that would not read back is not written.
template <class Reader, class Write>
void for_each_json_record(std::string_view text, Reader& from, report& r, const Write& write) {
    do {
        while (const auto* record = from.next()) {
            if (const wlfmt::problem e = write(*record))
                r.error(text.substr(static_cast<std::size_t>(from.offset()), 1), message(e, text));
            if (standard_output.closed()) return;
        }
        if (from.ok()) return;
        if (from.error().kind == wlfmt::error_kind::text_after_layers)
            return r.error(text.substr(static_cast<std::size_t>(from.offset()), 1),
                           "another workload file begins here, and a text holds one: split the JSON before this line");
        r.error(from.error());
    } while (from.skip());
}

inline void operations_from_json(input& from, report& r) {
    const auto write_records = [&](std::string_view text) {
        wlfmt::json::texts kept;
        wlfmt::json::oplog_reader log(text, kept);
        for_each_json_record(text, log, r,
                             [](const wlfmt::oplog::operation& op) { return write(standard_output, op); });
    };
    if (!is_json_lines(from.beginning())) {
        const std::string_view text = from.whole();
        r.about(text);
        return write_records(text);
    }
    // Writes the whole lines read so far, chunk by chunk.
    std::string lines;
    std::uint64_t first_line = 1;
    for (bool more = true; more && !standard_output.closed();) {
        const std::string_view chunk = from.next();
        more = !chunk.empty();
        const std::size_t whole = chunk.rfind('\n') + 1;  // npos + 1 is 0
        lines += chunk;
        if (more && whole == 0) continue;
        const std::string_view text = std::string_view(lines).substr(0, lines.size() - (chunk.size() - whole));
        r.about(text, first_line);
        write_records(text);
        first_line += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
        lines.erase(0, text.size());
    }
}

inline void workload_from_json(std::string_view text, report& r) {
    wlfmt::json::texts kept;
    wlfmt::json::workload_reader file(text, kept);
    // Layers without a header are not a workload file.
    if (!file.ok()) return r.error(file.error());
    wlfmt::workload::document doc;
    doc.header = file.header();
    std::vector<std::uint64_t> offsets;
    for_each_json_record(text, file, r, [&](const wlfmt::workload::layer& layer) {
        offsets.push_back(file.offset());
        doc.layers.push_back(layer);
        return wlfmt::problem();
    });
    if (const auto declared = doc.header.declared_layers.as<std::uint64_t>(); declared && *declared < doc.layers.size())
        r.warning({wlfmt::error_kind::layer_count_mismatch,
                   0,
                   0,
                   {},
                   static_cast<std::int64_t>(doc.layers.size()),
                   static_cast<std::int64_t>(*declared)});
    // The number of layers is written first: layers that would not read back must be left out before that.
    wlfmt::problem e = problem_of(doc);
    while (e && e.expected == 1 && !doc.layers.empty()) {
        const auto n = static_cast<std::ptrdiff_t>(e.found);
        r.error(text.substr(static_cast<std::size_t>(offsets[static_cast<std::size_t>(n)]), 1), message(e, text));
        doc.layers.erase(doc.layers.begin() + n);
        offsets.erase(offsets.begin() + n);
        e = problem_of(doc);
    }
    if (e && !reads_back_leniently(doc)) return r.error(text.substr(0, 1), message(e, text));
    if (e) r.warning(text.substr(0, 1), message(e, text));
    write_unchecked(standard_output, doc);
}

inline void tables_from_json(std::string_view text, report& r) {
    wlfmt::json::texts kept;
    wlfmt::json::table_reader tables(text, kept);
    bool any = false;
    for_each_json_record(text, tables, r, [&](const wlfmt::table::profile& table) {
        const wlfmt::problem e = problem_of(table);
        if (e) {
            wlfmt::table::document alone;
            alone.tables.push_back(table);
            if (e.kind == wlfmt::error_kind::too_wide || !reads_back_leniently(alone)) return e;
            r.warning(text.substr(static_cast<std::size_t>(tables.offset()), 1), message(e, text));
        }
        if (any) standard_output.append("\n");
        any = true;
        write_unchecked(standard_output, table);
        return wlfmt::problem();
    });
    if (const wlfmt::table::profile* const table = tables.unfinished()) write_unchecked(standard_output, *table);
}

inline void from_json(input& from, wlfmt::file_format kind, report& r) {
    if (kind == wlfmt::file_format::oplog) return operations_from_json(from, r);
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) return workload_from_json(text, r);
    tables_from_json(text, r);
}

#endif

// Says that the input is not JSON, and which of the formats it is in, if any.
inline void say_no_json(std::string_view beginning, report& r) {
    const wlfmt::file_format kind = wlfmt::detect(beginning);
    std::string problem = "neither operations nor layers nor tables in JSON; from-json reads what `wlfmt json` prints";
    if (kind != wlfmt::file_format::unknown)
        problem = joined({"this is a file of the format `", name_of(kind),
                          "` itself, not its JSON; `wlfmt format` writes it again"});
    r.error(beginning.substr(0, 1), problem);
}

#if defined(WLFMT_WITH_SIMDJSON)
// Appends what a cell has printed: a text, or a list of lines. `value`: whether this is the value of an expression, of
// which the quotes are left out.
inline void append_printed(std::string& output, simdjson::simdjson_result<simdjson::dom::element> printed, bool value) {
    std::string whole_text;
    std::string_view text;
    simdjson::dom::array lines;
    if (printed.get(text) == simdjson::SUCCESS) whole_text = text;
    else if (printed.get(lines) == simdjson::SUCCESS)
        for (const simdjson::dom::element line : lines)
            if (line.get(text) == simdjson::SUCCESS) whole_text.append(text);
    const std::string bare = value ? unquoted(whole_text) : std::string();
    output.append(bare.empty() ? whole_text : bare);
}
#endif
std::string text_of_notebook([[maybe_unused]] std::string_view json,
                             [[maybe_unused]] std::vector<notebook_cell>& cells) {
    std::string text;
#if defined(WLFMT_WITH_SIMDJSON)
    simdjson::dom::parser parser;
    simdjson::dom::array all_cells;
    if (parser.parse(json.data(), json.size())["cells"].get(all_cells) != simdjson::SUCCESS) return text;
    std::uint64_t number = 0;
    std::uint64_t lines = 0;
    for (const simdjson::dom::element cell : all_cells) {
        ++number;
        simdjson::dom::array outputs;
        if (cell["outputs"].get(outputs) != simdjson::SUCCESS) continue;
        // Lines of standard error are kept apart, so that they do not split a table.
        std::string printed;
        std::string others;
        for (const simdjson::dom::element output : outputs) {
            std::string_view stream;
            const bool is_output = output["name"].get(stream) == simdjson::SUCCESS && stream == "stdout";
            append_printed(is_output ? printed : others, output["text"], false);
            append_printed(others, output["data"]["text/plain"], true);
            if (!is_output && !others.empty() && others.back() != '\n') others += '\n';
        }
        // Each part ends with a line end, so that no line belongs to two parts or two cells.
        for (std::string* const part : {&printed, &others})
            if (!part->empty() && part->back() != '\n') *part += '\n';
        printed += others;
        if (printed.empty()) continue;
        cells.push_back({number, text.size(), lines + 1});
        lines += static_cast<std::uint64_t>(std::count(printed.begin(), printed.end(), '\n'));
        text += printed;
    }
#endif
    return text;
}

exit_status do_from_json([[maybe_unused]] const settings& s) {
#if defined(WLFMT_WITH_SIMDJSON)
    return for_each_given(s, false, [&](input& from, report& r) {
        const wlfmt::file_format kind = s.kind != wlfmt::file_format::unknown ? s.kind : kind_of_json(from.beginning());
        r.set_kind(kind);
        r.about(from.beginning());
        if (kind == wlfmt::file_format::unknown) return say_no_json(from.beginning(), r);
        from_json(from, kind, r);
    });
#else
    say("wlfmt", {"from-json is not in this build, as it needs simdjson: compile with -DWLFMT_WITH_SIMDJSON and "
                  "-lsimdjson"});
    return unusable;
#endif
}

}  // namespace tool
