// Range-for over a reader.
#ifndef WLFMT_DETAIL_IO_RECORDS_HPP
#define WLFMT_DETAIL_IO_RECORDS_HPP

#include <cstddef>
#include <string_view>  // the iterator tags come with it

#include "../base/walk.hpp"
#include "../error/problems.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {

// Gives the implementation access to a reader's state.
struct reader_access {
    template <class Reader>
    static auto& state_of(Reader& r) noexcept {
        return r.state_;
    }
};

// Walks a reader: each step calls its next(). An input iterator: it and its copies show the reader's own record. An
// iterator is at its end, where a default-constructed one is, when its last step found no further record, and when the
// reader is gone: one that outlives its reader may be compared, assigned and advanced, but it has nothing to show.
template <class Reader, class Record>
class record_iterator {
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

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
