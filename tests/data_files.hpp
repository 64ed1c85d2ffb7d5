// The files of tests/data of one format.
#ifndef WLFMT_TESTS_DATA_FILES_HPP
#define WLFMT_TESTS_DATA_FILES_HPP

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

namespace test {

// The samples, and the small files of a folder of tests/data, in a fixed order.
template <std::size_t Count>
std::vector<std::string> data_files(const char* folder, const std::string_view (&samples)[Count]) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data_path(folder)))
        names.push_back(folder + ("/" + entry.path().filename().string()));
    std::sort(names.begin(), names.end());
    names.insert(names.begin(), samples, samples + Count);
    return names;
}

}  // namespace test

#endif
