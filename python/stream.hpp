// Files as Arrow streams in capsules (the Arrow PyCapsule interface), whose problems become warnings of Python.
#ifndef WLFMT_PYTHON_STREAM_HPP
#define WLFMT_PYTHON_STREAM_HPP

#include "object.hpp"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wlfmt/arrow.hpp>
#include <wlfmt/table/mend.hpp>

#include "convert.hpp"
#include "finding.hpp"
#include "lock.hpp"
#include "parallel.hpp"

namespace wlfmt_python {

constexpr int last_contents = static_cast<int>(wlfmt::arrow::contents::rows);

// The names that the Arrow PyCapsule interface gives to capsules.
template <class Struct> inline constexpr const char* capsule_name = nullptr;
template <> inline constexpr const char* capsule_name<ArrowArrayStream> = "arrow_array_stream";
template <> inline constexpr const char* capsule_name<ArrowSchema> = "arrow_schema";

// A capsule that owns a stream or a schema, and releases it unless a consumer has taken it. Null, with the exception
// set, if it cannot be made.
template <class Struct> PyObject* capsule_of(std::unique_ptr<Struct> own) {
    PyObject* const capsule = PyCapsule_New(own.get(), capsule_name<Struct>, [](PyObject* c) {
        auto* const one = static_cast<Struct*>(PyCapsule_GetPointer(c, capsule_name<Struct>));
        if (one == nullptr) return PyErr_Clear();
        if (one->release != nullptr) one->release(one);
        delete one;
    });
    if (capsule == nullptr) own->release(own.get());
    else static_cast<void>(own.release());
    return capsule;
}

// A stream whose problems are passed to a callable, which it keeps alive.
struct shared_stream {
    ArrowArrayStream inner = {};                    // of all inputs, or only for the schema if threads read
    std::unique_ptr<parallel_stream> reading = {};  // null if no threads read
    PyObject* on_problem = nullptr;
    clock signals = {};
    wlfmt::file_format format = wlfmt::file_format::unknown;
    // What the callable raised, such as a warning that a filter makes an error, or a signal's handler: the stream ends
    // with it.
    std::optional<std::string> raised = std::nullopt;
    int code = EINVAL;
    PyObject* exception = nullptr;                 // what was raised, if this module gathers the stream
    std::optional<finding> failed = std::nullopt;  // the problem of a file that ended the stream
    bool is_gathered = false;                      // this module gathers the stream, and raises what was raised
};

// Takes the exception that is set, which ends the stream.
inline void take_exception(shared_stream& own) {
    PyObject* parts[3] = {};
    PyErr_Fetch(&parts[0], &parts[1], &parts[2]);
    PyErr_NormalizeException(&parts[0], &parts[1], &parts[2]);
    const object type(parts[0]);
    const object traceback(parts[2]);
    // Released unless gather() asks for it: an exception keeps its frames, and these may keep the stream.
    object exception(parts[1]);
    const object words(parts[1] != nullptr ? PyObject_Str(parts[1]) : nullptr);
    const object bytes(words ? PyUnicode_AsEncodedString(words.get(), "utf-8", "replace") : nullptr);
    std::string text;
    if (!bytes || !take_bytes(bytes.get(), text)) PyErr_Clear();
    own.raised = text.empty() ? "an exception" : text;
    if (own.is_gathered) own.exception = exception.release();
}

// Passes a problem of a stream on to Python, from whichever thread the consumer reads in.
inline void report(shared_stream& own, const finding& f) {
    if (own.raised) return;
    const locked hold;
    if (!hold) return;
    const object one = problem_of(f);
    const object done(one ? PyObject_CallFunctionObjArgs(own.on_problem, one.get(), nullptr) : nullptr);
    if (!done) take_exception(own);
}
inline void report(shared_stream& own, const wlfmt::arrow::file_problem& p) {
    if (std::optional<finding> compressed = find_compression(p.text, p.in.name)) {
        if (own.raised) return;
        own.raised = compressed->text;
        own.failed = std::move(compressed);
        return;
    }
    report(own, passed_over(p.error, p.text, p.in.name, own.format).before(p.mended));
}

// Returns false if the stream is to end. Handlers of signals only run in the main thread. In another thread, the lock
// is not even taken for them: its holder may wait for that thread.
inline bool go_on(shared_stream& own) {
    if (own.raised) return false;
    if (!own.signals.is_due() || !in_main_thread()) return true;
    const locked hold;
    if (!hold || PyErr_CheckSignals() == 0) return true;
    const bool again = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
    take_exception(own);
    own.code = ECANCELED;
    // Whatever the consumer makes of the error, Python raises KeyboardInterrupt when it goes on.
    if (again && !own.is_gathered) PyErr_SetInterrupt();
    return false;
}

inline bool take_request(PyObject* args, std::vector<wlfmt::arrow::input>& from, wlfmt::arrow::request& what,
                         std::size_t& threads, PyObject*& on_problem) {
    PyObject* inputs = nullptr;
    int of = 0;
    PyObject* columns = nullptr;
    PyObject* ranks = nullptr;
    int lenient = 0;
    Py_ssize_t rows = 0;
    Py_ssize_t most_threads = 0;
    int map_files = 0;
    int canonical = 0;
    int strict = 0;
    PyObject* prefix = nullptr;
    if (PyArg_ParseTuple(args, "OiOOpnnpppOO", &inputs, &of, &columns, &ranks, &lenient, &rows, &most_threads,
                         &map_files, &canonical, &strict, &prefix, &on_problem) == 0 ||
        !take_optional(prefix, what.prefix) || !is_between(of, 0, last_contents, "contents") ||
        !is_between(rows, 1, PY_SSIZE_T_MAX, "rows_per_batch") ||
        !is_between(most_threads, 1, PY_SSIZE_T_MAX, "threads"))
        return false;
    what.map_files = map_files != 0;
    what.canonical = canonical != 0;
    threads = static_cast<std::size_t>(most_threads);
    what.contents = static_cast<wlfmt::arrow::contents>(of);
    what.lenient = lenient != 0;
    what.strict = strict != 0;
    what.rows_per_batch = static_cast<std::size_t>(rows);
    return take_list(inputs, from) && take_list(columns, what.columns) && take_list(ranks, [&](PyObject* one) {
               what.ranks.push_back(PyLong_AsLongLong(one));
               return PyErr_Occurred() == nullptr;
           });
}

inline int next_of(shared_stream& own, ArrowArray* to) {
    if (!own.reading) return own.inner.get_next(&own.inner, to);
    if (own.reading->is_of_other_process()) {
        auto again = own.reading->resume();
        static_cast<void>(own.reading.release());
        own.reading = std::move(again);
    }
    return own.reading->next(
        *to, [&](const finding& f) { report(own, f); }, [&] { return go_on(own); });
}
inline void open_stream(std::vector<wlfmt::arrow::input> from, wlfmt::arrow::request what, std::size_t threads,
                        PyObject* on_problem, ArrowArrayStream& to) {
    auto own = std::make_unique<shared_stream>();
    own->on_problem = on_problem;
    own->format = format_of(what.contents);
    what.on_problem = [&shared = *own](const wlfmt::arrow::file_problem& p) { report(shared, p); };
    what.on_mended = [&shared = *own](const wlfmt::arrow::input& in, const wlfmt::table::mended& mended) {
        for (const wlfmt::table::mending& one : mended.done) report(shared, finding_of(one, in.name));
    };
    what.go_on = [&shared = *own] { return go_on(shared); };
    what.on_error = [&shared = *own](const wlfmt::arrow::file_problem& p) {
        shared.failed = failure(p.error, p.text, p.in.name, shared.format).before(p.mended);
    };
    // Tables have the columns of all files, so that one thread reads them.
    if (what.contents == wlfmt::arrow::contents::rows) threads = 1;
    const bool is_log =
        what.contents == wlfmt::arrow::contents::operations || what.contents == wlfmt::arrow::contents::sub_operations;
    auto parts = divide(std::move(from), threads, is_log ? piece_size : 0);
    from.clear();
    if (parts.size() == 1) from = std::move(parts.front().files);
    else if (!parts.empty())
        own->reading = std::make_unique<parallel_stream>(std::make_shared<plan>(plan{std::move(parts), what, threads}));
    wlfmt::arrow::open(std::move(from), std::move(what), own->inner);
    Py_IncRef(own->on_problem);
    to = ArrowArrayStream();
    to.private_data = own.release();
    to.get_schema = [](ArrowArrayStream* s, ArrowSchema* schema) {
        ArrowArrayStream& inner = static_cast<shared_stream*>(s->private_data)->inner;
        return inner.get_schema(&inner, schema);
    };
    to.get_next = [](ArrowArrayStream* s, ArrowArray* array) {
        auto& state = *static_cast<shared_stream*>(s->private_data);
        *array = ArrowArray();
        int code = state.code;
        try {
            if (!state.raised) code = next_of(state, array);
        } catch (const std::bad_alloc&) {
            // What was to be handed out is lost: the stream ends.
            state.raised.emplace();
            state.code = ENOMEM;
        }
        if (!state.raised) return code;
        if (code == 0 && array->release != nullptr) array->release(array);
        *array = ArrowArray();
        return state.code;
    };
    to.get_last_error = [](ArrowArrayStream* s) {
        auto& state = *static_cast<shared_stream*>(s->private_data);
        if (state.raised) return state.raised->c_str();
        if (state.failed) return state.failed->text.c_str();
        if (state.reading && !state.reading->words().empty()) return state.reading->words().c_str();
        return state.inner.get_last_error(&state.inner);
    };
    to.release = [](ArrowArrayStream* s) {
        const std::unique_ptr<shared_stream> mine(static_cast<shared_stream*>(s->private_data));
        s->release = nullptr;
        mine->inner.release(&mine->inner);
        if (mine->reading && mine->reading->is_of_other_process()) static_cast<void>(mine->reading.release());
        // A consumer can release the stream after the interpreter's end, from a destructor of its own.
        const locked hold;
        if (!hold) return;
        Py_DecRef(mine->on_problem);
        Py_DecRef(mine->exception);
    };
}

inline PyObject* stream(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        std::vector<wlfmt::arrow::input> from;
        wlfmt::arrow::request what;
        std::size_t threads = 1;
        PyObject* on_problem = nullptr;
        if (!take_request(args, from, what, threads, on_problem)) return nullptr;
        auto own = std::make_unique<ArrowArrayStream>();
        open_stream(std::move(from), std::move(what), threads, on_problem, *own);
        return capsule_of(std::move(own));
    });
}

