// The formats of files, and which files belong to one run.
#ifndef WLFMT_PYTHON_RUNS_HPP
#define WLFMT_PYTHON_RUNS_HPP

#include "object.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/arrow.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/wlfmt.hpp>

#include "convert.hpp"
#include "lock.hpp"
#include "read.hpp"

namespace wlfmt_python {

// formats(inputs) -> "oplog", "workload", "table", "unknown", "empty" or "unreadable" for each
inline PyObject* formats(PyObject*, PyObject* list) {
    return guarded([&]() -> PyObject* {
        std::vector<wlfmt::arrow::input> inputs;
        if (!take_list(list, [&](PyObject* one) { return take_input(one, inputs.emplace_back()); })) return nullptr;
        std::vector<std::string_view> found;
        {
            unlocked thread;
            for (const wlfmt::arrow::input& in : inputs) {
                bytes_of_input bytes(in);
                std::string_view text = bytes.next();
                const bool is_empty = text.empty();
                wlfmt::file_format kind = wlfmt::detect(text);
                if (kind == wlfmt::file_format::unknown && !is_empty) kind = wlfmt::detect(text = bytes.whole(thread));
                if (kind == wlfmt::file_format::table && !wlfmt::other_profiler(text).empty())
                    kind = wlfmt::file_format::unknown;
                found.push_back(bytes.error() ? "unreadable" : is_empty ? "empty" : name_of(kind));
                thread.handle_signals();
            }
        }
        return list_of(found, text_of).release();
    });
}

// choose(paths) -> (chosen, superseded, repeated, missing ranks, contradictions); the first three are positions
inline PyObject* choose(PyObject*, PyObject* list) {
    return guarded([&]() -> PyObject* {
        std::vector<std::string> paths;
        if (!take_list(list, [&](PyObject* one) { return take_bytes(one, paths.emplace_back()); })) return nullptr;
        const wlfmt::oplog::run_files found = wlfmt::oplog::choose_files(paths);
        const object chosen = list_of(found.chosen, number_of);
        const object superseded = list_of(found.superseded, number_of);
        const object repeated = list_of(found.repeated, number_of);
        const object missing = list_of(found.missing, [](const auto& range) {
            return object(
                Py_BuildValue("(LL)", static_cast<long long>(range.first), static_cast<long long>(range.last)));
        });
        const object contradictions = list_of(found.contradictions, text_of);
        if (!chosen || !superseded || !repeated || !missing || !contradictions) return nullptr;
        return Py_BuildValue("(OOOOO)", chosen.get(), superseded.get(), repeated.get(), missing.get(),
                             contradictions.get());
    });
}
// facts(path) -> (rank or None, time of the run or None), as the file's name has them
inline PyObject* facts(PyObject*, PyObject* path) {
    return guarded([&]() -> PyObject* {
        std::string name;
        if (!take_bytes(path, name)) return nullptr;
        const wlfmt::oplog::file_facts known = wlfmt::oplog::facts_of(name);
        Py_IncRef(Py_None);
        Py_IncRef(Py_None);
        object rank(Py_None);
        object time(Py_None);
        if (known.rank) rank = object(PyLong_FromLongLong(*known.rank));
        if (!known.time.empty()) time = text_of(known.time);
        return rank && time ? Py_BuildValue("(OO)", rank.get(), time.get()) : nullptr;
    });
}

}  // namespace wlfmt_python

#endif
