// Range-for over a reader.
#ifndef WLFMT_DETAIL_CORE_RECORDS_HPP
#define WLFMT_DETAIL_CORE_RECORDS_HPP

#include <cstddef>
#include <iterator>

#include "problems.hpp"
#include "walk.hpp"

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {

// Walks a reader: each step calls its next(). An input iterator: all copies of one show the reader's own record, and
// are at their end when the reader has no further record, and when it is gone.
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
    friend bool operator==(const record_iterator& i, sentinel) noexcept { return i.at_end(); }
    friend bool operator!=(const record_iterator& i, sentinel) noexcept { return !i.at_end(); }
    friend bool operator==(sentinel, const record_iterator& i) noexcept { return i.at_end(); }
    friend bool operator!=(sentinel, const record_iterator& i) noexcept { return !i.at_end(); }

private:
    bool at_end() const noexcept { return shown_ == nullptr || link_.to() == nullptr; }

    Reader* reader_ = nullptr;
    const Record* shown_ = nullptr;
    walk_link link_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
