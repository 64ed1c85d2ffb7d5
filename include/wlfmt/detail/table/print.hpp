// Values and texts as PyTorch prints them.
#ifndef WLFMT_DETAIL_TABLE_PRINT_HPP
#define WLFMT_DETAIL_TABLE_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/table.hpp"
#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../number/write.hpp"
#include "cell.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::size_t max_value_chars = max_fixed_chars + 8;

// Texts.

// The limit of a column without a width of its own, and how a longer text is cut.
struct column_limit {
    enum class cut : std::uint8_t { none, name, shapes, path };
    std::uint32_t most;  // characters
    cut longer;
};

// A text as PyTorch cuts it to a limit; `buffer` has room for the limit's characters.
inline constexpr std::size_t max_cut_bytes = 80 * 4;

// Prints cells as PyTorch does.
template <class Way>
struct basic_table_printing {
    static char* write_time(char* out, double us) noexcept {
        const double unit = us >= 1e6 ? 1e6 : us >= 1e3 ? 1e3 : 1;
        out = write_fixed(out, us / unit, 3);
        if (us < 1e6) *out++ = us >= 1e3 ? 'm' : 'u';
        *out++ = 's';
        return out;
    }

    static char* write_memory(char* out, const number& v) noexcept {
        const double bytes = v.value_or(0);
        const double size = bytes < 0 ? -bytes : bytes;
        constexpr double kb = 1024;
        if (size < kb) {
            // PyTorch counts whole bytes.
            const auto whole = static_cast<std::int64_t>(bytes);
            out = static_cast<double>(whole) == bytes ? write_integer(out, whole) : write_number(out, v);
            return write_bytes(out, " B", 2);
        }
        const double unit = size >= kb * kb * kb ? kb * kb * kb : size >= kb * kb ? kb * kb : kb;
        out = write_fixed(out, bytes / unit, 2);
        return write_bytes(out, unit == kb ? " KB" : unit == kb * kb ? " MB" : " GB", 3);
    }

    static bool is_nan(const number& decimal) noexcept {
        return (bits_of(number_access::decimal(decimal)) & ~sign_bit) > infinity_bits;
    }

    // Writes a value in its column's unit; at most max_value_chars. Writes nothing for a text: the caller writes it.
    static char* write_value(char* out, table::unit unit, const number& v) noexcept {
        if (WLFMT_LIKELY(v.is_decimal())) {
            if (WLFMT_UNLIKELY(is_nan(v))) return write_bytes(out, "NaN", 3);
        } else {
            if (v.is_none()) return write_bytes(out, "--", 2);
            const bool time_or_percent = unit == table::unit::microseconds || unit == table::unit::percent;
            if (!v.is_integer() || (number_access::integer(v) == 0 && time_or_percent)) return write_number(out, v);
        }
        switch (unit) {
        case table::unit::percent:
            out = write_fixed(out, v.value_or(0), 2);
            *out++ = '%';
            return out;
        case table::unit::microseconds: return write_time(out, v.value_or(0));
        case table::unit::bytes: return write_memory(out, v);
        case table::unit::flops: return write_fixed(out, v.value_or(0), 3);
        default: return write_number(out, v);
        }
    }

    // The width of a text in characters.
    WLFMT_INLINE static std::size_t width_of(std::string_view s) noexcept {
        const char* p = s.data();
        const char* const end = p + s.size();
        std::uint64_t bits = 0;
        if (s.size() >= 8) {
            for (; end - p > 8; p += 8) bits |= load_eight(p);
            bits |= load_eight(end - 8);
        } else {
            for (; p != end; ++p) bits |= static_cast<unsigned char>(*p);
        }
        return WLFMT_LIKELY((bits & every_byte(0x80)) == 0) ? s.size() : count_characters(s);
    }

    // The bytes of the first n characters of a text that has more.
    static std::size_t prefix_size(std::string_view s, std::size_t n) noexcept {
        std::size_t at = 0;
        for (; n != 0; --n) at += character_size(s, at);
        return at;
    }

    static column_limit limit_of(const table::column& c, bool first) noexcept {
        using cut = column_limit::cut;
        if (c.width != 0) return {0, cut::none};
        if (c.unit == table::unit::source) return {75, cut::path};
        if (c.name == "Input Shapes") return {80, cut::shapes};
        if (first || c.unit == table::unit::text) return {55, cut::name};
        return {0, cut::none};
    }

    static std::string_view cut_to(column_limit limit, std::string_view s, char* buffer) noexcept {
        using cut = column_limit::cut;
        if (limit.longer == cut::none || s.size() <= limit.most) return s;
        const std::size_t width = width_of(s);
        if (width <= limit.most) return s;
        if (limit.longer == cut::shapes) return without_blanks(s.substr(0, prefix_size(s, limit.most)));
        char* end;
        if (limit.longer == cut::name) {
            const std::size_t kept = prefix_size(s, limit.most - 3);
            end = write_bytes(write_bytes(buffer, s.data(), kept), "...", 3);
        } else {
            const std::size_t dropped = prefix_size(s, width - limit.most + 3);
            end = write_bytes(write_bytes(buffer, "...", 3), s.data() + dropped, s.size() - dropped);
        }
        return view(buffer, end);
    }

    // The text of a cell as it is written in a column of that unit; `buffer` has room for max_value_chars.
    WLFMT_INLINE static std::string_view printed_cell(const table::cell& c, table::unit unit, char* buffer) noexcept {
        if (WLFMT_LIKELY(!c.text().empty())) return c.text();
        if (c.value().is_text()) return c.value().text();
        return view(buffer, write_value(buffer, unit, c.value()));
    }
};
using table_printing = basic_table_printing<kernel>;

// PyTorch formats FLOPs as {:8.3f}, which shows where the column is left-aligned: how many blanks are before them.
inline std::size_t flops_padding(std::string_view text) noexcept {
    constexpr std::size_t width = 8;
    return text.size() < width && !is_missing_cell(text) ? width - text.size() : 0;
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
