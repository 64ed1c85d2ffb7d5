// must not compile: returns what wlfmt cannot read
#include <cstddef>
#include <system_error>
#include <wlfmt/workload.hpp>

struct socket {
#ifdef FIXED
    bool append(const char*, std::size_t size);
#else
    std::error_code append(const char*, std::size_t size);
#endif
};

bool send(socket& to, const wlfmt::workload::document& doc) { return !wlfmt::workload::write(to, doc); }
