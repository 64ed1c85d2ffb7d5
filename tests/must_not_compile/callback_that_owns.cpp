// must not compile: holds a function or a small lambda
#include <string>
#include <wlfmt/workload.hpp>

// A callback holds its lambda as bytes, so that it allocates nothing: the lambda may own nothing.
wlfmt::options with_name(std::string& found) {
    wlfmt::options options;
#ifdef FIXED
    options.on_problem = [&found](const wlfmt::problem& e) { found += e.field; };
#else
    options.on_problem = [found](const wlfmt::problem& e) { static_cast<void>(found + std::string(e.field)); };
#endif
    return options;
}
