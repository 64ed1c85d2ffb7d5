// The extension module wlfmt._wlfmt: what the package needs of the library, over CPython's limited API, so that one
// binary serves every Python from 3.8 on.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

#include <wlfmt/arrow.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/from_json.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "finding.hpp"
#include "parallel.hpp"

namespace {

using wlfmt_python::failure;
using wlfmt_python::find_compression;
using wlfmt_python::finding;
using wlfmt_python::parallel_stream;

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

// Ten times a second at most: to let other threads have the interpreter's lock for it takes up to 5 ms.
class clock {
public:
    bool is_due() noexcept {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(100);
        return true;
    }

private:
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};
// Thrown where a signal's handler has raised, such as KeyboardInterrupt. The exception is set.
struct interrupted {};
// The thread in which Python runs the handlers of signals.
unsigned long main_thread = 0;
bool in_main_thread() noexcept { return PyThread_get_thread_ident() == main_thread; }

// Held while Python's objects are touched from code that runs without the interpreter's lock; false if the interpreter
// is about to end, and they must not be touched.
//
// A daemon thread that waits for the lock when the interpreter ends is ended by pthread_exit() until Python 3.13, which
// unwinds the stack as an exception does and would abort the program: the library's functions are noexcept. So end(),
// which runs before that, lets no thread begin to wait, and waits for those that do.
class locked {
public:
    locked() noexcept {
        ++waiting_;
        if (Py_IsInitialized() == 0 || (is_ending_ && !in_main_thread())) return;
        state_ = PyGILState_Ensure();
        holds_ = true;
    }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;
    ~locked() {
        if (holds_) PyGILState_Release(state_);
        --waiting_;
    }
    explicit operator bool() const noexcept { return holds_; }

