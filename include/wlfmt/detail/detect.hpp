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
#include "table/lines.hpp"

#include "base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::size_t detect_bytes = 64 * 1024;

// The launcher's prefix of a line, and what comes after it.
enum class follower : std::uint8_t { record, rule, other };
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
template <class Way>
struct detection {
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

    // Dashes and blanks alone, two dashes at least: what a table begins with.
    static bool looks_like_a_rule(std::string_view line) noexcept {
        line = trimmed(line);
        if (line.substr(0, 2) != "--") return false;
        for (const char c : line)
            if (c != '-' && !is_blank(c)) return false;
        return true;
    }

    // A record, or what is meant to be one: the reader says what is wrong with it.
    static bool is_record_line(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        const char* stop = end;
        while (stop != line.data() && is_blank(stop[-1])) --stop;
        record_head ignored;
        return oplog_split<kernel>::read_head(line.data(), end, ignored) ||
               oplog_split<kernel>::begins_as_record(line.data(), stop);
    }

    // Whether a line can hold a record or a rule: it has one of the words that begin a record, or ends with a dash.
    static bool may_hold_either(std::string_view line) noexcept {
        std::size_t size = line.size();
        while (size != 0 && is_blank(line[size - 1])) --size;
        if (size != 0 && line[size - 1] == '-') return true;
        for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
            const auto follows = [&](std::string_view word) {
                return colon >= word.size() && line.substr(colon - word.size(), word.size()) == word;
            };
            if (follows("rank") || follows("stage")) return true;
        }
        return false;
    }

    static prefixed split_prefix(std::string_view line) noexcept {
        // Most lines of a table hold neither, and the rest of this takes ten times as long.
        if (!may_hold_either(line)) return {{}, follower::other};
        const std::string_view prefix = line.substr(0, oplog_split<kernel>::record_prefix_size(line));
        if (is_record_line(line.substr(prefix.size()))) return {prefix, follower::record};
        // As the reader of tables finds it: any text that ends like a prefix is one before a rule.
        const std::size_t size = table_lines<kernel>::rule_prefix_size(line);
        if (size != no_prefix && looks_like_a_rule(line.substr(size))) return {line.substr(0, size), follower::rule};
        return {prefix, follower::other};
    }

    // Are the two prefixes the same but for the digits of times?
    static bool same_prefix(std::string_view a, std::string_view b) noexcept {
        return prefixes::size_of(a, b) == a.size();
    }

    // The table that comes first, if any: where its header ends, and the prefix that it was read with.
    struct first_table {
        const char* at = nullptr;
        std::string_view prefix = {};

        void look(std::string_view text, std::string_view with_prefix) noexcept {
            options how;
            how.prefix = with_prefix;
            table::reader tables(text, how);
            if (!tables.next_table()) return;
            const char* const found = text.data() + tables.offset();
            if (at != nullptr && at <= found) return;
            at = found;
            prefix = with_prefix;
        }
    };

    static first_record find_first(std::string_view text) noexcept {
        text = without_bom(text).substr(0, detect_bytes);
        first_table table;
        table.look(text, {});

        // How many prefixes are tried: each try may read all of the text.
        constexpr std::size_t most_tries = 16;
        std::string_view tried[most_tries];
        std::size_t tries = 0;
        const auto is_tried = [&](std::string_view prefix) {
            for (std::size_t n = 0; n != tries; ++n)
                if (same_prefix(prefix, tried[n])) return true;
            return false;
        };

        line_cursor lines(text);
        std::size_t filled = 0;  // lines that are not blank so far
        bool policy = false;
        bool count = false;
        while (!lines.done()) {
            if (table.at != nullptr && lines.at() >= table.at) return {file_format::table, table.prefix};
            const std::string_view line = lines.next();
            if (is_record_line(line)) return {file_format::oplog, {}};
            if (trimmed(line).empty()) continue;
            ++filled;
            if (filled == 1) policy = is_policy_line(line);
            if (filled == 2) count = policy && is_count_line(line);
            if (filled == 3 && count && has_fields_of_a_layer(line)) return {file_format::workload, {}};
            const auto [prefix, what] = split_prefix(line);
            if (what == follower::record) return {file_format::oplog, prefix};
            if (what == follower::other || prefix.empty() || tries == most_tries || is_tried(prefix)) continue;
            tried[tries++] = prefix;
            // From the start: what the reader takes for the first rule of this prefix may not look like one.
            table.look(text, prefix);
        }
        if (table.at != nullptr) return {file_format::table, table.prefix};
        // A file of a policy and a count, or one that is cut off after them.
        return {count && filled == 2 ? file_format::workload : file_format::unknown, {}};
    }

    static std::vector<std::string_view> find_prefixes(std::string_view text, std::size_t most) {
        std::vector<std::string_view> all;
        line_cursor lines(without_bom(text));
        while (!lines.done() && all.size() != most) {
            const auto [prefix, what] = split_prefix(lines.next());
            if (what == follower::other) continue;
            bool known = false;
            for (std::size_t n = all.size(); n != 0 && !known; --n) known = same_prefix(prefix, all[n - 1]);
            if (!known) all.push_back(prefix);
        }
        return all;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
