// The extension module wlfmt._wlfmt: what the package needs of the library, over CPython's limited API, so that one
// binary serves every Python from 3.8 on.
#include "object.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

#include <wlfmt/file.hpp>
#include <wlfmt/from_json.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "convert.hpp"
#include "finding.hpp"
#include "lock.hpp"
#include "stream.hpp"

namespace wlfmt_python {
namespace {

// One file or text, open while it is read.
class opened {
public:
    explicit opened(const wlfmt::arrow::input& in) : in_(in) {
        if (!in.text) file_.emplace(in.name);
    }
    // Why it cannot be read, if that can be said without a look at its lines.
    std::optional<finding> error() const {
        if (file_ && !file_->ok()) return finding(file_->error(), {}, in_.name, wlfmt::severity::error);
        return find_compression(text(), in_.name);
    }
    std::string_view text() const noexcept { return file_ ? file_->text() : std::string_view(*in_.text); }

private:
    const wlfmt::arrow::input& in_;
    std::optional<wlfmt::text_file> file_;
};

// The problems that lenient reading passes over, in the order of the text.
struct collected {
    const std::string& name;
    std::string_view text;
    std::vector<finding> all = {};

    wlfmt::options options(bool lenient) {
        wlfmt::options how;
        how.lenient = lenient;
        how.context = this;
        how.on_problem = [](void* self, const wlfmt::error& e) {
            static_cast<collected*>(self)->add(e, wlfmt::severity::warning);
        };
        return how;
    }
    void add(const wlfmt::error& e, wlfmt::severity how_bad) { all.emplace_back(e, text, name, how_bad); }
};

// Calls each(options) for each prefix before tables in the text, in turn; `each` returns an error.
template <class Each>
wlfmt::error for_each_prefix(std::string_view text, wlfmt::options how, Each&& each) {
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(text);
    if (prefixes.empty()) prefixes.emplace_back();
    wlfmt::error nothing;
    bool any = false;
    for (const std::string_view prefix : prefixes) {
        how.prefix = prefix;
        const wlfmt::error e = each(how);
        if (e.kind == wlfmt::error_kind::no_records) {
            nothing = e;
            continue;
        }
        if (e) return e;
        any = true;
    }
    return any ? wlfmt::error() : nothing;
}

constexpr int oplog_kind = 1;
constexpr int workload_kind = 2;
constexpr int table_kind = 3;
static_assert(static_cast<int>(wlfmt::file_format::oplog) == oplog_kind &&
              static_cast<int>(wlfmt::file_format::workload) == workload_kind &&
              static_cast<int>(wlfmt::file_format::table) == table_kind);

// The interchange form of a text, as far as it can be read.
wlfmt::error write_json(std::string_view text, int kind, wlfmt::options how, interruptible_text& to) {
    if (kind == oplog_kind) {
        how.prefix = wlfmt::any_prefix;
        wlfmt::oplog::reader log(text, how);
        while (const auto* op = log.next())
            if (const wlfmt::error e = wlfmt::json::write(to, *op)) return log.ok() ? e : log.error();
        return log.error();
    }
    if (kind == workload_kind) {
        wlfmt::workload::reader file(text, how);
        if (const wlfmt::error e = wlfmt::json::write(to, file.header())) return e;
        while (const auto* layer = file.next())
            if (const wlfmt::error e = wlfmt::json::write(to, *layer)) return e;
        return file.error();
    }
    return for_each_prefix(text, how, [&](const wlfmt::options& with) {
        const auto all = wlfmt::table::read(text, with);
        const wlfmt::error e = wlfmt::json::write(to, *all);
        return all.error() ? all.error() : e;
    });
}

// read(input, kind, lenient) -> (JSON Lines as bytes, problems)
PyObject* read(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* input = nullptr;
        int kind = 0;
        int lenient = 0;
        wlfmt::arrow::input in;
        if (PyArg_ParseTuple(args, "Oip", &input, &kind, &lenient) == 0 || !take_input(input, in)) return nullptr;
        std::string json;
        std::vector<finding> tolerated;
        std::optional<finding> failed;
        {
            unlocked thread;
            const opened from(in);
            failed = from.error();
            if (!failed) {
                collected problems{in.name, from.text()};
                interruptible_text to(json, thread);
                if (const wlfmt::error e = write_json(from.text(), kind, problems.options(lenient != 0), to))
                    failed.emplace(e, from.text(), in.name, wlfmt::severity::error);
                tolerated = std::move(problems.all);
            }
        }
        if (failed) return raise(*failed);
        const object list = list_of(tolerated);
        if (!list) return nullptr;
        return Py_BuildValue("(y#O)", json.data(), static_cast<Py_ssize_t>(json.size()), list.get());
    });
}

template <class Result>
wlfmt::error write_text(const Result& records, std::string& to) {
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
        if (PyArg_ParseTuple(args, "Oi", &bytes, &kind) == 0 || !take_bytes(bytes, json)) return nullptr;
        std::string text;
        std::optional<finding> failed;
        {
            const unlocked go_on;
            wlfmt::json::texts kept;
            wlfmt::error e;
            if (kind == oplog_kind)
                e = write_text(wlfmt::json::read_oplog(json, kept), text);
            else if (kind == workload_kind)
                e = write_text(wlfmt::json::read_workload(json, kept), text);
            else
                e = write_text(wlfmt::json::read_table(json, kept), text);
            if (e) failed.emplace(e, json, "<records>", wlfmt::severity::error);
        }
        if (failed) return raise(*failed);
        return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    });
}

