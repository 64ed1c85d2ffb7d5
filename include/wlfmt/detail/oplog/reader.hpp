// Reads op logs: iterates over the nested operations of a record, and implements the reader's functions on its state.
#ifndef WLFMT_DETAIL_OPLOG_READER_HPP
#define WLFMT_DETAIL_OPLOG_READER_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/prefix.hpp"
#include "paths.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace oplog {

// An input iterator over the operations of a list, which holds its current operation. The list's text or array must
// outlive it; the list and the reader need not, as the iterator shares the operations that a list owns.
template <fields Fields> class sub_operation_iterator : public detail::input_iterator<sub_operation> {
public:
    sub_operation_iterator() noexcept = default;

    // The operation is valid until the iterator is advanced or destroyed, so a temporary iterator returns a copy.
    const sub_operation& operator*() const& noexcept WLFMT_LIFETIMEBOUND { return *shown(); }
    sub_operation operator*() const&& { return *shown(); }
    const sub_operation* operator->() const& noexcept WLFMT_LIFETIMEBOUND { return shown(); }
    const sub_operation* operator->() const&& = delete;
    WLFMT_INLINE sub_operation_iterator& operator++() noexcept {
        if (WLFMT_LIKELY(!in_array_)) {
            advance();
            return *this;
        }
        ++index_;
        done_ = index_ >= count();
        return *this;
    }
    sub_operation_iterator operator++(int) noexcept {
        sub_operation_iterator before = *this;
        ++*this;
        return before;
    }
    // All iterators at their end are equal.
    friend WLFMT_INLINE bool operator==(const sub_operation_iterator& a, const sub_operation_iterator& b) noexcept {
        return a.done_ == b.done_ && (a.done_ || (a.at_ == b.at_ && a.index_ == b.index_));
    }
    friend WLFMT_INLINE bool operator!=(const sub_operation_iterator& a, const sub_operation_iterator& b) noexcept {
        return !(a == b);
    }

private:
    friend class sub_operation_list;
    template <fields> friend class chosen_sub_operations;

    WLFMT_INLINE sub_operation_iterator(const detail::list_view<sub_operation>& list,
                                        const detail::shared_items<sub_operation>& owned,
                                        detail::problems* reader) noexcept
        : at_(list.text_.data()),
          end_(list.text_.data() + list.text_.size()),
          limit_(list.items_ == nullptr ? end_ + list.count_ : end_),
          done_(list.text_.empty()),
          link_(reader, done_) {
        if (WLFMT_UNLIKELY(owned || list.items_ != nullptr)) {
            in_array_ = true;
            items_ = list.items_;
            borrowed_ = list.count_;
            owned_ = owned;
            done_ = this->count() == 0;
        } else if (!done_) {
            skip_blanks();
            read_next();
        }
    }

    std::size_t count() const noexcept { return owned_ ? owned_.size() : borrowed_; }
    const sub_operation* shown() const noexcept {
        if (WLFMT_LIKELY(!in_array_)) return &current_;
        // There is no item at the end, if the list has become shorter, or if the iterator was moved from.
        if (index_ >= count()) return &current_;
        return owned_ ? &owned_[index_] : items_ + index_;
    }

    WLFMT_INLINE void skip_blanks() noexcept {
        while (at_ != end_ && detail::is_blank(*at_)) ++at_;
    }

    WLFMT_INLINE void advance() noexcept {
        if (WLFMT_LIKELY(end_ - at_ > 2 && !detail::differs<2>(at_, ", ") && is_quote(at_[2]))) {
            at_ += 2;
            read_string();
        } else if (separate()) {
            read_next();
        }
    }

    static bool is_quote(char c) noexcept { return c == '\'' || c == '"'; }

    void read_next() noexcept {
        if (at_ == end_) done_ = true;
        else if (is_quote(*at_)) read_string();
        else stop_at_junk(0);
    }

    WLFMT_INLINE void read_string() noexcept {
        // Expects each string to be like the one before it, as the fast path may do much work before it gives up.
        if (WLFMT_UNLIKELY(slow_) && !detail::oplog_slow::needs_slow_path(current_)) {
            current_ = sub_operation();
            slow_ = false;
        }
        const char* after = nullptr;
        if (WLFMT_LIKELY(detail::has_fast_paths && !slow_)) {
            const bool fits = detail::padded::fits(at_, limit_);
            if (WLFMT_LIKELY(fits))
                after = detail::read_plain_sub_operation<Fields>(at_, end_, detail::padded(limit_), current_);
            // Skipped fields stay unchecked, however long their values are: the slow path would check them.
            if (WLFMT_UNLIKELY(after == nullptr && (!fits || !has(Fields, detail::middle_fields))))
                after = detail::read_late_sub_operation<Fields>(at_, end_, current_);
        }
        if (WLFMT_UNLIKELY(after == nullptr)) {
            slow_ = true;
            after = detail::oplog_slow::read_sub_operation(at_, end_, Fields, current_, link_.reader());
            if (after == nullptr) return show_rest();
        }
        at_ = after;
    }

    // Skips a comma and blanks around it. As in Python, it may end the list. Returns false if anything else is here.
    WLFMT_COLD bool separate() noexcept {
        skip_blanks();
        if (at_ == end_) return true;
        if (*at_ != ',') {
            stop_at_junk(',');
            return false;
        }
        ++at_;
        skip_blanks();
        return true;
    }
    WLFMT_COLD void stop_at_junk(char expected) noexcept {
        if (detail::problems* const reader = link_.reader()) {
            const char* junk_end = detail::find_any<',', ']', '\'', '"'>(at_ + 1, end_);
            reader->report(error_kind::bad_list, detail::view(at_, junk_end), detail::list_key, 0, expected);
        }
        show_rest();
    }
    // The rest of the list cannot be read, and is shown as the last item.
    void show_rest() noexcept {
        current_ = sub_operation();
        current_.text = current_.source = detail::view(at_, end_);
        current_.damaged = true;
        slow_ = true;
        at_ = end_;
    }

    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* limit_ = nullptr;  // the end of the text that holds the list
    bool done_ = true;
    bool slow_ = false;  // current_ came from the slow path
    bool in_array_ = false;
    detail::walk_link link_;
    const sub_operation* items_ = nullptr;
    std::size_t borrowed_ = 0;  // the number of records at items_
    std::size_t index_ = 0;     // the position in the array
    detail::shared_items<sub_operation> owned_;
    sub_operation current_;
};

