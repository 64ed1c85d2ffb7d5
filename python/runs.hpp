// The formats of files, and which files belong to one run.
#ifndef WLFMT_PYTHON_RUNS_HPP
#define WLFMT_PYTHON_RUNS_HPP

#include "object.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/arrow.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/wlfmt.hpp>

#include "tools/input/input.hpp"
#include "tools/input/read.hpp"

#include "command.hpp"
#include "convert.hpp"
#include "finding.hpp"
#include "lock.hpp"

namespace wlfmt_python {

// formats(inputs) -> "oplog", "workload", "table", "unknown", "empty" or "unreadable" for each
inline PyObject* formats(PyObject*, PyObject* list) {
    return guarded([&]() -> PyObject* {
        std::vector<wlfmt::arrow::input> inputs;
        if (!take_list(list, inputs)) return nullptr;
        std::vector<std::string_view> found;
        {
            unlocked thread;
            const command_turn own_turn(thread);
            std::string memory;
            for (wlfmt::arrow::input& in : inputs) {
                if (in.name == "-") in.name = "./-";
                std::optional<tool::input> from;
                in.text ? from.emplace(in.name, *std::move(in.text)) : from.emplace(in.name.c_str(), memory);
                const bool is_empty = from->beginning().empty();
                wlfmt::file_format kind = tool::kind_of(*from, tool::settings());
                if (kind == wlfmt::file_format::table && !wlfmt::other_profiler(from->beginning()).empty())
                    kind = wlfmt::file_format::unknown;
                found.push_back(from->error() ? "unreadable" : is_empty ? "empty" : name_of(kind));
                thread.handle_signals();
            }
        }
        return list_of(found, text_of).release();
    });
}

// refusal(input, kind, holds_records) -> the problem of a text that has no record, or, if `holds_records`, of one that
// is another profiler's table all the same; or None
inline PyObject* refusal(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* input = nullptr;
        int kind = 0;
        int holds_records = 0;
        wlfmt::arrow::input in;
        if (PyArg_ParseTuple(args, "Oip", &input, &kind, &holds_records) == 0 || !take_input(input, in)) return nullptr;
        if (!in.text) static_cast<void>(wlfmt::read_file(in.name.c_str(), in.text.emplace()));
        wlfmt::problem e;
        if (kind == table_kind) e = wlfmt::detail::error_of_other_profiler(*in.text);
        if (!e && holds_records == 0)
            e = {wlfmt::error_kind::no_records, kind == workload_kind ? 0 : in.text->size(), 0,
                 kind == oplog_kind   ? "rank op-log record"
                 : kind == table_kind ? "profiler table"
                                      : "layer"};
        if (e) return problem_of(failure(e, *in.text, in.name, static_cast<wlfmt::file_format>(kind))).release();
        Py_IncRef(Py_None);
        return Py_None;
    });
}

// choose(paths) -> (chosen, superseded, repeated, missing ranks, contradictions); the first three are positions
inline PyObject* choose(PyObject*, PyObject* list) {
    return guarded([&]() -> PyObject* {
        std::vector<std::string> paths;
        if (!take_list(list, paths)) return nullptr;
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
