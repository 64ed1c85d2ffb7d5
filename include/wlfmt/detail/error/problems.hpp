// Converts places in a text to problems, lines and columns, prints excerpts, and lets readers report problems.
#ifndef WLFMT_DETAIL_ERROR_PROBLEMS_HPP
#define WLFMT_DETAIL_ERROR_PROBLEMS_HPP

#include <cstring>

#include "../../characters.hpp"
#include "../../types/error.hpp"
#include "../base/walk.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether `place` is a view of the text. Compares integers: pointers into different texts have no order.
inline bool is_view_of(std::string_view place, std::string_view text) noexcept {
    const auto number = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return place.data() != nullptr && number(place.data()) >= number(text.data()) &&
           number(place.data() + place.size()) <= number(text.data() + text.size());
}

// A problem at `place`, a view of the text. If it is not one, as in a record built by hand, the problem has no place.
inline problem error_at(error_kind kind, std::string_view place, std::string_view text, std::string_view field,
                        std::int64_t found = 0, std::int64_t expected = 0) noexcept {
    problem e{kind, 0, 0, field, found, expected};
    if (is_view_of(place, text)) {
        e.offset = static_cast<std::uint64_t>(place.data() - text.data());
        e.length = place.size();
    }
    return e;
}

inline location location_of(std::string_view text, std::uint64_t offset) noexcept {
    const std::string_view before =
        text.substr(0, offset < text.size() ? static_cast<std::size_t>(offset) : text.size());
    location where;
    std::size_t begin = 0;
    for (std::size_t end = before.find('\n'); end != before.npos; end = before.find('\n', begin)) {
        begin = end + 1;
        ++where.line;
    }
    where.column = before.size() - begin + 1;
    where.character = count_characters(before.substr(begin)) + 1;
    where.line_text = text.substr(begin, text.find('\n', begin) - begin);
    if (!where.line_text.empty() && where.line_text.back() == '\r') where.line_text.remove_suffix(1);
    return where;
}

// Ends a message, and appends its line, cut to a terminal's width, with a caret under the guilty bytes.
template <class String> void append_excerpt(String& out, const location& where, std::uint64_t length) {
    constexpr std::size_t before = 60;
    constexpr std::size_t width = 110;
    if (where.character != where.column) append_all(out, " (character ", std::to_string(where.character), ')');
    out += '\n';
    const std::string_view line = where.line_text;
    if (line.empty()) return;
    const std::size_t at = where.column - 1 < line.size() ? static_cast<std::size_t>(where.column - 1) : line.size();
    const std::size_t begin = line.size() <= width || at <= before ? 0 : character_start(line, at - before);
    const std::size_t end = line.size() - begin <= width ? line.size() : character_start(line, begin + width);

    out += begin > 0 ? "  ..." : "  ";
    append_printable(out, line.substr(begin, end - begin));
    append_all(out, end < line.size() ? "...\n" : "\n", begin > 0 ? "     " : "  ");
    out.append(count_characters(line.substr(begin, at - begin)), ' ');
    out += '^';
    const std::size_t marked = length > end - at ? end - at : static_cast<std::size_t>(length);
    if (marked > 1) out.append(count_characters(line.substr(at, marked)) - 1, '~');
    out += '\n';
}

// Returns `file:2:19: error: `, what `say` appends, and the excerpt with `length` bytes marked from `offset` on. If the
// problem is not `placed`, line, column and excerpt are left out.
template <class String, class Say>
String print_problem(std::string_view file_name, std::string_view text, bool placed, std::uint64_t offset,
                     std::uint64_t length, severity s, std::uint64_t first_line, Say say) {
    const location where = placed ? location_of(text, offset) : location();
    String out;
    append_printable(out, file_name);
    if (placed) append_all(out, ':', std::to_string(where.line + first_line - 1), ':', std::to_string(where.column));
    out += s == severity::error ? ": error: " : ": warning: ";
    say(out);
    if (placed) append_excerpt(out, where, length);
    else out += '\n';
    return out;
}

class walk_link;

inline problem unwritable(std::string_view field) noexcept { return {error_kind::unwritable, 0, 0, field}; }
inline problem sink_error() noexcept { return {error_kind::cannot_write}; }
// Turns a problem with a record into a problem with its document, and adds the record's position.
inline problem in_document(problem e, std::size_t position) noexcept {
    e.found = static_cast<std::int64_t>(position);
    e.expected = 1;
    return e;
}

// The iterations, or iterators, that are tied to a reader. When the reader is moved, they stay tied to the old object.
struct walk_links {
    walk_link* first = nullptr;

    walk_links() noexcept = default;
    walk_links(walk_links&&) noexcept {}
    walk_links& operator=(walk_links&&) noexcept {
        release();
        return *this;
    }
    ~walk_links() { release(); }
    void release() noexcept;
};

// A reader's options, and the problems that it has found.
struct problems {
    wlfmt::options options;
    const char* text = nullptr;
    std::uint64_t before = 0;  // the number of bytes before the text if it is a piece of a longer one
    problem first;             // the error that stopped the reader
    std::uint64_t tolerated = 0;
    walk_links walks;      // the iterations over lists of the shown record
    walk_links iterators;  // the iterators over the reader

