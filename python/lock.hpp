// The interpreter's lock, which is released while files are read, and taken again to report to Python and to handle
// signals.
#ifndef WLFMT_PYTHON_LOCK_HPP
#define WLFMT_PYTHON_LOCK_HPP

#include "object.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace wlfmt_python {

// Is due ten times a second at most: to get the interpreter's lock from another thread takes up to 5 ms.
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
// Thrown if Python has raised an exception, as the handler of a signal raises KeyboardInterrupt. The exception is set.
struct interrupted {};
// The thread in which Python runs the handlers of signals.
inline unsigned long main_thread = 0;
inline bool in_main_thread() noexcept { return PyThread_get_thread_ident() == main_thread; }

// Hold it to touch Python's objects in code that runs without the interpreter's lock. If it is false, the interpreter
// is about to end: touch none of them then.
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

    // Waits a second at most: a thread that waited before a fork does not exist after it.
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

    // Runs, every now and then, the handlers of signals that have arrived.
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

}  // namespace wlfmt_python

#endif