// The list that only() returns, of which only some fields are decoded. It shares what the original list owns.
template <fields Fields> class chosen_sub_operations : detail::list_view<sub_operation> {
public:
    chosen_sub_operations() noexcept = default;
    [[nodiscard]] sub_operation_iterator<Fields> begin() const noexcept {
        return sub_operation_iterator<Fields>(*this, owned_, link_.reader());
    }
    [[nodiscard]] sub_operation_iterator<Fields> end() const noexcept { return {}; }
    [[nodiscard]] std::size_t size() const noexcept { return detail::count_items(begin(), end()); }

private:
    friend class sub_operation_list;
    explicit chosen_sub_operations(const sub_operation_list& list) noexcept
        : detail::list_view<sub_operation>(list), owned_(list.owned_), link_(list.reader_.reader, text_.empty()) {}

    detail::shared_items<sub_operation> owned_;
    detail::walk_link link_;
};

inline sub_operation_iterator<fields::all> sub_operation_list::begin() const noexcept {
    return sub_operation_iterator<fields::all>(*this, owned_, reader_.reader);
}
inline sub_operation_iterator<fields::all> sub_operation_list::end() const noexcept { return {}; }
inline std::size_t sub_operation_list::size() const noexcept {
    using access = detail::oplog_access;
    return access::is_text(*this) ? detail::count_items(begin(), end()) : access::count(*this);
}
inline std::vector<sub_operation>& sub_operation_list::edit() & WLFMT_LIFETIMEBOUND {
    if (!owned_) *this = sub_operation_list(detail::copied_items<sub_operation>(*this));
    return owned_.items();
}

}  // namespace oplog

namespace detail {

struct oplog_state {
    const char* at_;  // the next line
    const char* end_;
    oplog::operation record_;
    problems problems_;
    std::uint64_t foreign_lines_ = 0;
    std::int64_t lost_ = 0;             // how many of these lines hold a record after other text
    const char* first_lost_ = nullptr;  // the first of them
    bool found_record_ = false;         // a record was seen, good or bad
    bool needs_reset_ = false;          // record_ has members that the fast path does not overwrite

