// Python as this module sees it: the limited API of CPython 3.8, or the whole API for builds without the global lock,
// which have no limited one; and owned references.
#ifndef WLFMT_PYTHON_OBJECT_HPP
#define WLFMT_PYTHON_OBJECT_HPP

#include <pyconfig.h>

#define PY_SSIZE_T_CLEAN
#if !defined(Py_GIL_DISABLED)
#define Py_LIMITED_API 0x03080000
#endif
#include <Python.h>

#include <utility>

namespace wlfmt_python {

// A reference that this code owns.
class object {
public:
    object() noexcept = default;
    explicit object(PyObject* own) noexcept : own_(own) {}
    object(object&& other) noexcept : own_(std::exchange(other.own_, nullptr)) {}
    object& operator=(object&& other) noexcept {
        std::swap(own_, other.own_);
        return *this;
    }
    ~object() { Py_DecRef(own_); }
    explicit operator bool() const noexcept { return own_ != nullptr; }
    PyObject* get() const noexcept { return own_; }
    PyObject* release() noexcept { return std::exchange(own_, nullptr); }

private:
    PyObject* own_ = nullptr;
};

}  // namespace wlfmt_python

#endif
