// The extension module wlfmt._wlfmt: what the package needs of the library, over CPython's limited API, so that one
// binary serves every Python from 3.8 on.
#include "object.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

#include <wlfmt/from_json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "convert.hpp"
#include "finding.hpp"
#include "frame.hpp"
#include "groups.hpp"
#include "lock.hpp"
#include "read.hpp"
#include "runs.hpp"
#include "stream.hpp"

#if defined(__GNUC__)
// What Python calls it from 3.9 on, and in 3.8; the limited API of 3.8 has neither.
extern "C" {
PyInterpreterState* PyInterpreterState_Get() __attribute__((weak));
PyInterpreterState* _PyInterpreterState_Get() __attribute__((weak));
}
#endif

namespace wlfmt_python { namespace {

template <class Result> wlfmt::error write_text(const Result& records, std::string& to) {
    using wlfmt::oplog::write;
    using wlfmt::table::write;
    using wlfmt::workload::write;
    if (records.error()) return records.error();
    return write(to, *records);
}

// write(JSON Lines as bytes, kind) -> the text as bytes
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
        {
            const unlocked go_on;
            wlfmt::json::texts kept;
            wlfmt::error e;
            if (kind == oplog_kind) e = write_text(wlfmt::json::read_oplog(json, kept), text);
            else if (kind == workload_kind) e = write_text(wlfmt::json::read_workload(json, kept), text);
            else e = write_text(wlfmt::json::read_table(json, kept), text);
            if (e) failed.emplace(e, json, "<records>", wlfmt::severity::error);
        }
        if (failed) return raise(*failed);
        return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    });
}

bool ends_with(std::string_view path, const std::vector<std::string>& suffixes) {
    for (const std::string& one : suffixes)
        if (path.size() >= one.size() && path.substr(path.size() - one.size()) == one) return true;
    return false;
}
// regular(paths, suffixes) -> a byte for each path, which is 1 if it certainly is one of a regular file and has none of
// the suffixes. os.stat takes four times as long, which is a fifth of a scan of many small files.
PyObject* regular(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* list = nullptr;
        PyObject* endings = nullptr;
        std::vector<std::string> paths;
        std::vector<std::string> suffixes;
        if (PyArg_ParseTuple(args, "OO", &list, &endings) == 0 ||
            !take_list(list, [&](PyObject* one) { return take_bytes(one, paths.emplace_back()); }) ||
            !take_list(endings, [&](PyObject* one) { return take_bytes(one, suffixes.emplace_back()); }))
            return nullptr;
        std::string found(paths.size(), '\0');
#if defined(__unix__) || defined(__APPLE__)
        {
            unlocked thread;
            for (std::size_t n = 0; n != paths.size(); ++n) {
                struct stat about;
                // A path with a null byte has another meaning here.
                const bool good = paths[n].find('\0') == std::string::npos && ::stat(paths[n].c_str(), &about) == 0;
                found[n] = good && S_ISREG(about.st_mode) && !ends_with(paths[n], suffixes) ? '\1' : '\0';
                thread.handle_signals();
            }
        }
#endif
        return PyBytes_FromStringAndSize(found.data(), static_cast<Py_ssize_t>(found.size()));
    });
}

// With each import, as the module itself is made only once. An ImportError in a subinterpreter: threads take the lock
// by the functions of Python that know the main interpreter alone, and would wait for ever.
PyObject* begin(PyObject*, PyObject*) {
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
    Py_IncRef(Py_None);
    return Py_None;
}
// Before the interpreter's end.
PyObject* end(PyObject*, PyObject*) {
    {
        const unlocked go_on;
        locked::end();
    }
    Py_IncRef(Py_None);
    return Py_None;
}

PyMethodDef functions[] = {
    {"begin", begin, METH_NOARGS, "begin(): with each import of the package"},
    {"end", end, METH_NOARGS, "end(): before the interpreter's end"},
    {"regular", regular, METH_VARARGS, "regular(paths, suffixes)"},
    {"stream", stream, METH_VARARGS,
     "stream(inputs, of, columns, ranks, lenient, rows_per_batch, threads, map_files, canonical, on_problem)"},
    {"schema", schema, METH_VARARGS,
     "schema(inputs, of, columns, ranks, lenient, rows_per_batch, threads, map_files, canonical, on_problem)"},
    {"read", read, METH_VARARGS, "read(input, kind, lenient, each)"},
    {"sizes", sizes, METH_O, "sizes(text)"},
    {"members", members, METH_VARARGS, "members(text, group, rank)"},
    {"group_of", group_of, METH_VARARGS, "group_of(phase, collective)"},
    {"formats", formats, METH_O, "formats(inputs)"},
    {"choose", choose, METH_O, "choose(paths)"},
    {"facts", facts, METH_O, "facts(path)"},
    {"gather", gather, METH_VARARGS, "gather(stream, most_rows)"},
    {"columns_of", columns_of, METH_VARARGS, "columns_of(contents)"},
    {"write", write, METH_VARARGS, "write(json, kind)"},
    {"check", check, METH_VARARGS, "check(inputs, kind)"},
    {nullptr, nullptr, 0, nullptr}};

constexpr const char* parse_error_words =
    "A file that is not what it should be. str() of it is the place, the message, and the line with a caret.\n\n"
    "kind      the kind of error, such as 'layer_count_mismatch' (docs/guarantees.md lists them)\n"
    "file      the file's name\n"
    "line      from 1; None if the problem has no place in the text\n"
    "column    in bytes, from 1; None if the problem has no place in the text\n"
    "field     the field, such as 'weight_grad.bytes'; '' if the problem is in no field\n"
    "message   the message alone";

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
    // Whoever makes an error without the attributes gets these.
    const object nothing(Py_BuildValue("{s:s,s:s,s:O,s:O,s:s,s:s}", "kind", "", "file", "", "line", Py_None, "column",
                                       Py_None, "field", "", "message", ""));
    if (!nothing) return nullptr;
    parse_error = PyErr_NewExceptionWithDoc("wlfmt.ParseError", parse_error_words, PyExc_ValueError, nothing.get());
    if (parse_error == nullptr) return nullptr;
    Py_IncRef(parse_error);
    if (PyModule_AddObject(made.get(), "ParseError", parse_error) != 0) return nullptr;
    std::string version = std::to_string(wlfmt::version_major) + "." + std::to_string(wlfmt::version_minor) + "." +
                          std::to_string(wlfmt::version_patch);
    if (PyModule_AddStringConstant(made.get(), "version", version.c_str()) != 0) return nullptr;
    return made.release();
}
