// Texts of JSON.
#ifndef WLFMT_ANALYSIS_JSON_HPP
#define WLFMT_ANALYSIS_JSON_HPP

#include <string>
#include <string_view>

#include <wlfmt/json/line.hpp>

namespace wlfmt::analysis {

// A string of JSON, with its quotes.
inline std::string json_text(std::string_view s) {
    std::string text;
    json::line line(text);
    line.string(s);
    static_cast<void>(line.finish());
    return text;
}

}  // namespace wlfmt::analysis

#endif
