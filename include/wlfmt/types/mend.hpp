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
    blank_lines        // blank lines between those of a table are dropped
};

// A thing that was done to a table. `line`: the first line that it concerns, in the original text, from 1. `count`: how
// many lines were written, dropped or replaced; for mend_step::wrapped at how many characters lines were wrapped.
struct mending {
    mend_step step = mend_step::wrapped;
    std::uint64_t line = 0;
    std::uint64_t count = 0;
};

// A place in a text: the line and, in bytes, the column, both counted from 1.
struct text_place {
    std::uint64_t line = 1;
    std::uint64_t column = 1;
};
// What begins at `here` in one text begins at `there` in another one, up to where the next part begins: the rest of
// that line, and the lines after it.
struct text_part {
    text_place here;
    text_place there;
};

// A mended text. It is empty if nothing was done.
struct mended {
    std::string text;
    std::vector<mending> done;  // in the order of their lines

    // The place in the original text that a place of the mended text was. A line that was written is the one before
    // which it was.
    [[nodiscard]] text_place place_of(text_place at) const noexcept {
        for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
            const auto is_before = [](const text_place& place, const text_part& part) {
                return place.line != part.here.line ? place.line < part.here.line : place.column < part.here.column;
            };
            const auto after = std::upper_bound(pass->begin(), pass->end(), at, is_before);
            if (after == pass->begin()) continue;
            const text_part& part = after[-1];
            if (at.line == part.here.line) at.column += part.there.column - part.here.column;
            at.line += part.there.line - part.here.line;
        }
        return at;
    }
    [[nodiscard]] std::uint64_t line_of(std::uint64_t line) const noexcept { return place_of({line, 1}).line; }
    // Replaces the text by one that was made of it, whose parts are these, in order.
    void add_pass(std::string&& made, std::vector<text_part>&& parts) {
        text = std::move(made);
        passes_.push_back(std::move(parts));
    }

private:
    std::vector<std::vector<text_part>> passes_;
};

}}}  // namespace wlfmt::WLFMT_ABI::table

#include "../detail/base/config_end.hpp"
#endif