// Raises what ended a stream with this code.
inline PyObject* raise_end(ArrowArrayStream& from, int code) {
    auto& own = *static_cast<shared_stream*>(from.private_data);
    const object raised(std::exchange(own.exception, nullptr));
    const std::optional<finding>& failed = own.failed || !own.reading ? own.failed : own.reading->failed();
    const char* const words = from.get_last_error(&from);
    if (raised) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.get())), raised.get());
    else if (failed) return raise(*failed);
    else if (code == ENOMEM) return PyErr_NoMemory();
    else PyErr_SetString(PyExc_ValueError, words != nullptr ? words : "");
    return nullptr;
}
// schema(stream) -> a capsule with its schema
inline PyObject* schema(PyObject*, PyObject* capsule) {
    return guarded([&]() -> PyObject* {
        auto* const from =
            static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, capsule_name<ArrowArrayStream>));
        if (from == nullptr) return nullptr;
        static_cast<shared_stream*>(from->private_data)->is_gathered = true;
        auto own = std::make_unique<ArrowSchema>();
        int code = 0;
        {
            const unlocked without_lock;
            code = from->get_schema(from, own.get());
        }
        return code != 0 ? raise_end(*from, code) : capsule_of(std::move(own));
    });
}

}  // namespace wlfmt_python

#endif
