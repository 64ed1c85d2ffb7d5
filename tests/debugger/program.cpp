// What check.sh looks at in the debugger: stop() is called with a value of each kind.
#include <cstdint>
#include <string_view>
#include <vector>
#include <wlfmt/wlfmt.hpp>

namespace {

struct all {
    wlfmt::number missing;
    wlfmt::number none = nullptr;
    wlfmt::number integer = -3;
    wlfmt::number decimal = 8.3;
    wlfmt::number sentence{std::string_view("not measured")};
    wlfmt::value absent;
    wlfmt::value found{"1e2", 100.0};
    wlfmt::oplog::shape written{std::string_view("[2048, 2]")};
    wlfmt::oplog::shape given;
    wlfmt::oplog::sub_operation sub;
    wlfmt::table::cell cell{std::string_view("1.500ms")};
    wlfmt::item_list<wlfmt::number> numbers;
};

int stop(const all& of) { return static_cast<int>(of.numbers.size()); }

}  // namespace

int main() {
    const std::int64_t dims[] = {4, 7};
    all of;
    of.given = {dims, 2};
    of.sub.comm_func = "allreduce";
    of.sub.duration = 0.25;
    of.numbers = wlfmt::item_list<wlfmt::number>(std::vector<wlfmt::number>{1, 2.5, nullptr});
    return stop(of) == 3 ? 0 : 1;
}
