// Reports on workload files (where compute and bytes are) and on profiler tables (each name's share of the total).
#ifndef WLFMT_ANALYSIS_REPORT_FILES_HPP
#define WLFMT_ANALYSIS_REPORT_FILES_HPP

#include <algorithm>
#include <map>

#include "../library.hpp"
#include "../plot/files.hpp"
#include "page.hpp"

namespace wlfmt::analysis {

// Adds facts to a page. They are sentences without full stops, one per line.
inline void add_facts(html_page& page, std::string_view facts) {
    if (facts.empty()) return;
    page.add({"<ol class=\"verdict\">\n"});
    while (!facts.empty()) {
        const std::size_t end = (std::min)(facts.find('\n'), facts.size());
        std::string fact = capitalised(markup(facts.substr(0, end)));
        // Text between backticks is code.
        std::string_view tag = "<code>";
        for (std::size_t at = fact.find('`'); at != fact.npos; at = fact.find('`', at)) {
            fact.replace(at, 1, tag);
            tag = tag.size() == 6 ? "</code>" : "<code>";
        }
        page.add({"<li>", fact, tag.size() == 7 ? "</code>" : "", ".</li>\n"});
        facts.remove_prefix((std::min)(end + 1, facts.size()));
    }
    page.add({"</ol>\n"});
}

// The report on a workload: where its compute and bytes are, by phase, group and layer.
struct workload_report {
    explicit workload_report(const workload::document& doc)
        : doc_(doc), sizes_(*parallelism::sizes_of(doc.header, {})) {
        for (const workload::layer& l : doc.layers)
            for (std::size_t n = 0; n != phases; ++n) {
                const workload::phase& p = l.*workload::phase_rows[n].member;
                parts_.push_back(amount(p.compute));
                compute_[n] += parts_.back();
                const workload::communication c = workload::communication_of(p.comm);
                if (c.collective == workload::collective::none) continue;
                sent& collective = sent_[std::string(p.comm) + (n == 2 ? "\n2" : "\n")];
                collective.token = p.comm;
                if (const auto g = parallelism::group_of(static_cast<parallelism::phase>(n), c))
                    collective.group = static_cast<std::size_t>(*g);
                // Groups of one rank send nothing.
                collective.is_alone =
                    sizes_.known() && collective.group < parallelism::group_count &&
                    parallelism::layout(sizes_).size(static_cast<parallelism::group>(collective.group)) == 1;
                ++collective.count;
                collective.bytes[n] += amount(p.bytes);
                collective.sum += amount(p.bytes);
            }
        total_ = compute_[0] + compute_[1] + compute_[2];
    }
    std::string write(std::string_view name, std::string_view json, std::string_view unread, std::string_view facts) {
        page_.unread(unread);
        add_facts(page_, facts);
        add_header();
        add_compute();
        add_layers();
        add_bytes();
        add_groups();
        page_.data("summary", json);
        return page_.finish(
            name,
            joined({strong(markup(name)), " &middot; ", markup(doc_.header.policy), " &middot; ",
                    counted_text(doc_.layers.size(), "layer")}),
            doc_.layers.empty() ? "A workload without layers" : compute_finding() + "; " + bytes_finding(false));
    }

    static constexpr std::size_t phases = 3;
    struct sent {
        std::string_view token;
        std::size_t group = 5;  // the position of its group in groups_
        bool is_alone = false;
        std::uint64_t count = 0;
        std::array<double, phases> bytes{};
        double sum = 0;
    };
    static html_cell ticks_cell(double ticks) { return {ticks, grouped_text(ticks, 0)}; }
    static double amount(const number& v) {
        const double d = v.value_or(0.0);
        return std::isfinite(d) && d > 0 ? d : 0;
    }
    std::string compute_finding() const {
        if (!(total_ > 0)) return "No layer computes anything";
        if (!std::isfinite(total_)) return "The compute adds up to more than a double holds";
        const auto [least, greatest] = std::minmax_element(compute_.begin(), compute_.end());
        if (*least > 0.995 * *greatest) return "Each phase takes a third of the compute";
        return joined({"The ", phases_[static_cast<std::size_t>(greatest - compute_.begin())].label, " takes ",
                       percent_markup(*greatest, total_, 0), " of the compute"});
    }
    std::string bytes_finding(bool begins) const {
        const sent* greatest = nullptr;
        double moved = 0;
        bool any_alone = false;
        for (const auto& [key, kind] : sent_) {
            any_alone = any_alone || (kind.is_alone && kind.sum > 0);
            if (kind.is_alone) continue;
            moved += kind.sum;
            if (kind.sum > (greatest == nullptr ? 0 : greatest->sum)) greatest = &kind;
        }
        if (greatest == nullptr) {
            const std::string none = any_alone ? "all collectives are in groups of one rank, which send nothing"
                                               : "no layer communicates any bytes";
            return begins ? capitalised(none) : none;
        }
        return joined({markup(greatest->token), " among ", groups_[greatest->group].label, " ranks moves ",
                       std::isfinite(moved) ? percent_markup(greatest->sum, moved, 0) + " of the bytes"
                                            : std::string("more bytes than a double holds"),
                       any_alone ? " in groups of several ranks" : ""});
    }

