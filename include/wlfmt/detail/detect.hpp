// Telling the formats apart by how a text begins, and finding the prefix before its first record or table.
#ifndef WLFMT_DETAIL_DETECT_HPP
#define WLFMT_DETAIL_DETECT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../table.hpp"
#include "../types/format.hpp"
#include "base/scan.hpp"
#include "io/prefix.hpp"
#include "number/read.hpp"
#include "oplog/split.hpp"
#include "table/header.hpp"

#include "base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The launcher's prefix of a line, and what comes after it.
enum class follower : std::uint8_t { record, rule, header, other };
struct prefixed {
    std::string_view prefix;
    follower what;
};
// The first record or table of a text.
struct first_record {
    file_format format = file_format::unknown;
    std::string_view prefix = {};
};

// Recognises the format of a text.
template <class Build> struct detection {
    // A word of letters, digits and underscores, followed by nothing that a policy line could not have.
    static bool is_policy_line(std::string_view line) noexcept {
        line = trimmed(line);
        if (line.empty() || !is_name_start(line.front())) return false;
        std::size_t at = 0;
        while (at < line.size() && is_name(line[at])) ++at;
        return at == line.size() || is_blank(line[at]);
    }

    // A number, also one that no count of layers can be: the reader says what is wrong with it.
    static bool is_count_line(std::string_view line) noexcept {
        line = trimmed(line);
        std::size_t size = 0;
        while (size < line.size() && !is_blank(line[size])) ++size;
        const char* p = line.data();
        const char* const end = p + size;
        number ignored;
        const bool word = size != 0 && (is_name_start(line.front()) || line.substr(0, 2) == "-i");  // nan, inf, -inf
        return size != 0 && !word && read_number(p, end, ignored) != number_status::invalid && p == end;
    }

    // A layer's field count, or that of a near relative of the format: workload::reader tells the two apart.
    static bool has_fields_of_a_layer(std::string_view line) noexcept {
        std::size_t fields = 0;
        for (std::size_t at = 0; at < line.size();) {
            while (at < line.size() && is_blank(line[at])) ++at;
            if (at < line.size()) ++fields;
            while (at < line.size() && !is_blank(line[at])) ++at;
        }
        return fields > 9;
    }

    // A record, or what is meant to be one: the reader says what is wrong with it.
    static bool is_record_line(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        record_head ignored;
        return oplog_split<build>::read_head(line.data(), end, ignored) ||
               oplog_split<build>::begins_as_record(line.data(), end);
    }

    // The first place from p on at which a line may hold what begins a record or a table: `rank:`, `stage:`, a rule, a
    // title's line or `Name`. Returns `end` if there is none.
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
        const std::string_view prefix = line.substr(0, oplog_split<build>::record_prefix_size(line));
        if (is_record_line(line.substr(prefix.size()))) return {prefix, follower::record};
        const std::size_t size = table_lines<build>::table_prefix_size(line);
        if (size == no_prefix) return {prefix, follower::other};
        if (table_header<build>::is_rule(line.substr(size))) return {line.substr(0, size), follower::rule};
        if (is_header(line.substr(size))) return {line.substr(0, size), follower::header};
        return {prefix, follower::other};
    }

    // Is this a header that may have no rule?
    static bool is_header(std::string_view line) noexcept {
        if (without_blanks(line).substr(0, 4) != "Name") return false;
        table_runs runs;
        table_header<build>::count_names(runs, line);
        return table_header<build>::is_header(runs);
    }

    // Are the two prefixes the same but for the digits of times?
    static bool same_prefix(std::string_view a, std::string_view b) noexcept {
        return prefixes::size_of(a, b) == a.size();
    }

    static first_record find_first(std::string_view text) noexcept {
        text = without_bom(text);
        options how;
        how.prefix = any_prefix;
        table_state tables(build(), text, 0, how);
        const char* decided = nullptr;  // the line that shows that a table has begun
        std::string_view prefix;        // of that table
        const auto look = [&](const char* first_line, std::string_view with_prefix) {
            tables.prefix_ = with_prefix;
            const typename table_lines<build>::own_lines own(tables, first_line);
            typename table_header<build>::beginning found{{}, {}, {}, own, own};
            if (!table_header<build>::find_beginning(tables, found)) return;
            const char* const shown = found.below.next().data();
            if (decided != nullptr && decided <= shown) return;
            decided = shown;
            prefix = with_prefix;
        };
        std::string_view known;  // the last line that holds a known header
        line_cursor lines(text);
        std::size_t filled = 0;  // lines that are not blank so far
        bool policy = false;
        bool count = false;
        while (!lines.done()) {
            if (filled > 2) {
                const char* const hint = find_hint(lines.at(), lines.end());
                const char* const begin = line_begin(lines.at(), hint);
                if (decided == nullptr || begin < decided) lines = line_cursor(view(begin, lines.end()));
                if (hint == lines.end() && decided == nullptr) break;
            }
            const char* const begin = lines.at();
            if (decided != nullptr && begin >= decided) break;
            const std::string_view line = lines.next();
            if (filled < 3 && !trimmed(line).empty()) {
                ++filled;
                if (filled == 1) policy = is_policy_line(line);
                if (filled == 2) count = policy && is_count_line(line);
                if (filled == 3 && count && has_fields_of_a_layer(line)) return {file_format::workload, {}};
            }
            const bool marked = !line.empty() && (line.front() == '-' || line.front() == '@');
            if (marked && is_mixed(lines_of_diff(view(begin, lines.end()), filled == 1))) break;
            const auto [before, what] = split_prefix(line);
            if (what == follower::record) return {file_format::oplog, before};
            if (what == follower::other) continue;
            if (what == follower::header) known = line;
            // Which of the blanks before a header belong to its prefix, a rule below it shows.
            const std::size_t size =
                what == follower::rule && !known.empty() ? prefixes::size_of(known, before) : no_prefix;
            if (size != no_prefix) look(known.data() + size, before);
            look(begin + before.size(), before);
        }
        if (decided != nullptr) return {file_format::table, prefix};
        // A file of a policy and a count, or one that is cut off after them.
        return {count && filled == 2 ? file_format::workload : file_format::unknown, {}};
    }
    // The begin of the line that holds the byte at p, if it is not before `from`.
    static const char* line_begin(const char* from, const char* p) noexcept {
        while (p != from && p[-1] != '\n') --p;
        return p;
    }

    static std::vector<std::string_view> find_prefixes(std::string_view text, std::size_t most) {
        std::vector<std::string_view> all;
        text = without_bom(text);
        options how;
        how.prefix = any_prefix;
        table_state tables(build(), text, 0, how);
        for (const char* p = tables.at_; all.size() != most;) {
            p = line_begin(p, find_hint(p, tables.end_));
            if (p == tables.end_) break;
            const char* const begin = p;
            line_cursor lines(view(p, tables.end_));
            const std::string_view line = lines.next();
            p = lines.at();
            const auto [prefix, what] = split_prefix(line);
            if (what == follower::other) continue;
            bool known = false;
            for (std::size_t n = all.size(); n != 0 && !known; --n)
                known = what == follower::header && !all[n - 1].empty()
                            ? prefixes::size_of(line, all[n - 1]) != no_prefix
                            : same_prefix(prefix, all[n - 1]);
            if (known) continue;
            tables.prefix_ = prefix;
            if (what == follower::header) {
                table_header<build>::give_back_blank(tables);
                const typename table_lines<build>::own_lines own(tables, begin + tables.prefix_.size());
                typename table_header<build>::beginning found{{}, {}, {}, own, own};
                if (!table_header<build>::find_beginning(tables, found)) continue;
            }
            all.push_back(tables.prefix_);
        }
        return all;
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
