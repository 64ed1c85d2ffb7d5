// Checks, attribute by attribute, whether an operation reads back as it is written. The writer calls this for the
// records that a quick look at what it wrote does not prove good.
#ifndef WLFMT_DETAIL_OPLOG_CHECK_HPP
#define WLFMT_DETAIL_OPLOG_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../types/oplog.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "find.hpp"
#include "paths.hpp"
#include "reader.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Checks the values of a record in the order in which they are written. Each check follows from how records are read.
template <class Build> class basic_value_check {
public:
    explicit basic_value_check(bool spaced) noexcept : kind_(spaced ? separator::comma_space : separator::comma) {}

    // A value may not hold a separator with a key after it. The first separator in a record decides which kind it has,
    // so the value before it may hold neither kind.
    bool reads_back(std::string_view v, numeric) noexcept {
        value_scan<no_known_key> scan(std::exchange(first_, false) ? separator::undecided : kind_);
        return v.empty() || scan.stop(v.data(), v.data() + v.size()) == v.data() + v.size();
    }
    bool reads_back(const oplog::shape& s, numeric holds) noexcept { return reads_back(s.text(), holds); }
    bool reads_back(const number& n, numeric holds) noexcept {
        first_ = false;
        if (n.is_text()) return holds == numeric::duration && n.text() == not_measured;
        return holds != numeric::index || !n.is_decimal();
    }
    // The list is skipped as a whole: only the separator after it can be the first one.
    bool reads_back(const oplog::sub_operation_list&, numeric) noexcept {
        first_ = false;
        return true;
    }

private:
    separator kind_;
    bool first_ = true;
};

