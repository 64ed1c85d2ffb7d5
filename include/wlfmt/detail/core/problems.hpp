// Where a reader keeps its first error and hands on what it tolerates.
#ifndef WLFMT_DETAIL_CORE_PROBLEMS_HPP
#define WLFMT_DETAIL_CORE_PROBLEMS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../error.hpp"

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

struct problems {
    options how;
    const char* text = nullptr;  // offsets count from here
    error first;                 // the error that stopped the reader
    std::uint64_t tolerated = 0;

    // Says that [at, at + length) is wrong. True where the reader may go on: lenient, and the problem was handed on.
    WLFMT_COLD bool report(code what, const char* at, std::size_t length, std::string_view field,
                           std::int64_t found = 0, std::int64_t expected = 0) {
        const error e = make(what, at, length, field, found, expected);
        if (!how.lenient) {
            if (!first) first = e;
            return false;
        }
        ++tolerated;
        if (how.on_problem != nullptr) how.on_problem(how.context, e);
        return true;
    }

    // The same for what even a lenient reader cannot read: it stops.
    WLFMT_COLD void refuse(code what, const char* at, std::size_t length, std::string_view field,
                           std::int64_t found = 0, std::int64_t expected = 0) {
        if (!first) first = make(what, at, length, field, found, expected);
    }

private:
    error make(code what, const char* at, std::size_t length, std::string_view field, std::int64_t found,
               std::int64_t expected) const noexcept {
        error e;
        e.what = what;
        e.offset = static_cast<std::uint64_t>(at - text);
        e.length = length;
        e.field = field;
        e.found = found;
        e.expected = expected;
        return e;
    }
};

// A std::string about to be destroyed: what no reader may be bound to.
template <class S>
using if_temporary_string =
    std::enable_if_t<!std::is_lvalue_reference_v<S> && std::is_same_v<std::decay_t<S>, std::string>, int>;

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