// All problems of a text: what lenient reading passes over, the error that ends it, and what lint finds.
void check_text(std::string_view text, wlfmt::file_format kind, collected& found, unlocked& thread) {
    const auto warn = [&](const wlfmt::error& e) { found.add(e, wlfmt::severity::warning); };
    wlfmt::options how = found.options(true);
    wlfmt::error e;
    switch (kind) {
    case wlfmt::file_format::oplog: {
        how.prefix = wlfmt::any_prefix;
        wlfmt::oplog::reader log(text, how);
        while (const auto* op = log.next()) {
            wlfmt::lint::check(*op, text, warn);
            thread.handle_signals();
        }
        e = log.error();
        break;
    }
    case wlfmt::file_format::workload: {
        wlfmt::workload::reader file(text, how);
        const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
        std::int64_t count = 0;
        while (const auto* layer = file.next()) {
            if (sizes.complete())
                wlfmt::lint::check(*layer, *sizes, text, warn);
            else
                wlfmt::lint::check(*layer, text, warn);
            ++count;
            thread.handle_signals();
        }
        wlfmt::lint::check(file.header(), count, text, warn);
        std::stable_sort(found.all.begin(), found.all.end(), [](const finding& a, const finding& b) {
            return std::tie(a.line, a.column) < std::tie(b.line, b.column);
        });
        e = file.error();
        break;
    }
    case wlfmt::file_format::table:
        e = for_each_prefix(text, how,
                            [&](const wlfmt::options& with) { return wlfmt::table::read(text, with).error(); });
        break;
    case wlfmt::file_format::unknown: e.kind = wlfmt::error_kind::unknown_format; break;
    }
    if (e) found.add(e, wlfmt::severity::error);
}

// check(input, kind) -> problems; kind 0 finds out which format the text has
PyObject* check(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* input = nullptr;
        int kind = 0;
        wlfmt::arrow::input in;
        if (PyArg_ParseTuple(args, "Oi", &input, &kind) == 0 || !take_input(input, in)) return nullptr;
        std::vector<finding> found;
        std::optional<finding> failed;
        {
            unlocked thread;
            const opened from(in);
            failed = from.error();
            if (!failed) {
                collected problems{in.name, from.text()};
                check_text(from.text(), kind == 0 ? wlfmt::detect(from.text()) : static_cast<wlfmt::file_format>(kind),
                           problems, thread);
                found = std::move(problems.all);
            }
        }
        if (failed && failed->is_of_file()) return raise(*failed);
        if (failed) found.push_back(std::move(*failed));
        return list_of(found).release();
    });
}

// regular(paths) -> a byte for each path, which is 1 if it certainly is one of a regular file. os.stat takes four times
// as long, which is a fifth of a scan of many small files.
PyObject* regular(PyObject*, PyObject* list) {
    return guarded([&]() -> PyObject* {
        std::vector<std::string> paths;
        if (!take_list(list, [&](PyObject* one) { return take_bytes(one, paths.emplace_back()); })) return nullptr;
        std::string found(paths.size(), '\0');
#if defined(__unix__) || defined(__APPLE__)
        {
            unlocked thread;
            for (std::size_t n = 0; n != paths.size(); ++n) {
                struct stat about;
                // A path with a null byte has another meaning here.
                const bool good = paths[n].find('\0') == std::string::npos && ::stat(paths[n].c_str(), &about) == 0;
                found[n] = good && S_ISREG(about.st_mode) ? '\1' : '\0';
                thread.handle_signals();
            }
        }
#endif
        return PyBytes_FromStringAndSize(found.data(), static_cast<Py_ssize_t>(found.size()));
    });
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

PyMethodDef functions[] = {{"end", end, METH_NOARGS, "end(): before the interpreter's end"},
                           {"regular", regular, METH_O, "regular(paths)"},
                           {"stream", stream, METH_VARARGS,
                            "stream(inputs, of, columns, ranks, lenient, rows_per_batch, threads, on_problem)"},
                           {"schema", schema, METH_VARARGS,
                            "schema(inputs, of, columns, ranks, lenient, rows_per_batch, threads, on_problem)"},
                           {"read", read, METH_VARARGS, "read(input, kind, lenient)"},
                           {"write", write, METH_VARARGS, "write(json, kind)"},
                           {"check", check, METH_VARARGS, "check(input, kind)"},
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

}  // namespace
}  // namespace wlfmt_python

PyMODINIT_FUNC PyInit__wlfmt() {
    using namespace wlfmt_python;
    object made(PyModule_Create(&definition));
    const object threading(PyImport_ImportModule("threading"));
    const object main(threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr) : nullptr);
    const object ident(main ? PyObject_GetAttrString(main.get(), "ident") : nullptr);
    if (!made || !ident) return nullptr;
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
