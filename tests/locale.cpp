// The user's locale makes no difference: with a decimal comma, reading and writing give the same bytes.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>

#include "oplog_support.hpp"
#include "support.hpp"

namespace {

// The result of reading and writing every op log: texts, the bytes of values, and problems as they are printed.
std::string everything() {
    std::string all;
    for (const std::string& name : test::oplog_files()) {
        const std::string text = test::data(name);
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            const test::reading got = test::read_on(text, how);
            all += test::written(got.records);
            for (const auto& e : got.errors) all += explain(e, text, wlfmt::in_file(name));
            for (const auto& op : got.records)
                for (const double value : {op.duration.value_or(-1.0), op.timestamp.value_or(-1.0)})
                    all.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
    }
    auto op = wlfmt::oplog::operation::traced(1234567, "x");
    op.duration = 1234567.25;
    op.timestamp = 1e-7;
    op.stage_id = 1234567;
    return all + test::written(op);
}

}  // namespace

TEST_CASE("a decimal comma changes nothing") {
    const std::string before = everything();
    CHECK(before.find("rank:1234567:x(stage_id=1234567,batch_id=None,mg_state=None,duration=1234567.25,") !=
          std::string::npos);
    std::string under;
    {
        const test::comma_locale comma;
        if (!test::comma_locale::c_library())
            MESSAGE("no C locale with a decimal comma here: the C++ one alone is tried");
        under = everything();
    }
    const bool same = under == before;
    CHECK(same);
}
