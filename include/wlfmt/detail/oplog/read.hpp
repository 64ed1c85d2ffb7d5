// Reading rank op logs.
//
// A record is read on one of two paths with the same answers. The plain path knows the tracer's keys and their order:
// it checks each expected key with one comparison and gives up at the first one that differs. The general path splits
// `key=value` by the format's rule and takes keys in any order.
#ifndef WLFMT_DETAIL_OPLOG_READ_HPP
#define WLFMT_DETAIL_OPLOG_READ_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "../../oplog.hpp"
#include "../base/escapes.hpp"
#include "../base/prefix.hpp"
#include "../base/scan.hpp"
#include "../number/decimal.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {

inline constexpr std::string_view collective_names[] = {"none",           "allreduce", "all_to_all", "allgather",
                                                        "reduce_scatter", "broadcast", "other"};
// What tracers write for each group; a group's own name says what it is.
inline constexpr std::string_view group_words[] = {"", "dp", "tp", "pp", "ep", "exp", "ep_dp", "exp_dp"};
inline constexpr std::string_view group_names[] = {
    "none",      "data_parallel",   "tensor_parallel",         "pipeline_parallel",
    "embedding", "expert_parallel", "embedding_data_parallel", "expert_data_parallel",
    "other"};
inline constexpr std::string_view pipeline_state_names[] = {"none", "warmup",  "steady",   "cooldown", "finalize",
                                                            "help", "forward", "backward", "other"};
inline constexpr std::string_view field_names[] = {"trace_src_func", "duration",  "timestamp", "input_shape",
                                                   "input_dtype",    "func_name", "group",     "comm_func"};

}  // namespace oplog

namespace detail {

// The enumerator whose word the text is; the first one where there is no text, `other` where the word is none of these.
template <class Enum, std::size_t N>
Enum enum_of(std::string_view text, const std::string_view (&words)[N], Enum other) noexcept {
    if (is_missing(text) || is_none(text)) return Enum{};
    for (std::size_t n = 1; n != N; ++n)
        if (words[n] == text) return n < static_cast<std::size_t>(other) ? static_cast<Enum>(n) : other;
    return other;
}
template <class Enum, std::size_t N>
constexpr std::string_view enum_name(Enum e, const std::string_view (&names)[N]) noexcept {
    const auto n = static_cast<std::size_t>(e);
    return n < N ? names[n] : std::string_view("unknown");
}

}  // namespace detail

namespace oplog {

inline collective collective_of(std::string_view comm_func) noexcept {
    return detail::enum_of(comm_func, collective_names, collective::other);
}
inline group group_of(std::string_view group_kind) noexcept {
    return detail::enum_of(group_kind, group_words, group::other);
}
inline pipeline_state pipeline_state_of(std::string_view mg_state) noexcept {
    return detail::enum_of(mg_state, pipeline_state_names, pipeline_state::other);
}
inline std::string_view name_of(collective c) noexcept { return detail::enum_name(c, collective_names); }
inline std::string_view name_of(group g) noexcept { return detail::enum_name(g, group_names); }
inline std::string_view name_of(pipeline_state s) noexcept { return detail::enum_name(s, pipeline_state_names); }
inline std::string_view name_of(origin o) noexcept { return o == origin::rank ? "rank" : "stage"; }
inline std::string_view name_of(field f) noexcept {
    if (f == field::none) return "none";
    if (f == field::all) return "all";
    for (unsigned n = 0; n != 8; ++n)
        if (static_cast<unsigned>(f) == 1U << n) return field_names[n];
    return "several";
}

}  // namespace oplog

namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::string_view list_key = "sub_operations";

// The sentence that a tracer writes in place of a duration.
inline constexpr std::string_view not_measured = "Async operation, duration not measured";

// What a numeric attribute holds: an integer, a number, or a number that may be not_measured.
enum class numeric : std::uint8_t { index, time, duration };

// If a key begins at p, the place after its `=`; else null. A key is a name that may hold dots.
template <class Kernel = kernel>
WLFMT_INLINE const char* after_key(const char* p, const char* end) noexcept {
    if (p == end || !is_name_start(*p)) return nullptr;
    do ++p;
    while (p != end && (is_name(*p) || *p == '.'));
    return p != end && *p == '=' ? p + 1 : nullptr;
}

enum class separator : std::uint8_t { undecided, comma, comma_space };

// The place after the closing quote of the string whose opening quote is at p; null if the text ends before that quote.
// Also gives the first backslash in the string, if there is one.
template <class Kernel = kernel>
inline const char* after_string(const char* p, const char* end, const char** backslash = nullptr) noexcept {
    const char quote = *p++;
    for (;;) {
        p = quote == '\'' ? find_any<'\'', '\\'>(p, end) : find_any<'"', '\\'>(p, end);
        if (p == end) return nullptr;
        if (*p == quote) return p + 1;
        if (backslash != nullptr) *std::exchange(backslash, nullptr) = p;
        if (end - p < 2) return nullptr;
        p += 2;
    }
}

// The place after the `]` of the list whose `[` is at p; null if the text ends before that bracket. Brackets in quoted
// strings do not count.
template <class Kernel = kernel>
inline const char* after_list(const char* p, const char* end) noexcept {
    for (++p;;) {
        p = find_any<']', '\'', '"'>(p, end);
        if (p == end) return nullptr;
        if (*p == ']') return p + 1;
        p = after_string(p, end);
        if (p == nullptr) return nullptr;
    }
}

// The list whose `[` is at p has no end: reports that, or that one of its strings has no end.
template <class Kernel = kernel>
inline void report_open_list(const char* p, const char* end, problems* problems) {
    for (++p;;) {
        p = find_any<'\'', '"'>(p, end);
        if (p == end) break;
        const char* quote = p;
        p = after_string(p, end);
        if (p == nullptr) {
            problems->report(error_kind::unterminated_string, quote, static_cast<std::size_t>(end - quote), list_key);
            return;
        }
    }
    problems->report(error_kind::unterminated_list, end, 0, list_key);
}

// Does the text end as a list of strings does? The writers put the list last: its end is then the record's end, and
// is known without reading the list.
template <class Kernel = kernel>
WLFMT_INLINE bool ends_as_list(const char* list, const char* end) noexcept {
    const std::ptrdiff_t size = end - list;
    return size >= 2 && end[-1] == ']' && (size == 2 || end[-2] == '\'' || end[-2] == '"');
}

// The known keys of an operation and of a sub-operation, in the order in which the tracer writes them. Variants of the
// tracer call mg_state `stage` and timestamp `time_stamp`.
enum class op_key : std::uint8_t {
    stage_id,
    batch_id,
    mg_state,
    duration,
    description,
    group_kind,
    input_shape,
    input_dtype,
    timestamp,
    sub_operations,
    further
};
enum class sub_key : std::uint8_t {
    trace_src_func,
    duration,
    timestamp,
    input_shape,
    input_dtype,
    func_name,
    group,
    comm_func,
    further
};
enum class any_key : std::uint8_t { further };

