// The columns that PyTorch and its forks have printed: what each of them measures, whatever a version calls it.
//
// From torch/autograd/profiler.py (0.4 to 1.7) and torch/autograd/profiler_util.py (since 1.8), the forks for XPU, HPU,
// NPU and MUSA, and tables that people have published. docs/formats.md, 3.8, lists them.
#ifndef WLFMT_DETAIL_TABLE_COLUMNS_HPP
#define WLFMT_DETAIL_TABLE_COLUMNS_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "../../types/table.hpp"
#include "../base/build.hpp"
#include "cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// One column, or one for each device. `*` in a name is the device's, `+` is one of the prefixes of `column_scales`.
struct column_row {
    std::string_view printed;
    table::quantity quantity;
    std::string_view name;         // its canonical name; for the processor, if `printed` has a device
    std::string_view device_name;  // the same for every other device
    bool own = false;
    bool average = false;
};

struct column_scale {
    std::string_view prefix;
    double factor;
};

template <class Build> struct table_columns {
    using q = table::quantity;
    static constexpr typename lazily<Build, column_row>::type rows[] = {
        {"Name", q::name, "name", {}},
        {"Self * %", q::time, "self_cpu_time_percent", "self_device_time_percent", true},
        {"Self *", q::time, "self_cpu_time_us", "self_device_time_us", true},
        {"* total %", q::time, "cpu_time_percent", "device_time_percent"},
        {"* total", q::time, "cpu_time_us", "device_time_us"},
        {"* time avg", q::time, "cpu_time_avg_us", "device_time_avg_us", false, true},
        {"# of Calls", q::calls, "calls", {}},
        {"* Mem", q::memory, "cpu_memory_bytes", "device_memory_bytes"},
        {"Self * Mem", q::memory, "self_cpu_memory_bytes", "self_device_memory_bytes", true},
        {"Overload Name", q::overload_name, "overload_name", {}},
        {"Node ID", q::node_id, "node_id", {}},
        {"Input Shapes", q::input_shapes, "input_shapes", {}},
        {"Source Location", q::source, "source", {}},
        {"Total +FLOPs", q::flops, "flops", {}},
        // pytorch/pytorch#161965.
        {"Full Name", q::full_name, "full_name", {}},
        // PyTorch 1.8: a rate, for the device's time where there is one.
        {"+FLOPS", q::flops_rate, "flops_per_second", {}},
        // pytorch/pytorch#56974.
        {"+FLOPS/s", q::flops_rate, "flops_per_second", {}},
        // PyTorch 1.1 to 1.5.
        {"Self * total %", q::time, "self_cpu_time_percent", "self_device_time_percent", true},
        {"Self * total", q::time, "self_cpu_time_us", "self_device_time_us", true},
        {"Number of Calls", q::calls, "calls", {}},
        // To PyTorch 1.0.
        {"* time", q::time, "cpu_time_avg_us", "device_time_avg_us", false, true},
        {"Calls", q::calls, "calls", {}},
        // Tables that were copied by hand, or made by programs that print PyTorch's events themselves.
        {"# Calls", q::calls, "calls", {}},
        // The lines after a table.
        {"Self * time total", q::time, "self_cpu_time_us", "self_device_time_us", true},
        {"* time total", q::time, "cpu_time_us", "device_time_us"},
    };
    static constexpr typename lazily<Build, column_scale>::type scales[] = {{"", 1},    {"K", 1e3},  {"M", 1e6},
                                                                            {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};

    static table::column_meaning meaning_of(std::string_view printed) noexcept {
        table::column_meaning m;
        for (const column_row& row : rows) {
            if (!fits(row, printed, m)) continue;
            m.quantity = row.quantity;
            m.name = m.device.empty() || m.device == "CPU" ? row.name : row.device_name;
            m.own = row.own;
            m.average = row.average;
            break;
        }
        return m;
    }

    // The name of a column or a total as PyTorch prints it, for one in which a browser or an editor has made no-break
    // spaces of spaces; `printed` if it is none of PyTorch's, or of another device.
    WLFMT_COLD static std::string_view spelled(std::string_view printed) noexcept {
        constexpr std::string_view no_break = "\xC2\xA0"sv;
        if (printed.find(no_break) == std::string_view::npos) return printed;
        static constexpr spelled_names all;
        for (const spelled_name& one : all.names) {
            const std::string_view name(one.bytes, one.size);
            std::size_t at = 0;
            std::size_t n = 0;
            for (; n != name.size() && at != printed.size(); ++n) {
                const bool wide = name[n] == ' ' && printed.substr(at, 2) == no_break;
                if (!wide && printed[at] != name[n]) break;
                at += wide ? 2 : 1;
            }
            if (n == name.size() && at == printed.size() && n != 0) return name;
        }
        return printed;
    }
    // Whether a name is one of the canonical ones, which say their unit.
    static bool is_canonical(std::string_view name) noexcept {
        for (const column_row& row : rows)
            if (row.name == name || (!row.device_name.empty() && row.device_name == name)) return true;
        return name == device_heading;
    }
    // The name of a column in CSV and in comparisons: one of the canonical ones, or the printed one with its unit.
    static std::string heading(const table::column& c) {
        std::string text(c.name);
        return is_canonical(c.name) ? text : text.append(row_of(c.unit).heading);
    }
    // The column of canonical tables that names the device.
    static constexpr std::string_view device_heading = "device"sv;

private:
    struct spelled_name {
        char bytes[32] = {};
        std::size_t size = 0;
        constexpr void add(std::string_view s) noexcept {
            for (const char c : s) bytes[size++] = c;
        }
    };
    static constexpr std::string_view devices[] = {"CPU"sv, "CUDA"sv, "XPU"sv,  "HPU"sv,
                                                   "NPU"sv, "MTIA"sv, "MUSA"sv, "PRIVATEUSE1"sv};
    // The names with a blank, for each device.
    struct spelled_names {
        spelled_name names[std::size(rows) * std::size(devices)];
        constexpr spelled_names() noexcept : names{} {
            std::size_t n = 0;
            for (const column_row& row : rows)
                for (const std::string_view device : devices) {
                    const std::size_t hole = row.printed.find('*');
                    if (row.printed.find(' ') == std::string_view::npos ||
                        row.printed.find('+') != std::string_view::npos)
                        continue;
                    if (hole == std::string_view::npos && device != "CPU") continue;
                    names[n].add(row.printed.substr(0, hole));
                    if (hole != std::string_view::npos) {
                        names[n].add(device);
                        names[n].add(row.printed.substr(hole + 1));
                    }
                    ++n;
                }
        }
    };

    // Compares the name with a row's, and takes what is in the place of `*` or `+`.
    static bool fits(const column_row& row, std::string_view printed, table::column_meaning& m) noexcept {
        const std::size_t hole = row.printed.find_first_of("*+");
        if (hole == std::string_view::npos) return printed == row.printed;
        const std::size_t after = row.printed.size() - hole - 1;
        if (printed.size() < hole + after || printed.substr(0, hole) != row.printed.substr(0, hole) ||
            printed.substr(printed.size() - after) != row.printed.substr(hole + 1))
            return false;
        const std::string_view held = printed.substr(hole, printed.size() - hole - after);
        if (row.printed[hole] == '*') {
            if (!is_device(held)) return false;
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
    // PyTorch prints the name of a device in capitals: a backend of one's own may have any name.
    static bool is_device(std::string_view s) noexcept {
        if (s == "PrivateUse1") return true;
        if (s.empty() || s.front() < 'A' || s.front() > 'Z') return false;
        for (const char c : s)
            if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
        return true;
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
