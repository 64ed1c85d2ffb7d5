// Compiled with each of two versions of the headers. The macro WLFMT_TEST_LIBRARY, `earlier` or `present`, names the
// function that shows which types and functions that version has.
#include "library.hpp"

#include <type_traits>
#include <utility>

#include <wlfmt/wlfmt.hpp>

namespace {

std::size_t records(std::string_view text) {
    const auto log = wlfmt::oplog::read(text);
    const auto file = wlfmt::workload::read(text);
    const auto profile = wlfmt::table::read(text);
    return log->operations.size() + file->layers.size() + profile->tables.size();
}

#define WLFMT_QUOTED_(a) #a
#define WLFMT_QUOTED(a) WLFMT_QUOTED_(a)
constexpr const char* version =
    WLFMT_QUOTED(WLFMT_VERSION_MAJOR) "." WLFMT_QUOTED(WLFMT_VERSION_MINOR) "." WLFMT_QUOTED(WLFMT_VERSION_PATCH);

}  // namespace

template <class T> inline char variable_of = 0;

// If the versions shared a type, both libraries would define this function, and the program would not link.
std::size_t size_of_prefix(const wlfmt::options& options);
std::size_t size_of_prefix(const wlfmt::options& options) { return options.prefix.size(); }

// Earlier versions call it `error`.
using problem = std::decay_t<decltype(std::declval<wlfmt::oplog::reader&>().error())>;

library WLFMT_TEST_LIBRARY() {
    return {version,
            {{"error", &variable_of<problem>},
             {"number", &variable_of<wlfmt::number>},
             {"options", &variable_of<wlfmt::options>},
             {"oplog::operation", &variable_of<wlfmt::oplog::operation>},
             {"oplog::reader", &variable_of<wlfmt::oplog::reader>},
             {"oplog::sub_operation", &variable_of<wlfmt::oplog::sub_operation>},
             {"table::cell", &variable_of<wlfmt::table::cell>},
             {"table::reader", &variable_of<wlfmt::table::reader>},
             {"table::row", &variable_of<wlfmt::table::row>},
             {"workload::header", &variable_of<wlfmt::workload::header>},
             {"workload::layer", &variable_of<wlfmt::workload::layer>},
             {"workload::reader", &variable_of<wlfmt::workload::reader>}},
            reinterpret_cast<any_function>(static_cast<wlfmt::file_format (*)(std::string_view)>(&wlfmt::detect)),
            records};
}