    void add_header() {
        if (doc_.header.entries.empty()) return;
        page_.table("", {text_column("entry of the header"), text_column("value")});
        for (const workload::entry& e : doc_.header.entries)
            page_.row({e.key.empty() ? "last bottom layer" : markup(e.key), markup(e.value)});
    }
    void add_compute() {
        page_.section("compute", compute_finding(), "Sums over all layers of the file, in its ticks.");
        page_.table("wide", {text_column("phase"), bar_column(), "ticks", "of all"});
        for (std::size_t n = 0; n != phases; ++n)
            page_.row({phases_[n].label,
                       bar_cell(total_ > 0 ? 100 * compute_[n] / total_ : 0, phases_[n].colour,
                                percent_text(compute_[n], total_)),
                       ticks_cell(compute_[n]), percent_markup(compute_[n], total_)});
    }

    // In the table, a block of layers that repeats is listed once, with a row for each of its layers.
    void add_layers() {
        if (doc_.layers.empty()) return;
        page_.section("layers", counted_text(doc_.layers.size(), "layer") + " from the first to the last",
                      "Compute of each layer by phase; the numbers are in the table below, in which layers that repeat "
                      "are one row.");
        page_.add({legend_of(phases_)});
        double longest = 1e-9;
        for (std::size_t n = 0; n != parts_.size(); n += phases)
            longest = (std::max)(longest, parts_[n] + parts_[n + 1] + parts_[n + 2]);
        page_.add({stacked_columns(parts_, phases_, longest, 160, "compute of each layer")});
        page_.note("The highest layer computes " + grouped_text(longest, 0) + " ticks.");
        add_layer_table();
    }
    // Adds a row for layer `first`, which is in the first block, with sums over this layer of all blocks.
    void add_layer_row(std::size_t first, const repeated_layers& block) {
        std::array<double, phases> ticks{};
        double bytes = 0;
        std::string tokens;
        for (std::size_t n = 0; n != block.count; ++n)
            for (std::size_t p = 0; p != phases; ++p) {
                const workload::phase& phase = doc_.layers[first + n * block.period].*workload::phase_rows[p].member;
                ticks[p] += amount(phase.compute);
                if (workload::communication_of(phase.comm).collective == workload::collective::none) continue;
                bytes += amount(phase.bytes);
                if (n == 0) tokens.append(tokens.empty() ? "" : ", ").append(markup(phase.comm));
            }
        page_.row({markup(shortened(doc_.layers[first].name, 60)) + (block.count > 1 ? " ..." : ""),
                   count_cell(block.count), ticks_cell(ticks[0]), ticks_cell(ticks[1]), ticks_cell(ticks[2]),
                   bytes_cell(bytes), tokens});
    }
    void add_layer_table() {
        std::vector<repeated_layers> repeated = find_repeated(kinds_of_layers(doc_).second);
        std::stable_sort(repeated.begin(), repeated.end(),
                         [](const repeated_layers& x, const repeated_layers& y) { return x.begin < y.begin; });
        page_.fold("The numbers of the layers");
        page_.table("wide", {text_column("layer"), "times", "forward pass", "input gradient", "weight gradient",
                             "bytes", text_column("collectives")});
        constexpr std::size_t max_rows_of_page = 1500;
        std::size_t rows = 0;
        std::size_t left_out = 0;
        auto next = repeated.begin();
        for (std::size_t at = 0; at != doc_.layers.size();) {
            const bool is_repeated = next != repeated.end() && next->begin == at;
            const repeated_layers block = is_repeated ? *next++ : repeated_layers{at, 1, 1};
            for (; at != block.begin + block.period; ++at) {
                if (++rows > max_rows_of_page) left_out += block.count;
                else add_layer_row(at, block);
            }
            at += block.period * (block.count - 1);
        }
        if (left_out != 0) page_.note(counted_text(left_out, "further layer") + " not in the table, which ends here.");
    }

