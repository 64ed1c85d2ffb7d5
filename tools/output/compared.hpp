// Compares two files of any format: pairs of numbers, how they differ, and which of them grew by too much.
#ifndef WLFMT_TOOLS_OUTPUT_COMPARED_HPP
#define WLFMT_TOOLS_OUTPUT_COMPARED_HPP

#include "../command_line/settings.hpp"
#include "analysis/callback.hpp"
#include "grid.hpp"
#include "json_print.hpp"
#include "output.hpp"

namespace tool {

// One of the two sides of a comparison: its name and content must outlive it.
template <class Content> struct compared_side {
    const std::string& name;
    const Content& content;
    bool is_cut;
};

// Writes a number as a text, as sized() does.
using number_words = callback<std::string(double v)>;
inline std::string signed_text(double v, const number_words& text) {
    return std::isfinite(v) ? (v > 0 ? "+" : v < 0 ? "-" : "") + text(std::fabs(v)) : text(v);
}

// The same number in the first file and in the second one.
struct compared_sum {
    double before = 0;
    double after = 0;

    double by() const noexcept { return after - before; }
    double& side(bool second) noexcept { return second ? after : before; }
    void add(const compared_sum& more) noexcept {
        before += more.before;
        after += more.after;
    }
    bool differs(double tolerance) const noexcept {
        // Written with !(<=) for an infinite sum without a tolerance: the right side is 0 * inf, which is NaN.
        return before != after && !(std::fabs(by()) <= tolerance * (std::max)(std::fabs(before), std::fabs(after)));
    }
    // The growth as it is printed, " (+12.0%)"; nothing if there was nothing before.
    std::string growth() const {
        if (before == 0 || !std::isfinite(by())) return {};
        const double percent = 100 * by() / std::fabs(before);
        return joined({" (", percent > 0 ? "+" : "", fixed(percent, 1), "%)"});
    }
    // This difference as a share of the totals' difference, as a text.
    std::string part_of(const compared_sum& totals) const {
        return totals.by() == 0 || by() == 0 || !std::isfinite(totals.by()) ? "-"
                                                                            : fixed(100 * by() / totals.by(), 1) + "%";
    }
};
template <class Line> void put_compared(Line& line, std::string_view key, const compared_sum& sum) {
    put_object(line, key, [&] {
        put_numbers(line, {{"before", sum.before}, {"after", sum.after}, {"difference", sum.by()}});
    });
}

// Says what grew by more than --fail-above allows.
class growth_report {
public:
    explicit growth_report(const growth_limit& limit) noexcept : limit_(limit) {}
    // Returns whether a number grew by too much, which is then printed. `whole`: the total that it is a part of.
    // `microseconds`: the length of its unit if the number is a time. `is_least`: it might have grown by more.
    bool check(const std::string& item, const compared_sum& sum, const compared_sum& whole, const number_words& text,
               double microseconds = 1, bool is_least = false) {
        if (!is_exceeded(sum, whole, microseconds)) return false;
        any_ = true;
        say("wlfmt", {item, is_least ? " grew by at least " : " grew by ", signed_text(sum.by(), text), sum.growth(),
                      ", which is above ", limit_.text});
        return true;
    }
    // Says that a number that may be a limit grew by too much, if that is certain, and notes a doubt if it is not ruled
    // out.
    void check_limits(const std::string& item, const bounded& was, const bounded& now, const compared_sum& whole,
                      const number_words& text, double microseconds = 1) {
        const bounded by = now - was;
        if (by.has_least() &&
            check(item, {was.at_most(), now.at_least()}, whole, text, microseconds, !by.is_exact()))
            return;
        if (!by.is_exact()) doubt(item, {(std::max)(0.0, was.at_least()), now.at_most()}, whole, microseconds);
    }
    // Notes a doubt if a number may have grown by too much. `sum`: the greatest growth that its limits allow.
    void doubt(const std::string& item, const compared_sum& sum, const compared_sum& whole, double microseconds) {
        if (is_exceeded(sum, whole, microseconds) && doubts_++ == 0) doubted_ = item;
    }
    // Says once that there were doubts. Returns whether there were.
    bool report_doubts() const {
        if (doubts_ == 0) return false;
        const std::string others =
            doubts_ == 1 ? " is" : joined({" and ", counted(doubts_ - 1, "other time", "other times"), " are"});
        say("wlfmt", {"growth above ", limit_.text, " is not ruled out: ", doubted_, others, " not known exactly"});
        return true;
    }
    exit_status status(bool differs, bool incomplete) const noexcept {
        if (limit_.is_asked()) return any_ ? grown : incomplete ? problems : clean;
        return differs || incomplete ? problems : clean;
    }

private:
    bool is_exceeded(const compared_sum& sum, const compared_sum& whole, double microseconds) const noexcept {
        // The total itself counts, even if --fail-above allows more than 100%.
        const bool is_all = sum.before == whole.before && sum.after == whole.after;
        const bool is_large =
            is_all || limit_.is_large(sum.before, whole.before) || limit_.is_large(sum.after, whole.after);
        return limit_.is_asked() && is_large && limit_.is_exceeded(sum.before * microseconds, sum.after * microseconds);
    }

    const growth_limit& limit_;
    bool any_ = false;
    std::uint64_t doubts_ = 0;
    std::string doubted_;  // the first item in doubt
};

// Prints the totals; in Markdown, below a title that names the sides.
template <class Content>
void print_totals(const compared_side<Content>& before, const compared_side<Content>& after,
                  const std::vector<std::string>& totals, const settings& s) {
    if (s.markdown) {
        chosen_layout = layout::markdown;
        print_title(joined({before.name, " and ", after.name}));
    }
    for (const std::string& total : totals) s.markdown ? print_note(total) : print_line(total);
}
// How many lines of a list of `count` are printed.
inline std::size_t max_lines(std::size_t count, const settings& s) {
    return (std::min)(count, s.top != 0 ? s.top : s.markdown || output_terminal.is_there ? 10 : count);
}

}  // namespace tool

#endif
