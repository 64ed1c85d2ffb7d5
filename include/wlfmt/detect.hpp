// wlfmt/detect.hpp: which format a text is in, and what a launcher wrote before its lines.
//
//     if (wlfmt::detect(text) == wlfmt::file_format::oplog) ...
#include "version.hpp"

#ifndef WLFMT_DETECT_HPP
#define WLFMT_DETECT_HPP

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "table.hpp"
#include "types/text.hpp"

#include "detail/base/scan.hpp"
#include "detail/io/prefix.hpp"
#include "detail/number/read.hpp"
#include "detail/oplog/split.hpp"
#include "detail/table/bare.hpp"
#include "detail/table/header.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

enum class file_format : std::uint8_t { unknown, oplog, workload, table };

// "unknown", "oplog", "workload", "table". Static storage.
[[nodiscard]] inline std::string_view name_of(file_format f) noexcept {
    constexpr const char* names[] = {"unknown", "oplog", "workload", "table"};
    return detail::name_in(names, f);
}

namespace detail {

// Says whose tables a text holds if they have rules like PyTorch's but are another profiler's; else empty.
inline std::string_view find_ruled_relative(std::string_view text) noexcept {
    for (const std::string_view name : {"Self CPU"sv, "CPU total"sv, "CPU time avg"sv, "# of Calls"sv})
        if (text.find(name) != text.npos) return {};
    for (line_cursor lines(text); !lines.done();) {
        const table_relative* const relative = find_relative(lines.next());
        if (relative != nullptr && relative->ruled) return relative->looks;
    }
    return {};
}

// Whether the text begins with the header of a file in a tar archive, of whichever kind: 512 bytes, of which eight say
// in octal digits what the bytes add up to if these eight are blanks.
inline bool is_tar(std::string_view text) noexcept {
    constexpr std::size_t size = 512;
    constexpr std::size_t begin = 148;
    constexpr std::size_t end = 156;
    if (text.size() < size || text.find('\0') >= size) return false;
    unsigned sum = (end - begin) * ' ';
    unsigned written = 0;
    for (std::size_t n = 0; n != size; ++n) {
        const auto byte = static_cast<unsigned char>(text[n]);
        if (n < begin || n >= end) sum += byte;
        else if (is_digit(text[n])) written = written * 8 + (byte - '0');
    }
    return sum == written;
}

inline std::string_view packed_by(std::string_view text) noexcept {
    constexpr std::string_view kinds[][2] = {{"\x1F\x8B"sv, "gzip"sv},
                                             {"\xFD\x37zXZ"sv, "xz"sv},
                                             {"\x28\xB5\x2F\xFD"sv, "Zstandard"sv},
                                             {"\x04\x22\x4D\x18"sv, "LZ4"sv},
                                             {"PK\x03\x04"sv, "zip"sv}};
    for (const auto& kind : kinds)
        if (text.substr(0, kind[0].size()) == kind[0]) return kind[1];
    if (text.substr(0, 3) == "BZh" && text.substr(4, 6) == "1AY&SY") return "bzip2"sv;  // after the size of its blocks
    return is_tar(text) ? "tar"sv : std::string_view();
}

}  // namespace detail

// What a file is packed with, so that only another program can read it, as its first bytes say: "gzip", "bzip2", "xz",
// "Zstandard", "LZ4", "zip" or "tar"; else empty. Static storage. Looks at 512 bytes.
[[nodiscard]] inline std::string_view packed_by(std::string_view text) noexcept { return detail::packed_by(text); }
template <class S, detail::if_null_literal<S> = 0> std::string_view packed_by(S&&) = delete;

// The format that a text is in; unknown if it is packed. Skips what is before its first record or table, which may have
// a launcher's prefix.
[[nodiscard]] inline file_format detect(std::string_view text) noexcept;
template <class S, detail::if_null_literal<S> = 0> file_format detect(S&&) = delete;

// Whether the text holds a unified diff, which mixes the lines of two files. If such a diff comes before any record or
// table, detect() finds no format. Call this with the whole text before detect() gets parts of it. Linear.
[[nodiscard]] inline bool is_mixed_diff(std::string_view text) noexcept {
    return detail::is_mixed(detail::find_diff(text));
}
template <class S, detail::if_null_literal<S> = 0> bool is_mixed_diff(S&&) = delete;

// If detect() takes another profiler's tables for PyTorch's, says whose they are: `a table of Paddle's profiler; wlfmt
// reads PyTorch's`. Else empty. Static storage. Looks at the first 64 KiB.
[[nodiscard]] inline std::string_view other_profiler(std::string_view text) noexcept {
    return detail::find_ruled_relative(text.substr(0, 1 << 16));
}
template <class S, detail::if_null_literal<S> = 0> std::string_view other_profiler(S&&) = delete;

