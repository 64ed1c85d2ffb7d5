// must not compile: deleted
#include <string>
#include <wlfmt/report.hpp>

void entitle(wlfmt::report::options& how) {
#ifdef FIXED
    how.title = "run 7";
#else
    how.title = std::string("run 7");
#endif
}
