// wlfmt/nearest.hpp: finds the word that was probably meant. Not included by wlfmt.hpp.
//
//     wlfmt::nearest_word near("ALLREDUEC");
//     for (const std::string_view known : names) near.offer(known);
//     if (!near.found().empty()) std::cerr << "did you mean " << near.found() << "?\n";
#include "version.hpp"

#ifndef WLFMT_NEAREST_HPP
#define WLFMT_NEAREST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { inline namespace WLFMT_IMPL {

// Takes the first of the nearest words: those that the wrong word becomes by the fewest letters changed, added, removed
// or swapped with the next, at most a third of its letters. A word that begins with the wrong one, if that has more
// than three letters, is one letter away. Allocates nothing.
class nearest_word {
public:
    explicit nearest_word(std::string_view wrong) noexcept : wrong_(wrong), least_(wrong.size() / 3 + 1) {}
    template <class S, detail::if_no_text<S> = 0> explicit nearest_word(S&&) = delete;
    // For found(), the word must live as long. Takes time in the product of the lengths; no word over 40 bytes is near.
    void offer(std::string_view word) noexcept {
        ++offered_;
        const bool begun = wrong_.size() > 3 && word.substr(0, wrong_.size()) == wrong_;
        const std::size_t edits = begun ? 1 : edits_to(word);
        if (edits >= least_) return;
        least_ = edits;
        found_ = word;
        number_ = offered_;
    }
    template <class S, detail::if_no_text<S> = 0> void offer(S&&) = delete;

    // The nearest word; empty if no word is near.
    [[nodiscard]] std::string_view found() const noexcept { return found_; }
    // Its number among the offered words, from 1; 0 if no word is near.
    [[nodiscard]] std::int64_t number() const noexcept { return number_; }

private:
    static constexpr std::size_t most = 40;

    std::size_t edits_to(std::string_view word) const noexcept {
        if (wrong_.size() > most || word.size() > most) return static_cast<std::size_t>(-1);
        // Distances between beginnings of both words: a row for this letter of the wrong one, and for the two before.
        std::size_t rows[3][most + 1] = {};
        for (std::size_t n = 0; n <= word.size(); ++n) rows[0][n] = n;
        for (std::size_t i = 1; i <= wrong_.size(); ++i) {
            std::size_t* const row = rows[i % 3];
            const std::size_t* const before = rows[(i + 2) % 3];
            row[0] = i;
            for (std::size_t n = 1; n <= word.size(); ++n) {
                row[n] = (std::min)({row[n - 1] + 1, before[n] + 1, before[n - 1] + (wrong_[i - 1] != word[n - 1])});
                if (i > 1 && n > 1 && wrong_[i - 1] == word[n - 2] && wrong_[i - 2] == word[n - 1])
                    row[n] = (std::min)(row[n], rows[(i + 1) % 3][n - 2] + 1);
            }
        }
        return rows[wrong_.size() % 3][word.size()];
    }

    std::string_view wrong_;
    std::size_t least_;
    std::string_view found_ = {};
    std::int64_t offered_ = 0;
    std::int64_t number_ = 0;
};

}}}  // namespace wlfmt::WLFMT_ABI::WLFMT_IMPL

#include "detail/base/config_end.hpp"
#endif