// Whether a text, or a part of one, holds a table that has a rule: for op logs, beside whose records detect() does not
// look.
[[nodiscard]] inline bool holds_table(std::string_view text) noexcept {
    const std::size_t rule = text.find("-----  -----");
    if (rule == std::string_view::npos) return false;
    options lenient;
    lenient.lenient = true;
    lenient.prefix = any_prefix;
    return table::reader(text.substr(text.rfind('\n', rule) + 1), lenient).next_table();  // npos + 1 is 0
}
template <class S, detail::if_null_literal<S> = 0> bool holds_table(S&&) = delete;

// The launcher's prefix of the first record or table, `[rank0]: `, for options::prefix; else empty. A view of the text.
[[nodiscard]] inline std::string_view find_prefix(text_view text WLFMT_LIFETIMEBOUND) noexcept;

// Finds the prefixes of the tables in a text in which the lines of several ranks interleave: those of all lines that
// could be a table's rule or header (empty for a line without one), in the order of their first occurrence. Prefixes
// that differ only in the digits of times count as one. At most max_prefixes are found, so that the search is linear.
// (Op logs need no list: with any_prefix each line has its own.)
//
//     wlfmt::options options;
//     for (const std::string_view prefix : wlfmt::find_prefixes(text)) {
//         options.prefix = prefix;
//         auto of_rank = wlfmt::table::read(text, options);
//     }
inline constexpr std::size_t max_prefixes = 1024;
[[nodiscard]] inline std::vector<std::string_view> find_prefixes(text_view text WLFMT_LIFETIMEBOUND);

namespace detail {

// The launcher's prefix of a line, and what comes after it.
enum class follower : std::uint8_t { record, rule, header, other };
struct prefixed {
    std::string_view prefix;
    follower after;
};
// The format of the first record or table of a text, and its prefix.
struct first_record {
    file_format format = file_format::unknown;
    std::string_view prefix = {};
};

class detection {
public:
    explicit detection(std::string_view text) noexcept
        : text_(without_bom(text)), tables_(text_, 0, any_prefix_options()) {}

    first_record find_first() noexcept {
        // The earliest line that shows that a table has begun, and the prefix of that table.
        const char* decided = nullptr;
        std::string_view prefix;
        const auto look_for_table = [&](const char* first_line, std::string_view with_prefix) {
            tables_.prefix_ = with_prefix;
            const char* const shown = line_proving_table(first_line);
            if (shown == nullptr || (decided != nullptr && decided <= shown)) return;
            decided = shown;
            prefix = with_prefix;
        };
        constexpr std::size_t max_rules = 8;
        std::string_view rule_prefixes[max_rules];  // the distinct prefixes of the last rules
        std::size_t rules = 0;
        std::string_view headers[2];  // the last two lines that hold a table's header, the later one first
        std::string_view other;       // the last line of no such kind; a rule after grep's prefix can look like one
        line_cursor lines(text_);
        std::size_t nonblank = 0;  // the number of lines so far that are not blank
        bool has_policy = false;
        bool has_count = false;
        while (!lines.done()) {
            if (nonblank > 2) {
                const char* const hint = find_hint(lines.at(), lines.end());
                const char* const begin = line_begin(lines.at(), hint);
                if (decided == nullptr || begin < decided) lines = line_cursor(view(begin, lines.end()));
                if (hint == lines.end() && decided == nullptr) break;
            }
            const char* const begin = lines.at();
            if (decided != nullptr && begin >= decided) break;
            const std::string_view line = lines.next();
            if (nonblank < 3 && !trimmed(line).empty()) {
                ++nonblank;
                if (nonblank == 1) has_policy = is_policy_line(line);
                if (nonblank == 2) has_count = has_policy && is_count_line(line);
                if (nonblank == 3 && has_count && has_fields_of_a_layer(line)) return {file_format::workload, {}};
            }
            const bool marked = !line.empty() && (line.front() == '-' || line.front() == '@');
            if (marked && is_mixed(lines_of_diff(view(begin, lines.end()), nonblank == 1))) break;
            const auto [before, after] = split_prefix(line);
            if (after == follower::record) return {file_format::oplog, before};
            if (after == follower::other) {
                other = line;
                continue;
            }
            const auto look_past_prefix = [&](std::string_view first_line, std::string_view with_prefix) {
                const std::size_t size = first_line.empty() ? no_prefix : prefixes::size_of(first_line, with_prefix);
                if (size != no_prefix) look_for_table(first_line.data() + size, with_prefix);
            };
            // Of prefixes that differ only in the blanks and colours at their ends, the shortest counts.
            const bool is_header = after == follower::header;
            std::string_view* known = rule_prefixes;
            std::string_view* const none = rule_prefixes + max_rules;
            while (known != none && (known->empty() || !extends(before, *known))) ++known;
            const bool is_known = known != none;
            std::string_view line_prefix = is_known ? *known : before;
            if (!line_prefix.empty() && is_blank(line_prefix.back())) {
                tables_.prefix_ = before;
                if (is_header) bare_tables::give_back_blank(tables_);
                if (!is_known || !is_blank(tables_.prefix_.back())) line_prefix = tables_.prefix_;
            }
            if (is_header) {
                headers[1] = headers[0];
                headers[0] = line;
                if (is_known) look_past_prefix(other, line_prefix);
                look_past_prefix(line, line_prefix);
                continue;
            }
            if (is_known) *known = line_prefix;
            else if (!line_prefix.empty()) rule_prefixes[rules++ % max_rules] = line_prefix;
            // A rule below a header shows which of the blanks before the header belong to its prefix.
            for (const std::string_view header : headers) look_past_prefix(header, line_prefix);
            look_past_prefix(line, line_prefix);
        }
        if (decided != nullptr) return {file_format::table, prefix};
        // The text has only a policy and a count, or was cut off after them.
        return {has_count && nonblank == 2 ? file_format::workload : file_format::unknown, {}};
    }