// Finds what keeps an operation from reading back: implements problem_of().
template <class Build> struct oplog_check {
    static bool is_key(std::string_view k) noexcept {
        if (k.empty() || !is_name_start(k[0])) return false;
        for (const char c : k)
            if (!is_name(c) && c != '.') return false;
        return true;
    }

    // Checks the attributes of a record one by one; `field` is the first that does not read back. `is_good(key, value)`
    // checks what only this kind of record asks for.
    template <class Record, class Check>
    static bool attributes_read_back(const Record& r, std::string_view& field, Check&& is_good) noexcept {
        basic_value_check<Build> values(r.spaced);
        key_order seen;
        bool good = true;
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if (!good) return;
            const auto known = key_of(r, key);
            const bool further = known == key_of_record<Record>::extra;
            // A known key may not come twice, not even after the key of a missing member.
            const bool once = further || seen.first_time(known);
            if (wlfmt::is_missing(v)) return;
            field = key;
            good = once && is_key(key) && values.reads_back(v, further ? numeric::time : row_of(r, known).holds) &&
                   is_good(key, v);
        });
        return good;
    }

    // Written with its escapes in place, the string must end where its quote says, and Python must be able to read it.
    // `open`: the text ends with an unpaired backslash.
    static bool is_closed(std::string_view escaped, char quote, bool& open) noexcept {
        open = false;
        if (escaped.find('\n') != std::string_view::npos) return false;
        for (std::size_t at = 0; at < escaped.size(); ++at) {
            if (escaped[at] == quote) return false;
            if (escaped[at] == '\\') open = ++at == escaped.size();
        }
        const char* end = escaped.data() + escaped.size() - static_cast<std::size_t>(open);
        return escapes::find_bad(escaped.data(), end) == end;
    }

    // Does a nested operation read back? If not, `field` is the first member that does not.
    static bool reads_back(const oplog::sub_operation& s, std::string_view& field) noexcept {
        field = "sub_operations";
        if (s.damaged) return false;
        field = "sub_operations.quote";
        if (s.quote != 0 && s.quote != '\'' && s.quote != '"') return false;
        // A plain text may hold any byte: it is escaped when it is written.
        bool open = false;
        const auto whole = [&](std::string_view v) { return s.quote == 0 || is_closed(v, s.quote, open); };
        field = "sub_operations.text";
        if (s.is_text())
            return after_key(s.text.data(), s.text.data() + s.text.size()) == nullptr && whole(s.text) && !open;
        bool any = false;
        const bool good = attributes_read_back(s, field, [&](std::string_view key, const auto& v) {
            any = true;
            // After that key a value that begins with `[` is read as a list, and this one may not have a list's end.
            const bool list = key == list_key && text_of(v).substr(0, 1) == "[";
            return !list && whole(text_of(v));
        });
        // A comma follows every attribute but the last.
        return any && good && !open;
    }

    // Do all nested operations read back? A list in which read() found no problem does.
    static bool reads_back(const oplog::sub_operation_list& list, std::string_view& field) noexcept {
        if (oplog_access<build>::is_text(list) && oplog_access<build>::is_checked(list)) return true;
        for (const oplog::sub_operation& s : list)
            if (!reads_back(s, field)) return false;
        return true;
    }

    // Does a name hold each of these eight bytes?
    WLFMT_INLINE static bool are_name_bytes(std::uint64_t bytes) noexcept {
        // The top bit of each byte, of those below 0x80.
        const auto from = [](std::uint64_t b, char least) {
            return b + every_byte(static_cast<unsigned char>(0x80 - least));
        };
        const std::uint64_t lower = bytes | every_byte(0x20);
        const std::uint64_t letters = from(lower, 'a') & ~from(lower, 'z' + 1);
        const std::uint64_t digits = from(bytes, '0') & ~from(bytes, '9' + 1);
        const std::uint64_t others = from(bytes ^ every_byte('_'), 1);
        return ((letters | digits | ~others) & ~bytes & every_byte(0x80)) == every_byte(0x80);
    }

    WLFMT_INLINE static bool is_operation_name(std::string_view name) noexcept {
        if (name.empty() || !is_name_start(name[0])) return false;
        const char* p = name.data();
        const char* const end = p + name.size();
        if (WLFMT_LIKELY(name.size() >= 8)) {
            const char* const last = end - 8;
            while (p < last && are_name_bytes(load_eight(p))) p += 8;
            if (WLFMT_LIKELY(p >= last && are_name_bytes(load_eight(last)))) return true;
            p = name.data();
        }
        return oplog_split<build>::after_operation_name(p, end) == end;
    }

    // A rank that is not negative, and an operation's name.
    WLFMT_INLINE static bool has_good_head(const oplog::operation& op) noexcept {
        return op.rank >= 0 && is_operation_name(op.op);
    }

    static bool reads_back(const oplog::operation& op, std::string_view& field) noexcept {
        bool list = false;
        std::string_view after_list;
        const bool good = attributes_read_back(op, field, [&](std::string_view, const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
                list = !v.is_none();
                return reads_back(v, field);
            } else {
                after_list = list ? text_of(v) : std::string_view();
                return text_of(v).find('\n') == std::string_view::npos;
            }
        });
        if (!good) return false;
        // If a line ends as a list of strings does, readers take that for the end of its sub-operations.
        field = list_key;
        const std::size_t size = after_list.size();
        return size < 2 || after_list[size - 1] != ']' || (after_list[size - 2] != '\'' && after_list[size - 2] != '"');
    }

    static error problem_of(const oplog::sub_operation& sub) noexcept {
        std::string_view field;
        return reads_back(sub, field) ? error() : unwritable(field);
    }
    static error problem_of(const oplog::operation& op) noexcept {
        if (op.rank < 0) return unwritable(name_of(op.origin));
        if (!has_good_head(op)) return unwritable("op");
        std::string_view field;
        return reads_back(op, field) ? error() : unwritable(field);
    }
    static error problem_of(const oplog::document& doc) noexcept {
        for (const oplog::operation& op : doc.operations) {
            const error e = problem_of(op);
            if (e) return in_document(e, static_cast<std::size_t>(&op - doc.operations.data()));
        }
        return {};
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
