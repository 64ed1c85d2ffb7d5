// A view of another library, which is declared to be a reference to a text. The declaration has to be in a namespace
// around that of the library, and topics are in namespaces of their own where several are compiled as one source.
#ifndef WLFMT_TESTS_OTHER_VIEW_HPP
#define WLFMT_TESTS_OTHER_VIEW_HPP

#include <cstddef>
#include <string_view>

#include <wlfmt/types/text.hpp>

namespace test {

struct other_view {
    const char* bytes;
    std::size_t size;
    operator std::string_view() const { return {bytes, size}; }
};

}  // namespace test

template <> inline constexpr bool wlfmt::is_text_reference<test::other_view> = true;

#endif