    std::vector<std::string_view> find_prefixes(std::size_t max_count) {
        std::vector<std::string_view> found;
        std::set<std::string_view> exactly;  // all that have ever been in `found`
        for (const char* p = tables_.at_; found.size() != max_count;) {
            const char* const begin = line_begin(p, find_hint(p, tables_.end_));
            if (begin == tables_.end_) break;
            line_cursor lines(view(begin, tables_.end_));
            const auto [prefix, after] = split_prefix(lines.next());
            p = lines.at();
            if (after == follower::other || after == follower::record) continue;
            // Such a prefix, or one that only adds a blank before a header, is like one that was found, and no shorter.
            const bool may_give_back = after == follower::header && !prefix.empty() && is_blank(prefix.back());
            if (exactly.count(prefix.substr(0, prefix.size() - (may_give_back ? 1 : 0))) != 0) continue;
            tables_.prefix_ = prefix;
            if (may_give_back) bare_tables::give_back_blank(tables_);
            if (exactly.count(tables_.prefix_) != 0) continue;
            // Of prefixes that differ only in the blanks and colours at their ends, the shortest counts.
            std::size_t known = find_like(found, prefix);
            if (known != 0 && size_of_ending(found[known - 1]) == 0) continue;
            // `11: ` and `8: ` differ in digits. Without the blanks at their ends both look like line numbers, and are
            // one prefix.
            if (known == 0) known = find_like(found, tables_.prefix_);
            // But what looks like the labels of several ranks, `8:` beside `8: ` and `11: `, is no prefix of its own.
            if (known != 0 && find_like(found, tables_.prefix_, known - 1) != 0) continue;
            const std::size_t ending = known != 0 ? size_of_ending(found[known - 1]) : no_prefix;
            if (size_of_ending(tables_.prefix_) >= ending) continue;
            if (after == follower::header && line_proving_table(begin + tables_.prefix_.size()) == nullptr) continue;
            exactly.insert(tables_.prefix_);
            if (known != 0) found[known - 1] = tables_.prefix_;
            else found.push_back(tables_.prefix_);
        }
        return found;
    }

private:
    static options any_prefix_options() noexcept {
        options with_any_prefix;
        with_any_prefix.prefix = any_prefix;
        return with_any_prefix;
    }

    static std::string_view first_word(std::string_view line) noexcept {
        return line.substr(0, line.find_first_of(" \t\r\v\f"));
    }
    // Whether the first word can be a policy: letters, digits and underscores.
    static bool is_policy_line(std::string_view line) noexcept {
        const std::string_view word = first_word(trimmed(line));
        const char* const end = word.data() + word.size();
        return !word.empty() && is_name_start(word.front()) && after_name(word.data(), end) == end;
    }
    // Whether it begins with a number, even one that cannot count layers: the reader says what is wrong with it.
    static bool is_count_line(std::string_view line) noexcept {
        const std::string_view word = first_word(trimmed(line));
        const char* p = word.data();
        const char* const end = p + word.size();
        if (word.empty() || is_name_start(*p) || word.substr(0, 2) == "-i") return false;  // nan, inf, -inf
        number ignored;
        return read_number(p, end, ignored) != number_status::invalid && p == end;
    }
    // Whether the line has enough fields for a layer or a related format's line: workload::reader tells them apart.
    static bool has_fields_of_a_layer(std::string_view line) noexcept {
        std::size_t fields = 0;
        for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
            line.remove_prefix(first_word(line).size());
            ++fields;
        }
        return fields > 9;
    }