    void add_bytes() {
        page_.section("bytes", bytes_finding(true),
                      "Bytes that the file gives for each collective, over all of its layers.");
        if (sent_.empty()) return;
        double greatest = 1e-9;
        for (const auto& [key, kind] : sent_)
            if (!kind.is_alone) greatest = (std::max)(greatest, kind.sum);
        page_.table("wide sortable", {text_column("collective"), text_column("group"), bar_column(), "calls",
                                      "forward pass", "input gradient", "weight gradient", "all"});
        const auto moved = [](double bytes) { return bytes > 0 ? bytes_cell(bytes) : html_cell(bytes, missing_value); };
        for (const auto& [key, kind] : sent_) {
            const legend_entry& group = groups_[kind.group];
            page_.row({markup(kind.token), joined({group.label, kind.is_alone ? ", one rank: sends nothing" : ""}),
                       kind.is_alone ? html_cell("")
                                     : bar_cell(100 * kind.sum / greatest, group.colour, bytes_text(kind.sum)),
                       count_cell(kind.count), moved(kind.bytes[0]), moved(kind.bytes[1]), moved(kind.bytes[2]),
                       bytes_cell(kind.sum)});
        }
    }
    // Shows what a simulated rank sends, as computed from the sizes in the header.
    void add_groups() {
        if (!sizes_.known())
            return page_.section("groups", "What a rank sends is unknown",
                                 "The header does not say how large all groups are.");
        parallelism::traffic traffic(sizes_);
        traffic.add_pipeline(doc_.header);
        for (const workload::layer& l : doc_.layers) traffic.add(l);
        const auto part = [&](std::size_t n, std::size_t g) {
            return traffic.rank(static_cast<parallelism::phase>(n), static_cast<parallelism::group>(g));
        };
        parallelism::tally sums[parallelism::group_count];
        parallelism::tally sum;
        for (std::size_t g = 0; g != parallelism::group_count; ++g) {
            sums[g] = traffic.rank(static_cast<parallelism::group>(g));
            sum.wire += sums[g].wire;
            sum.unknown += sums[g].unknown;
        }
        page_.section(
            "groups",
            joined({"A rank sends ", sum.unknown != 0 ? "at least " : "", unbroken(bytes_text(sum.wire)),
                    " for these layers"}),
            "What goes over the wire, as the simulators count it: an all-reduce in a group of n ranks sends 2 (n - "
            "1) / n of its bytes. A group of one rank sends nothing.");
        page_.table("wide", {text_column("group"), "ranks", "groups", "forward pass", "input gradient",
                             "weight gradient", "a rank sends"});
        const auto wire_cell = [](const parallelism::tally& t, bool is_there) {
            const bounded wire(t.wire, t.unknown != 0 ? limit::least : limit::exact);
            return is_there || !wire.is_exact() ? bytes_cell(wire) : html_cell(t.wire, missing_value);
        };
        const parallelism::layout ranks(sizes_);
        for (std::size_t g = 0; g != parallelism::group_count; ++g) {
            const auto group = static_cast<parallelism::group>(g);
            page_.row({joined({key_of(groups_[g].colour), groups_[g].label}),
                       count_cell(static_cast<std::uint64_t>(ranks.size(group))),
                       count_cell(static_cast<std::uint64_t>(ranks.count(group)))});
            for (std::size_t n = 0; n != phases; ++n) page_.add_cells({wire_cell(part(n, g), part(n, g).count != 0)});
            page_.add_cells({wire_cell(sums[g], true)});
        }
    }

    const std::vector<legend_entry> phases_ = {
        {"forward", "forward pass"}, {"backward", "input gradient"}, {"weight", "weight gradient"}};
    const legend_entry groups_[6] = {{"tp", "tensor parallel"},         {"dp", "data parallel"},
                                     {"exp", "expert parallel"},        {"ep_dp", "expert data parallel"},
                                     {"pipeline", "pipeline parallel"}, {"unknown", "unknown"}};
    const workload::document& doc_;
    parallelism::sizes sizes_;
    html_page page_;
    std::vector<double> parts_;  // the compute of each phase of each layer
    std::array<double, phases> compute_{};
    double total_ = 0;
    std::map<std::string, sent> sent_;
};

struct table_report {
    explicit table_report(const table::document& doc) : doc_(doc) {}
    std::string write(std::string_view name, std::string_view json, std::string_view unread, std::string_view facts) {
        page_.unread(unread);
        add_facts(page_, facts);
        std::size_t rows = 0;
        for (std::size_t n = 0; n != doc_.tables.size(); ++n) {
            const table::profile& table = doc_.tables[n];
            const by_name names(table);
            rows += table.size();
            std::string totals;
            for (const table::total& t : table.totals)
                append(totals, {totals.empty() ? "" : "; ", markup(t.name), ": ", markup(t.value.text())});
            page_.note(totals);
            const std::string id = n == 0 ? std::string() : std::to_string(n + 1);
            const std::string prefix = doc_.tables.size() > 1 ? joined({"Table ", n + 1, ": "}) : std::string();
            if (names.weight() == names.none) page_.section("rows" + id, prefix + "no column measured any time", "");
            else
                for (const table_panel& p : table_panels) add(names, table, p, id, prefix);
        }
        page_.data("summary", json);
        return page_.finish(name,
                            joined({strong(markup(name)), " &middot; ", counted_text(doc_.tables.size(), "table"),
                                    " &middot; ", counted_text(rows, "row")}),
                            !finding_.empty() ? finding_
                            : facts.empty()   ? "A table without times"
                                              : capitalised(markup(facts.substr(0, facts.find('\n')))));
    }

