// summary of profiler tables: the heaviest operators, kernels and annotations, each by its name.
#ifndef WLFMT_TOOLS_TABLE_SUMMARY_HPP
#define WLFMT_TOOLS_TABLE_SUMMARY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/detail/base/ordered_map.hpp>
#include <wlfmt/wlfmt.hpp>

#include "grid.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// What a row is about. A profiler counts the time of a kernel in its own row and in those of the operators that launch
// it, and annotations span both.
enum class row_kind { operation, kernel, annotation };

class table_summary {
public:
    explicit table_summary(const wlfmt::table::summary& of) : of_(of) {
        weight_ = weight_column();
        if (weight_ == none) return;
        share_ = column(std::string(name(weight_)) + " %");
        find_total();
        for (std::size_t n = 0; n != of_.columns.size(); ++n)
            if (n != weight_ &&
                (name(n) == "Self CPU" || name(n) == "CPU total" || name(n).find("Calls") != std::string_view::npos))
                further_.push_back(n);
        for (std::size_t n = 0; n != of_.size(); ++n) add(n);
    }
    void print() const {
        for (const auto& total : of_.totals)
            print_note(std::string(total.name) + ": " + std::string(total.value.text()));
        print_kind(row_kind::operation, "heaviest operators");
        print_kind(row_kind::kernel, "heaviest kernels");
        print_kind(row_kind::annotation, "annotations on the device");
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    // The rows of one name and kind.
    struct named_rows {
        row_kind kind = row_kind::operation;
        std::string name;
        std::size_t rows = 0;
        double weight = 0;
        std::optional<double> share = 0.0;  // empty if a row has no share
        std::vector<double> further;
    };

    std::string_view name(std::size_t column) const { return of_.columns[column].name; }
    std::size_t column(std::string_view wanted) const {
        for (std::size_t n = 0; n != of_.columns.size(); ++n)
            if (name(n) == wanted) return n;
        return none;
    }
    double value(std::size_t row, std::size_t column) const { return of_.at(row, column).value_or(0); }

    // The column whose time tells how heavy a row is: a device's own time, else the processor's, else the first time
    // there is; of these the first that measured anything.
    std::size_t weight_column() const {
        std::vector<std::size_t> device;
        std::vector<std::size_t> cpu;
        std::vector<std::size_t> further;
        for (std::size_t n = 0; n != of_.columns.size(); ++n) {
            if (of_.columns[n].unit != wlfmt::table::unit::microseconds) continue;
            if (name(n).substr(0, 5) != "Self ")
                further.push_back(n);
            else
                (name(n).find("CPU") != std::string_view::npos ? cpu : device).push_back(n);
        }
        device.insert(device.end(), cpu.begin(), cpu.end());
        device.insert(device.end(), further.begin(), further.end());
        for (const std::size_t n : device)
            for (std::size_t row = 0; row != of_.size(); ++row)
                if (value(row, n) > 0) return n;
        return none;
    }
    // `Self CUDA` belongs to `Self CUDA time total`.
    void find_total() {
        std::string of(name(weight_));
        if (of.size() > 6 && of.substr(of.size() - 6) == " total") of.resize(of.size() - 6);
        for (const auto& total : of_.totals)
            if (total.name == of + " time total" && total.value.value_or(0) > 0) total_ = total.value.value_or(0);
    }

    // A row that took no time of the processor was not called by the program: it is a kernel, or the span of an
    // annotation on the device, which has the name of one on the processor, or of a step.
    row_kind kind_of(std::size_t row) const {
        const std::size_t cpu = column("CPU total") != none ? column("CPU total") : column("Self CPU");
        const std::size_t own = column("Self CPU");
        const bool by_device = name(weight_).find("CPU") == std::string_view::npos && cpu != none;
        if (!by_device || value(row, cpu) > 0 || (own != none && value(row, own) > 0) || !(value(row, weight_) > 0))
            return row_kind::operation;
        const std::string_view title = of_.at(row, 0).text();
        for (const std::string_view known : {"ProfilerStep", "nccl:", "Optimizer.", "## ", "nn.Module"})
            if (title.substr(0, known.size()) == known) return row_kind::annotation;
        for (std::size_t n = 0; n != of_.size(); ++n)
            if (n != row && value(n, cpu) > 0 && of_.at(n, 0).text() == title) return row_kind::annotation;
        return row_kind::kernel;
    }
    void add(std::size_t row) {
        const row_kind kind = kind_of(row);
        const std::string title(of_.at(row, 0).text());
        const auto [at, is_new] = places_.try_emplace(std::make_pair(kind, title), names_.size());
        if (is_new) {
            names_.emplace_back();
            names_.back().kind = kind;
            names_.back().name = title;
            names_.back().further.resize(further_.size());
        }
        named_rows& to = names_[at->second];
        ++to.rows;
        to.weight += value(row, weight_);
        const auto part = share_ != none ? of_.at(row, share_).as<double>() : std::nullopt;
        if (part && std::isfinite(*part) && to.share)
            *to.share += value(row, share_);
        else
            to.share.reset();
        for (std::size_t n = 0; n != further_.size(); ++n) to.further[n] += value(row, further_[n]);
    }

    // The share in the table itself, or the share of the total that it names: the sum of the rows counts time
    // repeatedly.
    std::string share_of(const named_rows& of) const {
        if (of.share) return fixed(*of.share, 2) + "%";
        return total_ > 0 ? fixed(100 * of.weight / total_, 2) + "%" : "-";
    }
    // A sum in the form of the table's times; for a single row, the row's own cell.
    std::string cell_of(double v, std::size_t column) const {
        if (of_.columns[column].unit != wlfmt::table::unit::microseconds) return fixed(v, 0);
        if (v >= 1e6) return fixed(v / 1e6, 3) + "s";
        return v >= 1e3 ? fixed(v / 1e3, 3) + "ms" : fixed(v, 3) + "us";
    }
    void print_kind(row_kind kind, const char* title) const {
        constexpr std::size_t most = 10;
        std::vector<const named_rows*> order;
        for (const named_rows& one : names_)
            if (one.kind == kind) order.push_back(&one);
        if (order.empty()) return;
        wlfmt::detail::sort_list(order, [](const auto* a, const auto* b) { return a->weight > b->weight; });
        const std::size_t all = order.size();
        order.resize((std::min)(all, most));
        std::vector<std::string> titles{title, std::string(name(weight_)), "share"};
        for (const std::size_t n : further_) titles.emplace_back(name(n));
        titles.emplace_back("rows");
        print_gap();
        grid lines;
        lines.row(titles);
        for (const named_rows* one : order) {
            std::vector<std::string> cells{one->name, cell_of(one->weight, weight_), share_of(*one)};
            for (std::size_t n = 0; n != further_.size(); ++n) cells.push_back(cell_of(one->further[n], further_[n]));
            cells.push_back(std::to_string(one->rows));
            lines.row(cells);
        }
        lines.print();
        if (all > most) print_note("and " + std::to_string(all - most) + " more names");
    }

    const wlfmt::table::summary& of_;
    std::size_t weight_ = none;
    std::size_t share_ = none;
    double total_ = 0;
    std::vector<std::size_t> further_;
    std::vector<named_rows> names_;
    wlfmt::detail::ordered_map<std::pair<row_kind, std::string>, std::size_t> places_;
};

inline void summarise_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    std::vector<wlfmt::table::summary> all;
    for_each_prefix(text, s, r, [&](const wlfmt::options& how) {
        auto read = wlfmt::table::read(text, how);
        for (auto& one : read->tables) all.push_back(std::move(one));
        return read.error();
    });
    for (std::size_t n = 0; n < all.size(); ++n) {
        print_title(std::string(from.name()) + ": profiler table " + std::to_string(n + 1) + " of " +
                    std::to_string(all.size()) + ", " + counted(all[n].size(), "row", "rows") + ", " +
                    counted(all[n].columns.size(), "column", "columns"));
        table_summary(all[n]).print();
    }
}

}  // namespace tool

#endif