    // The first place from p on that hints at a record or table (`rank:`, `stage:`, rule, title, `Name`); else `end`.
    static const char* find_hint(const char* p, const char* end) noexcept {
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
        for (; static_cast<std::size_t>(end - p) > block::size; p += block::size) {
            const block here(p);
            const block next(p + 1);
            const auto pair = [&](char a, char b) { return block::both(here.is(a), next.is(b)); };
            const auto words = block::either(block::either(pair('k', ':'), pair('e', ':')), pair('N', 'a'));
            const auto is_dash = [](const block& b) { return block::either(b.is('-'), b.is('=')); };
            const auto hits = block::either(words, block::both(is_dash(here), is_dash(next)));
            const std::uint64_t mask = block::mask(hits);
            if (mask != 0) return p + lowest_bit(mask) / block::bits_per_byte;
        }
#endif
        for (; end - p > 1; ++p) {
            const bool word = p[1] == ':' ? *p == 'k' || *p == 'e' : *p == 'N' && p[1] == 'a';
            if (word || ((*p == '-' || *p == '=') && (p[1] == '-' || p[1] == '='))) return p;
        }
        return end;
    }

    static prefixed split_prefix(std::string_view line) noexcept {
        using records = oplog_split;
        const std::string_view prefix = line.substr(0, records::record_prefix_size(line));
        const char* const begin = line.data() + prefix.size();
        const char* const end = line.data() + line.size();
        record_head ignored;
        // A record, or something that was meant to be a record: the reader says what is wrong with it.
        if (records::read_head(begin, end, ignored) || records::begins_as_record(begin, end))
            return {prefix, follower::record};
        const std::size_t size = table_lines::table_prefix_size(line);
        if (size == no_prefix) return {prefix, follower::other};
        if (table_lines::may_be_rule(line.substr(size))) return {line.substr(0, size), follower::rule};
        if (is_header(line.substr(size))) return {line.substr(0, size), follower::header};
        return {prefix, follower::other};
    }

    // Whether the line is a table's header. The rule above it may be missing.
    static bool is_header(std::string_view line) noexcept {
        if (without_blanks(line).substr(0, 4) != "Name") return false;
        table_phrases phrases;
        phrases.split_line(line, true);
        return table_lines::is_header(phrases);
    }

    // Whether prefix `a` is `b`, perhaps without its last blanks, followed by nothing but blanks and colours.
    static bool extends(std::string_view a, std::string_view b) noexcept {
        const std::size_t size = prefixes::size_of(a, b);
        return size != no_prefix && size_of_ending(a) >= a.size() - size;
    }
    // The number, from 1, of the last of the prefixes that extends this one, or is extended by it; 0 if there is none.
    static std::size_t find_like(const std::vector<std::string_view>& found, std::string_view prefix) noexcept {
        return find_like(found, prefix, found.size());
    }
    // The same of the first n prefixes.
    static std::size_t find_like(const std::vector<std::string_view>& found, std::string_view prefix,
                                 std::size_t n) noexcept {
        while (n != 0 && !extends(prefix, found[n - 1]) && !extends(found[n - 1], prefix)) --n;
        return n;
    }
    // How many bytes of a prefix are the blanks and colours at its end.
    static std::size_t size_of_ending(std::string_view prefix) noexcept {
        std::size_t at = prefix.size();
        while (at != 0) {
            if (is_blank(prefix[at - 1])) --at;
            else if (prefixes::is_after_colour(prefix, at)) at = prefix.rfind('\x1b', at);
            else break;
        }
        return prefix.size() - at;
    }

    // If a table begins at this line, which is given without its prefix, the line that proves it; else null.
    const char* line_proving_table(const char* first_line) noexcept {
        table_beginning found{table_lines::place_of(tables_, first_line)};
        return table_header::find_beginning(tables_, found) ? table_lines::next_line(tables_, found.below).data()
                                                            : nullptr;
    }
    // The beginning of the line that holds the byte at p, or `from` if that is later.
    static const char* line_begin(const char* from, const char* p) noexcept {
        while (p != from && p[-1] != '\n') --p;
        return p;
    }

    std::string_view text_;
    table_state tables_;
};

}  // namespace detail

inline file_format detect(std::string_view text) noexcept {
    return packed_by(text).empty() ? detail::detection(text).find_first().format : file_format::unknown;
}
inline std::string_view find_prefix(text_view text WLFMT_LIFETIMEBOUND) noexcept {
    return detail::detection(text).find_first().prefix;
}
inline std::vector<std::string_view> find_prefixes(text_view text WLFMT_LIFETIMEBOUND) {
    return detail::detection(text).find_prefixes(max_prefixes);
}
}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
