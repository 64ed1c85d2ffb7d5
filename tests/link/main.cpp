// Sources that are compiled in different ways make one program, and say the same of the same files.
// usage: PROGRAM DATA_FOLDER [UNIT]: with a name of one of the two units of check.sh, prints what that unit says.
#include "unit.hpp"

#include <cstdio>

namespace {

struct unit {
    const char* name;
    std::string (*run)(const std::string& folder);
};
constexpr unit units[] = {
#if defined(WLFMT_TEST_LEVELS)
    {"older", older},
    {"newer", newer},
#else
    {"plain", plain},
    {"portable", portable},
#endif
#if defined(WLFMT_TEST_INEXACT)
    {"inexact", inexact},
#endif
#if defined(WLFMT_TEST_CHARCONV)
    {"charconv", charconv},
#endif
};

int failures = 0;

void check(bool holds, const char* what, const char* unit) {
    if (holds) return;
    std::printf("%s: %s\n", unit, what);
    ++failures;
}

}  // namespace

#if defined(WLFMT_TEST_LEVELS)
int main(int count, char** arguments) {
    for (const unit& u : units) {
        if (count < 3 || std::string(arguments[2]) != u.name) continue;
        const std::string text = u.run(arguments[1]);
        std::fwrite(text.data(), 1, text.size(), stdout);
        check(text.size() > 10000, "says nothing", u.name);
    }
    return failures == 0 ? 0 : 1;
}
#else
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : ".";
    const std::string expected = plain(folder);
    for (const unit& u : units) {
        const std::string text = u.run(folder);
        check(text.size() > 10000, "cannot read, edit or write", u.name);
        check(text == expected, "says something else", u.name);
    }

    const documents by_hand = documents_by_hand();
    std::string text;
    check(!write(text, by_hand.oplog) && !write(text, by_hand.workload) && !write(text, by_hand.table),
          "does not write records made with the types alone", "plain");
    check(text ==
              "rank:3:step(duration=1.5,sub_operations=['duration=0.25,comm_func=allreduce'])\n"
              "MICRO\n1\nlayer\t-1\t10\tALLREDUCE\t4096\t0\tNONE\t0\t0\tNONE\t0\t0\n"
              "--------  ------------  \n    Name    # of Calls  \n--------  ------------  \n"
              "    gemm             7  \n--------  ------------  \n",
          "writes records made with the types alone as something else", "plain");
    check(total_by_hand(by_hand) == 1.5 + 10 + 7, "the types alone add up to another sum", "plain");
    return failures == 0 ? 0 : 1;
}
#endif
