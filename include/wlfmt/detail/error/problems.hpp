// A reader keeps its first error here and reports what it tolerates; the walks over its records reach it here, too.
#ifndef WLFMT_DETAIL_ERROR_PROBLEMS_HPP
#define WLFMT_DETAIL_ERROR_PROBLEMS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/error.hpp"
#include "../base/walk.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

class walk_link;

// What writers return.
inline error unwritable(std::string_view field) noexcept {
    error e;
    e.kind = error_kind::unwritable;
    e.field = field;
    return e;
}
inline error sink_error() noexcept {
    error e;
    e.kind = error_kind::cannot_write;
    return e;
}
// The record's error as an error of the document, with the record's position.
inline error in_document(error e, std::size_t position) noexcept {
    e.found = static_cast<std::int64_t>(position);
    e.expected = 1;
    return e;
}

// Each reader has one. Readers can be neither moved nor copied, so its address does not change.
struct problems {
    options how;
    const char* text = nullptr;
    std::uint64_t before = 0;  // offsets count so many bytes before the text, too
    error first;               // the error that stopped the reader
    std::uint64_t tolerated = 0;
    walk_link* walks = nullptr;      // of the record that is shown
    walk_link* iterators = nullptr;  // of the reader

    problems(std::string_view all, const options& o) noexcept
        : how(o), text(all.data()), before(o.piece_at.value_or(0)) {}
    problems(const problems&) = delete;
    problems& operator=(const problems&) = delete;
    ~problems() {
        release(walks);
        release(iterators);
    }

    bool ok() const noexcept { return !first; }
    bool is_piece() const noexcept { return how.piece_at.has_value(); }
    std::uint64_t offset_of(const char* at) const noexcept { return before + static_cast<std::uint64_t>(at - text); }

    // Reports that [at, at + length) is wrong. Returns true if the reader may go on: it is lenient, and the problem was
    // reported to the program.
    WLFMT_COLD bool report(error_kind kind, const char* at, std::size_t length, std::string_view field,
                           std::int64_t found = 0, std::int64_t expected = 0) {
        const error e = make(kind, at, length, field, found, expected);
        if (!how.lenient) {
            if (!first) first = e;
            return false;
        }
        hand_on(e);
        return true;
    }
    // The same for what even a lenient reader cannot read: the reader stops.
    WLFMT_COLD void refuse(error_kind kind, const char* at, std::size_t length, std::string_view field,
                           std::int64_t found = 0, std::int64_t expected = 0) {
        if (!first) first = make(kind, at, length, field, found, expected);
    }
    // Reports something odd that is not an error: the reader goes on, lenient or not.
    WLFMT_COLD void warn(error_kind kind, const char* at, std::size_t length, std::string_view field,
                         std::int64_t found = 0, std::int64_t expected = 0) {
        hand_on(make(kind, at, length, field, found, expected));
    }

    // The record that was shown is gone. Walks of its list no longer report to the reader.
    void release_walks() noexcept {
        if (WLFMT_UNLIKELY(walks != nullptr)) release(walks);
    }

private:
    static void release(walk_link*& list) noexcept;
    error make(error_kind kind, const char* at, std::size_t length, std::string_view field, std::int64_t found,
               std::int64_t expected) const noexcept {
        error e;
        e.kind = kind;
        e.offset = offset_of(at);
        e.length = length;
        e.field = field;
        e.found = found;
        e.expected = expected;
        return e;
    }
    void hand_on(const error& e) {
        ++tolerated;
        if (how.on_problem != nullptr) how.on_problem(how.context, e);
    }
};

// Ties a walk or an iterator to its reader, so that the reader learns of the problems that the walk finds. The reader
// knows everything that is tied to it. It cuts the walks off when it shows another record, and walks and iterators when
// it dies: whatever outlives it reports to nobody and touches nothing of it.
class walk_link {
public:
    walk_link() noexcept = default;
    walk_link(problems* to, walk_link** list) noexcept { tie(to, list); }
    // Ties a walk of the record that is shown; `of_nothing`: the walk is empty and needs no reader.
    WLFMT_INLINE walk_link(problems* to, bool of_nothing) noexcept {
        if (to != nullptr && !of_nothing) tie(to, &to->walks);
    }
    walk_link(const walk_link& other) noexcept { tie(other.to_, other.list_); }
    walk_link& operator=(const walk_link& other) noexcept {
        if (this == &other) return *this;
        untie();
        tie(other.to_, other.list_);
        return *this;
    }
    ~walk_link() { untie(); }

    // Null if the walk is not tied to a reader.
    problems* to() const noexcept { return to_; }

private:
    friend struct problems;

    void tie(problems* to, walk_link** list) noexcept {
        if (to == nullptr) return;
        to_ = to;
        list_ = list;
        next_ = *list;
        if (next_ != nullptr) next_->before_ = this;
        *list = this;
    }
    void untie() noexcept {
        if (to_ == nullptr) return;
        if (next_ != nullptr) next_->before_ = before_;
        (before_ != nullptr ? before_->next_ : *list_) = next_;
        forget();
    }
    void forget() noexcept {
        to_ = nullptr;
        list_ = nullptr;
        before_ = next_ = nullptr;
    }

    problems* to_ = nullptr;
    walk_link** list_ = nullptr;
    walk_link* before_ = nullptr;
    walk_link* next_ = nullptr;
};

inline void problems::release(walk_link*& list) noexcept {
    while (list != nullptr) {
        walk_link* const one = list;
        list = one->next_;
        one->forget();
    }
}

// Gives the implementation access to a reader's state.
struct reader_access {
    template <class Reader> static auto& state_of(Reader& r) noexcept { return r.state_; }
};

// Walks a reader: each step calls its next(). An input iterator: it and its copies show the reader's own record. An
// iterator is at its end, where a default-constructed one is, when its last step found no further record, and when the
// reader is gone: one that outlives its reader may be compared, assigned and advanced, but it has nothing to show.
template <class Reader, class Record> class record_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Record;
    using difference_type = std::ptrdiff_t;
    using pointer = const Record*;
    using reference = const Record&;

    record_iterator() noexcept = default;
    record_iterator(Reader& reader, problems& own) noexcept
        : reader_(&reader), shown_(reader.next()), link_(&own, &own.iterators) {}

    const Record& operator*() const noexcept { return *shown_; }
    const Record* operator->() const noexcept { return shown_; }
    record_iterator& operator++() noexcept {
        if (!at_end()) shown_ = reader_->next();
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const record_iterator& a, const record_iterator& b) noexcept {
        return a.at_end() == b.at_end();
    }
    friend bool operator!=(const record_iterator& a, const record_iterator& b) noexcept { return !(a == b); }

private:
    bool at_end() const noexcept { return shown_ == nullptr || link_.to() == nullptr; }

    Reader* reader_ = nullptr;
    const Record* shown_ = nullptr;
    walk_link link_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
