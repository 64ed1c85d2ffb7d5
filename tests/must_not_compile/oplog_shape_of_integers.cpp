// must not compile: deleted|no match|no viable|no matching|narrowing|cannot convert|invalid initialization
// each CALL: shape().dims() taken(std::vector<std::uint64_t>{1}) taken(std::vector<bool>{true})
// taken(std::vector<char>{'1'}) taken(std::vector<double>{1}) taken({2.5})
#include <cstdint>
#include <vector>
#include <wlfmt/oplog.hpp>

wlfmt::oplog::shape shape();
void taken(const wlfmt::oplog::shape& shape);

void give() {
#ifdef FIXED
    const wlfmt::oplog::shape four = shape();
    taken({four.dims(), four.size()});
#else
    static_cast<void>(CALL);
#endif
}