    // A second at most: a thread that was there before a fork is not there after it.
    static void end() {
        is_ending_ = true;
        for (int n = 0; n != 1000 && waiting_ != 0; ++n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    static inline std::atomic<bool> is_ending_ = false;
    static inline std::atomic<int> waiting_ = 0;
    PyGILState_STATE state_ = PyGILState_UNLOCKED;
    bool holds_ = false;
};

// Lets other threads run while files are read.
//
// A daemon thread that comes back after the interpreter's end is ended by pthread_exit() until Python 3.13, which
// unwinds the stack as an exception does: nothing between here and Python may be noexcept, or own an object of Python.
class unlocked {
public:
    unlocked() noexcept : state_(PyEval_SaveThread()) {}
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;
    ~unlocked() noexcept(false) { PyEval_RestoreThread(state_); }

    // Every now and then: the handlers of the signals that have come.
    void handle_signals() {
        if (!clock_.is_due() || !in_main_thread()) return;
        PyEval_RestoreThread(state_);
        const bool raised = PyErr_CheckSignals() != 0;
        state_ = PyEval_SaveThread();
        if (raised) throw interrupted();
    }

private:
    PyThreadState* state_;
    clock clock_;
};
// A text that grows, during which signals are handled.
class interruptible_text {
public:
    interruptible_text(std::string& to, unlocked& thread) : to_(to), thread_(thread) {}
    void append(const char* text, std::size_t size) {
        to_.append(text, size);
        thread_.handle_signals();
    }

private:
    std::string& to_;
    unlocked& thread_;
};

PyObject* parse_error = nullptr;

object text_of(std::string_view s) {
    return object(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
}
object number_of(std::uint64_t n) { return object(PyLong_FromUnsignedLongLong(n)); }

bool set(PyObject* on, const char* name, object value) {
    return value && PyObject_SetAttrString(on, name, value.get()) == 0;
}
object line_of(std::uint64_t n) {
    if (n != 0) return number_of(n);
    Py_IncRef(Py_None);
    return object(Py_None);
}
// Raises ParseError, or OSError for a file that cannot be read. Returns null, as functions do that raise.
PyObject* raise(const finding& f) {
    if (f.is_of_file()) {
        const int code = f.kind == wlfmt::error_kind::cannot_open    ? ENOENT
                         : f.kind == wlfmt::error_kind::is_directory ? EISDIR
                                                                     : EIO;
        object args(Py_BuildValue("(isO)", code, f.message.c_str(), text_of(f.file).get()));
        if (args) PyErr_SetObject(PyExc_OSError, args.get());
        return nullptr;
    }
    object message = text_of(f.text);
    object error(message ? PyObject_CallFunctionObjArgs(parse_error, message.get(), nullptr) : nullptr);
    if (error && set(error.get(), "kind", text_of(wlfmt::name_of(f.kind))) &&
        set(error.get(), "file", text_of(f.file)) && set(error.get(), "line", line_of(f.line)) &&
        set(error.get(), "column", line_of(f.column)) && set(error.get(), "field", text_of(f.field)) &&
        set(error.get(), "message", text_of(f.message)))
        PyErr_SetObject(parse_error, error.get());
    return nullptr;
}
// (kind, severity, file, line, column, field, message, text)
object tuple_of(const finding& f) {
    object parts[] = {text_of(wlfmt::name_of(f.kind)),
                      text_of(wlfmt::name_of(f.severity)),
                      text_of(f.file),
                      line_of(f.line),
                      line_of(f.column),
                      text_of(f.field),
                      text_of(f.message),
                      text_of(f.text)};
    constexpr std::size_t count = sizeof parts / sizeof *parts;
    object all(PyTuple_New(static_cast<Py_ssize_t>(count)));
    if (!all) return all;
    for (std::size_t n = 0; n != count; ++n) {
        if (!parts[n]) return object();
        PyTuple_SetItem(all.get(), static_cast<Py_ssize_t>(n), parts[n].release());
    }
    return all;
}
object list_of(const std::vector<finding>& all) {
    object list(PyList_New(0));
    if (!list) return list;
    for (const finding& f : all) {
        const object one = tuple_of(f);
        if (!one || PyList_Append(list.get(), one.get()) != 0) return object();
    }
    return list;
}

bool take_bytes(PyObject* from, std::string& to) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(from, &data, &size) != 0) return false;
    to.assign(data, static_cast<std::size_t>(size));
    return true;
}
// A pair of bytes: a name, and a text or None.
bool take_input(PyObject* from, wlfmt::arrow::input& to) {
    PyObject* name = nullptr;
    PyObject* text = nullptr;
    if (PyArg_ParseTuple(from, "OO", &name, &text) == 0 || !take_bytes(name, to.name)) return false;
    if (text == Py_None) return true;
    to.text.emplace();
    return take_bytes(text, *to.text);
}
// Calls take(item) for each item of a list.
template <class Take>
bool take_list(PyObject* list, Take&& take) {
    const Py_ssize_t size = PyList_Size(list);
    if (size < 0) return false;
    for (Py_ssize_t n = 0; n != size; ++n)
        if (!take(PyList_GetItem(list, n))) return false;
    return true;
}

// Calls Python; what the library throws, which is bad_alloc alone, becomes MemoryError.
template <class Call>
PyObject* guarded(Call&& call) {
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

template <class Struct>
void release_capsule(PyObject* capsule, const char* name) {
    auto* const one = static_cast<Struct*>(PyCapsule_GetPointer(capsule, name));
    if (one == nullptr) return PyErr_Clear();
    if (one->release != nullptr) one->release(one);
    delete one;
}

// A stream whose problems are passed to a callable, which it keeps alive.
struct shared_stream {
    ArrowArrayStream inner = {};                    // of all inputs; of none, for its schema, where threads read them
    std::unique_ptr<parallel_stream> reading = {};  // null if no threads read
    PyObject* on_problem = nullptr;
    clock signals = {};
    // What the callable raised, such as a warning that a filter makes an error, or a signal's handler: the stream ends
    // with it.
    std::optional<std::string> raised = std::nullopt;
    int code = EINVAL;
    std::string words = {};  // of the error that ended the stream
};

// The text of the exception that is set, which is cleared.
std::string take_exception() {
    PyObject* parts[3] = {};
    PyErr_Fetch(&parts[0], &parts[1], &parts[2]);
    PyErr_NormalizeException(&parts[0], &parts[1], &parts[2]);
    const object own[] = {object(parts[0]), object(parts[1]), object(parts[2])};
    const object words(parts[1] != nullptr ? PyObject_Str(parts[1]) : nullptr);
    const object bytes(words ? PyUnicode_AsEncodedString(words.get(), "utf-8", "replace") : nullptr);
    std::string text;
    if (bytes && take_bytes(bytes.get(), text) && !text.empty()) return text;
    PyErr_Clear();
    return "an exception";
}

// Passes a problem of a stream on to Python, from whichever thread the consumer reads in.
void report(shared_stream& own, const finding& f) {
    if (own.raised) return;
    const locked hold;
    if (!hold) return;
    const object one = tuple_of(f);
    const object done(one ? PyObject_CallFunctionObjArgs(own.on_problem, one.get(), nullptr) : nullptr);
    if (!done) own.raised = take_exception();
}
void report(void* context, const wlfmt::arrow::problem& p) {
    auto& own = *static_cast<shared_stream*>(context);
    if (const std::optional<finding> compressed = find_compression(p.text, p.in.name)) {
        if (!own.raised) own.raised = compressed->text;
        return;
    }
    report(own, finding(p.error, p.text, p.in.name, wlfmt::severity::warning));
}

// False if the stream is to end. The handlers of signals run where the stream is read in the thread that made it: they
// run in the main thread alone, and another thread may be one for which the holder of the interpreter's lock waits.
bool go_on(void* context) {
    auto& own = *static_cast<shared_stream*>(context);
    if (own.raised) return false;
    if (!own.signals.is_due() || !in_main_thread()) return true;
    const locked hold;
    if (!hold || PyErr_CheckSignals() == 0) return true;
    const bool again = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
    own.raised = take_exception();
    own.code = ECANCELED;
    // Whatever the consumer makes of the error: when Python goes on, it raises KeyboardInterrupt.
    if (again) PyErr_SetInterrupt();
    return false;
}

bool take_request(PyObject* args, std::vector<wlfmt::arrow::input>& from, wlfmt::arrow::request& what,
                  std::size_t& threads) {
    PyObject* inputs = nullptr;
    int of = 0;
    PyObject* columns = nullptr;
    PyObject* ranks = nullptr;
    int lenient = 0;
    Py_ssize_t rows = 0;
    Py_ssize_t most_threads = 0;
    PyObject* on_problem = nullptr;
    if (PyArg_ParseTuple(args, "OiOOpnnO", &inputs, &of, &columns, &ranks, &lenient, &rows, &most_threads,
                         &on_problem) == 0)
        return false;
    threads = static_cast<std::size_t>(most_threads);
    what.of = static_cast<wlfmt::arrow::contents>(of);
    what.lenient = lenient != 0;
    what.rows_per_batch = static_cast<std::size_t>(rows);
    what.context = on_problem;
    what.on_problem = report;
    what.go_on = go_on;
    what.on_error = [](void* context, const wlfmt::arrow::problem& p) {
        static_cast<shared_stream*>(context)->words = failure(p.error, p.text, p.in.name).text;
    };
    return take_list(inputs, [&](PyObject* one) { return take_input(one, from.emplace_back()); }) &&
           take_list(columns, [&](PyObject* one) { return take_bytes(one, what.columns.emplace_back()); }) &&
           take_list(ranks, [&](PyObject* one) {
               what.ranks.push_back(PyLong_AsLongLong(one));
               return PyErr_Occurred() == nullptr;
           });
}

int next_of(shared_stream& own, ArrowArray* to) {
    if (!own.reading) return own.inner.get_next(&own.inner, to);
    if (own.reading->is_of_other_process()) {
        auto again = own.reading->resume();
        static_cast<void>(own.reading.release());
        own.reading = std::move(again);
    }
    return own.reading->next(
        *to, [&](const finding& f) { report(own, f); }, [&] { return go_on(&own); });
}
void open_stream(std::vector<wlfmt::arrow::input> from, wlfmt::arrow::request what, std::size_t threads,
                 ArrowArrayStream& to) {
    auto own = std::make_unique<shared_stream>();
    own->on_problem = static_cast<PyObject*>(what.context);
    what.context = own.get();
    // The columns of tables are those of all files.
    if (what.of == wlfmt::arrow::contents::rows) threads = 1;
    auto groups = wlfmt_python::group(std::move(from), threads);
    from.clear();
    if (groups.size() == 1)
        from = std::move(groups.front());
    else if (!groups.empty())
        own->reading = std::make_unique<parallel_stream>(
            std::make_shared<wlfmt_python::plan>(wlfmt_python::plan{std::move(groups), what, threads}));
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
        int code = state.code;
        try {
            if (!state.raised) code = next_of(state, array);
        } catch (const std::bad_alloc&) {
            return ENOMEM;
        }
        if (!state.raised) return code;
        if (code == 0 && array->release != nullptr) array->release(array);
        *array = ArrowArray();
        return state.code;
    };
    to.get_last_error = [](ArrowArrayStream* s) {
        auto& state = *static_cast<shared_stream*>(s->private_data);
        if (state.raised) return state.raised->c_str();
        if (!state.words.empty()) return state.words.c_str();
        if (state.reading && !state.reading->words().empty()) return state.reading->words().c_str();
        return state.inner.get_last_error(&state.inner);
    };
    to.release = [](ArrowArrayStream* s) {
        const std::unique_ptr<shared_stream> mine(static_cast<shared_stream*>(s->private_data));
        s->release = nullptr;
        mine->inner.release(&mine->inner);
        if (mine->reading && mine->reading->is_of_other_process()) static_cast<void>(mine->reading.release());
        // A consumer can release it after the interpreter's end, from a destructor of its own.
        const locked hold;
        if (hold) Py_DecRef(mine->on_problem);
    };
}

constexpr const char* stream_name = "arrow_array_stream";
constexpr const char* schema_name = "arrow_schema";

PyObject* stream(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        std::vector<wlfmt::arrow::input> from;
        wlfmt::arrow::request what;
        std::size_t threads = 1;
        if (!take_request(args, from, what, threads)) return nullptr;
        auto own = std::make_unique<ArrowArrayStream>();
        open_stream(std::move(from), std::move(what), threads, *own);
        PyObject* const capsule = PyCapsule_New(own.get(), stream_name,
                                                [](PyObject* c) { release_capsule<ArrowArrayStream>(c, stream_name); });
        if (capsule == nullptr)
            own->release(own.get());
        else
            static_cast<void>(own.release());
        return capsule;
    });
}

