// The command within this process: what it prints as a text, what it says as objects.
#ifndef WLFMT_PYTHON_COMMAND_HPP
#define WLFMT_PYTHON_COMMAND_HPP

#include "object.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
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

// run(arguments, texts, folders, ends_at_error, on_progress, on_lines) -> (exit status, what is printed, problems and
// sentences). The texts are pairs of a file's name and what it is to hold, the folders pairs of a name and the names of
// files. With `ends_at_error` every problem is reported, and no more is read soon after the first error in the text.
// on_progress(done, total, whether these are bytes) is called now and then, and on_lines(bytes) with whole lines of
// what is printed, which is then not returned; both may be None.
inline PyObject* run(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* words = nullptr;
        PyObject* texts = nullptr;
        PyObject* folders = nullptr;
        int ends_at_error = 0;
        PyObject* on_progress = nullptr;
        PyObject* on_lines = nullptr;
        std::vector<std::string> arguments;
        bool is_interrupted = false;
        // Calls Python without its lock; after an exception the command ends.
        const auto tell = [&](PyObject* function, const char* format, auto... values) {
            const locked hold;
            const object done(hold ? PyObject_CallFunction(function, format, values...) : nullptr);
            is_interrupted = !done;
        };
        unlocked* thread = nullptr;
        clock shown;
        const auto show = [&](const tool::caller& by) {
            const tool::caller::progress now = by.now();
            if (now.total == 0) return;  // which is not known
            tell(on_progress, "KKO", static_cast<unsigned long long>(now.done),
                 static_cast<unsigned long long>(now.total), now.are_bytes ? Py_True : Py_False);
        };
        constexpr std::size_t part_size = std::size_t{1} << 18;
        // A line that is not whole yet stays.
        const auto hand_on = [&](tool::caller& by) {
            const std::size_t whole = by.printed.rfind('\n') + 1;  // npos + 1 is 0
            for (std::size_t begin = 0; !is_interrupted && begin != whole;) {
                const std::size_t last = by.printed.find('\n', (std::min)(begin + part_size, whole - 1));
                tell(on_lines, "y#", by.printed.data() + begin, static_cast<Py_ssize_t>(last + 1 - begin));
                begin = last + 1;
            }
            by.printed.erase(0, whole);
        };
        std::size_t known = 0;  // how many notices have been looked at
        const auto go_on = [&](tool::caller& by) {
            try {
                thread->handle_signals();
            } catch (const interrupted&) {
                is_interrupted = true;
            }
            if (!is_interrupted && on_progress != Py_None && shown.is_due()) show(by);
            if (on_lines != Py_None && by.printed.size() >= part_size) hand_on(by);
            bool has_error = false;
            for (; ends_at_error != 0 && known != by.notices.size(); ++known)
                has_error = has_error || by.notices[known].severity == name_of(wlfmt::severity::error);
            return !is_interrupted && !has_error;
        };
        tool::caller by(go_on);
        const auto take_text = [&](PyObject* pair) {
            std::string name;
            PyObject* text = nullptr;
            return take_pair(pair, name, text) && take_bytes(text, by.texts[name]);
        };
        const auto take_folder = [&](PyObject* pair) {
            std::string name;
            PyObject* files = nullptr;
            return take_pair(pair, name, files) && take_list(files, by.folders[name]);
        };
        if (PyArg_ParseTuple(args, "OOOpOO", &words, &texts, &folders, &ends_at_error, &on_progress, &on_lines) == 0 ||
            !take_list(words, arguments) || !take_list(texts, take_text) || !take_list(folders, take_folder))
            return nullptr;
        by.lists_problems = ends_at_error != 0;
        int status = 0;
        {
            unlocked without_lock;
            thread = &without_lock;
            const command_turn own_turn(without_lock);
            status = tool::call(arguments, by);
            if (!is_interrupted && on_lines != Py_None) hand_on(by);
            if (!is_interrupted && on_progress != Py_None) show(by);
        }
        if (is_interrupted) return nullptr;
        const object printed(PyBytes_FromStringAndSize(by.printed.data(), static_cast<Py_ssize_t>(by.printed.size())));
        const object problems = list_of(by.notices);
        return printed && problems ? Py_BuildValue("(iOO)", status, printed.get(), problems.get()) : nullptr;
    });
}

// main(arguments) -> exit status: the command as a program, of which the first argument is the name.
inline PyObject* call_main(PyObject*, PyObject* words) {
    return guarded([&]() -> PyObject* {
        std::vector<std::string> arguments;
        if (!take_list(words, arguments)) return nullptr;
        std::vector<char*> pointers;
        for (std::string& word : arguments) pointers.push_back(&word[0]);
        pointers.push_back(nullptr);
        int status = 0;
        {
            const unlocked without_lock;
            status = tool::execute_program(static_cast<int>(arguments.size()), pointers.data());
        }
        return PyLong_FromLong(status);
    });
}

}  // namespace wlfmt_python

#endif
