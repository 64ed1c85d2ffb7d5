// Differences as lines, for people and for programs.
#ifndef WLFMT_DETAIL_DIFF_WRITE_HPP
#define WLFMT_DETAIL_DIFF_WRITE_HPP

#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "../../types/diff.hpp"
#include "../../types/error.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../json/line.hpp"
#include "../number/write.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

template <class Sink>
error diff_write(Sink&& sink, const diff::difference& d) {
    out<std::remove_reference_t<Sink>> to(sink);
    to.text(diff::name_of(d.change));
    to.text(d.change == diff::change::added ? "    " : "  ");
    to.text(d.item);
    if (!d.field.empty()) {
        to.literal("  ");
        to.text(d.field);
        to.literal("  ");
        to.text(d.before.empty() ? std::string_view("nothing") : std::string_view(d.before));
        to.literal(" -> ");
        to.text(d.after.empty() ? std::string_view("nothing") : std::string_view(d.after));
    } else if (d.change == diff::change::changed) {
        to.literal("  ");
        to.text(d.before);
        to.literal(" -> ");
        to.text(d.after);
    }
    if (d.ratio != 0) {
        to.text(d.ratio > 0 ? "  +" : "  -");
        char digits[max_fixed_chars];
        to.text({digits, static_cast<std::size_t>(write_fixed(digits, std::fabs(d.ratio) * 100, 1) - digits)});
        to.literal(" %");
    }
    to.put('\n');
    return to.finish() ? error() : sink_error();
}

template <class Sink, class More>
error diff_write_json(Sink&& sink, const diff::difference& d, const More& more) {
    out<std::remove_reference_t<Sink>> to(sink);
    json_line<std::remove_reference_t<Sink>> line(to);
    line.open('{');
    line.key("change").string(diff::name_of(d.change));
    line.key("item").string(d.item);
    line.key("field");
    d.field.empty() ? line.null() : line.string(d.field);
    line.key("before");
    d.before.empty() ? line.null() : line.value(std::string_view(d.before));
    line.key("after");
    d.after.empty() ? line.null() : line.value(std::string_view(d.after));
    line.key("ratio");
    d.ratio == 0 ? line.null() : line.decimal(d.ratio);
    line.key("effect").decimal(d.effect);
    more(line);
    line.close('}');
    line.end_line();
    return to.finish() ? error() : sink_error();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