PyObject* schema(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        std::vector<wlfmt::arrow::input> from;
        wlfmt::arrow::request what;
        std::size_t threads = 1;
        if (!take_request(args, from, what, threads)) return nullptr;
        std::optional<finding> failed;
        struct context {
            std::optional<finding>& failed;
            unlocked* thread = nullptr;
            bool interrupted = false;
        } own_context{failed};
        what.context = &own_context;
        what.on_problem = nullptr;
        what.on_error = [](void* to, const wlfmt::arrow::problem& p) {
            static_cast<context*>(to)->failed = failure(p.error, p.text, p.in.name);
        };
        what.go_on = [](void* to) {
            auto& c = *static_cast<context*>(to);
            try {
                c.thread->handle_signals();
            } catch (const interrupted&) {
                c.interrupted = true;
            }
            return !c.interrupted;
        };
        auto own = std::make_unique<ArrowSchema>();
        std::string message;
        int code = 0;
        {
            unlocked thread;
            own_context.thread = &thread;
            ArrowArrayStream all;
            wlfmt::arrow::open(std::move(from), std::move(what), all);
            code = all.get_schema(&all, own.get());
            if (const char* words = code != 0 ? all.get_last_error(&all) : nullptr) message = words;
            all.release(&all);
        }
        if (own_context.interrupted) return nullptr;
        if (failed) return raise(*failed);
        if (code == ENOMEM) return PyErr_NoMemory();
        if (code != 0) {
            PyErr_SetString(PyExc_ValueError, message.c_str());
            return nullptr;
        }
        PyObject* const capsule =
            PyCapsule_New(own.get(), schema_name, [](PyObject* c) { release_capsule<ArrowSchema>(c, schema_name); });
        if (capsule == nullptr)
            own->release(own.get());
        else
            static_cast<void>(own.release());
        return capsule;
    });
}

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

PyMODINIT_FUNC PyInit__wlfmt() {
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
