// What the three readers say of a text. Each function below is differential/read.cpp, compiled for one way of reading.
#ifndef WLFMT_FUZZ_DIFFERENTIAL_READING_HPP
#define WLFMT_FUZZ_DIFFERENTIAL_READING_HPP

#include <string>
#include <string_view>

namespace fuzz {

struct reading {
    std::string format;   // what detect() and find_prefix() say
    std::string usual;    // records, where they and their fields are, errors, warnings, of all three formats
    std::string lenient;  // the same with options::lenient
    std::string written;  // whole documents, as text and as JSON
    // What only() decodes: all of it in `chosen_exactly`, with its errors, for ways of reading that have the same
    // paths; in `chosen` without what may differ between the plain and the slow paths.
    std::string chosen;
    std::string chosen_exactly;
};

// `option_bits`: 1 strict, 4 no callback, 8 any prefix, 16 a given prefix.
reading read_by_default(std::string_view text, unsigned option_bits);
reading read_portably(std::string_view text, unsigned option_bits);       // WLFMT_NO_SIMD
reading read_on_slow_paths(std::string_view text, unsigned option_bits);  // WLFMT_NO_FAST_PATHS

}  // namespace fuzz

#endif
