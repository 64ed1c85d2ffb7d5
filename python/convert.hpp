// Converts what Python gets and what it gives: texts, numbers, problems, exceptions, inputs.
#ifndef WLFMT_PYTHON_CONVERT_HPP
#define WLFMT_PYTHON_CONVERT_HPP

#include "object.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/arrow.hpp>

#include "tools/output/notice.hpp"

#include "finding.hpp"
#include "lock.hpp"

namespace wlfmt_python {

constexpr int oplog_kind = 1;
constexpr int workload_kind = 2;
constexpr int table_kind = 3;
static_assert(static_cast<int>(wlfmt::file_format::oplog) == oplog_kind &&
              static_cast<int>(wlfmt::file_format::workload) == workload_kind &&
              static_cast<int>(wlfmt::file_format::table) == table_kind);

// Of the package: the class Problem, and the function that makes the exception for one.
inline PyObject* problem_class = nullptr;
inline PyObject* error_of = nullptr;

inline object text_of(std::string_view s) {
    return object(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
}
// Whether a number that Python gave is one of these; if it is not, a ValueError says so.
inline bool is_between(long long number, long long least, long long most, const char* name) {
    if (number >= least && number <= most) return true;
    PyErr_Format(PyExc_ValueError, "%s: %lld is not between %lld and %lld", name, number, least, most);
    return false;
}
inline object number_of(std::uint64_t n) { return object(PyLong_FromUnsignedLongLong(n)); }

inline object line_of(std::uint64_t n) {
    if (n != 0) return number_of(n);
    Py_IncRef(Py_None);
    return object(Py_None);
}
inline object problem_of(std::string_view kind, std::string_view severity, std::string_view file, std::uint64_t line,
                         std::uint64_t column, std::string_view field, std::string_view message,
                         std::string_view text) {
    object parts[] = {text_of(kind),   text_of(severity), text_of(file),    line_of(line),
                      line_of(column), text_of(field),    text_of(message), text_of(text)};
    constexpr std::size_t count = sizeof parts / sizeof *parts;
    const object tuple(PyTuple_New(static_cast<Py_ssize_t>(count)));
    if (!tuple) return object();
    for (std::size_t n = 0; n != count; ++n) {
        if (!parts[n]) return object();
        PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(n), parts[n].release());
    }
    return object(PyObject_CallObject(problem_class, tuple.get()));
}
inline object problem_of(const finding& f) {
    return problem_of(f.name, name_of(f.severity), f.file, f.line, f.column, f.field, f.message, f.text);
}
inline object problem_of(const tool::notice& n) {
    return problem_of(n.kind, n.severity, n.file, n.line, n.column, n.field, n.words, n.text);
}
// Returns null, as functions do that raise.
inline PyObject* raise(const finding& f) {
    const object problem = problem_of(f);
    const object error(problem ? PyObject_CallFunctionObjArgs(error_of, problem.get(), nullptr) : nullptr);
    if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return nullptr;
}
// A list of what make(item) returns for each.
template <class Items, class Make> object list_of(const Items& items, Make&& make) {
    object list(PyList_New(0));
    for (const auto& one : items) {
        const object item = make(one);
        if (!list || !item || PyList_Append(list.get(), item.get()) != 0) return object();
    }
    return list;
}
template <class Items> object list_of(const Items& items) {
    return list_of(items, [](const auto& one) { return problem_of(one); });
}

inline bool take_bytes(PyObject* from, std::string& to) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(from, &data, &size) != 0) return false;
    to.assign(data, static_cast<std::size_t>(size));
    return true;
}
// Takes bytes or None.
inline bool take_optional(PyObject* from, std::optional<std::string>& to) {
    return from == Py_None || take_bytes(from, to.emplace());
}
// Takes a pair whose first item is a name as bytes.
inline bool take_pair(PyObject* from, std::string& name, PyObject*& other) {
    PyObject* first = nullptr;
    return PyArg_ParseTuple(from, "OO", &first, &other) != 0 && take_bytes(first, name);
}
// Takes a pair: a name as bytes, and a text as bytes or None.
inline bool take_input(PyObject* from, wlfmt::arrow::input& to) {
    PyObject* text = nullptr;
    return take_pair(from, to.name, text) && take_optional(text, to.text);
}
// Calls take(item) for each item of a list.
template <class Take> bool take_list(PyObject* list, Take&& take) {
    const Py_ssize_t size = PyList_Size(list);
    if (size < 0) return false;
    for (Py_ssize_t n = 0; n != size; ++n)
        if (!take(PyList_GetItem(list, n))) return false;
    return true;
}
inline bool take_list(PyObject* list, std::vector<std::string>& to) {
    return take_list(list, [&](PyObject* one) { return take_bytes(one, to.emplace_back()); });
}
inline bool take_list(PyObject* list, std::vector<wlfmt::arrow::input>& to) {
    return take_list(list, [&](PyObject* one) { return take_input(one, to.emplace_back()); });
}

// Runs a function that Python has called. What the library throws, which is only bad_alloc, becomes MemoryError.
template <class Call> PyObject* guarded(Call&& call) {
    try {
        return call();
    } catch (const interrupted&) {
        return nullptr;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::exception& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
        return nullptr;
    }
}

// keys(nested) -> of each known key of operations, or of nested ones: [its name, what variants of the tracer call it,
// its column], and whether it is an index, which is an integer
template <class Record> object keys_of() {
    return list_of(wlfmt::detail::rows_of<Record>(), [](const auto& row) {
        const bool index = row.as_number != nullptr && row.holds == wlfmt::detail::numeric::index;
        const object names = list_of(std::initializer_list{row.name, row.other_name, row.heading}, text_of);
        return object(names ? Py_BuildValue("(OO)", names.get(), index ? Py_True : Py_False) : nullptr);
    });
}
inline PyObject* keys(PyObject*, PyObject* nested) {
    return guarded([&]() -> PyObject* {
        const int is_nested = PyObject_IsTrue(nested);
        if (is_nested < 0) return nullptr;
        return (is_nested != 0 ? keys_of<wlfmt::oplog::sub_operation>() : keys_of<wlfmt::oplog::operation>()).release();
    });
}

}  // namespace wlfmt_python

#endif
