// The nested operations of a record, for what does more with each of them than to read it.
#ifndef WLFMT_DETAIL_OPLOG_NESTED_HPP
#define WLFMT_DETAIL_OPLOG_NESTED_HPP

#include "../../types/oplog.hpp"
#include "lists.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// A loop over a list itself has the code that reads an operation in it, some 3 KB. The steps of this one are functions,
// which all loops share: a call for each operation, and half the time to compile the loop.
template <class Kernel>
class nested_operations {
    using sub_operation_iterator = oplog::sub_operation_iterator<oplog::field::all, Kernel>;

public:
    explicit nested_operations(const oplog::operation& op) noexcept : list_(op.sub_operations) {}

    class iterator {
    public:
        WLFMT_NOINLINE explicit iterator(const oplog::sub_operation_list& list) noexcept
            : at_(list.template begin<Kernel>()) {}
        const oplog::sub_operation& operator*() const noexcept { return *at_; }
        WLFMT_NOINLINE iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator!=(const iterator& a, const sub_operation_iterator& end) noexcept { return a.at_ != end; }

    private:
        sub_operation_iterator at_;
    };

    iterator begin() const noexcept { return iterator(list_); }
    sub_operation_iterator end() const noexcept { return {}; }

private:
    const oplog::sub_operation_list& list_;
};

template <class Kernel = kernel>
nested_operations<Kernel> nested_operations_of(const oplog::operation& op) noexcept {
    return nested_operations<Kernel>(op);
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
