// The names of PyTorch's columns, and what each of them measures.
#ifndef WLFMT_DETAIL_TABLE_NAMES_HPP
#define WLFMT_DETAIL_TABLE_NAMES_HPP

#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The columns that PyTorch and its forks have printed, and what each measures: those of torch/autograd/profiler.py (0.4
// to 1.7), torch/autograd/profiler_util.py (since 1.8), the forks for XPU, HPU, NPU and MUSA, and published tables.
// docs/formats.md, 7.1, lists them.

// A column, or one for each device. In names, `*` is the device, and `+` a prefix of table_columns::scales.
struct column_row {
    std::string_view printed;
    table::quantity quantity;
    std::string_view name;         // the canonical name; if `printed` has a `*`, that of the processor's column
    std::string_view device_name;  // the canonical name of the columns of every other device
    bool self = false;
    bool average = false;
};

struct device_row {
    std::string_view printed;
    std::string_view name;     // the device's name in canonical tables
    std::string_view columns;  // the printed names of its columns, separated by zero bytes
};
// The names of a device's columns, from all rows with a `*`. Joined by the preprocessor, they cost no compile time.
#define WLFMT_COLUMNS_OF(device)                                                                             \
    "Self " device " %\0Self " device "\0" device " total %\0" device " total\0" device " time avg\0" device \
    " Mem\0"                                                                                                 \
    "Self " device " Mem\0Self " device " total %\0Self " device " total\0" device                           \
    " time\0"                                                                                                \
    "Self " device " time total\0" device " time total"

// Which part of a column's name a text is.
enum class part_of_name : std::uint8_t { none, beginning, whole };

// `*` in `printed` matches any device, and `+` any prefix of a unit. The text may have no-break spaces, into which
// browsers and editors turn spaces.
inline part_of_name compare_name(std::string_view text, std::string_view printed) noexcept {
    if (text == printed) return part_of_name::whole;
    std::size_t at = 0;
    for (const char c : printed) {
        if (at == text.size()) return part_of_name::beginning;
        if (c == '*') {
            if (text[at] < 'A' || text[at] > 'Z') return part_of_name::none;
            while (at != text.size() && is_name(text[at])) ++at;
        } else if (c == '+') {
            at += is_among(text[at], "KMGTP") ? 1U : 0U;
        } else if (c == ' ' && text.substr(at, 2) == no_break_space) {
            at += 2;
        } else if (text[at++] != c) {
            return part_of_name::none;
        }
    }
    return at == text.size() ? part_of_name::whole : part_of_name::none;
}

struct column_scale {
    std::string_view prefix;
    double factor;
};

struct table_columns {
    using q = table::quantity;
    static constexpr column_row rows[] = {
        {"Name"sv, q::name, "name"sv, {}},
        {"Self * %"sv, q::time, "self_cpu_time_percent"sv, "self_device_time_percent"sv, true},
        {"Self *"sv, q::time, "self_cpu_time_us"sv, "self_device_time_us"sv, true},
        {"* total %"sv, q::time, "cpu_time_percent"sv, "device_time_percent"sv},
        {"* total"sv, q::time, "cpu_time_us"sv, "device_time_us"sv},
        {"* time avg"sv, q::time, "cpu_time_avg_us"sv, "device_time_avg_us"sv, false, true},
        {"# of Calls"sv, q::calls, "calls"sv, {}},
        {"* Mem"sv, q::memory, "cpu_memory_bytes"sv, "device_memory_bytes"sv},
        {"Self * Mem"sv, q::memory, "self_cpu_memory_bytes"sv, "self_device_memory_bytes"sv, true},
        {"Overload Name"sv, q::overload_name, "overload_name"sv, {}},
        {"Node ID"sv, q::node_id, "node_id"sv, {}},
        {"Input Shapes"sv, q::input_shapes, "input_shapes"sv, {}},
        {"Source Location"sv, q::source, "source"sv, {}},
        {"Total +FLOPs"sv, q::flops, "flops"sv, {}},
        {"Full Name"sv, q::full_name, "full_name"sv, {}},         // pytorch/pytorch#161965
        {"+FLOPS"sv, q::flops_rate, "flops_per_second"sv, {}},    // PyTorch 1.8: a rate, of device time if there is any
        {"+FLOPS/s"sv, q::flops_rate, "flops_per_second"sv, {}},  // pytorch/pytorch#56974
        // PyTorch 1.1 to 1.5.
        {"Self * total %"sv, q::time, "self_cpu_time_percent"sv, "self_device_time_percent"sv, true},
        {"Self * total"sv, q::time, "self_cpu_time_us"sv, "self_device_time_us"sv, true},
        {"Number of Calls"sv, q::calls, "calls"sv, {}},
        // Up to PyTorch 1.0.
        {"* time"sv, q::time, "cpu_time_avg_us"sv, "device_time_avg_us"sv, false, true},
        {"Calls"sv, q::calls, "calls"sv, {}},
        // Tables that were copied by hand, or that programs made from PyTorch's events.
        {"# Calls"sv, q::calls, "calls"sv, {}},
        // The totals below a table.
        {"Self * time total"sv, q::time, "self_cpu_time_us"sv, "self_device_time_us"sv, true},
        {"* time total"sv, q::time, "cpu_time_us"sv, "device_time_us"sv},
    };
    static constexpr column_scale scales[] = {{""sv, 1},    {"K"sv, 1e3},  {"M"sv, 1e6},
                                              {"G"sv, 1e9}, {"T"sv, 1e12}, {"P"sv, 1e15}};

