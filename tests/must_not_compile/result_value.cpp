// must not compile: no member|has no member
#include <wlfmt/workload.hpp>

// In the standard library it would throw on an error; here the caller says that a part of the document will do.
std::size_t count(std::string_view text) {
#ifdef FIXED
    return wlfmt::workload::read(text).partial().size();
#else
    return wlfmt::workload::read(text).value().size();
#endif
}
