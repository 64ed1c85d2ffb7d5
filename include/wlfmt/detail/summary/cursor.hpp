// Reading the line of a summary.
#ifndef WLFMT_DETAIL_SUMMARY_CURSOR_HPP
#define WLFMT_DETAIL_SUMMARY_CURSOR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../base/wide.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Reads the line as write() lays it out.
class summary_cursor {
public:
    explicit summary_cursor(std::string_view text) noexcept : text_(text) {}
    std::string_view rest() const noexcept { return text_.substr(at_); }
    std::size_t at() const noexcept { return at_; }

    bool literal(std::string_view expected) noexcept {
        if (rest().substr(0, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }
    bool open(std::string_view bracket) noexcept {
        if (!element() || !literal(bracket)) return false;
        first_ = true;
        return true;
    }
    bool closes(std::string_view bracket) noexcept {
        if (!literal(bracket)) return false;
        first_ = false;
        return true;
    }
    // The comma before every element but the first of an object or array.
    bool element() noexcept {
        if (first_) {
            first_ = false;
            return true;
        }
        return literal(",");
    }
    bool key(std::string_view name) noexcept {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal("\"") && literal(name) && literal("\":")) {
            first_ = true;
            return true;
        }
        at_ = before;
        first_ = first;
        return false;
    }
    // A string that must be `name`.
    bool word(std::string_view name) noexcept {
        const std::size_t before = at_;
        const bool first = first_;
        if (element() && literal("\"") && literal(name) && literal("\"")) return true;
        at_ = before;
        first_ = first;
        return false;
    }
    bool number(wide& v, std::size_t decimals) noexcept {
        if (!element()) return false;
        const std::size_t size = wide::read(rest(), decimals, v);
        at_ += size;
        return size != 0;
    }
    bool number(std::int64_t& v, std::size_t decimals = 0) noexcept {
        wide w;
        if (!number(w, decimals)) return false;
        v = w.low();
        return wide(v) == w;
    }
    bool number(std::uint64_t& v) noexcept {
        std::int64_t n = 0;
        if (!number(n) || n < 0) return false;
        v = static_cast<std::uint64_t>(n);
        return true;
    }
    bool string(std::string& to) {
        to.clear();
        if (!element() || !literal("\"")) return false;
        for (;;) {
            const std::string_view more = rest();
            const std::size_t plain = more.find_first_of("\"\\");
            if (plain == std::string_view::npos) return false;
            to.append(more.substr(0, plain));
            at_ += plain;
            if (literal("\"")) return true;
            if (!escape(to)) return false;
        }
    }

private:
    bool escape(std::string& to) {
        constexpr std::string_view letters = "\"\\nrtu";
        constexpr std::string_view characters = "\"\\\n\r\t";
        const std::size_t kind = rest().size() < 2 ? std::string_view::npos : letters.find(rest()[1]);
        if (kind == std::string_view::npos) return false;
        at_ += 2;
        if (kind < characters.size()) {
            to += characters[kind];
            return true;
        }
        if (rest().size() < 4) return false;
        std::uint32_t c = 0;
        for (int n = 0; n < 4; ++n, ++at_) {
            const std::size_t digit = std::string_view("0123456789abcdef").find(text_[at_]);
            if (digit == std::string_view::npos) return false;
            c = c << 4 | static_cast<std::uint32_t>(digit);
        }
        // Bytes that are not UTF-8 are written as lone surrogates.
        if (c >= 0xDC80 && c <= 0xDCFF)
            to += static_cast<char>(c - 0xDC00);
        else if (c < 0x20)
            to += static_cast<char>(c);
        else
            return false;
        return true;
    }
    std::string_view text_;
    std::size_t at_ = 0;
    bool first_ = true;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