    static std::string time_text(double us) { return unbroken(microseconds_text(us)); }
    static std::string share_text(double percent, int decimals) {
        return unbroken(fixed_text(percent, decimals) + " %");
    }
    void add(const by_name& names, const table::profile& table, const table_panel& p, const std::string& id,
             const std::string& prefix) {
        const auto rows = names.heaviest(p.kind);
        if (rows.empty()) return;
        // A full bar stands for the table's own total, to which its percentages refer.
        bool has_shares = true;
        for (const named_rows* row : rows) has_shares = has_shares && row->share;
        const double full = (std::max)(rows[0]->weight.number(), 1e-9);
        bool is_exact = true;
        for (const named_rows* row : rows) is_exact = is_exact && row->weight.is_exact();
        const std::string weight = markup(table.columns[names.weight()].name);
        std::string finding = prefix + counted_text(rows.size(), p.row);
        const double heaviest_weight = rows[0]->weight.number();
        if (heaviest_weight > 0) {
            const std::string heaviest = markup(shortened(rows[0]->name, 60));
            const std::string time = shown(rows[0]->weight, microseconds_text);
            const auto part = rows[0]->share;
            // A kernel may take more time than the table gives for the operators that launched it.
            const bool is_greatest = finding_.empty() || (found_in_ == &table && heaviest_weight > found_weight_);
            if (is_greatest && p.kind != row_kind::annotation && p.kind != row_kind::span) {
                finding_ = joined({heaviest, " takes ", part ? share_text(*part, 1) : time, " of ", weight});
                found_in_ = &table;
                found_weight_ = heaviest_weight;
            }
            if (rows.size() > 1)
                append(finding,
                       {is_exact ? ", the heaviest " : ", of what is known the heaviest ", heaviest, " with ", time});
        }
        page_.section(std::string(p.id) + id, finding,
                      joined({p.meaning, " By ", weight, ", rows of one name summed; a full bar is ",
                              names.total() > 0 ? "the table's own total, " + time_text(names.total())
                              : has_shares      ? "100&nbsp;% by the table's own percentages"
                                                : "the heaviest of them, as the table names no total",
                              "."}));
        // All times of a column are in one unit.
        std::vector<column_unit> units;
        double greatest = 0;
        for (const named_rows* row : rows) greatest = (std::max)(greatest, std::fabs(row->weight.number()));
        units.push_back(unit_of_column(greatest));
        page_.table("wide sortable",
                    {{"name", words_kind}, bar_column(), joined({weight, ", ", units[0].name}), "share"});
        for (std::size_t e = 0; e != names.extra().size(); ++e) {
            greatest = 0;
            for (const named_rows* row : rows) greatest = (std::max)(greatest, std::fabs(row->extra[e].number()));
            units.push_back(unit_of_column(greatest));
            const auto& column = table.columns[names.extra()[e]];
            const bool is_time = column.unit == table::unit::microseconds;
            page_.add_columns({{joined({markup(column.name), is_time ? ", " : "", is_time ? units.back().name : ""}),
                                "n secondary"}});
        }
        page_.add_columns({{"rows", "n secondary"}});
        constexpr std::size_t max_rows_of_table = 30;
        for (std::size_t n = 0; n != rows.size(); ++n) {
            if (n == max_rows_of_table) page_.fold(counted_text(rows.size() - n, "further name"));
            const named_rows& row = *rows[n];
            const auto part = row.share;
            const double percent = (std::min)(100.0, part && has_shares ? *part : 100 * row.weight.number() / full);
            page_.row({markup(row.name), bar_cell(percent, "self", message(row.weight, microseconds_text)),
                       cell_of(row.weight, [&](double us) { return units[0].text(us); }),
                       part ? html_cell(*part, share_text(*part, 2)) : html_cell(missing_value)});
            for (std::size_t e = 0; e != names.extra().size(); ++e) {
                const table::unit unit = table.columns[names.extra()[e]].unit;
                page_.add_cells({cell_of(row.extra[e], [&](double v) {
                    return unit == table::unit::microseconds ? units[e + 1].text(v)
                           : unit == table::unit::bytes      ? bytes_text(v)
                                                             : grouped_text(v, 0);
                })});
            }
            page_.add_cells({count_cell(row.rows)});
        }
    }

    const table::document& doc_;
    html_page page_;
    std::string finding_;  // the sentence about the name that takes most, in the first table with times
    const table::profile* found_in_ = nullptr;
    double found_weight_ = 0;
};

}  // namespace wlfmt::analysis

#endif
