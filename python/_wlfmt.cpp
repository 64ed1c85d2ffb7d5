// The extension module wlfmt._wlfmt: what the package needs of the library, over CPython's limited API, so that one
// binary serves every Python from 3.8 on.
#include "object.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>

#include "command.hpp"
#include "convert.hpp"
#include "finding.hpp"
#include "frame.hpp"
#include "groups.hpp"
#include "lock.hpp"
#include "runs.hpp"
#include "stream.hpp"

#if defined(__GNUC__)
// The name from Python 3.9 on, and the name in 3.8; the limited API of 3.8 declares neither.
extern "C" {
PyInterpreterState* PyInterpreterState_Get() __attribute__((weak));
PyInterpreterState* _PyInterpreterState_Get() __attribute__((weak));
}
#endif

namespace wlfmt_python { namespace {

// Whether `text`, which was written from an `unwritable` document, is read leniently as that document.
template <class Document> bool reads_back(const Document& doc, const std::string& text) {
    wlfmt::options read_options;
    read_options.lenient = true;
    const auto back = [&] {
        if constexpr (std::is_same_v<Document, wlfmt::workload::document>)
            return wlfmt::workload::read(text, read_options);
        else return wlfmt::table::read(text, read_options);
    }();
    std::string before;
    std::string after;
    const wlfmt::problem of_doc = wlfmt::json::write(before, doc);
    const wlfmt::problem of_back = wlfmt::json::write(after, *back);
    return back.ok() && !of_doc && !of_back && before == after;
}
// What is wrong with a document, and in which of its rows.
finding problem_with(const wlfmt::workload::document&, const wlfmt::problem& e, std::string_view json) {
    return finding(e, json, "<records>", wlfmt::severity::error);
}
finding problem_with(const wlfmt::table::document& doc, const wlfmt::problem& e, std::string_view json) {
    finding f(e, json, "<records>", wlfmt::severity::error);
    for (std::size_t n = 0; n != doc.tables.size(); ++n) {
        const wlfmt::table::profile& table = doc.tables[n];
        const wlfmt::problem of_table = problem_of(table);
        if (!of_table) continue;
        std::string place = "table " + std::to_string(n);
        wlfmt::table::profile alone;
        alone.columns = table.columns;
        for (std::size_t row = 0; row != table.size(); ++row) {
            const auto first = table.cells.begin() + static_cast<std::ptrdiff_t>(row * table.columns.size());
            alone.cells.assign(first, first + static_cast<std::ptrdiff_t>(table.columns.size()));
            if (problem_of(alone).kind != of_table.kind || problem_of(alone).field != of_table.field) continue;
            place += ", row " + std::to_string(row);
            break;
        }
        f.message = place + " (from 0): " + wlfmt::message(of_table, json);
        f.text = f.file + ": error: " + std::string(f.name) + ": " + f.message;
        break;
    }
    return f;
}
// Writes a document as `wlfmt from-json` does: one that only a lenient reader reads back is written with a warning.
template <class Document>
std::optional<finding> write_leniently(const Document& doc, std::string_view json, std::string& text,
                                       std::vector<finding>& warnings) {
    const wlfmt::problem e = write(text, doc);
    if (!e) return std::nullopt;
    finding f = problem_with(doc, e, json);
    if (e.kind == wlfmt::error_kind::unwritable) {
        text.clear();
        write_unchecked(text, doc);
        if (reads_back(doc, text)) {
            f.set_severity(wlfmt::severity::warning);
            warnings.push_back(std::move(f));
            return std::nullopt;
        }
    }
    return f;
}

// write(JSON Lines as bytes, kind) -> (the text as bytes, problems that are warnings)
PyObject* write(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* bytes = nullptr;
        int kind = 0;
        std::string json;
        if (PyArg_ParseTuple(args, "Oi", &bytes, &kind) == 0 || !is_between(kind, oplog_kind, table_kind, "kind") ||
            !take_bytes(bytes, json))
            return nullptr;
        std::string text;
        std::optional<finding> failed;
        std::vector<finding> warnings;
        {
            const unlocked without_lock;
            wlfmt::json::texts kept;
            const auto read = [&](const auto& records) {
                if (records.error()) failed.emplace(records.error(), json, "<records>", wlfmt::severity::error);
                return !records.error();
            };
            if (kind == oplog_kind) {
                const auto log = wlfmt::json::read_oplog(json, kept);
                if (const wlfmt::problem e = read(log) ? write(text, *log) : wlfmt::problem())
                    failed.emplace(e, json, "<records>", wlfmt::severity::error);
            } else if (kind == workload_kind) {
                const auto file = wlfmt::json::read_workload(json, kept);
                if (read(file)) failed = write_leniently(*file, json, text, warnings);
            } else {
                const auto tables = wlfmt::json::read_table(json, kept);
                if (read(tables)) failed = write_leniently(*tables, json, text, warnings);
            }
        }
        if (failed) return raise(*failed);
        const object written(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
        const object warning_list = list_of(warnings);
        return written && warning_list ? Py_BuildValue("(OO)", written.get(), warning_list.get()) : nullptr;
    });
}

// begin(how a shell starts the command, Problem, error_of), called with each import, as the module itself is made only
// once. Raises ImportError in a subinterpreter: threads take the lock with functions of Python that know only the main
// interpreter, and would wait for ever.
PyObject* begin(PyObject*, PyObject* args) {
    PyObject* program = nullptr;
    PyObject* problem = nullptr;
    PyObject* error = nullptr;
#if defined(__GNUC__)
    PyInterpreterState* const own = PyInterpreterState_Get != nullptr    ? PyInterpreterState_Get()
                                    : _PyInterpreterState_Get != nullptr ? _PyInterpreterState_Get()
                                                                         : nullptr;
    if (own != nullptr && PyInterpreterState_GetID(own) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "wlfmt works in the main interpreter alone, and this is a subinterpreter; with "
                        "mod_wsgi say `WSGIApplicationGroup %{GLOBAL}`");
        return nullptr;
    }
#endif
    if (PyArg_ParseTuple(args, "OOO", &program, &problem, &error) == 0 || !take_bytes(program, tool::program_words))
        return nullptr;
    Py_IncRef(problem);
    Py_IncRef(error);
    problem_class = problem;
    error_of = error;
    Py_IncRef(Py_None);
    return Py_None;
}
// Called before the interpreter ends.
PyObject* end(PyObject*, PyObject*) {
    {
        const unlocked without_lock;
        locked::end();
    }
    Py_IncRef(Py_None);
    return Py_None;
}

