// The command within this process: what it prints as a text, what it says as objects.
#ifndef WLFMT_PYTHON_COMMAND_HPP
#define WLFMT_PYTHON_COMMAND_HPP

#include "object.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "tools/command.hpp"

#include "convert.hpp"
#include "finding.hpp"
#include "lock.hpp"

namespace wlfmt_python {

// The command has one state for the whole process, which one thread holds at a time. In the child of a fork nobody
// does.
class command_turn {
public:
    explicit command_turn(unlocked& thread) {
        for (long holder = 0; !process_.compare_exchange_strong(holder, own_process());) {
            if (holder != own_process()) {
                process_.compare_exchange_strong(holder, 0);
            } else {
                if (thread_ == PyThread_get_thread_ident())
                    throw std::logic_error("what reports the progress of a command cannot call another one");
                thread.handle_signals();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            holder = 0;
        }
        thread_ = PyThread_get_thread_ident();
    }
    command_turn(const command_turn&) = delete;
    command_turn& operator=(const command_turn&) = delete;
    ~command_turn() {
        thread_ = 0;
        process_ = 0;
    }

private:
    static long own_process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
        return static_cast<long>(::getpid());
#else
        return 1;
#endif
    }
    static inline std::atomic<long> process_ = 0;  // that of the thread whose turn it is; 0: nobody's
    static inline std::atomic<unsigned long> thread_ = 0;
};

// run(arguments, on_progress) -> (exit status, what is printed, problems and sentences). on_progress(done, total,
// whether these are bytes) is called now and then, if it is not None.
inline PyObject* run(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* words = nullptr;
        PyObject* on_progress = nullptr;
        std::vector<std::string> arguments;
        if (PyArg_ParseTuple(args, "OO", &words, &on_progress) == 0 ||
            !take_list(words, [&](PyObject* one) { return take_bytes(one, arguments.emplace_back()); }))
            return nullptr;
        bool is_interrupted = false;
        int status = 0;
        std::string printed;
        std::vector<tool::notice> said;
        {
            unlocked thread;
            const command_turn own_turn(thread);
            clock shown;
            const auto show = [&](const tool::caller::progress& now) {
                const locked hold;
                const object done(hold ? PyObject_CallFunction(on_progress, "KKO",
                                                               static_cast<unsigned long long>(now.done),
                                                               static_cast<unsigned long long>(now.total),
                                                               now.are_bytes ? Py_True : Py_False)
                                       : nullptr);
                is_interrupted = !done;
            };
            const auto go_on = [&](const tool::caller::progress& now) {
                try {
                    thread.handle_signals();
                } catch (const interrupted&) {
                    is_interrupted = true;
                }
                if (!is_interrupted && on_progress != Py_None && shown.is_due()) show(now);
                return !is_interrupted;
            };
            tool::caller by(go_on);
            status = tool::call(arguments, by);
            if (!is_interrupted && on_progress != Py_None && by.now().total != 0) show(by.now());
            printed = std::move(by.printed);
            said = std::move(by.notices);
        }
        if (is_interrupted) return nullptr;
        const object text(PyBytes_FromStringAndSize(printed.data(), static_cast<Py_ssize_t>(printed.size())));
        const object problems = list_of(said);
        return text && problems ? Py_BuildValue("(iOO)", status, text.get(), problems.get()) : nullptr;
    });
}

// main(arguments) -> exit status: the command as a program, of which the first argument is the name.
inline PyObject* run_main(PyObject*, PyObject* words) {
    return guarded([&]() -> PyObject* {
        std::vector<std::string> arguments;
        if (!take_list(words, [&](PyObject* one) { return take_bytes(one, arguments.emplace_back()); })) return nullptr;
        std::vector<char*> pointers;
        for (std::string& word : arguments) pointers.push_back(&word[0]);
        pointers.push_back(nullptr);
        int status = 0;
        {
            const unlocked without_lock;
            status = tool::run_program(static_cast<int>(arguments.size()), pointers.data());
        }
        return PyLong_FromLong(status);
    });
}

}  // namespace wlfmt_python

#endif
