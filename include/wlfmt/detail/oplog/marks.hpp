// Which bytes are in the texts of a record that is being written: some need an escape, others may end a value.
#ifndef WLFMT_DETAIL_OPLOG_MARKS_HPP
#define WLFMT_DETAIL_OPLOG_MARKS_HPP

#include <cstddef>

#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Remembers which bytes are in the texts of a record that is being written: the bytes C and, with `Controls`, control
// characters; with `Equals` also equals signs, which are kept apart. Reads no byte outside the texts.
template <bool Controls, bool Equals, char... C>
class text_marks {
public:
    // Looks at a text of Bytes to 2 * Bytes bytes.
    template <std::size_t Bytes>
    WLFMT_INLINE void add_ends(const char* text, std::size_t size) noexcept {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
        const char* const tail = text + size - Bytes;
        if constexpr (Bytes > block::size) {
            for (std::size_t n = 0; n != Bytes; n += block::size) {
                add(block(text + n));
                add(block(tail + n));
            }
        } else if constexpr (Bytes == block::size) {
            add(block(text));
            add(block(tail));
        } else {
            add(block::of_ends<Bytes>(text, tail));
        }
#else
        add_text(text, size);
#endif
    }
    // Looks at a text that is not empty, byte by byte if it is shorter than a block.
    WLFMT_INLINE void add_text(const char* text, std::size_t size) noexcept {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
        if (WLFMT_LIKELY(size > block::size)) {
            const char* const last = text + size - block::size;
            for (; text < last; text += block::size) add(block(text));
            return add(block(last));
        }
        for (const char* const end = text + size; text != end; ++text) add(block::of(*text));
#else
        for (const char* const end = text + size; text != end; ++text) {
            found_ = found_ || (Controls && static_cast<unsigned char>(*text) <= last_control) || ((*text == C) || ...);
            equals_ = equals_ || *text == '=';
        }
#endif
    }

#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
    WLFMT_INLINE bool found() const noexcept {
        return block::mask(Controls ? block::either(found_.bytes, least_.up_to(last_control)) : found_.bytes) != 0;
    }
    WLFMT_INLINE bool has_equals() const noexcept { return block::mask(equals_.bytes) != 0; }

private:
    WLFMT_INLINE void add(const block& b) noexcept {
        if constexpr (Controls) least_.keep_least(b);
        found_.bytes = block::either(found_.bytes, bytes_of<C...>::hits(b));
        if constexpr (Equals) equals_.bytes = block::either(equals_.bytes, b.is('='));
    }
    block least_ = block::of('\xff');
    block found_ = block::none();
    block equals_ = block::none();
#else
    bool found() const noexcept { return found_; }
    bool has_equals() const noexcept { return equals_; }

private:
    bool found_ = false;
    bool equals_ = false;
#endif
    static constexpr char last_control = 0x1F;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
