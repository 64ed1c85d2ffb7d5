// What the two translation units know of each other: nothing of wlfmt, as their copies of it may differ.
#include <cstddef>
#include <string_view>

// Layers of a workload file, counted in b.cpp.
std::size_t layers_in_b(std::string_view text);

// The address of wlfmt's explain() as b.cpp links it.
using function = void (*)();
function explain_in_b();
