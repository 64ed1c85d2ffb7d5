// The parallel groups of a workload file.
#ifndef WLFMT_PYTHON_GROUPS_HPP
#define WLFMT_PYTHON_GROUPS_HPP

#include "object.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "convert.hpp"
#include "finding.hpp"

namespace wlfmt_python {

// The enumerator of this name among the first `count` ones.
template <class Enum> std::optional<Enum> enumerator_of(std::string_view name, std::size_t count) {
    for (std::size_t n = 0; n != count; ++n)
        if (name_of(static_cast<Enum>(n)) == name) return static_cast<Enum>(n);
    return std::nullopt;
}
inline std::optional<wlfmt::parallelism::group> group_of_name(const char* name) {
    const auto found = enumerator_of<wlfmt::parallelism::group>(name, wlfmt::parallelism::group_count);
    if (!found) PyErr_Format(PyExc_ValueError, "'%s' is no group of ranks", name);
    return found;
}
// Returns false, with an exception, if the text of a workload file does not say the sizes.
inline bool read_sizes(PyObject* text, wlfmt::parallelism::sizes& to) {
    std::string header;
    if (!take_bytes(text, header)) return false;
    wlfmt::workload::reader file(header);
    const auto found = wlfmt::parallelism::sizes_of(file.header(), header);
    if (found->known()) {
        to = *found;
        return true;
    }
    raise(finding(found.error(), header, "<workload>", wlfmt::severity::error));
    return false;
}

// sizes(text) -> the number of ranks, and of those in a group of each kind
inline PyObject* sizes(PyObject*, PyObject* text) {
    return guarded([&]() -> PyObject* {
        wlfmt::parallelism::sizes s;
        if (!read_sizes(text, s)) return nullptr;
        return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L}", "ranks", static_cast<long long>(s.ranks), "tensor_parallel",
                             static_cast<long long>(s.tensor), "data_parallel", static_cast<long long>(s.data),
                             "expert_parallel", static_cast<long long>(s.expert), "expert_data_parallel",
                             static_cast<long long>(s.expert_data), "pipeline_parallel",
                             static_cast<long long>(s.pipeline));
    });
}
// members(text, group, rank) -> the ranks of the group that the rank is in
inline PyObject* members(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* text = nullptr;
        const char* group = nullptr;
        long long rank = 0;
        wlfmt::parallelism::sizes s;
        if (PyArg_ParseTuple(args, "OsL", &text, &group, &rank) == 0 || !read_sizes(text, s)) return nullptr;
        const auto kind = group_of_name(group);
        if (!kind) return nullptr;
        return list_of(wlfmt::parallelism::layout(s).ranks_with(*kind, rank),
                       [](std::int64_t member) { return number_of(static_cast<std::uint64_t>(member)); })
            .release();
    });
}
// group_of(phase, collective) -> the name of the group that the collective runs in, or None
inline PyObject* group_of(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        const char* phase = nullptr;
        const char* token = nullptr;
        if (PyArg_ParseTuple(args, "ss", &phase, &token) == 0) return nullptr;
        const auto in = enumerator_of<wlfmt::parallelism::phase>(phase, wlfmt::parallelism::phase_count);
        if (!in) {
            PyErr_Format(PyExc_ValueError, "'%s' is no phase of a layer", phase);
            return nullptr;
        }
        const auto found = wlfmt::parallelism::group_of(*in, wlfmt::workload::communication_of(token));
        if (found) return text_of(name_of(*found)).release();
        Py_IncRef(Py_None);
        return Py_None;
    });
}

}  // namespace wlfmt_python

#endif
