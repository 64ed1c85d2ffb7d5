#include "summary.hpp"

namespace tool {

void table_summary::print() const {
    for (const auto& total : table_.totals) print_note({total.name, ": ", total.value.text()});
    for (const std::string& sentence : sentences()) print_note(sentence);
    for (const kind_title& kind : kinds) print_kind(kind);
}
std::vector<std::string> table_summary::sentences() const {
    std::vector<std::string> said = sentences_of_device();
    if (names_.names_may_lack_rows())
        said.emplace_back("rows may be missing, also of names that are listed: sums are of the rows that are there");
    const auto is_limit = [](const bounded& v) { return !v.is_exact(); };
    for (const kind_title& kind : kinds)
        for (const named_rows* name : names_.heaviest(kind.kind)) {
            if (name->weight.is_exact() && std::none_of(name->extra.begin(), name->extra.end(), is_limit)) continue;
            said.emplace_back("some cells hold no number: sums over them are lower limits (>=), or unknown");
            return said;
        }
    return said;
}
std::vector<std::string> table_summary::sentences_of_device() const {
    if (table_.columns.empty()) return {};
    // Nothing else is said about a cut table: the columns that it lacks may have been cut off.
    if (table_.columns.back().unit == wlfmt::table::unit::cut)
        return {"the table is cut at its right edge: its last column is a piece, and others may be missing"};
    bool any_device = false;
    bool any_device_time = false;
    std::string_view measured;  // a column with times of the device that are not all 0
    for (std::size_t n = 0; n != table_.columns.size(); ++n) {
        const wlfmt::table::column_meaning meaning = wlfmt::table::meaning_of(title(n));
        any_device = any_device || (!meaning.device.empty() && meaning.device != "CPU");
        any_device_time = any_device_time || meaning.name == "self_device_time_us";
        if (meaning.name != "device_time_us" || !measured.empty()) continue;
        for (const wlfmt::table::row& row : table_.rows())
            if (row[n].value().is_text() || row[n].value().value_or(0.0) != 0) measured = title(n);
    }
    if (!any_device) return {"it has no columns of a device"};
    if (!any_device_time) return {};
    const std::size_t weight = names_.weight();
    if (weight == names_.none || wlfmt::table::meaning_of(title(weight)).name != "self_device_time_us")
        return {measured.empty()
                    ? "its columns of the device hold no time"
                    : joined({"no row has a time of its own on the device: only `", measured, "` holds times"})};
    std::vector<std::string> said;
    if (!names_.tells_kinds())
        said.emplace_back("it has no columns of the processor: only names tell its kernels from its operators");
    const bounded of_kernels = sum_of(row_kind::kernel);
    const bounded others = sum_of(row_kind::device);
    const double total = names_.total();
    const wlfmt::analysis::missing_device_time& missing = names_.missing_on_device();
    const bounded kernels = of_kernels + missing.kernels;
    // What PyTorch's row_limit has left out may be of any kind.
    const bounded any_part = bounded::between(0, missing.kernels.at_most());
    if (of_kernels.number() > 0 && total > 0 && names_.tells_kinds()) {
        if (missing.kernels != 0)
            said.push_back(
                joined({"its rows hold ", fixed(missing.rows * (100 / total), 1), "% of the device's total: ",
                        missing.is_sure ? "others were left out" : "others may have been left out"}));
        said.push_back(joined({"kernels take ", time_text(kernels), " of ", time_text(total), " on the device, ",
                               fixed(kernels * (100 / total), 1), "%; communication ",
                               time_text(sum_of(row_kind::kernel, true) + any_part), ", other kernels ",
                               time_text(sum_of(row_kind::kernel, false) + any_part)}));
    }
    if (missing.counts_annotations)
        said.push_back(joined({"the total counts annotations, too: without them it is ",
                               time_text(total - sum_of(row_kind::annotation).number())}));
    if (names_.heaviest(row_kind::kernel).empty() && names_.heaviest(row_kind::device).empty() &&
        !names_.has_doubtful_kinds())
        said.emplace_back(names_.heaviest(row_kind::annotation).empty() && names_.tells_kinds()
                              ? "it has rows of operators only, and no row of a kernel"
                              : "it has no row of a kernel");
    if (others.number() > 0)
        said.push_back(
            joined({"device rows, kernels or annotations by names that do not tell, take ", time_text(others)}));
    if (const std::string words = balance(); !words.empty()) said.push_back(words);
    return said;
}
std::size_t table_summary::extra_of(std::string_view meaning) const {
    std::size_t n = 0;
    while (n != names_.extra().size() && wlfmt::table::meaning_of(title(names_.extra()[n])).name != meaning) ++n;
    return n;
}
bounded table_summary::sum_of(row_kind kind, std::optional<bool> communication) const {
    bounded sum = names_.has_doubtful_kinds() ? bounded::no_less(0) : bounded();
    for (const auto* name : names_.heaviest(kind))
        if (!communication || wlfmt::analysis::is_communication(name->name) == *communication) sum += name->weight;
    return sum;
}
std::string table_summary::balance() const {
    constexpr double many = 10;
    double named = 0;
    for (const auto& total : table_.totals)
        if (wlfmt::table::meaning_of(total.name).name == "self_cpu_time_us")
            named = table_.find_total(total.name).value().value_or(0.0);
    if (names_.total() <= 0 || named <= 0) return {};
    std::string words =
        joined({"the total of the processor is ", fixed(named / names_.total(), 1), " times that of the device"});
    const std::size_t own = extra_of("self_cpu_time_us");
    if (own == names_.extra().size()) return words;
    bounded all;
    double waiting = 0;
    for (const row_kind kind : {row_kind::operation, row_kind::span})
        for (const auto* name : names_.heaviest(kind)) {
            all += name->extra[own];
            if (name->name.find("Synchronize") != std::string::npos) waiting += name->extra[own].number();
        }
    const double sum = all.exact().value_or(0);
    if (sum >= 0.999 * named && sum - waiting >= many * names_.total())
        words += joined({", and it waits for the device ", fixed(100 * waiting / sum, 1),
                         "% of that time: launches and the program, not kernels, take the time"});
    return words;
}
std::string table_summary::time_text(const bounded& us) {
    return message(us, [](double v) { return time_text(v); });
}
std::string table_summary::cell_of(const bounded& sum, std::size_t column) const {
    using wlfmt::table::unit;
    const unit u = table_.columns[column].unit;
    return message(sum, [u](double v) {
        return u == unit::microseconds ? time_text(v) : u == unit::bytes ? sized(v) : fixed(v, 0);
    });
}
void table_summary::print_kind(const kind_title& kind) const {
    std::vector<const named_rows*> order = names_.heaviest(kind.kind);
    if (order.empty()) return;
    const std::size_t count = order.size();
    order.resize((std::min)(count, max_names_));
    print_gap();
    grid lines;
    lines.row({kind.title, title(names_.weight()), "share"});
    for (const std::size_t n : names_.extra()) lines.add({title(n)});
    lines.add({"rows"});
    for (const named_rows* entry : order) {
        const auto part = entry->share;
        lines.row({entry->name, cell_of(entry->weight, names_.weight()), part ? fixed(*part, 2) + "%" : "-"});
        for (std::size_t n = 0; n != names_.extra().size(); ++n)
            lines.add({cell_of(entry->extra[n], names_.extra()[n])});
        lines.add({entry->rows});
    }
    lines.print();
    if (count > max_names_) print_note({"and ", count - max_names_, " more names"});
}

// Says how many lines belong to no table. Only strict reading reports them.
static void report_foreign_lines(std::string_view text, const settings& s) {
    const std::vector<std::string_view> prefixes = table_prefixes(text, s);
    if (prefixes.size() != 1) return;
    std::uint64_t count = 0;
    wlfmt::options options;
    options.prefix = prefixes[0];
    options.strict = options.lenient = true;
    options.on_problem = [&](const wlfmt::problem& e) {
        if (e.kind == wlfmt::error_kind::foreign_text) ++count;
    };
    static_cast<void>(wlfmt::table::read(text, options));
    print_passed_over(count, "table");
}

void summarise_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::table::document read = read_tables(text, s, r);
    if (!keep_chosen_table(read, s, r)) read.tables.clear();
    const auto& tables = read.tables;
    if (s.json || s.partial) {
        print_object([&](auto& line) {
            put_text(line, "name", from.name());
            put_text(line, "format", name_of(wlfmt::file_format::table));
            put_objects(line, "tables", tables, [&](const wlfmt::table::profile& table) {
                if (const notebook_cell* cell = cell_at(from.cells(), offset_of(table, text)); cell != nullptr)
                    put_count(line, "cell", cell->number);
                table_summary(table).put(line);
            });
        });
        return;
    }
    for (std::size_t n = 0; n < tables.size(); ++n) {
        print_title(joined({from.name_at(offset_of(tables[n], text)), ": profiler table ", n + 1, " of ", tables.size(),
                            ", ", counted(tables[n].size(), "row", "rows"), ", ",
                            counted(tables[n].columns.size(), "column", "columns")}));
        if (s.markdown && n == 0) report_foreign_lines(text, s);
        table_summary(tables[n], s.top).print();
    }
}

}  // namespace tool
