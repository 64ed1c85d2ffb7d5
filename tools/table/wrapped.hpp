// Tables that a terminal wrapped: each line is in pieces of one width, and the last piece is shorter. Joining them
// gives the table again.
#ifndef WLFMT_TOOLS_TABLE_WRAPPED_HPP
#define WLFMT_TOOLS_TABLE_WRAPPED_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/detect.hpp>
#include <wlfmt/table.hpp>

namespace tool {

class wrapped_lines {
public:
    explicit wrapped_lines(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = (std::min)(text.find('\n', at), text.size());
            std::string_view line = text.substr(at, end - at);
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            lines_.push_back(line);
            at = end + 1;
        }
    }

    // The text with the lines of its tables in one piece; empty if no table is wrapped.
    std::string joined() {
        std::string text;
        for (std::size_t n = 0; n < lines_.size();) {
            const std::size_t pieces = pieces_at(n);
            if (pieces == 0) {
                put(text, lines_[n++]);
                continue;
            }
            const std::size_t rule = n;
            for (std::size_t k = 0; k != 3; ++k, n += pieces) put(text, join(n, pieces));
            bool closed = false;
            while (!closed && n + pieces <= lines_.size() && is_row(n)) {
                closed = is_same(rule, n, pieces);
                put(text, join(n, pieces));
                n += pieces;
            }
        }
        return width_ != 0 ? text : std::string();
    }
    // At how many characters the lines were wrapped; 0 if none was.
    std::size_t width() const noexcept { return width_; }

private:
    static constexpr std::size_t most_pieces = 16;

    static bool is_blank(std::string_view line) noexcept { return line.find_first_not_of(' ') == line.npos; }
    static bool is_dashes(std::string_view line) noexcept {
        return !is_blank(line) && line.find_first_not_of("- =") == line.npos;
    }
    // What comes before the dashes of a rule's first piece; npos if it is none.
    static std::size_t prefix_of(std::string_view line) noexcept {
        const std::size_t dashes = line.find("---");
        if (dashes == line.npos || !is_dashes(line.substr(dashes))) return line.npos;
        return is_blank(line.substr(0, dashes)) ? 0 : dashes;
    }
    // A piece after the first one, which has the first one's prefix if each piece has.
    std::string_view own(std::size_t n) const noexcept {
        const std::string_view line = lines_[n];
        return line.size() >= repeated_ ? line.substr(repeated_) : std::string_view();
    }

    // Of how many pieces the lines of a table are whose rule begins in line n; 0 if no wrapped table begins there.
    std::size_t pieces_at(std::size_t n) {
        const std::size_t prefix = prefix_of(lines_[n]);
        repeated_ = 0;
        if (prefix == std::string_view::npos || n + 1 == lines_.size()) return 0;
        const std::string_view before = lines_[n].substr(0, prefix);
        if (prefix != 0 && lines_[n + 1].substr(0, prefix) == before) repeated_ = prefix;
        std::size_t pieces = 1;
        while (n + pieces < lines_.size() && pieces != most_pieces && is_dashes(own(n + pieces))) ++pieces;
        if (n + pieces < lines_.size() && is_blank(own(n + pieces)) && is_table(n, pieces + 1)) return pieces + 1;
        return pieces > 1 && is_table(n, pieces) ? pieces : 0;
    }
    // Whether a header and the same rule follow a rule of so many pieces.
    bool is_table(std::size_t n, std::size_t pieces) {
        if (n + 3 * pieces > lines_.size() || !is_same(n, n + 2 * pieces, pieces)) return false;
        if (is_blank(own(n + 2 * pieces - 1)) && pieces == 2 && is_blank(own(n + 1)))
            return false;  // blank lines between
        // Pieces may have lost the blanks at their ends: the longest one of the first rows tells.
        constexpr std::size_t most_rows = 64;
        std::size_t width = 0;
        for (std::size_t at = n; at + pieces <= lines_.size() && at != n + most_rows * pieces && is_row(at);
             at += pieces) {
            for (std::size_t k = 0; k + 1 < pieces; ++k) width = (std::max)(width, length(at + k));
            if (at > n + 2 * pieces && is_same(n, at, pieces)) break;
        }
        // The longest piece may have lost the two blanks between columns: the names of the header tell.
        const std::size_t before = width_;
        std::size_t most_names = 1;
        std::size_t chosen = before;
        for (std::size_t lost = 0; lost != 3; ++lost) {
            width_ = width + lost;
            const std::size_t names = names_of(n, pieces);
            if (names <= most_names) continue;
            most_names = names;
            chosen = width_;
        }
        width_ = chosen;
        return most_names > 1;
    }
    // How many names of PyTorch's columns the table has if its lines are joined so; 0 if it is none.
    std::size_t names_of(std::size_t n, std::size_t pieces) const {
        const std::string rule = join(n, pieces) + "\n";
        const std::string text = rule + join(n + pieces, pieces) + "\n" + rule;
        wlfmt::options how;
        how.lenient = true;
        how.prefix = wlfmt::find_prefix(text);
        wlfmt::table::reader tables(text, how);
        if (!tables.next_table() || tables.columns()[0].name != "Name") return 0;
        std::size_t names = 0;
        for (const wlfmt::table::column& column : tables.columns())
            names += wlfmt::table::meaning_of(column.name).name.empty() ? 0U : 1U;
        return names;
    }
    bool is_same(std::size_t a, std::size_t b, std::size_t pieces) const noexcept {
        for (std::size_t k = 0; k != pieces; ++k) {
            const std::string_view x = k == 0 ? lines_[a].substr(lines_[a].find("---")) : own(a + k);
            const std::size_t dashes = k == 0 ? lines_[b].find("---") : 0;
            if (dashes == std::string_view::npos) return false;
            if (x != (k == 0 ? lines_[b].substr(dashes) : own(b + k))) return false;
        }
        return true;
    }
    // Whether a line of the table can begin in line n, as totals and fences do not.
    bool is_row(std::size_t n) const noexcept {
        const std::string_view line = lines_[n];
        return line.find(" time total: ") == line.npos && line.find("```") == line.npos;
    }
    static std::size_t characters(std::string_view line) noexcept {
        return static_cast<std::size_t>(std::count_if(
            line.begin(), line.end(), [](char c) { return (static_cast<unsigned>(c) & 0xC0U) != 0x80U; }));
    }
    std::size_t length(std::size_t n) const noexcept { return characters(lines_[n]); }
    // Pieces that lost the blanks at their end get them back.
    std::string join(std::size_t n, std::size_t pieces) const {
        std::string line;
        for (std::size_t k = 0; k != pieces; ++k) {
            line.append(k == 0 ? lines_[n] : own(n + k));
            const std::size_t size = length(n + k);
            if (k + 1 != pieces && size < width_) line.append(width_ - size, ' ');
        }
        return line;
    }
    static void put(std::string& text, std::string_view line) { text.append(line).push_back('\n'); }

    std::vector<std::string_view> lines_;
    std::size_t repeated_ = 0;  // the size of a prefix that each piece has
    std::size_t width_ = 0;
};

// The text with its wrapped tables in one piece, and the width at which they were wrapped; empty if none was.
inline std::string unwrapped(std::string_view text, std::size_t& width) {
    width = 0;
    if (text.find("---") == std::string_view::npos) return {};
    wrapped_lines lines(text);
    std::string joined = lines.joined();
    width = lines.width();
    return joined;
}

}  // namespace tool

#endif
