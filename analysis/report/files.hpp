// Reports on workload files (where compute and bytes are) and on profiler tables (each name's share of the total).
#ifndef WLFMT_ANALYSIS_REPORT_FILES_HPP
#define WLFMT_ANALYSIS_REPORT_FILES_HPP

#include <algorithm>
#include <map>
#include <numeric>

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
        bool is_code = false;
        for (std::size_t at = fact.find('`'); at != fact.npos; at = fact.find('`', at)) {
            is_code = !is_code;
            fact.replace(at, 1, is_code ? "<code>" : "</code>");
        }
        page.add({"<li>", fact, is_code ? "</code>" : "", ".</li>\n"});
        facts.remove_prefix((std::min)(end + 1, facts.size()));
    }
    page.add({"</ol>\n"});
}

// The report on a workload: where its compute and bytes are, by phase, group and layer.
struct workload_report {
    explicit workload_report(const workload::document& doc)
        : doc_(doc), sizes_(*parallelism::sizes_of(doc.header, {})) {
        for (const workload::layer& l : doc.layers) {
            double bytes_of_layer = 0;
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
                bytes_of_layer += amount(p.bytes);
            }
            layer_bytes_.fit(bounded(bytes_of_layer));
        }
        total_ = compute_[0] + compute_[1] + compute_[2];
    }
    std::string write(std::string_view name, std::string_view json, std::string_view unread, std::string_view facts) {
        page_.unread(unread);
        add_bytes();
        add_compute();
        add_layers();
        add_groups();
        if (!facts.empty() || !doc_.header.entries.empty())
            page_.section("file", "What the file holds, and what simulators make of it", "");
        add_facts(page_, facts);
        add_header();
        page_.data("summary", json);
        return page_.finish(
            name,
            joined({strong(markup(name)), " &middot; ", markup(doc_.header.policy), " &middot; ",
                    counted_text(doc_.layers.size(), "layer")}),
            doc_.layers.empty() ? "A workload without layers" : compute_finding() + "; " + bytes_finding(false));
    }

    static constexpr std::size_t phases = 3;
    static constexpr std::size_t unknown_group = 5;
    struct sent {
        std::string_view token;
        std::size_t group = unknown_group;  // the position of its group in groups_
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
        std::string who;
        std::size_t count = 0;
        for (std::size_t n = 0; n != phases; ++n)
            if (compute_[n] > 0.995 * *greatest) append(who, {count++ == 0 ? "The " : " and the ", phases_[n].label});
        return joined(
            {who, count == 1 ? " takes " : " each take ", percent_markup(*greatest, total_), " of the compute"});
    }
    // The bytes of the collectives in each kind of groups of several ranks, and of all.
    std::array<double, unknown_group + 1> moved_by_group() const {
        std::array<double, unknown_group + 1> moved{};
        for (const auto& [key, kind] : sent_)
            if (!kind.is_alone) moved[kind.group] += kind.sum;
        return moved;
    }
    std::string bytes_finding(bool begins) const {
        const auto moved = moved_by_group();
        const bool any_alone = std::any_of(
            sent_.begin(), sent_.end(), [](const auto& kind) { return kind.second.is_alone && kind.second.sum > 0; });
        const auto greatest = std::max_element(moved.begin(), moved.end());
        if (!(*greatest > 0)) {
            const std::string none = any_alone ? "all collectives are in groups of one rank, which send nothing"
                                               : "no layer communicates any bytes";
            return begins ? capitalised(none) : none;
        }
        const auto group = static_cast<std::size_t>(greatest - moved.begin());
        const double all = std::accumulate(moved.begin(), moved.end(), 0.0);
        const std::string who =
            group == unknown_group ? "collectives in unknown groups" : joined({groups_[group].label, " groups"});
        return joined({begins ? capitalised(who) : who, " move ",
                       std::isfinite(all) ? percent_markup(*greatest, all) + " of the bytes"
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
                   layer_bytes_.cell(bytes), tokens});
    }
    void add_layer_table() {
        std::vector<repeated_layers> repeated = find_repeated(kinds_of_layers(doc_).second);
        std::stable_sort(repeated.begin(), repeated.end(),
                         [](const repeated_layers& x, const repeated_layers& y) { return x.begin < y.begin; });
        page_.fold("The numbers of the layers");
        page_.table("wide sortable", {text_column("layer"), "times", "forward pass", "input gradient",
                                      "weight gradient", "bytes", text_column("collectives")});
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
        // The group that moves most comes first, and in it the collective that does; what sends nothing comes last.
        const auto moved = moved_by_group();
        std::vector<const sent*> order;
        byte_cells bytes;
        double greatest = 1e-9;
        for (const auto& [key, kind] : sent_) {
            order.push_back(&kind);
            bytes.fit(bounded(kind.sum));
            if (!kind.is_alone) greatest = (std::max)(greatest, kind.sum);
        }
        std::stable_sort(order.begin(), order.end(), [&](const sent* x, const sent* y) {
            const double of_groups[] = {x->is_alone ? -1 : moved[x->group], y->is_alone ? -1 : moved[y->group]};
            return of_groups[0] != of_groups[1] ? of_groups[0] > of_groups[1]
                   : x->group != y->group       ? x->group < y->group
                                                : x->sum > y->sum;
        });
        page_.table("wide sortable", {text_column("collective"), text_column("group"), bar_column(), "calls",
                                      "forward pass", "input gradient", "weight gradient", "all", "of all"});
        const auto part = [&](double v) { return v > 0 ? bytes.cell(v) : html_cell(v, missing_value); };
        const double all = std::accumulate(moved.begin(), moved.end(), 0.0);
        for (const sent* kind : order) {
            const legend_entry& group = groups_[kind->group];
            page_.row({markup(kind->token), joined({group.label, kind->is_alone ? ", one rank: sends nothing" : ""}),
                       kind->is_alone ? html_cell("")
                                      : bar_cell(100 * kind->sum / greatest, group.colour, bytes_text(kind->sum)),
                       count_cell(kind->count), part(kind->bytes[0]), part(kind->bytes[1]), part(kind->bytes[2]),
                       bytes.cell(kind->sum),
                       kind->is_alone || !(all > 0) || !std::isfinite(all)
                           ? html_cell(missing_value)
                           : html_cell(100 * kind->sum / all, percent_markup(kind->sum, all))});
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
        byte_cells bytes;
        for (const parallelism::tally& t : sums) bytes.fit(bounded(t.wire));
        const auto wire_cell = [&bytes](const parallelism::tally& t, bool is_there) {
            const bounded wire = t.unknown != 0 ? bounded::no_less(t.wire) : bounded(t.wire);
            return is_there || !wire.is_exact() ? bytes.cell(wire) : html_cell(t.wire, missing_value);
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
    byte_cells layer_bytes_;
};

struct table_report {
    explicit table_report(const table::document& doc) : doc_(doc) {}
    std::string write(std::string_view name, std::string_view json, std::string_view unread, std::string_view facts) {
        page_.unread(unread);
        std::size_t rows = 0;
        for (std::size_t n = 0; n != doc_.tables.size(); ++n) {
            const table::profile& table = doc_.tables[n];
            const by_name names(table);
            rows += table.size();
            const std::string id = n == 0 ? std::string() : std::to_string(n + 1);
            const std::string prefix = doc_.tables.size() > 1 ? joined({"Table ", n + 1, ": "}) : std::string();
            std::string totals = prefix;
            for (const table::total& t : table.totals)
                append(totals,
                       {totals.size() == prefix.size() ? "" : "; ", markup(t.name), ": ", markup(t.value.text())});
            std::string story = story_of(names, table, prefix);
            if (totals.size() != prefix.size()) append(story, {"<li>", totals, ".</li>\n"});
            if (!story.empty()) page_.add({"<ol class=\"verdict\">\n", story, "</ol>\n"});
            if (n == 0) add_facts(page_, facts);
            if (names.weight() == names.none) page_.section("rows" + id, prefix + "no column measured any time", "");
            else
                for (const table_panel& p : table_panels) add(names, table, p, id, prefix);
        }
        if (doc_.tables.empty()) add_facts(page_, facts);
        page_.data("summary", json);
        return page_.finish(name,
                            joined({strong(markup(name)), " &middot; ", counted_text(doc_.tables.size(), "table"),
                                    " &middot; ", counted_text(rows, "row")}),
                            !finding_.empty() ? finding_
                            : facts.empty()   ? "A table without times"
                                              : capitalised(markup(facts.substr(0, facts.find('\n')))));
    }

    static std::string time_text(double us) { return unbroken(microseconds_text(us)); }
    // A time as the source prints it: `3.771s`.
    static std::string source_text(double us) {
        std::string text = microseconds_text(us);
        text.erase(text.find(' '), 1);
        return text;
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
                finding_ = joined({heaviest, " takes ", part ? unbroken(percent_text(*part)) : time, " of ", weight,
                                   calls_text(names, table, *rows[0])});
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
        // The column by which rows are sorted is as in the source. The others have one unit each.
        std::vector<column_unit> units;
        std::vector<byte_cells> bytes(names.extra().size());
        const auto fit = [&](const auto& value_of) {
            double greatest = 0;
            for (const named_rows* row : rows) greatest = (std::max)(greatest, std::fabs(value_of(*row).number()));
            units.push_back(unit_of_column(greatest));
        };
        page_.table("wide sortable", {{"name", words_kind}, bar_column(), weight, "share"});
        const std::size_t calls = calls_of(names, table);
        for (std::size_t e = 0; e != names.extra().size(); ++e) {
            fit([e](const named_rows& row) { return row.extra[e]; });
            for (const named_rows* row : rows) bytes[e].fit(row->extra[e]);
            const auto& column = table.columns[names.extra()[e]];
            const bool is_time = column.unit == table::unit::microseconds;
            page_.add_columns({{joined({markup(column.name), is_time ? ", " : "", is_time ? units.back().name : ""}),
                                "n secondary"}});
        }
        fit([calls](const named_rows& row) { return a_call(row, calls); });
        if (calls != names.none) page_.add_columns({{joined({"a call, ", units.back().name}), "n"}});
        page_.add_columns({{"rows", "n secondary"}});
        constexpr std::size_t max_rows_of_table = 30;
        for (std::size_t n = 0; n != rows.size(); ++n) {
            if (n == max_rows_of_table) page_.fold(counted_text(rows.size() - n, "further name"));
            const named_rows& row = *rows[n];
            const auto part = row.share;
            const double percent = (std::min)(100.0, part && has_shares ? *part : 100 * row.weight.number() / full);
            page_.row({markup(row.name), bar_cell(percent, "self", message(row.weight, microseconds_text)),
                       cell_of(row.weight, source_text),
                       part ? html_cell(*part, unbroken(*part != 0 ? percent_text(*part) : "0.00 %"))
                            : html_cell(missing_value)});
            const auto in_unit = [&units](std::size_t e) {
                return [unit = units[e]](double us) { return digits_text(us / unit.size); };
            };
            for (std::size_t e = 0; e != names.extra().size(); ++e) {
                const table::unit unit = table.columns[names.extra()[e]].unit;
                page_.add_cells({unit == table::unit::microseconds ? cell_of(row.extra[e], in_unit(e))
                                 : unit == table::unit::bytes      ? bytes[e].cell(row.extra[e])
                                                                   : count_cell(row.extra[e])});
            }
            if (calls != names.none) page_.add_cells({cell_of(a_call(row, calls), in_unit(names.extra().size()))});
            page_.add_cells({count_cell(row.rows)});
        }
    }
    // The place of the number of calls among the extra columns, or `none`.
    static std::size_t calls_of(const by_name& names, const table::profile& table) {
        for (std::size_t e = 0; e != names.extra().size(); ++e)
            if (place_of(table, names.extra()[e]) == calls_place) return e;
        return names.none;
    }
    static std::size_t place_of(const table::profile& table, std::size_t column) {
        return profile_place_of(table::meaning_of(table.columns[column].name).name);
    }
    // The time of a call, on average; unknown without calls.
    static bounded a_call(const named_rows& row, std::size_t calls) {
        return calls == by_name::none ? bounded::unknown() : row.weight / row.extra[calls];
    }
    // `: 1,154 calls of 3.27 ms on average`; empty if the table has no number of calls.
    static std::string calls_text(const by_name& names, const table::profile& table, const named_rows& row) {
        const std::size_t place = calls_of(names, table);
        const bounded time = a_call(row, place);
        if (!(time.number() > 0) || row.extra[place].number() == 1) return {};
        return joined({": ", count_markup(row.extra[place]), " calls of ",
                       shown(time,
                             [](double us) {
                                 const column_unit unit = unit_of_column(us);
                                 return joined({digits_text(us / unit.size), " ", unit.name});
                             }),
                       " on average"});
    }
    // Says which name takes most of each kind of memory.
    static std::string story_of(const by_name& names, const table::profile& table, const std::string& prefix) {
        std::string story;
        for (std::size_t e = 0; e != names.extra().size(); ++e) {
            const named_rows* most = nullptr;
            if (!table_sums::is_memory(place_of(table, names.extra()[e]))) continue;
            for (const row_kind kind : {row_kind::operation, row_kind::kernel, row_kind::device})
                for (const named_rows* row : names.heaviest(kind))
                    if (row->extra[e].is_exact() &&
                        row->extra[e].number() > (most == nullptr ? 0 : most->extra[e].number()))
                        most = row;
            if (most != nullptr)
                append(story, {"<li>", prefix, strong(markup(shortened(most->name, 60))), " takes most of ",
                               markup(table.columns[names.extra()[e]].name), ": ", shown(most->extra[e], bytes_text),
                               calls_of(names, table) == names.none
                                   ? ""
                                   : joined({" in ", count_markup(most->extra[calls_of(names, table)]), " calls"}),
                               ".</li>\n"});
        }
        return story;
    }

    const table::document& doc_;
    html_page page_;
    std::string finding_;  // the sentence about the name that takes most, in the first table with times
    const table::profile* found_in_ = nullptr;
    double found_weight_ = 0;
};

}  // namespace wlfmt::analysis

#endif