// What each takes and returns: wlfmt/_wlfmt.pyi.
PyMethodDef functions[] = {{"begin", begin, METH_VARARGS, nullptr},
                           {"end", end, METH_NOARGS, nullptr},
                           {"stream", stream, METH_VARARGS, nullptr},
                           {"schema", schema, METH_O, nullptr},
                           {"refusal", refusal, METH_VARARGS, nullptr},
                           {"keys", keys, METH_O, nullptr},
                           {"sizes", sizes, METH_O, nullptr},
                           {"members", members, METH_VARARGS, nullptr},
                           {"group_of", group_of, METH_VARARGS, nullptr},
                           {"formats", formats, METH_O, nullptr},
                           {"choose", choose, METH_O, nullptr},
                           {"facts", facts, METH_O, nullptr},
                           {"gather", gather, METH_VARARGS, nullptr},
                           {"columns_of", columns_of, METH_VARARGS, nullptr},
                           {"write", write, METH_VARARGS, nullptr},
                           {"run", run, METH_VARARGS, nullptr},
                           {"main", call_main, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_wlfmt", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}}  // namespace wlfmt_python

PyMODINIT_FUNC PyInit__wlfmt() {
    using namespace wlfmt_python;
    object made(PyModule_Create(&definition));
    const object threading(PyImport_ImportModule("threading"));
    const object main(threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr) : nullptr);
    const object ident(main ? PyObject_GetAttrString(main.get(), "ident") : nullptr);
    if (!made || !ident) return nullptr;
#if defined(Py_GIL_DISABLED)
    // The module's own state does not change after this, and it touches no object that other threads can reach.
    PyUnstable_Module_SetGIL(made.get(), Py_MOD_GIL_NOT_USED);
#endif
    main_thread = PyLong_AsUnsignedLong(ident.get());
    if (PyErr_Occurred() != nullptr) return nullptr;
    std::string version = std::to_string(wlfmt::version_major) + "." + std::to_string(wlfmt::version_minor) + "." +
                          std::to_string(wlfmt::version_patch);
    if (PyModule_AddStringConstant(made.get(), "version", version.c_str()) != 0) return nullptr;
    return made.release();
}
