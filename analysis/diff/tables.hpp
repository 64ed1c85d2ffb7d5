// Compares two profiles by the sums of each name.
#ifndef WLFMT_ANALYSIS_DIFF_TABLES_HPP
#define WLFMT_ANALYSIS_DIFF_TABLES_HPP

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "../library.hpp"
#include "../profile/sums.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// The name of a kernel without template arguments, parameters and the trailing numbers that compilers add:
// `Kernel2<float, 4>(int)` becomes `Kernel2<>`, and `fused_add_12` becomes `fused_add_#`.
inline std::string folded_name(std::string_view name) {
    std::string folded;
    std::size_t depth = 0;
    for (std::size_t n = 0; n != name.size(); ++n) {
        const char c = name[n];
        // Parameters end the name. The scope `(anonymous namespace)::` does not, nor do brackets after a blank, which
        // are a part of the name: `Memcpy HtoD (Pinned -> Device)`.
        const bool after_blank = n != 0 && name[n - 1] == ' ';
        if (c == '(' && depth == 0 && !after_blank && name.substr(n, 10) != "(anonymous") break;
        if (c == '<') ++depth;
        if (depth == 0 || (c == '<' && depth == 1) || (c == '>' && depth == 1)) folded += c;
        if (c == '>' && depth != 0) --depth;
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (bool any = false;; any = true) {
        std::size_t end = folded.size();
        while (end != 0 && is_digit(folded[end - 1])) --end;
        if (end == folded.size() || end < 2 || (folded[end - 1] != '_' && folded[end - 1] != '.')) {
            return any ? folded + "#" : folded;
        }
        folded.resize(end - 1);
        if (is_digit(folded.back())) continue;
        return folded + "_#";
    }
}

// The profiles of a file. Several tables of one profile count once.
class diff_profile {
public:
    diff_profile(bool folds, const std::vector<std::string>& columns) : folds_(folds) {
        for (const std::string& column : columns)
            if (const std::size_t place = place_of(column); place != profile_column_count) wanted_ |= 1U << place;
    }
    // The place of a column by its canonical name or its name in a table; profile_column_count if there is no such
    // column.
    static std::size_t place_of(const std::string& column) noexcept {
        const std::size_t place = profile_place_of(column);
        return place != profile_column_count ? place : profile_place_of(table::meaning_of(column).name);
    }

    template <class Reader> void add_tables(Reader& from) {
        while (from.next_table()) {
            table_sums sums;
            sums.begin(from.columns(), wanted_);
            while (const table::row* r = from.next()) {
                const std::string_view name = sums.name_of(*r);
                sums.add(folds_ ? folded(name) : with_spaces(name, kept_), *r);
            }
            std::string totals;
            for (const table::total& t : from.totals()) {
                sums.add(t);
                totals.append(t.name).append(":").append(t.value.text()).append("\n");
            }
            sums.finish();
            ++tables_;
            take(std::move(sums), totals);
        }
    }
    // The sums over all profiles. If there are several, they are put into `merged`.
    const table_sums& sums_of_all(table_sums& merged) const {
        if (profiles_.size() == 1) return profiles_[0];
        for (const table_sums& profile : profiles_) merged.merge(profile, false);
        return merged;
    }
    std::size_t tables() const noexcept { return tables_; }
    std::size_t profiles() const noexcept { return profiles_.size(); }
    std::size_t folds() const noexcept { return folds_made_; }

private:
    std::string_view folded(std::string_view name) {
        name = with_spaces(name, kept_);
        std::string short_name = folded_name(name);
        if (short_name == name) return name;
        ++folds_made_;
        if (kept_.empty() || kept_.back() != short_name) kept_.push_back(std::move(short_name));
        return kept_.back();
    }
    // Tables with the same totals are one profile, sorted in different ways. A table without totals belongs to the last
    // profile if it repeats that profile.
    void take(table_sums table, const std::string& totals) {
        std::size_t same = profiles_.size();
        if (totals.empty()) {
            if (same != 0 && table.repeats(profiles_.back())) --same;
        } else {
            same = by_totals_.try_emplace(totals, same).first->second;
        }
        if (same != profiles_.size()) profiles_[same].merge(table, true);
        else profiles_.push_back(std::move(table));
    }

    bool folds_;
    // Times, calls and memory.
    std::uint32_t wanted_ = table_sums::all_columns & ~(1U << flops_place) & ((1U << first_share_place) - 1);
    std::size_t tables_ = 0;
    std::size_t folds_made_ = 0;
    std::vector<table_sums> profiles_;
    std::map<std::string, std::size_t> by_totals_;
    std::deque<std::string> kept_;  // folded names
};

class diff_profile_comparison {
public:
    diff_profile_comparison(const diff_profile& before, const diff_profile& after, const diff::profile_options& options)
        : was_(before.sums_of_all(sums_[0])),
          now_(after.sums_of_all(sums_[1])),
          options_(options),
          lacks_{options.before_is_cut || was_.lacks_rows(), options.after_is_cut || now_.lacks_rows()},
          folds_(before.folds() + after.folds() != 0),
          has_same_totals_(was_.totals() == now_.totals()) {
        found_.folded = before.folds() + after.folds();
    }
    diff::profile_difference run() {
        choose_columns();
        if (places_.empty()) return std::move(found_);
        found_.before = total_of(false, places_[0]);
        found_.after = total_of(true, places_[0]);
        for (std::size_t n = 1; n != places_.size(); ++n)
            found_.further.emplace_back(total_of(false, places_[n]), total_of(true, places_[n]));
        for (const bool launched : {false, true}) compare(launched);
        // Tables with the same totals and the same rows are taken to lack the same rows.
        if (has_same_totals_ && alike_ == found_.lines.size()) {
            found_.same += alike_;
            found_.lines.clear();
            const auto set = [](diff::profile_total& total) {
                if (!total.is_named) total.value = total.rows;
            };
            set(found_.before);
            set(found_.after);
            for (auto& [before, after] : found_.further) {
                set(before);
                set(after);
            }
        }
        std::stable_sort(found_.lines.begin(), found_.lines.end(),
                         [](const diff::profile_line& a, const diff::profile_line& b) {
                             if (a.is_known != b.is_known) return a.is_known;
                             const double of_a = std::fabs(a.after.number() - a.before.number());
                             const double of_b = std::fabs(b.after.number() - b.before.number());
                             if (std::isnan(of_a) != std::isnan(of_b)) return std::isnan(of_a);
                             return of_a > of_b || (!(of_a < of_b) && a.name < b.name);
                         });
        return std::move(found_);
    }

private:
    using side_names = std::vector<const profile_name*>;

    void choose_columns() {
        for (const std::string& wanted : options_.columns) {
            const std::size_t place = diff_profile::place_of(wanted);
            if (place == profile_column_count || !(was_.has_column(place) || now_.has_column(place))) {
                found_.unknown_column = wanted;
                places_.clear();
                return;
            }
            places_.push_back(place);
        }
        // The first column of times that both sides have measured, else the first one that both have.
        for (const auto has : {&table_sums::has_measured, &table_sums::has_column})
            for (std::size_t place = own_device; places_.empty() && place <= whole_cpu; ++place)
                if ((was_.*has)(place) && (now_.*has)(place)) places_.push_back(place);
        if (!places_.empty() && options_.columns.empty())
            for (const std::size_t place : {first_memory_place, first_memory_place + 1}) {
                // A row's own memory or, without that column, the one that counts what it calls.
                for (const std::size_t column : {place, place + 2}) {
                    if (!was_.has_column(column) || !now_.has_column(column)) continue;
                    if (was_.has_measured(column) || now_.has_measured(column)) places_.push_back(column);
                    break;
                }
            }
        for (const std::size_t place : places_) found_.columns.emplace_back(profile_columns[place]);
    }
    // The total that the tables name; else the sum of the kernels' own times, or, without kernels, of the operators'
    // own times, which then include the device's. Calls, bytes and FLOPs are summed over kernels and operators.
    diff::profile_total total_of(bool second, std::size_t place) const {
        const table_sums& sums = second ? now_ : was_;
        diff::profile_total total;
        const bounded kernels = sums.sum(place, row_kind::kernel) + sums.sum(place, row_kind::device);
        const bounded operators = sums.sum(place, row_kind::operation);
        const bool adds_both = place >= calls_place && place < first_share_place;
        total.rows = adds_both ? kernels + operators : kernels == 0 ? operators : kernels;
        total.is_named = sums.totals().has(place);
        total.value = total.is_named   ? bounded(sums.totals().values[place])
                      : lacks_[second] ? total.rows + profile_sums::lacking(place)
                                       : total.rows;
        // Times with those of what is called count the latter again and again: they have no total but a named one.
        const bool repeats = place == whole_device || place == whole_cpu;
        if (repeats) total.rows = bounded::unknown();
        if (repeats && !total.is_named) total.value = bounded::unknown();
        total.is_short = sums.is_short(place) && !repeats;
        total.has_all_rows = !sums.lacks_rows();
        return total;
    }
    // A name's sum. Where rows are missing, those of a name may be among them; `is_cut_name`: of any that begins so.
    bounded sum_of(bool second, const profile_name* name, std::size_t place, bool is_cut_name) const {
        if (name == nullptr) return lacks_[second] ? profile_sums::lacking(place) : bounded();
        const bool may_be_more =
            lacks_[second] && (folds_ || is_cut_name || (second ? now_ : was_).may_lack_rows_of(name->name));
        return may_be_more ? name->sum(place) + profile_sums::lacking(place) : name->sum(place);
    }
    void compare(bool launched) {
        side_names removed;
        for (const profile_name& name : was_.names(launched)) {
            if (const profile_name* const now = now_.find(launched, name.name)) add(&name, now);
            else removed.push_back(&name);
        }
        side_names added;
        for (const profile_name& name : now_.names(launched))
            if (was_.find(launched, name.name) == nullptr) added.push_back(&name);
        match_cut(removed, added, true);
        match_cut(added, removed, false);
        for (const profile_name* name : removed)
            if (name != nullptr) add(name, nullptr);
        for (const profile_name* name : added)
            if (name != nullptr) add(nullptr, name);
    }
    // Matches each cut name with all names of the other side that begin like it, unless another cut name may be one of
    // them. Sets all of these to null.
    void match_cut(side_names& cut, side_names& others, bool cut_is_before) {
        std::vector<std::size_t> sorted;
        for (std::size_t n = 0; n != others.size(); ++n)
            if (others[n] != nullptr) sorted.push_back(n);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](std::size_t a, std::size_t b) { return others[a]->name < others[b]->name; });
        struct match {
            std::size_t cut;
            std::size_t first;  // positions in `sorted`
            std::size_t end;
        };
        std::vector<match> found;
        for (std::size_t n = 0; n != cut.size(); ++n) {
            if (cut[n] == nullptr || !is_cut(cut[n]->name)) continue;
            const std::string_view stem = cut[n]->name.substr(0, cut[n]->name.size() - 3);
            const auto first = std::partition_point(sorted.begin(), sorted.end(),
                                                    [&](std::size_t other) { return others[other]->name < stem; });
            const auto end = std::partition_point(first, sorted.end(), [&](std::size_t other) {
                return others[other]->name.substr(0, stem.size()) == stem;
            });
            if (first != end)
                found.push_back({n, static_cast<std::size_t>(first - sorted.begin()),
                                 static_cast<std::size_t>(end - sorted.begin())});
        }
        // Ranges of names that begin alike lie apart or in each other: the larger one comes first.
        std::stable_sort(found.begin(), found.end(), [](const match& a, const match& b) {
            return a.first != b.first ? a.first < b.first : a.end > b.end;
        });
        for (std::size_t n = 0; n != found.size();) {
            const match& m = found[n];
            const std::size_t only = n;
            while (n != found.size() && found[n].first < m.end) ++n;
            if (n != only + 1) continue;
            ++found_.matched;
            const profile_name* const other = sum_of_names(others, sorted, m.first, m.end);
            cut_is_before ? add(cut[m.cut], other) : add(other, cut[m.cut]);
            cut[m.cut] = nullptr;
            for (std::size_t k = m.first; k != m.end; ++k) others[sorted[k]] = nullptr;
        }
    }
    // The sum of several names.
    const profile_name* sum_of_names(const side_names& names, const std::vector<std::size_t>& order, std::size_t first,
                                     std::size_t end) {
        if (end == first + 1) return names[order[first]];
        profile_name& sum = joined_.emplace_back(*names[order[first]]);
        std::string& text = joined_names_.emplace_back(sum.name);
        for (std::size_t n = first + 1; n != end; ++n) {
            const profile_name& next = *names[order[n]];
            text.append(" + ").append(next.name);
            if (sum.kind == row_kind::device) sum.kind = next.kind;
            for (std::size_t place = 0; place != profile_column_count; ++place) sum.values[place] += next.values[place];
            sum.known |= next.known;
            sum.lacks |= next.lacks;
            sum.rows += next.rows;
        }
        sum.name = text;
        return &sum;
    }
    // Adds a line for a name; `was` or `now` is null if that side lacks it.
    void add(const profile_name* was, const profile_name* now) {
        const bool is_cut_name = (was != nullptr && is_cut(was->name)) || (now != nullptr && is_cut(now->name));
        const auto sums_of = [&](std::size_t place) {
            return std::make_pair(sum_of(false, was, place, is_cut_name), sum_of(true, now, place, is_cut_name));
        };
        const auto differs_at = [&](std::size_t place) {
            const auto [a, b] = sums_of(place);
            return !a.is_exact() || !b.is_exact() || !is_close(a.number(), b.number());
        };
        if (was != nullptr && now != nullptr && !differs_at(calls_place) &&
            std::none_of(places_.begin(), places_.end(), differs_at)) {
            ++found_.same;
            return;
        }
        const auto is_alike = [&](std::size_t place) {
            const bounded a = was->sum(place);
            const bounded b = now->sum(place);
            return a.is_exact() && b.is_exact() && is_close(a.number(), b.number());
        };
        if (was != nullptr && now != nullptr && is_alike(calls_place) &&
            std::all_of(places_.begin(), places_.end(), is_alike))
            ++alike_;
        diff::profile_line& line = found_.lines.emplace_back();
        // A whole name may reveal the row's kind where a cut one does not.
        const bool now_tells = now != nullptr && (was == nullptr || now->kind != row_kind::device);
        line.kind = (now_tells ? now : was)->kind;
        line.name.append((was != nullptr ? was : now)->name);
        if (was != nullptr && now != nullptr && was->name != now->name) line.other_name = now->name;
        std::tie(line.before, line.after) = sums_of(places_[0]);
        std::tie(line.calls_before, line.calls_after) = sums_of(calls_place);
        for (std::size_t n = 1; n < places_.size(); ++n) line.further.push_back(sums_of(places_[n]));
        line.in_before = was != nullptr;
        line.in_after = now != nullptr;
        line.is_known = (was != nullptr || !(lacks_[0] || was_.has_doubtful_kinds())) &&
                        (now != nullptr || !(lacks_[1] || now_.has_doubtful_kinds()));
    }
    bool is_close(double a, double b) const noexcept {
        return std::fabs(b - a) <= options_.tolerance * (std::max)(std::fabs(a), std::fabs(b));
    }

    table_sums sums_[2];  // for each side, the sums over its profiles if there are several
    const table_sums& was_;
    const table_sums& now_;
    const diff::profile_options& options_;
    const bool lacks_[2];  // whether rows of a side are missing
    const bool folds_;     // names may stand for several
    const bool has_same_totals_;
    std::vector<std::size_t> places_;
    std::size_t alike_ = 0;            // the number of lines whose sums differ only if different rows are missing
    std::deque<profile_name> joined_;  // sums of the names that a cut one may be
    std::deque<std::string> joined_names_;
    diff::profile_difference found_;
};

}  // namespace wlfmt::analysis

#endif
