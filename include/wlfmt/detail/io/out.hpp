// Writes all of wlfmt's text into a buffer on the stack, which goes to the sink when it is full.
#ifndef WLFMT_DETAIL_IO_OUT_HPP
#define WLFMT_DETAIL_IO_OUT_HPP

#include "../../types/sink.hpp"
#include "../number/write.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Marks that ignore the copied bytes.
struct no_marks {
    template <std::size_t Bytes> WLFMT_INLINE void add_ends(const char*, std::size_t) noexcept {}
    WLFMT_INLINE void add_text(const char*, std::size_t) noexcept {}
};
// Copies Bytes to 2 * Bytes bytes with two moves, which may overlap. Passes the copied bytes to `marks`.
template <std::size_t Bytes, class Marks = no_marks>
WLFMT_INLINE void move_ends(char* out, const char* from, std::size_t size, Marks&& marks = Marks()) noexcept {
    char head[Bytes];
    char tail[Bytes];
    std::memcpy(head, from, Bytes);
    std::memcpy(tail, from + size - Bytes, Bytes);
    std::memcpy(out, head, Bytes);
    std::memcpy(out + size - Bytes, tail, Bytes);
    marks.template add_ends<Bytes>(from, size);
}
// Copies a text that is usually short: a few moves take less time than a call to memcpy().
template <class Marks = no_marks>
WLFMT_INLINE char* copy_text(char* out, std::string_view s, Marks&& marks = Marks()) noexcept {
    const std::size_t size = s.size();
    const char* const from = s.data();
    if (WLFMT_LIKELY(size - 8 <= 8)) {
        move_ends<8>(out, from, size, marks);
    } else if (WLFMT_LIKELY(size - 4 < 4)) {
        move_ends<4>(out, from, size, marks);
    } else if (WLFMT_LIKELY(size - 16 <= 16)) {
        move_ends<16>(out, from, size, marks);
    } else if (WLFMT_LIKELY(size - 32 <= 32)) {
        move_ends<32>(out, from, size, marks);
    } else if (size == 2 || size == 3) {
        move_ends<2>(out, from, size, marks);
    } else if (size != 0) {
        std::memcpy(out, from, size);
        marks.add_text(from, size);
    }
    return out + size;
}

// Passes text to a sink (sink.hpp), in order, when the buffer is full and in finish(). Lets its exceptions through.
template <class Sink> class out {
public:
    explicit out(Sink& sink) noexcept : sink_(sink), good_(is_open(sink)) { std::memset(bytes_, ' ', readable_before); }
    out(const out&) = delete;
    out& operator=(const out&) = delete;

    // Returns false if the sink has failed, now or earlier.
    bool finish() {
        char* const first = bytes_ + readable_before;
        if (at_ != first) hand_over(first, static_cast<std::size_t>(at_ - first));
        at_ = first;
        return good_;
    }

    // room(n) returns a place for n more bytes, at most max_room. Call take() with the end of what was written there.
    // The `readable_before` bytes before that place can be read.
    static constexpr std::size_t readable_before = 16;
    static constexpr std::size_t max_room = 1024;
    WLFMT_INLINE char* room(std::size_t n) {
        if (WLFMT_UNLIKELY(static_cast<std::size_t>(bytes_ + sizeof bytes_ - at_) < n)) finish();
        return at_;
    }
    WLFMT_INLINE void take(char* end) noexcept { at_ = end; }

    // The size of a literal is known at compile time, so the copy is a few moves.
    template <std::size_t N> WLFMT_INLINE void literal(const char (&text)[N]) {
        char* place = room(N - 1);
        std::memcpy(place, text, N - 1);
        take(place + (N - 1));
    }
    WLFMT_INLINE void put(char c) {
        char* place = room(1);
        *place = c;
        take(place + 1);
    }
    WLFMT_INLINE void text(std::string_view s) {
        if (WLFMT_LIKELY(s.size() <= max_room)) return take(copy_text(room(s.size()), s));
        finish();
        hand_over(s.data(), s.size());
    }
    void repeat(char c, std::uint64_t n) {
        while (n > 0) {
            const auto part = static_cast<std::size_t>(n < max_room ? n : max_room);
            char* place = room(part);
            std::memset(place, c, part);
            take(place + part);
            n -= part;
        }
    }
    WLFMT_INLINE void integer(std::int64_t v) { take(write_integer(room(max_integer_chars), v)); }
    WLFMT_INLINE void repr(double v) { take(write_repr(room(max_repr_chars), v)); }
    // Writes a number as Python's str() does; nothing for a missing number.
    WLFMT_INLINE void value(const number& v) {
        if (WLFMT_UNLIKELY(v.is_text())) return text(v.text());
        take(write_number(room(max_repr_chars), v));
    }
    // Writes integers as Python prints a list: `[3, 4]`. The parts are not written by text(), as compilers would warn
    // about its code for longer texts.
    void integers(const std::int64_t* items, std::size_t count) {
        write_integers(items, count, [this](std::string_view part) {
            take(write_bytes(room(part.size()), part.data(), part.size()));
        });
    }

private:
    // After a failure nothing more is written: the text would have a gap.
    void hand_over(const char* text, std::size_t size) { good_ = good_ && append_to(sink_, text, size); }
    static constexpr std::size_t capacity = 4096;
    Sink& sink_;
    bool good_;
    char* at_ = bytes_ + readable_before;
    char bytes_[readable_before + capacity];
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
