// The colours and sizes of all pictures and pages: one table, for light and for dark screens.
#ifndef WLFMT_DETAIL_DRAW_THEME_HPP
#define WLFMT_DETAIL_DRAW_THEME_HPP

#include <string>
#include <string_view>

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// What a colour is for decides how much it must differ from the ground: text by 4.5:1, a mark by 3:1. Marks of one
// family are drawn side by side and must differ from each other for the colour-blind, too (tests/report/colours.py).
enum class colour_use : unsigned char { ground, text, mark };

struct colour_row {
    std::string_view name;  // the class of what has the colour
    std::string_view light;
    std::string_view dark;
    colour_use use;
    std::string_view family;  // of marks
};
inline constexpr colour_row colours[] = {
    {"ground", "#ffffff", "#14181b", colour_use::ground, ""},
    {"lane", "#f3f5f6", "#1c2226", colour_use::ground, ""},
    {"rule", "#d5dbdf", "#364047", colour_use::ground, ""},
    {"ink", "#1a2025", "#e6eaec", colour_use::text, ""},
    {"quiet", "#5a656d", "#9aa5ad", colour_use::text, ""},
    {"alarm", "#b23a08", "#ff9a5f", colour_use::text, ""},
    // Where time went: cool colours are useful, warm ones are waiting.
    {"work", "#125185", "#7199eb", colour_use::mark, "time"},
    {"transfer", "#0a96b9", "#5be1fd", colour_use::mark, "time"},
    {"stage", "#d24811", "#fb8b47", colour_use::mark, "time"},
    {"pipeline", "#a2794f", "#856840", colour_use::mark, "time"},
    {"gap", "#595959", "#636e73", colour_use::mark, "time"},
    {"unknown", "#8d8d90", "#aeaeae", colour_use::mark, "time"},
    {"forward", "#125185", "#4a84da", colour_use::mark, "phase"},
    {"backward", "#937de6", "#d8aad9", colour_use::mark, "phase"},
    {"weight", "#189e88", "#8de8a6", colour_use::mark, "phase"},
    {"tp", "#239ab0", "#83e3f4", colour_use::mark, "group"},
    {"dp", "#17247f", "#6c5fc4", colour_use::mark, "group"},
    {"exp", "#7b2d2f", "#cb3860", colour_use::mark, "group"},
    {"ep_dp", "#968f13", "#f2e583", colour_use::mark, "group"},
    {"self", "#125185", "#7199eb", colour_use::mark, "table"},
    {"total", "#758aab", "#5d739b", colour_use::mark, "table"},
};

inline std::string_view colour_of(std::string_view name, bool dark) noexcept {
    for (const colour_row& row : colours)
        if (row.name == name) return dark ? row.dark : row.light;
    return {};
}
// What is unknown is hatched, by a pattern of a picture or a page.
inline constexpr std::string_view hatching =
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect x=\"0\" y=\"0\" width=\"5\" height=\"5\" class=\"bare\"/>"
    "<rect x=\"0\" y=\"0\" width=\"2.5\" height=\"5\" class=\"stripe\"/></pattern></defs>";
// A rule of CSS for each colour, as the fill of what has its class.
inline std::string fill_rules(bool dark) {
    std::string to;
    for (const colour_row& row : colours)
        to.append(".").append(row.name).append("{fill:").append(dark ? row.dark : row.light).append("}");
    return to;
}

// Sizes in pixels.
struct sizes_of_type {
    static constexpr double title = 18;
    static constexpr double label = 13;
    static constexpr double small_text = 12;
    static constexpr double tiny = 9.5;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
