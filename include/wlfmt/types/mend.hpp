// wlfmt/types/mend.hpp: what wlfmt/table/mend.hpp has done to a text.
#include "../version.hpp"

#ifndef WLFMT_TYPES_MEND_HPP
#define WLFMT_TYPES_MEND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace table {

// The steps of mending, in the order in which they are tried.
enum class mend_step : std::uint8_t {
    wrapped,           // lines that a terminal wrapped are joined
    blank_after_each,  // a blank line after each line is dropped
    dashes,            // lines of other dashes, which editors make of rules, are drawn as rules
    abridged_rules,    // rules of fewer columns than there are names are drawn anew
    rules,             // a table without any rule gets all three
    rule_above,        // the rule below the header is copied above it
    rule_below,        // the rule above the header is copied below it
    blank_lines        // blank lines between rows are dropped
};

// A thing that was done to a table. `line`: the first line that it concerns, in the original text, from 1. `count`: how
// many lines were written, dropped or replaced; for mend_step::wrapped at how many characters lines were wrapped.
struct mending {
    mend_step step = mend_step::wrapped;
    std::uint64_t line = 0;
    std::uint64_t count = 0;
};

// Line `here` of one text and those after it are `there` of another text, and those after that.
struct line_run {
    std::uint64_t here;
    std::uint64_t there;
};

// A mended text. It is empty if nothing was done.
struct mended {
    std::string text;
    std::vector<mending> done;

    // The line of the original text, from 1, that a line of the mended text was. A line that was written is the one
    // before which it was.
    [[nodiscard]] std::uint64_t line_of(std::uint64_t line) const noexcept {
        for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
            const auto after = std::upper_bound(pass->begin(), pass->end(), line,
                                                [](std::uint64_t n, const line_run& r) { return n < r.here; });
            if (after != pass->begin()) line = after[-1].there + (line - after[-1].here);
        }
        return line;
    }
    // Replaces the text by one that was made of it. `runs`: where its lines come from, in order.
    void add_pass(std::string&& made, std::vector<line_run>&& runs) {
        text = std::move(made);
        passes_.push_back(std::move(runs));
    }

private:
    std::vector<std::vector<line_run>> passes_;
};

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "../detail/base/config_end.hpp"
#endif