    oplog_state(std::string_view text, std::size_t mark_size, const options& options) noexcept
        : at_(text.data() + mark_size), end_(text.data() + text.size()), problems_(text, options) {}
};

struct oplog_reading {
    // Iterates over a list only to report its problems to its reader.
    WLFMT_NOINLINE static void report_problems(const oplog::sub_operation_list& list) {
        for (const oplog::sub_operation& s : list) static_cast<void>(s);
    }

    // The end of a record whose line does not end with `)`: after its list, if the text there is tolerated; else null.
    static const char* find_record_end(const char* body, const char* end, problems* problems) {
        std::string_view attributes = view(body, end);
        separator kind = separator::undecided;
        oplog_slow::pass_junk(attributes, kind, nullptr);
        attribute_splitter<op_key> split(attributes, kind);
        oplog::attribute a;
        for (op_key key{}; split.next(a, key);) {
            if (a.key != list_key || a.value.empty() || a.value.front() != '[') continue;
            const char* const stop = oplog_split::after_list(a.value.data(), end, problems);
            if (stop == nullptr) return nullptr;
            if (stop == end || *stop != ')') break;
            return problems->report(error_kind::text_after_record, trimmed(view(stop + 1, end)), {}) ? stop : nullptr;
        }
        problems->report(error_kind::unterminated_record, view(end, end), {});
        return nullptr;
    }

    // Out of line, so that the fast path does not pay for unwinding after a callback that throws.
    WLFMT_NOINLINE static bool read_record_slow(std::string_view body, oplog::operation& r, problems& problems) {
        oplog::operation fresh{r.origin, r.rank, r.op};
        fresh.source = r.source;
        r = std::move(fresh);
        return oplog_slow::read_attributes(body, r, &problems);
    }

