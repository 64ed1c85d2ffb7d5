// The iterators and lists meet the concepts of C++20. This is only compiled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string_view>

#include <type_traits>
#include <unordered_set>
#include <utility>

#include <wlfmt/wlfmt.hpp>

namespace {

namespace oplog = wlfmt::oplog;
using chosen = oplog::chosen_sub_operations<oplog::fields::group>;

static_assert(std::input_iterator<oplog::reader::iterator>);
static_assert(std::input_iterator<std::ranges::iterator_t<oplog::sub_operation_list>>);
static_assert(std::input_iterator<std::ranges::iterator_t<chosen>>);
static_assert(std::forward_iterator<std::ranges::iterator_t<oplog::shape>>);
static_assert(std::forward_iterator<std::ranges::iterator_t<oplog::attribute_list>>);
static_assert(std::ranges::input_range<oplog::reader>);
static_assert(std::ranges::input_range<const oplog::sub_operation_list>);
static_assert(std::ranges::input_range<const chosen>);
static_assert(std::ranges::forward_range<const oplog::shape>);
static_assert(std::ranges::forward_range<const oplog::attribute_list>);

static_assert(std::ranges::view<wlfmt::text_view> && std::ranges::borrowed_range<wlfmt::text_view>);
static_assert(std::ranges::view<oplog::shape> && std::ranges::borrowed_range<oplog::shape>);
static_assert(!std::ranges::view<oplog::attribute_list> && std::ranges::borrowed_range<oplog::attribute_list>);
static_assert(!std::ranges::view<oplog::sub_operation_list> && std::ranges::borrowed_range<oplog::sub_operation_list>);
static_assert(std::ranges::borrowed_range<chosen>);
static_assert(std::ranges::view<wlfmt::workload::words> && std::ranges::borrowed_range<wlfmt::workload::words>);
static_assert(std::ranges::view<wlfmt::workload::index_list>);
static_assert(!std::ranges::view<wlfmt::workload::entry_list>);
static_assert(std::ranges::borrowed_range<wlfmt::workload::entry_list>);
static_assert(std::ranges::borrowed_range<wlfmt::table::frame_list>);
static_assert(!std::ranges::borrowed_range<wlfmt::item_list<wlfmt::table::cell>>);
// A part of a record is a view of the text, not of the record.
static_assert(
    std::is_same_v<decltype(std::views::all(std::declval<const oplog::operation&>().description)), wlfmt::text_view>);
std::unordered_set<wlfmt::text_view> names;
static_assert(std::regular<wlfmt::problem> && std::regular<wlfmt::number> && std::regular<wlfmt::text_view>);
static_assert(std::regular<oplog::shape> && std::regular<oplog::operation> && std::regular<oplog::sub_operation>);
static_assert(std::regular<wlfmt::value> && std::regular<wlfmt::value_text> && std::regular<wlfmt::table::cell>);
static_assert(std::regular<wlfmt::workload::layer> && std::regular<wlfmt::workload::phase>);

}  // namespace

std::ptrdiff_t search(const oplog::operation& op) {
    const auto found = std::ranges::find(op.sub_operations, "broadcast", &oplog::sub_operation::comm_func);
    const std::ptrdiff_t more = found != op.sub_operations.end() && found->group == "tp" ? 1 : 0;
    const auto is_long = [](const oplog::sub_operation& s) { return s.duration.value_or(0.0) > 1; };
    return more + std::ranges::count_if(op.input_shape, [](std::int64_t dim) { return dim > 3; }) +
           std::ranges::count_if(op.sub_operations, is_long) +
           std::ranges::count(op.attributes, "cmd_uid", &oplog::attribute::key);
}