    problems(std::string_view whole_text, const wlfmt::options& o) noexcept
        : options(o), text(whole_text.data()), before(o.piece_at.value_or(0)) {}

    bool ok() const noexcept { return !first; }
    bool is_piece() const noexcept { return options.piece_at.has_value(); }
    std::uint64_t offset_of(const char* at) const noexcept { return before + static_cast<std::uint64_t>(at - text); }

    // Reports that `place`, a view of the text, is wrong. Returns whether the reader may go on: only if it is lenient.
    WLFMT_COLD bool report(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                           std::int64_t expected = 0) {
        if (options.lenient) warn(kind, place, field, found, expected);
        else refuse(kind, place, field, found, expected);
        return options.lenient;
    }
    // Reports what even a lenient reader cannot read: the reader stops.
    WLFMT_COLD void refuse(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                           std::int64_t expected = 0) {
        if (!first) first = make(kind, place, field, found, expected);
    }
    // Reports something odd that is not an error: the reader goes on, lenient or not.
    WLFMT_COLD void warn(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                         std::int64_t expected = 0) {
        ++tolerated;
        if (options.on_problem) options.on_problem(make(kind, place, field, found, expected));
    }

    // The shown record is gone: iterations over its list no longer report to the reader.
    void release_walks() noexcept {
        if (WLFMT_UNLIKELY(walks.first != nullptr)) walks.release();
    }

private:
    problem make(error_kind kind, std::string_view place, std::string_view field, std::int64_t found,
                 std::int64_t expected) const noexcept {
        return {kind, offset_of(place.data()), place.size(), field, found, expected};
    }
};

// Ties an iteration over a list, or an iterator over a reader, to the reader, which thus learns of problems that the
// iteration finds. The reader unties iterations when it shows another record, and everything when it is destroyed, so
// that whatever outlives it reports to nobody and touches nothing of it.
class walk_link {
public:
    walk_link() noexcept = default;
    walk_link(problems* reader, walk_link** before) noexcept { tie(reader, before); }
    // Ties an iteration over a list of the shown record to its reader. An empty list needs no tie.
    WLFMT_INLINE walk_link(problems* reader, bool is_empty) noexcept {
        if (reader != nullptr && !is_empty) tie(reader, &reader->walks.first);
    }
    walk_link(const walk_link& other) noexcept { tie(other.reader_, other.before_); }
    walk_link& operator=(const walk_link& other) noexcept {
        if (this == &other) return *this;
        untie();
        tie(other.reader_, other.before_);
        return *this;
    }
    ~walk_link() { untie(); }

    problems* reader() const noexcept { return reader_; }  // null if it is not tied

private:
    friend struct walk_links;

    // `before` is the pointer that will point here: the head of the reader's list, or a member of another link.
    void tie(problems* reader, walk_link** before) noexcept {
        if (reader == nullptr) return;
        reader_ = reader;
        before_ = before;
        next_ = *before;
        if (next_ != nullptr) next_->before_ = &next_;
        *before = this;
    }
    void untie() noexcept {
        if (reader_ == nullptr) return;
        *before_ = next_;
        if (next_ != nullptr) next_->before_ = before_;
        reader_ = nullptr;
    }

    problems* reader_ = nullptr;
    walk_link** before_ = nullptr;
    walk_link* next_ = nullptr;
};

inline void walk_links::release() noexcept {
    for (; first != nullptr; first = first->next_) first->reader_ = nullptr;
}

// A reader's state. After a move, the new one goes on where the old one was, and the old one has nothing left to read.
template <class State, class Reading> struct movable : State {
    using State::State;
    movable(movable&& other) noexcept : State(std::move(other)) { Reading::take_over(*this, other); }
    movable& operator=(movable&& other) noexcept {
        if (this == &other) return *this;
        State::operator=(std::move(other));
        Reading::take_over(*this, other);
        return *this;
    }
};

// Gives the implementation access to the state of a reader or summary.
struct reader_access {
    template <class Reader> static auto& state_of(Reader& r) noexcept { return r.state_; }
};

// An input iterator that calls a reader's next(). It and its copies show the reader's own record, even after the last
// one. After the last record, or when the reader is gone, it equals a default-constructed iterator and may still be
// compared, assigned and advanced.
template <class Reader, class Record> class record_iterator : public input_iterator<Record> {
public:
    record_iterator() noexcept = default;
    record_iterator(Reader& reader, problems& own, const Record& record) noexcept
        : reader_(reader.next() != nullptr ? &reader : nullptr), shown_(&record), link_(&own, &own.iterators.first) {}

    const Record& operator*() const noexcept { return *shown_; }
    const Record* operator->() const noexcept { return shown_; }
    record_iterator& operator++() noexcept {
        if (!at_end() && reader_->next() == nullptr) reader_ = nullptr;
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const record_iterator& a, const record_iterator& b) noexcept {
        return a.at_end() == b.at_end();
    }
    friend bool operator!=(const record_iterator& a, const record_iterator& b) noexcept { return !(a == b); }

private:
    bool at_end() const noexcept { return reader_ == nullptr || link_.reader() == nullptr; }
    Reader* reader_ = nullptr;  // null after the last record
    const Record* shown_ = nullptr;
    walk_link link_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