    // `end` is the line's end, before any trailing blanks. `plain` says that the fast path, which overwrites every
    // member of `r`, may be tried.
    WLFMT_INLINE static bool read_record(const record_head& head, const char* end, const char* limit, bool plain,
                                         oplog::operation& r, problems& problems) {
        r.origin = head.origin;
        r.op = head.op;
        r.rank = head.rank;
        const char* p = head.number.data();
        if (WLFMT_UNLIKELY(!head.has_rank) && read_integer(p, end, r.rank) != number_status::ok) {
            problems.report(error_kind::number_overflow, head.number,
                            head.origin == oplog::origin::rank ? "rank" : "stage");
            return false;
        }
        if (WLFMT_LIKELY(end != head.body && end[-1] == ')')) {
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

    // Whether a whole record reads without a problem from a head in the line, which has no trailing blanks, to its end.
    // Only the first and the last few heads are tried, so that a line with many of them takes linear time. `limit`: the
    // end of the text.
    WLFMT_COLD static bool holds_record(std::string_view line, const char* limit) noexcept {
        if (line.empty() || line.back() != ')') return false;
        constexpr int most = 16;
        const char* const end = line.data() + line.size();
        // Sets `tried` to whether a number follows the word before this colon.
        const auto reads_from = [&](std::size_t colon, bool& tried) {
            const std::size_t word = oplog_split::origin_size(line, colon);
            const char* const begin = line.data() + (colon - word);
            record_head head;
            tried = word != 0 && oplog_split::read_origin(begin, end, head) != nullptr;
            if (!tried || !oplog_split::read_head(begin, end, head)) return false;
            problems found(line, wlfmt::options());
            oplog::operation op;
            if (!read_record(head, end, limit, true, op, found)) return false;
            report_problems(op.sub_operations);
            return found.ok();
        };
        bool tried = false;
        // The last head is the first to try: it is the likeliest one, and its record is the shortest.
        int left = most;
        std::size_t colon = line.rfind(':');
        for (; left != 0 && colon != line.npos; colon = colon == 0 ? line.npos : line.rfind(':', colon - 1)) {
            if (reads_from(colon, tried)) return true;
            left -= tried ? 1 : 0;
        }
        const std::size_t last = colon == line.npos ? 0 : colon + 1;
        left = most;
        for (colon = line.find(':'); left != 0 && colon < last; colon = line.find(':', colon + 1)) {
            if (reads_from(colon, tried)) return true;
            left -= tried ? 1 : 0;
        }
        return false;
    }
    WLFMT_COLD static void note_if_lost(oplog_state& r, std::string_view line) noexcept {
        if (holds_record(line, r.end_)) note_lost(r, line);
    }
    // Two programs have written at once if a head begins within the name of an operation.
    WLFMT_COLD static void note_if_glued(oplog_state& r, std::string_view op, std::string_view line) noexcept {
        for (std::size_t colon = op.find(':'); colon != op.npos; colon = op.find(':', colon + 1)) {
            const std::size_t word = oplog_split::origin_size(op, colon);
            record_head other;
            if (word == 0 || !oplog_split::read_origin(op.data() + (colon - word), op.data() + op.size(), other))
                continue;
            return note_lost(r, line);
        }
    }
    static void note_lost(oplog_state& r, std::string_view line) noexcept {
        if (r.lost_++ == 0) r.first_lost_ = line.data();
    }
    static problem lost(const oplog_state& r) noexcept {
        if (r.lost_ == 0) return {};
        std::int64_t number = 1;
        for (const char* p = r.problems_.text; (p = find_far(p, r.first_lost_, '\n')) != r.first_lost_; ++p) ++number;
        return {error_kind::record_after_text, r.problems_.offset_of(r.first_lost_), 0, {}, r.lost_, number};
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
            if (WLFMT_UNLIKELY(!r.problems_.options.prefix.empty())) {
                const std::string_view prefix = r.problems_.options.prefix;
                begin = prefix == any_prefix ? line + oplog_split::record_prefix_size(view(line, stop))
                                             : prefixes::after(line, stop, prefix);
                blank = blank || begin == stop;
                if (begin == nullptr) begin = stop;
            }
            record_head head;
            if (WLFMT_LIKELY(oplog_split::read_head(begin, stop, head, r.end_ - begin >= padded::room))) {
                r.found_record_ = true;
                const bool plain = !r.needs_reset_;
                r.needs_reset_ = true;
                r.record_.source = view(begin, stop);
                if (WLFMT_UNLIKELY(head.is_joined)) note_if_glued(r, head.op, view(line, stop));
                if (WLFMT_LIKELY(read_record(head, stop, r.end_, plain, r.record_, r.problems_))) {
                    r.needs_reset_ = oplog_slow::needs_slow_path(r.record_);
                    if (WLFMT_UNLIKELY(r.problems_.options.lenient)) {
                        // Reports every problem of the record now; later iterations report nothing.
                        report_problems(r.record_.sub_operations);
                        oplog_access::detach(r.record_.sub_operations);
                    }
                    return &r.record_;
                }
                if (!r.problems_.ok()) return nullptr;
            } else if (!blank) {
                ++r.foreign_lines_;
                const bool strict = r.problems_.options.strict;
                if (!strict && r.problems_.options.prefix == any_prefix) note_if_lost(r, view(line, stop));
                if ((strict || oplog_split::begins_as_record(begin, stop)) &&
                    !r.problems_.report(error_kind::foreign_text, view(line, stop), "rank op-log record"))
                    return nullptr;
            }
        }
        if (!r.found_record_ && !r.problems_.is_piece()) {
            r.found_record_ = true;
            r.problems_.refuse(error_kind::no_records, view(r.end_, r.end_), "rank op-log record");
        }
        return nullptr;
    }

    // Leaves nothing to read in the state that was moved from.
    static void take_over(oplog_state&, oplog_state& left) noexcept {
        left.at_ = left.end_;
        left.found_record_ = true;  // else next() would report a text without any record
    }

    static bool skip(oplog_state& r) noexcept {
        if (r.problems_.ok() || r.at_ == r.end_) return false;
        r.problems_.first = {};
        return true;
    }

    static result<oplog::document> read_all(std::string_view text, const options& options) {
        oplog_state r(text, prefixes::bom_size(text, options), options);
        oplog::document doc;
        std::uint64_t tolerated = 0;
        while (const oplog::operation* op = next(r)) {
            if (doc.operations.empty()) doc.operations.reserve(text.size() / 4096 + 1);
            report_problems(op->sub_operations);
            if (!r.problems_.ok()) break;
            doc.operations.push_back(*op);
            if (r.problems_.tolerated == tolerated) oplog_access::set_checked(doc.operations.back().sub_operations);
            tolerated = r.problems_.tolerated;
        }
        return {std::move(doc), r.problems_.first};
    }
};

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#endif
