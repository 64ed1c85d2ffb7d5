// A library that has a wlfmt of its own: the same source, compiled with two versions of the headers, makes the two
// libraries of the program in main.cpp.
#ifndef WLFMT_TESTS_VERSIONS_LIBRARY_HPP
#define WLFMT_TESTS_VERSIONS_LIBRARY_HPP

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

using any_function = void (*)();

struct library {
    const char* version;
    // The name and the address of a variable for each type that programs exchange. Two types of one name, as the linker
    // sees it, have one variable.
    std::vector<std::pair<const char*, const void*>> types;
    any_function detect;
    // How many operations, layers and tables the text has.
    std::size_t (*records)(std::string_view text);
};

library earlier();
library present();

#endif
