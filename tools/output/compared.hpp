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
std::string signed_text(double v, const number_words& text);

// The same number in the first file and in the second one.
struct compared_sum {
    double before = 0;
    double after = 0;

    double by() const noexcept { return after - before; }
    double& side(bool second) noexcept { return second ? after : before; }
    void add(const compared_sum& more) noexcept;
    bool differs(double tolerance) const noexcept;
    // The growth as it is printed, " (+12.0%)"; nothing if there was nothing before.
    std::string growth() const;
    // This difference as a share of the totals' difference, as a text.
    std::string part_of(const compared_sum& totals) const;
};
template <class Line> void put_compared(Line& line, std::string_view key, const compared_sum& sum) {
    put_object(line, key, [&] {
        put_numbers(line, {{"before", sum.before}, {"after", sum.after}, {"difference", sum.by()}});
    });
}

// The same where a number may be a limit; a difference that is not known has no key.
template <class Line> void put_compared(Line& line, std::string_view key, const bounded& before, const bounded& after) {
    put_object(line, key, [&] {
        const number_members members = {{"before", before}, {"after", after}, {"difference", after - before}};
        put_numbers(line, members);
        put_limits(line, members);
    });
}

// Says what grew by more than --fail-above allows.
class growth_report {
public:
    explicit growth_report(const growth_limit& limit) noexcept : limit_(limit) {}
    // Returns whether a number grew by too much, which is then printed. `whole`: the total that it is a part of.
    // `microseconds`: the length of its unit if the number is a time. `is_least`: it might have grown by more.
    bool check(const std::string& item, const compared_sum& sum, const compared_sum& whole, const number_words& text,
               double microseconds = 1, bool is_least = false);
    // Says that a number that may be a limit grew by too much, if that is certain, and notes a doubt if it is not ruled
    // out.
    void check_limits(const std::string& item, const bounded& was, const bounded& now, const compared_sum& whole,
                      const number_words& text, double microseconds = 1);
    // Notes a doubt if a number may have grown by too much. `sum`: the greatest growth that its limits allow.
    void doubt(const std::string& item, const compared_sum& sum, const compared_sum& whole, double microseconds);
    // From now on, no number is said to grow, as the two sides cannot be compared.
    void ignore() noexcept { is_ignored_ = true; }
    // Says once that there were doubts. Returns whether there were.
    bool report_doubts() const;
    exit_status status(bool differs, bool incomplete) const noexcept;

private:
    bool is_exceeded(const compared_sum& sum, const compared_sum& whole, double microseconds) const noexcept;

    const growth_limit& limit_;
    bool any_ = false;
    bool is_ignored_ = false;
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
std::size_t max_lines(std::size_t count, const settings& s);

}  // namespace tool

#endif
