// A PNG of a few colours, as the address that a page shows it from.
#ifndef WLFMT_DETAIL_DRAW_PNG_HPP
#define WLFMT_DETAIL_DRAW_PNG_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// RFC 1951, with its fixed codes: a text of rows that resemble their left and upper neighbours, in which repetitions
// are looked for at these two distances alone. Linear in the text.
class packed_rows {
public:
    packed_rows(const std::string& text, std::size_t row) {
        put(3, 3);  // the last block, of fixed codes
        for (std::size_t at = 0; at != text.size();) {
            std::size_t distance = 1;
            std::size_t length = repeated(text, at, 1);
            if (const std::size_t above = repeated(text, at, row); above > length) {
                length = above;
                distance = row;
            }
            if (length < 4) {
                code(static_cast<unsigned char>(text[at++]));
                continue;
            }
            repetition(static_cast<unsigned>(length), static_cast<unsigned>(distance));
            at += length;
        }
        code(256);
        put(0, 7);
    }
    const std::string& bytes() const noexcept { return bytes_; }

private:
    static std::size_t repeated(const std::string& text, std::size_t at, std::size_t distance) {
        if (at < distance) return 0;
        std::size_t n = 0;
        while (n != 258 && at + n != text.size() && text[at + n] == text[at + n - distance]) ++n;
        return n;
    }
    // Numbers come with their lowest bit first, codes with their highest one.
    void put(std::uint32_t bits, unsigned count) {
        for (; count != 0; --count, bits >>= 1U) {
            byte_ |= (bits & 1U) << filled_;
            if (++filled_ != 8) continue;
            bytes_ += static_cast<char>(byte_);
            byte_ = filled_ = 0;
        }
    }
    void put_code(std::uint32_t bits, unsigned count) {
        while (count != 0) put(bits >> --count, 1);
    }
    void code(unsigned symbol) {
        if (symbol < 144) return put_code(0x30 + symbol, 8);
        if (symbol < 256) return put_code(0x190 + symbol - 144, 9);
        if (symbol < 280) return put_code(symbol - 256, 7);
        put_code(0xC0 + symbol - 280, 8);
    }
    static unsigned top_bit(unsigned v) noexcept {
        unsigned n = 0;
        while ((v >>= 1U) != 0) ++n;
        return n;
    }
    void repetition(unsigned length, unsigned distance) {
        const unsigned l = length - 3;
        if (length == 258) {
            code(285);
        } else if (l < 8) {
            code(257 + l);
        } else {
            const unsigned extra = top_bit(l) - 2;
            code(261 + 4 * extra + (l >> extra & 3U));
            put(l, extra);
        }
        const unsigned d = distance - 1;
        if (d < 4) return put_code(d, 5);
        const unsigned extra = top_bit(d) - 1;
        put_code(2 * (extra + 1) + (d >> extra & 1U), 5);
        put(d, extra);
    }

    std::string bytes_;
    unsigned byte_ = 0;
    unsigned filled_ = 0;
};

inline std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string to;
    to.reserve(bytes.size() * 4 / 3 + 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t n = 0; n != 3; ++n)
            three = three << 8U | (at + n < bytes.size() ? static_cast<unsigned char>(bytes[at + n]) : 0U);
        for (unsigned n = 0; n != 4; ++n) to += at + n > bytes.size() ? '=' : digits[three >> (18 - 6 * n) & 63U];
    }
    return to;
}

// `pixels`: rows of `width` numbers below 16, which choose from at most 16 colours, `#rrggbb`.
inline std::string png_address(const std::vector<unsigned char>& pixels, std::size_t width,
                               const std::vector<std::string_view>& palette) {
    const std::size_t height = width == 0 ? 0 : pixels.size() / width;
    const std::size_t row = 1 + (width + 1) / 2;
    std::string text(row * height, '\0');  // each row begins with a 0: it is not filtered
    for (std::size_t y = 0; y != height; ++y)
        for (std::size_t x = 0; x != width; ++x) {
            char& two = text[y * row + 1 + x / 2];
            two = static_cast<char>(static_cast<unsigned char>(two) | static_cast<unsigned>(pixels[y * width + x])
                                                                          << (x % 2 == 0 ? 4U : 0U));
        }
    const auto number = [](std::uint32_t v) {
        std::string to;
        for (const unsigned shift : {24U, 16U, 8U, 0U}) to += static_cast<char>(v >> shift & 255U);
        return to;
    };
    std::string file = "\x89PNG\r\n\x1A\n";
    const auto chunk = [&](const std::string& data) {  // its name and its bytes
        std::uint32_t crc = 0xFFFFFFFF;
        for (const char c : data) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit != 8; ++bit) crc = crc >> 1U ^ (0xEDB88320U & (0U - (crc & 1U)));
        }
        file += number(static_cast<std::uint32_t>(data.size() - 4)) + data + number(~crc);
    };
    chunk("IHDR" + number(static_cast<std::uint32_t>(width)) + number(static_cast<std::uint32_t>(height)) +
          std::string("\4\3\0\0\0", 5));
    std::string colours_of_palette;
    for (const std::string_view colour : palette)
        for (std::size_t at = 1; at + 1 < colour.size(); at += 2) {
            const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
            colours_of_palette += static_cast<char>(digit(colour[at]) * 16 + digit(colour[at + 1]));
        }
    chunk("PLTE" + colours_of_palette);
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (const char c : text) {
        low = (low + static_cast<unsigned char>(c)) % 65521;
        high = (high + low) % 65521;
    }
    chunk("IDAT\x78\x01" + packed_rows(text, row).bytes() + number(high << 16U | low));
    chunk("IEND");
    return "data:image/png;base64," + base64(file);
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