    static constexpr device_row devices[] = {
        {"CPU"sv, "cpu"sv, WLFMT_COLUMNS_OF("CPU") ""sv},
        {"CUDA"sv, "cuda"sv, WLFMT_COLUMNS_OF("CUDA") ""sv},
        {"XPU"sv, "xpu"sv, WLFMT_COLUMNS_OF("XPU") ""sv},
        {"HPU"sv, "hpu"sv, WLFMT_COLUMNS_OF("HPU") ""sv},
        {"NPU"sv, "npu"sv, WLFMT_COLUMNS_OF("NPU") ""sv},
        {"MTIA"sv, "mtia"sv, WLFMT_COLUMNS_OF("MTIA") ""sv},
        {"MUSA"sv, "musa"sv, WLFMT_COLUMNS_OF("MUSA") ""sv},
        {"PRIVATEUSE1"sv, "privateuse1"sv, WLFMT_COLUMNS_OF("PRIVATEUSE1") ""sv},
    };
#undef WLFMT_COLUMNS_OF

    static table::column_meaning meaning_of(std::string_view printed) noexcept {
        table::column_meaning m;
        if (printed.find(no_break_space) != std::string_view::npos) return m;
        for (const column_row& row : rows) {
            if (compare_name(printed, row.printed) != part_of_name::whole || !read_placeholder(row, printed, m))
                continue;
            m.quantity = row.quantity;
            m.name = m.device.empty() || m.device == "CPU" ? row.name : row.device_name;
            m.self = row.self;
            m.average = row.average;
            break;
        }
        return m;
    }

    // The printed name with spaces in place of a browser's or editor's no-break spaces, if it is one of PyTorch's.
    WLFMT_COLD static std::string_view spelled(std::string_view printed) noexcept {
        if (printed.find(no_break_space) == std::string_view::npos) return printed;
        for (const column_row& row : rows)
            if (hole_of(row) == std::string_view::npos && compare_name(printed, row.printed) == part_of_name::whole)
                return row.printed;
        for (const device_row& device : devices)
            for (std::string_view rest = device.columns; !rest.empty();) {
                const std::string_view name = rest.substr(0, rest.find('\0'));
                if (compare_name(printed, name) == part_of_name::whole) return name;
                rest.remove_prefix(name.size() == rest.size() ? rest.size() : name.size() + 1);
            }
        for (const std::string_view flops : {"Total FLOPs"sv, "Total KFLOPs"sv, "Total MFLOPs"sv, "Total GFLOPs"sv,
                                             "Total TFLOPs"sv, "Total PFLOPs"sv})
            if (compare_name(printed, flops) == part_of_name::whole) return flops;
        return printed;
    }
    // Whether a name is canonical, and so already says its unit.
    static bool is_canonical(std::string_view name) noexcept {
        for (const column_row& row : rows)
            if (row.name == name || (!row.device_name.empty() && row.device_name == name)) return true;
        return name == device_heading;
    }
    // The name of a column in CSV and in comparisons: the canonical name, or the printed one with its unit.
    static std::string heading(const table::column& c) {
        std::string text(c.name);
        return is_canonical(c.name) ? text : text.append(row_of(c.unit).heading);
    }
    static constexpr std::string_view device_heading = "device"sv;

private:
    static constexpr std::size_t hole_of(const column_row& row) noexcept { return row.printed.find_first_of("*+"); }
    // Sets the device or scale that a name has in place of the row's `*` or `+`. Returns false if it is neither.
    static bool read_placeholder(const column_row& row, std::string_view printed, table::column_meaning& m) noexcept {
        const std::size_t hole = hole_of(row);
        if (hole == std::string_view::npos) return true;
        const std::string_view held = printed.substr(hole, printed.size() + 1 - row.printed.size());
        if (row.printed[hole] == '*' && is_device(held)) {
            m.device = held;
            return true;
        }
        for (const column_scale& s : scales) {
            if (s.prefix != held) continue;
            m.scale = s.factor;
            return true;
        }
        return false;
    }
    // PyTorch prints names of devices in capitals. A program's own backend may have any name.
    static bool is_device(std::string_view s) noexcept {
        if (s == "PrivateUse1") return true;
        if (s.empty() || s.front() < 'A' || s.front() > 'Z') return false;
        for (const char c : s)
            if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
        return true;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
