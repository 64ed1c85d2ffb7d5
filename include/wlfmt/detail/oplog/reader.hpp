// Reading rank op logs: the operations of a reader on its state.
//
// A record is read on one of two paths with the same answers: the fast one (fast.hpp), and the slow one
// (slow.hpp) for what the fast one gives up.
#ifndef WLFMT_DETAIL_OPLOG_READER_HPP
#define WLFMT_DETAIL_OPLOG_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/error.hpp"
#include "../../types/oplog.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "fast.hpp"
#include "lists.hpp"
#include "slow.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct oplog_state {
    const char* at_;  // the next line
    const char* end_;
    oplog::operation record_;
    problems problems_;
    std::uint64_t foreign_lines_ = 0;
    bool found_record_ = false;  // a record was seen, good or bad
    bool needs_reset_ = false;   // record_ holds what the fast path does not overwrite

    template <class Build>
    oplog_state(Build, std::string_view text, std::size_t mark_size, const options& how) noexcept
        : at_(text.data() + mark_size), end_(text.data() + text.size()), problems_(text, how) {}
};

inline namespace WLFMT_IMPL {

// The reader's operations on its state.
template <class Build> struct oplog_reading {
    // Walks a list only to report its problems to its reader.
    WLFMT_COLD static void walk_all(const oplog::sub_operation_list& list) {
        for (const oplog::sub_operation& s : list) static_cast<void>(s);
    }

    // The line does not end with the record's `)`. Returns where the record ends if its list shows that and the text
    // after it is tolerated; null if the line cannot be read.
    static const char* find_record_end(const char* body, const char* end, problems* problems) {
        std::string_view attributes = view(body, end);
        separator kind = separator::undecided;
        oplog_slow<build>::pass_junk(attributes, kind, nullptr);
        attribute_splitter<op_key> split(attributes, kind);
        oplog::attribute a;
        for (op_key key{}; split.next(a, key);) {
            if (key != op_key::sub_operations || a.value.empty() || a.value.front() != '[') continue;
            const char* const stop = oplog_split<build>::after_list(a.value.data(), end, problems);
            if (stop == nullptr) return nullptr;
            if (stop == end || *stop != ')') break;
            const std::string_view junk = trimmed(view(stop + 1, end));
            return problems->report(error_kind::text_after_record, junk.data(), junk.size(), {}) ? stop : nullptr;
        }
        problems->report(error_kind::unterminated_record, end, 0, {});
        return nullptr;
    }

    // Reads what the fast path has left, from the record's head on. This is a function of its own so that the plain
    // path does not pay for the cleaning up that a throwing callback would need.
    WLFMT_NOINLINE static bool read_record_slow(std::string_view body, oplog::operation& r, problems& problems) {
        oplog::operation fresh{r.origin, r.rank, r.op};
        fresh.source = r.source;
        r = std::move(fresh);
        return oplog_slow<build>::read_attributes(body, r, &problems);
    }

    // Reads the record of a line that has a record's head; `end` is the line's end without blanks. `plain`: whether to
    // try the fast path, which overwrites every member of `r`. Returns false if the record cannot be read.
    WLFMT_INLINE static bool read_record(const record_head& head, const char* end, const char* limit, bool plain,
                                         oplog::operation& r, problems& problems) {
        r.origin = head.origin;
        r.op = head.op;
        r.rank = head.rank;
        const char* p = head.number.data();
        if (WLFMT_UNLIKELY(!head.has_rank) && read_integer(p, end, r.rank) != number_status::ok) {
            problems.report(error_kind::number_overflow, head.number.data(), head.number.size(),
                            head.origin == oplog::origin::rank ? "rank" : "stage");
            return false;
        }
        const bool closed = end != head.body && end[-1] == ')';
        if (WLFMT_LIKELY(closed)) {
            --end;
            if (WLFMT_LIKELY(has_fast_paths && plain)) {
                if (WLFMT_LIKELY(padded::fits(head.body, limit))) {
                    if (WLFMT_LIKELY(read_plain_attributes(head.body, end, padded(limit), r, &problems))) return true;
                } else if (read_late_attributes(head.body, end, limit, r, &problems)) {
                    return true;
                }
            }
        } else {
            end = find_record_end(head.body, end, &problems);
            if (end == nullptr) return false;
        }
        return read_record_slow(view(head.body, end), r, problems);
    }

    static const oplog::operation* next(oplog_state& r) noexcept {
        if (WLFMT_UNLIKELY(!r.problems_.ok())) return nullptr;
        r.problems_.release_walks();
        while (r.at_ != r.end_) {
            const char* line = r.at_;
            const char* stop = find_far(line, r.end_, '\n');
            r.at_ = stop == r.end_ ? r.end_ : stop + 1;
            while (stop != line && is_blank(stop[-1])) --stop;
            const char* begin = line;
            bool blank = stop == line;
            if (WLFMT_UNLIKELY(!r.problems_.how.prefix.empty())) {
                const std::string_view prefix = r.problems_.how.prefix;
                begin = prefix == any_prefix ? line + oplog_split<build>::record_prefix_size(view(line, stop))
                                             : prefixes::after(line, stop, prefix);
                blank = blank || begin == stop;
                if (begin == nullptr) begin = stop;
            }
            record_head head;
            if (WLFMT_LIKELY(oplog_split<build>::read_head(begin, stop, head, r.end_ - begin >= padded::room))) {
                r.found_record_ = true;
                const bool plain = !std::exchange(r.needs_reset_, true);
                r.record_.source = view(begin, stop);
                if (WLFMT_LIKELY(read_record(head, stop, r.end_, plain, r.record_, r.problems_))) {
                    r.needs_reset_ = oplog_slow<build>::needs_slow_path(r.record_);
                    if (WLFMT_UNLIKELY(r.problems_.how.lenient)) {
                        // Reports every problem of the record now; later walks report nothing.
                        walk_all(r.record_.sub_operations);
                        oplog_access<build>::detach(r.record_.sub_operations);
                    }
                    return &r.record_;
                }
                if (!r.problems_.ok()) return nullptr;
            } else if (!blank) {
                ++r.foreign_lines_;
                if ((r.problems_.how.strict || oplog_split<build>::begins_as_record(begin, stop)) &&
                    !r.problems_.report(error_kind::foreign_text, line, static_cast<std::size_t>(stop - line),
                                        "rank op-log record"))
                    return nullptr;
            }
        }
        if (!r.found_record_ && !r.problems_.is_piece()) {
            r.found_record_ = true;
            r.problems_.refuse(error_kind::no_records, r.end_, 0, "rank op-log record");
        }
        return nullptr;
    }

    static bool skip(oplog_state& r) noexcept {
        if (r.problems_.ok() || r.at_ == r.end_) return false;
        r.problems_.first = {};
        return true;
    }

    static result<oplog::document> read_all(std::string_view text, const options& how) {
        oplog_state r(Build(), text, prefixes::bom_size(text, how), how);
        oplog::document doc;
        std::uint64_t tolerated = 0;
        while (const oplog::operation* op = next(r)) {
            if (doc.operations.empty()) doc.operations.reserve(text.size() / 4096 + 1);
            for (const oplog::sub_operation& s : op->sub_operations) static_cast<void>(s);
            if (!r.problems_.ok()) break;
            doc.operations.push_back(*op);
            if (r.problems_.tolerated == tolerated)
                oplog_access<build>::set_checked(doc.operations.back().sub_operations);
            tolerated = r.problems_.tolerated;
        }
        return {std::move(doc), r.problems_.first};
    }
};

}  // namespace WLFMT_IMPL
}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