template <class Kernel = kernel>
inline bool is_other_name(std::string_view key) noexcept {
    return key == "stage" || key == "time_stamp";
}

// If a known key begins at p, the place after its `=`, and which key it is; else null.
template <class Kernel = kernel>
WLFMT_INLINE const char* after_known(const char* p, const char* end, op_key& key) noexcept {
    const auto is = [&](auto& name, op_key which) {
        if (!starts(p, end, name)) return false;
        key = which;
        p += sizeof name - 1;
        return true;
    };
    switch (*p) {
    case 'b': return is("batch_id=", op_key::batch_id) ? p : nullptr;
    case 'd': return is("duration=", op_key::duration) || is("description=", op_key::description) ? p : nullptr;
    case 'g': return is("group_kind=", op_key::group_kind) ? p : nullptr;
    case 'i': return is("input__shape=", op_key::input_shape) || is("input__dtype=", op_key::input_dtype) ? p : nullptr;
    case 'm': return is("mg_state=", op_key::mg_state) ? p : nullptr;
    case 's':
        if (is("stage_id=", op_key::stage_id) || is("stage=", op_key::mg_state)) return p;
        return is("sub_operations=", op_key::sub_operations) ? p : nullptr;
    case 't': return is("timestamp=", op_key::timestamp) || is("time_stamp=", op_key::timestamp) ? p : nullptr;
    default: return nullptr;
    }
}
template <class Kernel = kernel>
WLFMT_INLINE const char* after_known(const char* p, const char* end, sub_key& key) noexcept {
    const auto is = [&](auto& name, sub_key which) {
        if (!starts(p, end, name)) return false;
        key = which;
        p += sizeof name - 1;
        return true;
    };
    switch (*p) {
    case 'c': return is("comm_func=", sub_key::comm_func) ? p : nullptr;
    case 'd': return is("duration=", sub_key::duration) ? p : nullptr;
    case 'f': return is("func_name=", sub_key::func_name) ? p : nullptr;
    case 'g': return is("group=", sub_key::group) ? p : nullptr;
    case 'i':
        return is("input__shape=", sub_key::input_shape) || is("input__dtype=", sub_key::input_dtype) ? p : nullptr;
    case 't':
        return is("timestamp=", sub_key::timestamp) || is("trace_src_func=", sub_key::trace_src_func) ? p : nullptr;
    default: return nullptr;
    }
}
template <class Kernel = kernel>
WLFMT_INLINE const char* after_known(const char*, const char*, any_key&) noexcept {
    return nullptr;
}

// The same for any key, known or not.
template <class Key>
WLFMT_INLINE const char* after_key(const char* p, const char* end, Key& key) noexcept {
    if (p == end) return nullptr;
    const char* value = after_known(p, end, key);
    if (value != nullptr) return value;
    key = Key::further;
    return after_key(p, end);
}

// Finds the end of a value: the first separator with a key after it. The first separator of a record decides which of
// the two kinds it has.
template <class Key>
class value_scan {
public:
    explicit value_scan(separator of_record) noexcept : kind(of_record) {}

    // Where the value ends: at the separator before the next key, or at `end` if no key follows.
    WLFMT_INLINE const char* stop(const char* p, const char* end) noexcept {
        for (; (p = find_any<','>(p, end)) != end; ++p) {
            const bool space = p + 1 != end && p[1] == ' ';
            const separator found = space ? separator::comma_space : separator::comma;
            if (kind != separator::undecided && kind != found) continue;
            next_key = p + (space ? 2 : 1);
            next_value = after_key(next_key, end, key);
            if (next_value == nullptr) continue;
            kind = found;
            return p;
        }
        next_value = nullptr;
        return end;
    }

    separator kind;
    const char* next_key = nullptr;
    const char* next_value = nullptr;
    Key key = Key::further;
};

// Splits a text into `key=value` pairs. There are none if the text does not begin with a key; every separator that ends
// a value is followed by one.
template <class Key>
class attribute_splitter {
public:
    attribute_splitter() noexcept : end_(nullptr), scan_(separator::undecided) {}
    attribute_splitter(std::string_view text, separator kind) noexcept : end_(text.data() + text.size()), scan_(kind) {
        scan_.next_key = text.data();
        scan_.next_value = after_key(text.data(), end_, scan_.key);
    }

    separator kind() const noexcept { return scan_.kind; }

