// The lines of a text that a reader of tables reads, and those around a table: titles and totals.
#ifndef WLFMT_DETAIL_TABLE_LINES_HPP
#define WLFMT_DETAIL_TABLE_LINES_HPP

#include <cstddef>
#include <string_view>

#include "../../types/table.hpp"
#include "../base/characters.hpp"
#include "../base/lines.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "runs.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// A line that holds only `=`, as there is above a title.
inline bool is_title_rule(std::string_view line) noexcept {
    line = without_blanks(line);
    return line.size() >= 3 && line.find_first_not_of('=') == std::string_view::npos;
}

// `Self CPU time total`: a name of the form [Self ]WORD time total.
inline bool is_total_name(std::string_view name) noexcept {
    constexpr std::string_view tail = " time total";
    if (name.size() <= tail.size() || name.substr(name.size() - tail.size()) != tail) return false;
    std::string_view word = name.substr(0, name.size() - tail.size());
    if (word.substr(0, 5) == "Self ") word.remove_prefix(5);
    if (word.empty()) return false;
    for (std::size_t n = 0; n < word.size(); n += character_size(word, n)) {
        const char* p = word.data() + n;
        if (static_cast<unsigned char>(*p) < 0x80 ? !is_name(*p) : blank_size(p, word.data() + word.size()) != 0)
            return false;
    }
    return true;
}

inline bool has_blank(std::string_view s) noexcept {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p)
        if (blank_size(p, end) != 0) return true;
    return false;
}

template <class Way>
struct table_lines {
    using state = table_state;

    // `Self CPU time total: 8.303s`: a name and one word after the colon.
    static bool split_total(std::string_view line, table::total& t) noexcept {
        line = without_blanks(line);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        const std::string_view value = without_blanks(line.substr(colon + 1));
        t.name = line.substr(0, colon);
        cell_access::text(t.value) = value;
        return is_total_name(t.name) && !value.empty() && !has_blank(value);
    }

    // How many bytes of a line come before its rule, or before the `=` above a title, if they are a launcher's prefix:
    // 0 if they are blanks, no_prefix if they are anything else or the line holds neither a rule nor `=`. Of the blanks
    // after a prefix at most one belongs to it: the others are the table's indentation.
    static std::size_t rule_prefix_size(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        const char* const first = after_blanks(line.data(), end);
        if (first == end) return no_prefix;
        if (*first == '-' || *first == '=') return 0;
        const std::size_t dashes = line.find("---");
        const std::size_t title = line.find("===");
        const std::size_t at = dashes < title ? dashes : title;
        if (at == std::string_view::npos) return no_prefix;
        std::size_t size = at;
        while (is_blank(line[size - 1])) --size;
        size += size != at ? 1 : 0;
        return prefixes::launcher_size(line) >= at || prefixes::ends_as_prefix(line.substr(0, size)) ? size : no_prefix;
    }

    // Where the first line from p on that has the wanted prefix continues after it; the end of the text if there is no
    // such line.
    WLFMT_COLD static const char* find_own_line(const state& r, const char* p) noexcept {
        std::size_t left = r.any_prefix_ ? table::max_lines_between : static_cast<std::size_t>(-1);
        for (; p != r.end_ && left != 0; --left) {
            line_cursor lines(view(p, r.end_));
            const std::string_view line = lines.next();
            const std::size_t size = prefixes::size_of(line, r.prefix_);
            if (size != no_prefix) return line.data() + size;
            p = lines.at();
        }
        return r.end_;
    }
    // Lets the reader continue after the line that ends at p.
    WLFMT_INLINE static void go_on(state& r, const char* p) noexcept {
        r.at_ = p;
        if (WLFMT_LIKELY(r.prefix_.empty())) return;
        r.after_ = p;
        r.at_ = find_own_line(r, p);
    }

    // Hands out the lines to read, from a given one on, without their prefixes and ends.
    class own_lines {
    public:
        own_lines(const state& r, const char* at) noexcept : r_(&r), at_(at), after_(r.after_) {}
        bool done() const noexcept { return at_ == r_->end_; }
        std::string_view next() noexcept {
            line_cursor lines(view(at_, r_->end_));
            const std::string_view line = lines.next();
            after_ = at_ = lines.at();
            if (!r_->prefix_.empty()) at_ = find_own_line(*r_, at_);
            return line;
        }
        // Lets the reader continue with the line that would be handed out next.
        void go_on(state& r) const noexcept {
            r.at_ = at_;
            r.after_ = after_;
        }

    private:
        const state* r_;
        const char* at_;
        const char* after_;
    };
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