    WLFMT_INLINE bool next(oplog::attribute& a, Key& key) noexcept {
        const char* value = scan_.next_value;
        if (value == nullptr) return false;
        key = scan_.key;
        a.key = view(scan_.next_key, value - 1);
        const char* from = value;
        if (value != end_ && *value == '[' && a.key == list_key) {
            const char* after = ends_as_list(value, end_) ? end_ : after_list(value, end_);
            from = after != nullptr ? after : end_;
        }
        a.value = view(value, scan_.stop(from, end_));
        return true;
    }

private:
    const char* end_;
    value_scan<Key> scan_;
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {

template <class Kernel>
class shape::basic_iterator : public detail::value_iterator<basic_iterator<Kernel>, std::int64_t> {
public:
    basic_iterator() noexcept = default;
    WLFMT_INLINE void advance() noexcept {
        const char* p = at_;
        if (p == end_) {
            at_ = end_ = nullptr;
        } else if (WLFMT_LIKELY(followed_ && detail::read_few(p, value_))) {
            at_ = p;
            // The list's bracket is at end_, and other text after it.
            if (p == end_) return;
            if (WLFMT_LIKELY(detail::difference<2>(p, ", ") == 0 && detail::is_digit(p[2])))
                at_ = p + 2;
            else
                take(separate(p, end_));
        } else if (in_array_) {
            std::memcpy(&value_, p, sizeof value_);
            at_ = p + sizeof value_;
        } else {
            const item next = read_item(p, end_);
            value_ = next.value;
            take(next);
        }
    }
    std::int64_t current() const noexcept { return value_; }
    const void* position() const noexcept { return at_; }

private:
    friend class shape;
    // An item, and where the next one begins; nowhere after the last one that can be read. By value: an iterator whose
    // address a function takes is kept in memory.
    struct item {
        std::int64_t value;
        const char* next;
        bool closed;
    };

    WLFMT_INLINE explicit basic_iterator(const shape& s) noexcept {
        if (WLFMT_LIKELY(s.count_ != 0 && s.dims_ == nullptr)) {
            followed_ = true;
            at_ = s.text_.data() + 1;
            end_ = s.text_.data() + s.text_.size() - 1;
            if (WLFMT_UNLIKELY(*at_ == ' ')) at_ = skip_blanks(at_, end_);
        } else if (s.dims_ != nullptr) {
            in_array_ = true;
            at_ = reinterpret_cast<const char*>(s.dims_);
            end_ = reinterpret_cast<const char*>(s.dims_ + s.count_);
        } else {
            const std::string_view list = between_brackets(s.text_);
            closed_ = !wlfmt::is_missing(list);
            at_ = skip_blanks(list.data(), list.data() + list.size());
            end_ = list.data() + list.size();
        }
        advance();
    }
    WLFMT_INLINE void take(const item& next) noexcept {
        at_ = next.next;
        closed_ = next.closed;
        if (at_ == nullptr) end_ = nullptr;
    }

    // The text between the brackets of the list; missing if it is none.
    static std::string_view between_brackets(std::string_view text) noexcept {
        constexpr std::string_view size = "torch.Size(";
        if (text.substr(0, size.size()) == size && text.back() == ')')
            text = text.substr(size.size(), text.size() - size.size() - 1);
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
        return text.substr(1, text.size() - 2);
    }
    // Only spaces: the writers escape every other blank in a string, and a list of integers holds no escapes.
    static const char* skip_blanks(const char* p, const char* end) noexcept {
        while (p != end && *p == ' ') ++p;
        return p;
    }
    WLFMT_COLD static item read_item(const char* p, const char* end) noexcept {
        std::int64_t value = 0;
        if (detail::read_integer(p, end, value) != detail::number_status::ok) return {value, nullptr, false};
        item next = separate(p, end);
        next.value = value;
        return next;
    }
    WLFMT_COLD static item separate(const char* p, const char* end) noexcept {
        p = skip_blanks(p, end);
        if (p == end) return {0, p, true};
        // After an integer only a comma may follow: `1.5` and `1 2` are not lists of integers, and the value just read
        // is not an item.
        if (*p != ',') return {0, nullptr, false};
        p = skip_blanks(p + 1, end);
        return {0, p, p != end};
    }

    const char* at_ = nullptr;  // the next item, in the text or in the array; null at the end
    const char* end_ = nullptr;
    std::int64_t value_ = 0;
    bool followed_ = false;  // a text in brackets, and sixteen bytes can be looked at from any of its items on
    bool in_array_ = false;
    bool closed_ = true;  // nothing but integers so far
};

template <class Kernel>
bool shape::is_list() const noexcept {
    if (dims_ != nullptr) return true;
    basic_iterator<Kernel> i(*this);
    while (i.at_ != nullptr) i.advance();
    return i.closed_;
}

template <class Kernel>
std::size_t shape::size() const noexcept {
    if (dims_ != nullptr) return count_;
    std::size_t n = 0;
    for (basic_iterator<Kernel> i(*this); i.at_ != nullptr; i.advance()) ++n;
    return n;
}

template <class Kernel>
class attribute_list::basic_iterator : public detail::value_iterator<basic_iterator<Kernel>, attribute> {
public:
    basic_iterator() noexcept = default;
    void advance() noexcept {
        if (items_ != end_items_)
            current_ = *items_++;
        else
            done_ = !text_.next(current_, key_);
    }
    attribute current() const noexcept { return current_; }
    const void* position() const noexcept {
        return done_ ? nullptr : items_ != nullptr ? static_cast<const void*>(items_) : current_.key.data();
    }

private:
    friend class attribute_list;
    explicit basic_iterator(const attribute_list& l) noexcept
        : items_(l.items_),
          end_items_(l.items_ + l.count_),
          text_(l.text_, l.spaced_ ? detail::separator::comma_space : detail::separator::comma),
          done_(false) {
        advance();
    }

    const attribute* items_ = nullptr;
    const attribute* end_items_ = nullptr;
    detail::attribute_splitter<detail::any_key> text_;
    detail::any_key key_ = detail::any_key::further;
    attribute current_ = {};
    bool done_ = true;
};

// How the implementation reaches the private members of records.
struct access {
    using content = sub_operation_list::content;

    // `limit`: the end of the text that holds the list.
    WLFMT_INLINE static void set_text(sub_operation_list& list, std::string_view text, const char* limit,
                                      detail::problems* reader) noexcept {
        list.text_ = text;
        list.count_ = static_cast<std::size_t>(limit - (text.data() + text.size()));
        list.reader_ = reader;
        list.content_ = content::list;
    }
    template <class Kernel = detail::kernel>
    static void set_none(sub_operation_list& list) noexcept {
        list = sub_operation_list();
        list.content_ = content::none;
    }
    template <class Kernel = detail::kernel>
    static sub_operation_list empty_list() noexcept {
        sub_operation_list list;
        list.text_ = std::string_view("[]").substr(1, 0);
        list.content_ = content::list;
        return list;
    }
    static void set_checked(sub_operation_list& list) noexcept { list.checked_ = true; }
    static bool is_checked(const sub_operation_list& list) noexcept { return list.checked_; }
    static void detach(sub_operation_list& list) noexcept { list.reader_ = nullptr; }
    // The operations of a list that a program built from structs; null if the list is a text.
    template <class Kernel = detail::kernel>
    static const sub_operation* items(const sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.items().data() : list.items_;
    }
    static bool is_text(const sub_operation_list& list) noexcept { return !list.owned_ && list.items_ == nullptr; }
    template <class Kernel = detail::kernel>
    static std::size_t count(const sub_operation_list& list) noexcept {
        return list.owned_ ? list.owned_.items().size() : list.count_;
    }
    static const detail::shared_items<sub_operation>& owned(const sub_operation_list& list) noexcept {
        return list.owned_;
    }
    static detail::problems* reader_of(const sub_operation_list& list) noexcept { return list.reader_; }

    static std::size_t dim_count(const shape& s) noexcept { return s.count_; }
    // A shape that is a text in brackets; `followed`: the text that holds it goes on after it for a block.
    WLFMT_INLINE static shape bracketed(std::string_view text, bool followed) noexcept {
        shape s(text);
        s.count_ = followed ? 1 : 0;
        return s;
    }
    // Any shape, in a text that goes on up to `limit`.
    template <class Kernel = detail::kernel>
    static shape shape_in(std::string_view text, const char* limit) noexcept {
        const bool brackets = text.size() >= 2 && text.front() == '[' && text.back() == ']';
        return bracketed(text, brackets && limit - text.data() >= static_cast<std::ptrdiff_t>(text.size() + 16));
    }
};

template <class Kernel>
operation operation::traced(std::int64_t rank, std::string_view op) noexcept {
    operation r;
    r.rank = rank;
    r.op = op;
    r.stage_id = r.batch_id = r.duration = r.timestamp = nullptr;
    r.mg_state = r.description = r.group_kind = r.input_dtype = "None";
    r.input_shape = shape("None");
    r.sub_operations = access::empty_list();
    return r;
}

}  // namespace oplog

namespace detail {
inline namespace WLFMT_IMPL {

// Which keys a record has held so far, and whether they came in the tracer's order without other keys between them.
// Such a record needs no list of its attributes.
template <class Kernel>
class basic_key_order {
public:
    template <class Key>
    bool first_time(Key key) noexcept {
        const unsigned n = static_cast<unsigned>(key);
        const unsigned bit = 1U << n;
        if ((seen_ & bit) != 0) return plain_ = false;
        plain_ = plain_ && seen_ < bit && key != Key::further;
        seen_ |= bit;
        return true;
    }
    void not_plain() noexcept { plain_ = false; }
    bool plain() const noexcept { return plain_; }

private:
    unsigned seen_ = 0;
    bool plain_ = true;
};
using key_order = basic_key_order<kernel>;

// Reads a number, None, or a text that `problems` tolerates. Returns false if the record cannot be read on. `limit`:
// the bytes after the text may be read up to there, and the first of them is one that no number holds.
template <class Kernel = kernel>
inline bool read_value(std::string_view text, const char* limit, std::string_view field, numeric what,
                       problems* problems, number& value) {
    if (text == "None") {
        value = nullptr;
        return true;
    }
    const char* p = text.data();
    const char* end = p + text.size();
    const number_status status = read_number(p, limit, value);
    const bool whole = status == number_status::ok && p == end;
    error_kind wrong = what == numeric::index ? error_kind::not_an_integer : error_kind::not_a_number;
    if (whole && (value.is_integer() || what != numeric::index)) return true;
    if (status == number_status::overflow && p == end) wrong = error_kind::number_overflow;
    if (!whole) value = number(text);
    if (what == numeric::duration && text == not_measured) return true;
    return problems == nullptr || problems->report(wrong, text.data(), text.size(), field);
}

// The plain path. It reads up to a bound (scan.hpp), which is the end of the text that holds a record, or is roomy: a
// place may lie after the record's own end, which is asked for at the end of the path.
//
// Each function reads a value up to the `,key=` that is expected after it, and passes over that key. No separator can
// have come before it, so the value's end is exact. Returns false if anything else follows the value; p is then of no
// use.

// The most that the plain path takes between two places at which it asks how far the text goes: keys, and a block for
// each value. (scan.hpp has the rule.)
inline constexpr std::size_t plain_operation_size =
    sizeof "stage_id=,batch_id=,mg_state=,duration=,description=,group_kind=,input__shape=,input__dtype=,timestamp=,"
           "sub_operations=" + 9 * 16;
inline constexpr std::size_t plain_sub_operation_size =
    sizeof "'trace_src_func=,duration=,timestamp=,input__shape=,input__dtype=,func_name=,group=,comm_func='" + 8 * 16;
static_assert(plain_operation_size + 32 <= roomy::room && plain_sub_operation_size + 32 <= roomy::room);

template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_key(const char*& p, Bound bound, const char (&key)[N]) noexcept {
    if (WLFMT_UNLIKELY(!starts(p, bound, key))) return false;
    p += N - 1;
    return true;
}

template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_text(const char*& p, Bound bound, text& value, const char (&key)[N]) noexcept {
    const char* const begin = p;
    p = find_any<','>(p, bound);
    value = view(begin, p);
    return plain_key(p, bound, key);
}

// Any number, or None. By copies, so that the caller's place stays in a register.
template <class Bound, std::size_t N>
WLFMT_NOINLINE const char* plain_other(const char* p, Bound bound, number& value, const char (&key)[N]) noexcept {
    if (!starts(p, bound, "None")) return read_number_before(p, bound, value, key);
    value = nullptr;
    return starts(p + 4, bound, key) ? p + 4 + (N - 1) : nullptr;
}
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_number(const char*& p, Bound bound, number& value, const char (&key)[N]) noexcept {
    const char* const after = read_short_before(p, bound, value, key);
    p = WLFMT_LIKELY(after != nullptr) ? after : plain_other(p, bound, value, key);
    return p != nullptr;
}
// The same for numbers that are usually few digits of one `Kind`.
template <class Kind, class Bound, std::size_t N>
WLFMT_INLINE bool plain_few(const char*& p, Bound bound, number& value, const char (&key)[N]) noexcept {
    const char* const after = read_few_before<Kind>(p, bound, value, key);
    p = WLFMT_LIKELY(after != nullptr) ? after : plain_other(p, bound, value, key);
    return p != nullptr;
}
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_integer(const char*& p, Bound bound, number& value, const char (&key)[N]) noexcept {
    return plain_few<std::int64_t>(p, bound, value, key) && !value.is_decimal();
}

// What ends the part of a list that digits, commas and spaces make.
struct shape_stops {
    template <class Block>
    WLFMT_INLINE static auto hits(const Block& b) noexcept {
        return Block::either(b.above('9'), Block::without(b.up_to('+'), b.is(' ')));
    }
    WLFMT_INLINE static bool has(char c) noexcept { return !is_digit(c) && c != ' ' && c != ','; }
};
// `[2048, 2]`: commas inside the brackets belong to the value.
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_shape(const char*& p, Bound bound, oplog::shape& value, const char (&key)[N]) noexcept {
    const char* const begin = p;
    if (!plain_key(p, bound, "[")) {
        if (!plain_key(p, bound, "None")) return false;
        value = oplog::shape(view(begin, p));
        return plain_key(p, bound, key);
    }
    p = find_first<shape_stops>(p, bound);
    if (!plain_key(p, bound, "]")) return false;
    value = oplog::access::bracketed(view(begin, p), holds(bound, p, short_form_block));
    return plain_key(p, bound, key);
}

// Reads the attributes of an operation in the tracer's own order; [p, end) is the text between the parentheses. Returns
// false at the first difference, and leaves the record half filled.
template <class Bound>
WLFMT_INLINE bool read_plain_attributes(const char* p, const char* end, Bound bound, oplog::operation& r,
                                        problems* problems) noexcept {
    if (!plain_key(p, bound, "stage_id=")) return false;
    if (!plain_integer(p, bound, r.stage_id, ",batch_id=")) return false;
    if (!plain_integer(p, bound, r.batch_id, ",mg_state=")) return false;
    if (!plain_text(p, bound, r.mg_state, ",duration=")) return false;
    if (!plain_few<double>(p, bound, r.duration, ",description=")) return false;
    const char* const description = p;
    while (!plain_text(p, bound, r.description, ",group_kind=")) {
        // A comma without a key after it belongs to the description.
        if (p >= end || *p != ',' || !goes_on(bound, p) || after_key(p + 1, end) != nullptr) return false;
        ++p;
    }
    r.description = view(description, r.description.data() + r.description.size());
    if (!plain_text(p, bound, r.group_kind, ",input__shape=")) return false;
    if (!plain_shape(p, bound, r.input_shape, ",input__dtype=")) return false;
    if (!plain_text(p, bound, r.input_dtype, ",timestamp=")) return false;
    if (!plain_number(p, bound, r.timestamp, ",sub_operations=")) return false;
    // Nothing asked for the record's own end on the way.
    if (p >= end || *p != '[' || !ends_as_list(p, end)) return false;
    oplog::access::set_text(r.sub_operations, view(p + 1, end - 1), end_of(bound), problems);
    return true;
}
template <class Kernel = kernel>
WLFMT_NOINLINE bool read_late_attributes(const char* p, const char* end, const char* limit, oplog::operation& r,
                                         problems* problems) noexcept {
    return read_plain_attributes(p, end, limit, r, problems);
}

// The end of the list in the value of sub_operations; null if it cannot be read. Blanks may follow the list and, if
// that is tolerated, the record's `)` and other text. `body_end` is the line's last `)`.
template <class Kernel = kernel>
inline const char* list_end(std::string_view value, const char* body_end, problems* problems) {
    const char* p = value.data();
    const char* end = p + value.size();
    if (p == end || *p != '[') {
        problems->report(error_kind::bad_list, p, value.size(), list_key, 0, '[');
        return nullptr;
    }
    if (ends_as_list(p, end)) return end;
    const char* stop = after_list(p, end);
    if (stop == nullptr) {
        report_open_list(p, body_end + 1, problems);
    } else if (trimmed(view(stop, end)).empty()) {
        return stop;
    } else if (*stop == ')') {
        const std::string_view junk = trimmed(view(stop + 1, body_end + 1));
        return problems->report(error_kind::text_after_record, junk.data(), junk.size(), {}) ? stop : nullptr;
    } else {
        problems->report(error_kind::bad_list, stop, static_cast<std::size_t>(end - stop), list_key, 0, ',');
    }
    return nullptr;
}

// Passes over what comes before the first `key=` of a record. Returns false if the record cannot be read.
template <class Kernel = kernel>
inline bool pass_junk(std::string_view& body, separator& kind, problems* problems) {
    const char* p = body.data();
    const char* end = p + body.size();
    if (p == end || after_key(p, end) != nullptr) return true;
    value_scan<op_key> scan(kind);
    const char* stop = scan.stop(p, end);
    kind = scan.kind;
    const std::string_view junk = view(p, stop == p ? p + 1 : stop);
    // After the beginning of a list of strings, the separator may be inside one of the strings.
    constexpr std::size_t none = std::string_view::npos;
    if (stop == end || junk.find("['") != none || junk.find("[\"") != none)
        body = view(end, end);
    else
        body = view(scan.next_key, end);
    return problems->report(error_kind::key_expected, junk.data(), junk.size(), {});
}

// Reads the value of a known key that holds no list of strings. Returns false if the record cannot be read.
template <class Kernel = kernel>
WLFMT_INLINE bool read_known(op_key key, std::string_view value, const char* limit, oplog::operation& r,
                             problems* problems) {
    switch (key) {
    case op_key::stage_id: return read_value(value, limit, "stage_id", numeric::index, problems, r.stage_id);
    case op_key::batch_id: return read_value(value, limit, "batch_id", numeric::index, problems, r.batch_id);
    case op_key::duration: return read_value(value, limit, "duration", numeric::duration, problems, r.duration);
    case op_key::timestamp: return read_value(value, limit, "timestamp", numeric::time, problems, r.timestamp);
    case op_key::mg_state: r.mg_state = value; break;
    case op_key::description: r.description = value; break;
    case op_key::group_kind: r.group_kind = value; break;
    case op_key::input_shape: r.input_shape = oplog::access::shape_in(value, limit); break;
    case op_key::input_dtype: r.input_dtype = value; break;
    case op_key::sub_operations:
    case op_key::further: break;
    }
    return true;
}

// Reads the value of sub_operations. Returns where the text after the list begins; null if the record cannot be read.
template <class Kernel = kernel>
WLFMT_INLINE const char* read_list(std::string_view value, const char* limit, oplog::operation& r, problems* problems) {
    if (value == "None") {
        oplog::access::set_none(r.sub_operations);
        return value.data() + value.size();
    }
    const char* const end = list_end(value, limit, problems);
    if (end == nullptr) return nullptr;
    const std::string_view list = view(value.data() + 1, end - 1);
    const bool empty = trimmed(list).empty();
    oplog::access::set_text(r.sub_operations, empty ? list.substr(0, 0) : list, limit, problems);
    return end;
}

// Reads the attributes of an operation in any order. Returns false if the record cannot be read.
template <class Kernel = kernel>
inline bool read_attributes(std::string_view body, oplog::operation& r, problems* problems) {
    separator kind = separator::undecided;
    if (!pass_junk(body, kind, problems)) return false;
    attribute_splitter<op_key> split(body, kind);
    key_order order;
    oplog::attribute a;
    const char* const limit = body.data() + body.size();
    for (op_key key{}; split.next(a, key);) {
        if (is_other_name(a.key)) order.not_plain();
        if (key != op_key::further && !order.first_time(key)) {
            if (!problems->report(error_kind::duplicate_key, a.key.data(), a.key.size(), a.key)) return false;
            key = op_key::further;
        }
        if (key == op_key::further) order.not_plain();
        if (key != op_key::sub_operations) {
            if (!read_known(key, a.value, limit, r, problems)) return false;
            continue;
        }
        const char* const end = read_list(a.value, limit, r, problems);
        if (end == nullptr) return false;
        // The record's `)` comes right after the list, and the text after it is tolerated: the record ends here.
        if (end != a.value.data() + a.value.size() && *end == ')') {
            body = view(body.data(), end);
            split = attribute_splitter<op_key>(view(end, end), split.kind());
        }
    }
    r.spaced = split.kind() == separator::comma_space;
    if (!order.plain()) r.attributes = oplog::attribute_list(body, r.spaced);
    return true;
}

// Reads `rank:N:name(` or `stage:N:name(`, which makes a line a record. `near`: the text goes on for a block after the
// words. Returns false if the line is foreign text.
struct record_head {
    oplog::origin origin = oplog::origin::rank;
    bool has_rank = false;  // `rank` is the number
    std::int64_t rank = 0;
    std::string_view number;
    std::string_view op;
    const char* body = nullptr;  // after the parenthesis
};
template <class Kernel = kernel>
WLFMT_INLINE bool read_head(const char* p, const char* end, record_head& head, bool near = false) noexcept {
    if (starts(p, end, "rank:")) {
        head.origin = oplog::origin::rank;
        p += 5;
    } else if (starts(p, end, "stage:")) {
        head.origin = oplog::origin::stage;
        p += 6;
    } else {
        return false;
    }
    const char* digits = p;
    head.has_rank = near && read_few(p, head.rank);
    while (p != end && is_digit(*p)) ++p;
    if (p == digits || p == end || *p != ':') return false;
    head.number = view(digits, p);
    const char* op = ++p;
    if (p == end || !is_name_start(*p)) return false;
    p = after_name(p, end);
    if (p == end || *p != '(') return false;
    head.op = view(op, p);
    head.body = p + 1;
    return true;
}

// Finds the end of a value in a string with this quote, from a byte that find_first<value_stops>() gave: the comma
// after the value, the closing quote, a backslash (which the plain path does not read), or the end.
template <class Bound>
WLFMT_COLD inline const char* quoted_value_end(const char* p, Bound bound, char quote) noexcept {
    const char* const end = end_of(bound);
    while (p < end && *p != ',' && *p != quote && *p != '\\') p = find_first<value_stops>(p + 1, end);
    return p;
}

// Reads a value in a string with this quote.
template <class Bound, std::size_t N>
WLFMT_INLINE bool plain_quoted_text(const char*& p, Bound bound, char quote, text& value,
                                    const char (&key)[N]) noexcept {
    const char* const begin = p;
    p = find_first<value_stops>(p, bound);
    if (WLFMT_UNLIKELY(!starts(p, bound, key))) {
        p = quoted_value_end(p, bound, quote);
        if (!goes_on(bound, p) || !starts(p, bound, key)) return false;
    }
    value = view(begin, p);
    p += N - 1;
    return true;
}

// The fields between the duration and the last one.
inline constexpr oplog::field middle_fields = oplog::field::timestamp | oplog::field::input_shape |
                                              oplog::field::input_dtype | oplog::field::func_name | oplog::field::group;

// Reads a sub-operation with the tracer's own keys in its order; the string's opening quote is at p, and the list's
// bracket at `end`. Returns the place after its closing quote, or null at the first difference, and leaves the record
// half filled. Fields that are not in `Fields` are passed over.
template <oplog::field Fields, class Bound>
WLFMT_INLINE const char* read_plain_sub_operation(const char* p, const char* end, Bound bound,
                                                  oplog::sub_operation& s) noexcept {
    using oplog::field;
    const char quote = *p++;
    const char* const begin = p;
    text passed;
    oplog::shape passed_shape;

    if (!plain_key(p, bound, "trace_src_func=")) return nullptr;
    if (!plain_quoted_text(p, bound, quote, has(Fields, field::trace_src_func) ? s.trace_src_func : passed,
                           ",duration="))
        return nullptr;
    [[maybe_unused]] const char* const duration = p;
    if (has(Fields, field::duration) ? !plain_few<double>(p, bound, s.duration, ",timestamp=")
                                     : !plain_quoted_text(p, bound, quote, passed, ",timestamp="))
        return nullptr;

    if constexpr (!has(Fields, middle_fields)) {
        // No field before the last attribute is wanted, so that attribute is looked for from the string's end. If there
        // is a backslash there, or in the wanted text, the general path reads the string. There is no quote in what was
        // read of the duration: the search for the closing one need not wait for the number's end.
        const char* const from = has(Fields, field::duration) ? duration : p;
        fetch_ahead(from);
        if (WLFMT_UNLIKELY(p >= end)) return nullptr;
        const char* const close = find_far(from, end, quote);
        if (close == end || close[-1] == '\\') return nullptr;
        if (has(Fields, field::comm_func)) {
            const char* equals = find_last<'=', '\\'>(p, close);
            if (equals == nullptr || equals - p < 10 || difference<11>(equals - 10, ",comm_func=") != 0) return nullptr;
            s.comm_func = view(equals + 1, close);
        }
        s.source = view(begin, close);
        return close + 1;
    } else {
        if (has(Fields, field::timestamp) ? !plain_number(p, bound, s.timestamp, ",input__shape=")
                                          : !plain_quoted_text(p, bound, quote, passed, ",input__shape="))
            return nullptr;
        if (!plain_shape(p, bound, has(Fields, field::input_shape) ? s.input_shape : passed_shape, ",input__dtype="))
            return nullptr;
        const char* const dtype = p;
        p = find_first<value_stops>(p, bound);
        if (has(Fields, field::input_dtype)) s.input_dtype = view(dtype, p);
        if (plain_key(p, bound, ",func_name=")) {
            if (!plain_quoted_text(p, bound, quote, has(Fields, field::func_name) ? s.func_name : passed, ",group="))
                return nullptr;
        } else {
            s.func_name = {};
            if (!plain_key(p, bound, ",group=")) return nullptr;
        }
        if (!plain_quoted_text(p, bound, quote, has(Fields, field::group) ? s.group : passed, ",comm_func="))
            return nullptr;
        const char* close = find_first<value_stops>(p, bound);
        if (WLFMT_UNLIKELY(*close != quote)) close = quoted_value_end(close, bound, quote);
        // Nothing asked for the list's end on the way.
        if (WLFMT_UNLIKELY(close >= end || *close != quote)) return nullptr;
        if (has(Fields, field::comm_func)) s.comm_func = view(p, close);
        s.source = view(begin, close);
        return close + 1;
    }
}
// The same near the end of the text, and where a value is long.
template <oplog::field Fields>
WLFMT_NOINLINE const char* read_late_sub_operation(const char* p, const char* end, oplog::sub_operation& s) noexcept {
    return read_plain_sub_operation<Fields>(p, end, end, s);
}

// Reads any other string of the list. Returns the place after its closing quote, or null if it has none. Numbers that
// are not in `fields` are not read. Problems go to `problems`, which may be null, and also show in the record.
template <class Kernel = kernel>
inline const char* read_sub_operation(const char* p, const char* end, oplog::field fields, oplog::sub_operation& s,
                                      problems* problems) {
    using oplog::field;
    s = oplog::sub_operation();
    const auto report = [&](error_kind kind, const char* at, std::size_t length, std::string_view field) {
        if (problems != nullptr) problems->report(kind, at, length, field);
    };
    const char* backslash = nullptr;
    const char* close = after_string(p, end, &backslash);
    if (close == nullptr) {
        report(error_kind::unterminated_string, p, static_cast<std::size_t>(end - p), list_key);
        return nullptr;
    }
    const std::string_view text = view(p + 1, close - 1);
    s.source = text;
    if (backslash != nullptr) {
        s.quote = *p;
        const char* bad = find_bad_escape(backslash, close - 1);
        if (bad != close - 1) report(error_kind::bad_escape, bad, bad + 2 <= close - 1 ? 2 : 1, list_key);
    }
    attribute_splitter<sub_key> split(text, separator::undecided);
    key_order order;
    oplog::attribute a;
    sub_key key{};
    if (!split.next(a, key)) {
        s.text = text;
        return close;
    }
    do {
        if (key != sub_key::further && !order.first_time(key)) {
            report(error_kind::duplicate_key, a.key.data(), a.key.size(), a.key);
            key = sub_key::further;
        }
        switch (key) {
        case sub_key::trace_src_func: s.trace_src_func = a.value; break;
        case sub_key::duration:
            if (has(fields, field::duration))
                read_value(a.value, end, "sub_operations.duration", numeric::duration, problems, s.duration);
            break;
        case sub_key::timestamp:
            if (has(fields, field::timestamp))
                read_value(a.value, end, "sub_operations.timestamp", numeric::time, problems, s.timestamp);
            break;
        case sub_key::input_shape: s.input_shape = oplog::access::shape_in(a.value, end); break;
        case sub_key::input_dtype: s.input_dtype = a.value; break;
        case sub_key::func_name: s.func_name = a.value; break;
        case sub_key::group: s.group = a.value; break;
        case sub_key::comm_func: s.comm_func = a.value; break;
        case sub_key::further: order.not_plain(); break;
        }
    } while (split.next(a, key));
    s.spaced = split.kind() == separator::comma_space;
    if (!order.plain()) s.attributes = oplog::attribute_list(text, s.spaced);
    return close;
}

// Does a record hold anything that only the general path reads?
template <class Kernel = kernel>
inline bool is_odd(const oplog::operation& r) noexcept {
    return !r.attributes.empty() || r.spaced || r.sub_operations.is_missing();
}
template <class Kernel = kernel>
inline bool is_odd(const oplog::sub_operation& s) noexcept {
    return !s.attributes.empty() || s.spaced || s.quote != 0 || s.is_text();
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {

// Hands out the operations of a list, one by one. An input iterator: it holds what it hands out. It needs the list's
// text or array, but neither the list nor the reader: what a list owns it owns too.
template <field Fields, class Kernel>
class sub_operation_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = sub_operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const sub_operation*;
    using reference = const sub_operation&;

    sub_operation_iterator() noexcept = default;

    // Valid until the iterator is advanced or destroyed.
    const sub_operation& operator*() const& noexcept { return *shown(); }
    // Of a temporary iterator, a copy: what it holds dies with it.
    sub_operation operator*() const&& noexcept { return *shown(); }
    const sub_operation* operator->() const noexcept { return shown(); }
    WLFMT_INLINE sub_operation_iterator& operator++() noexcept {
        if (WLFMT_UNLIKELY(in_array_))
            done_ = ++index_ >= count();
        else
            advance();
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
    template <field>
    friend class chosen_sub_operations;

    WLFMT_INLINE sub_operation_iterator(std::string_view text, const sub_operation* items, std::size_t count,
                                        const detail::shared_items<sub_operation>& owned,
                                        detail::problems* reader) noexcept
        : at_(text.data()),
          end_(text.data() + text.size()),
          limit_(items == nullptr ? end_ + count : end_),
          done_(text.empty()),
          link_(reader, done_) {
        if (WLFMT_UNLIKELY(owned || items != nullptr)) {
            in_array_ = true;
            items_ = items;
            borrowed_ = count;
            owned_ = owned;
            done_ = this->count() == 0;
        } else if (!done_) {
            skip_blanks();
            read_next();
        }
    }

    std::size_t count() const noexcept { return owned_ ? owned_.items().size() : borrowed_; }
    const sub_operation* shown() const noexcept {
        if (WLFMT_LIKELY(!in_array_)) return &current_;
        // There is nothing to show at the end, in a list that was shortened during the walk, or in an iterator that was
        // moved from.
        if (index_ >= count()) return &current_;
        return owned_ ? &owned_.items()[index_] : items_ + index_;
    }

    WLFMT_INLINE void skip_blanks() noexcept {
        while (at_ != end_ && detail::is_blank(*at_)) ++at_;
    }

    WLFMT_INLINE void advance() noexcept {
        if (WLFMT_LIKELY(end_ - at_ > 2 && detail::difference<2>(at_, ", ") == 0 && is_quote(at_[2]))) {
            at_ += 2;
            read_string();
        } else if (separate()) {
            read_next();
        }
    }

    static bool is_quote(char c) noexcept { return c == '\'' || c == '"'; }

    void read_next() noexcept {
        if (at_ == end_)
            done_ = true;
        else if (is_quote(*at_))
            read_string();
        else
            stop_at_junk(0);
    }

    WLFMT_INLINE void read_string() noexcept {
        // A string is expected to be like the one before it, because the plain path may give up only after much work.
        if (WLFMT_UNLIKELY(general_) && !detail::is_odd(current_)) {
            current_ = sub_operation();
            general_ = false;
        }
        const char* after = nullptr;
        if (WLFMT_LIKELY(detail::has_plain_paths && !general_)) {
            const bool fits = detail::roomy::fits(at_, limit_);
            if (WLFMT_LIKELY(fits))
                after = detail::read_plain_sub_operation<Fields>(at_, end_, detail::roomy(limit_), current_);
            // What is passed over is not checked in long values either.
            if (WLFMT_UNLIKELY(after == nullptr && (!fits || !has(Fields, detail::middle_fields))))
                after = detail::read_late_sub_operation<Fields>(at_, end_, current_);
        }
        if (WLFMT_UNLIKELY(after == nullptr)) {
            general_ = true;
            after = detail::read_sub_operation(at_, end_, Fields, current_, link_.to());
            if (after == nullptr) return show_rest();
        }
        at_ = after;
    }

    // Python allows any blanks around the comma, and a comma after the last string. Returns false if anything else
    // comes here.
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
        if (detail::problems* const to = link_.to()) {
            const char* junk_end = detail::find_any<',', ']', '\'', '"'>(at_ + 1, end_);
            to->report(error_kind::bad_list, at_, static_cast<std::size_t>(junk_end - at_), detail::list_key, 0,
                       expected);
        }
        show_rest();
    }
    // The rest of the list cannot be read: the walk hands it out as its last item.
    void show_rest() noexcept {
        current_ = sub_operation();
        current_.text = current_.source = detail::view(at_, end_);
        current_.damaged = true;
        general_ = true;
        at_ = end_;
    }

    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* limit_ = nullptr;  // the end of the text that holds the list
    bool done_ = true;
    bool general_ = false;  // current_ came from the general path
    bool in_array_ = false;
    detail::walk_link link_;
    const sub_operation* items_ = nullptr;
    std::size_t borrowed_ = 0;  // the number of items_
    std::size_t index_ = 0;     // in the array
    detail::shared_items<sub_operation> owned_;
    sub_operation current_;
};

// What only() returns: a list of which a walk decodes some fields. It holds what the list owns.
template <field Fields>
class chosen_sub_operations {
public:
    chosen_sub_operations() noexcept = default;
    template <class Kernel = detail::kernel>
    [[nodiscard]] sub_operation_iterator<Fields, Kernel> begin() const noexcept {
        return sub_operation_iterator<Fields, Kernel>(text_, items_, count_, owned_, link_.to());
    }
    template <class Kernel = detail::kernel>
    [[nodiscard]] sub_operation_iterator<Fields, Kernel> end() const noexcept {
        return {};
    }
    template <class Kernel = detail::kernel>
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t n = 0;
        for (auto i = begin<Kernel>(); i != end<Kernel>(); ++i) ++n;
        return n;
    }

private:
    friend class sub_operation_list;
    explicit chosen_sub_operations(const sub_operation_list& list) noexcept
        : text_(list.text_),
          items_(list.items_),
          count_(list.count_),
          owned_(list.owned_),
          link_(list.reader_, text_.empty()) {}

    std::string_view text_ = {};
    const sub_operation* items_ = nullptr;
    std::size_t count_ = 0;
    detail::shared_items<sub_operation> owned_;
    detail::walk_link link_;
};

template <class Kernel>
sub_operation_iterator<field::all, Kernel> sub_operation_list::begin() const noexcept {
    return sub_operation_iterator<field::all, Kernel>(text_, items_, count_, owned_, reader_);
}
template <class Kernel>
sub_operation_iterator<field::all, Kernel> sub_operation_list::end() const noexcept {
    return {};
}
template <field Chosen>
chosen_sub_operations<Chosen> sub_operation_list::only() const noexcept {
    return chosen_sub_operations<Chosen>(*this);
}
template <class Kernel>
std::size_t sub_operation_list::size() const noexcept {
    if (owned_) return owned_.items().size();
    if (items_ != nullptr) return count_;
    std::size_t n = 0;
    for (auto i = only<field::none>().template begin<Kernel>(); i != decltype(i)(); ++i) ++n;
    return n;
}
template <class Kernel>
std::vector<sub_operation>& sub_operation_list::edit() {
    if (!owned_) {
        std::vector<sub_operation> items;
        if (items_ == nullptr) items.reserve(size<Kernel>());
        for (auto i = begin<Kernel>(); i != end<Kernel>(); ++i) items.push_back(*i);
        *this = sub_operation_list(std::move(items));
    }
    return owned_.items();
}

}  // namespace oplog

namespace detail {
inline namespace WLFMT_IMPL {

// Walks a list only to report its problems to its reader.
template <class Kernel = kernel>
WLFMT_COLD void walk_all(const oplog::sub_operation_list& list) {
    for (const oplog::sub_operation& s : list) static_cast<void>(s);
}

// The line does not end with the record's `)`. Returns where the record ends if its list shows that and the text after
// it is tolerated; null if the line cannot be read.
template <class Kernel = kernel>
inline const char* find_record_end(const char* body, const char* end, problems* problems) {
    attribute_splitter<op_key> split(view(body, end), separator::undecided);
    oplog::attribute a;
    for (op_key key{}; split.next(a, key);) {
        if (key != op_key::sub_operations || a.value.empty() || a.value.front() != '[') continue;
        const char* list = a.value.data();
        const char* stop = after_list(list, end);
        if (stop == nullptr) {
            report_open_list(list, end, problems);
            return nullptr;
        }
        if (stop == end || *stop != ')') break;
        const std::string_view junk = trimmed(view(stop + 1, end));
        return problems->report(error_kind::text_after_record, junk.data(), junk.size(), {}) ? stop : nullptr;
    }
    problems->report(error_kind::unterminated_record, end, 0, {});
    return nullptr;
}

// Reads what the plain path has left, from the record's head on. This is a function of its own so that the plain path
// does not pay for the cleaning up that a throwing callback would need.
template <class Kernel = kernel>
WLFMT_NOINLINE bool read_any_record(std::string_view body, oplog::operation& r, problems& problems) {
    oplog::operation fresh{r.origin, r.rank, r.op};
    fresh.source = r.source;
    r = std::move(fresh);
    return read_attributes(body, r, &problems);
}

// Reads the record of a line that has a record's head; `end` is the line's end without blanks. `plain`: whether to try
// the plain path, which overwrites every member of `r`. Returns false if the record cannot be read.
template <class Kernel = kernel>
WLFMT_INLINE bool read_record(const record_head& head, const char* end, const char* limit, bool plain,
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
        if (WLFMT_LIKELY(has_plain_paths && plain)) {
            if (WLFMT_LIKELY(roomy::fits(head.body, limit))) {
                if (WLFMT_LIKELY(read_plain_attributes(head.body, end, roomy(limit), r, &problems))) return true;
            } else if (read_late_attributes(head.body, end, limit, r, &problems)) {
                return true;
            }
        }
    } else {
        end = find_record_end(head.body, end, &problems);
        if (end == nullptr) return false;
    }
    return read_any_record(view(head.body, end), r, problems);
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {
inline namespace WLFMT_IMPL {

template <class Kernel>
inline reader::reader(std::string_view text, const options& how) noexcept
    : oplog_state(Kernel(), text, detail::bom_size(text, how), how) {}

template <class Kernel>
inline const operation* reader::next() noexcept {
    if (WLFMT_UNLIKELY(!ok())) return nullptr;
    problems_.release_walks();
    while (at_ != end_) {
        const char* line = at_;
        const char* stop = detail::find_far(line, end_, '\n');
        at_ = stop == end_ ? end_ : stop + 1;
        while (stop != line && detail::is_blank(stop[-1])) --stop;
        const char* begin = line;
        bool blank = stop == line;
        if (WLFMT_UNLIKELY(!problems_.how.prefix.empty())) {
            begin = detail::after_prefix(line, stop, problems_.how.prefix);
            blank = blank || begin == stop;
            if (begin == nullptr) begin = stop;
        }
        detail::record_head head;
        if (WLFMT_LIKELY(detail::read_head(begin, stop, head, end_ - begin >= detail::roomy::room))) {
            found_record_ = true;
            const bool plain = !std::exchange(needs_reset_, true);
            record_.source = detail::view(begin, stop);
            if (WLFMT_LIKELY(detail::read_record(head, stop, end_, plain, record_, problems_))) {
                needs_reset_ = detail::is_odd(record_);
                if (WLFMT_UNLIKELY(problems_.how.lenient)) {
                    // All problems of the record are told once, before it is shown; its walks then tell none.
                    detail::walk_all(record_.sub_operations);
                    access::detach(record_.sub_operations);
                }
                return &record_;
            }
            if (!ok()) return nullptr;
        } else if (!blank) {
            ++foreign_lines_;
            if (problems_.how.strict && !problems_.report(error_kind::foreign_text, line,
                                                          static_cast<std::size_t>(stop - line), "rank op-log record"))
                return nullptr;
        }
    }
    if (!found_record_ && !problems_.is_piece()) {
        found_record_ = true;
        problems_.refuse(error_kind::no_records, end_, 0, "rank op-log record");
    }
    return nullptr;
}

template <class Kernel>
inline bool reader::skip() noexcept {
    if (ok() || at_ == end_) return false;
    problems_.first = {};
    return true;
}

template <class Kernel>
inline result<document> read(std::string_view text, const options& how) {
    reader log(text, how);
    document doc;
    std::uint64_t told = 0;
    while (const operation* op = log.next()) {
        if (doc.operations.empty()) doc.operations.reserve(text.size() / 4096 + 1);
        for (const sub_operation& s : op->sub_operations) static_cast<void>(s);
        if (!log.ok()) break;
        doc.operations.push_back(*op);
        if (log.tolerated() == told) access::set_checked(doc.operations.back().sub_operations);
        told = log.tolerated();
    }
    const bool complete = log.ok();
    return {std::move(doc), log.error(), complete};
}

template <class Kernel>
inline std::string_view unescape(std::string_view text, char* buffer) noexcept {
    const char* p = text.data();
    const char* end = p + text.size();
    const char* stop = detail::find_any<'\\'>(p, end);
    if (stop == end) return text;
    char* to = buffer;
    for (;;) {
        const auto plain = static_cast<std::size_t>(stop - p);
        if (plain != 0) std::memmove(to, p, plain);
        to += plain;
        if (stop == end) return detail::view(buffer, to);
        p = stop;
        std::uint32_t code_point = 0;
        switch (detail::read_escape(p, end, code_point)) {
        case detail::escape::character: to = detail::write_utf8(to, code_point); break;
        case detail::escape::nothing: break;
        default: *to++ = '\\';
        }
        stop = detail::find_any<'\\'>(p, end);
    }
}

}  // namespace WLFMT_IMPL
}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
