// The program that called the command in its own process.
#ifndef WLFMT_TOOLS_OUTPUT_CALLER_HPP
#define WLFMT_TOOLS_OUTPUT_CALLER_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "analysis/callback.hpp"

#include "notice.hpp"

namespace tool {

// Gets what the command prints, and says whether it is to go on.
class caller {
public:
    // How far the command has come: `done` of `total` files, or bytes of one file. 0: `total` is not known.
    struct progress {
        std::uint64_t done = 0;
        std::uint64_t total = 0;
        bool are_bytes = false;
    };
    // `go_on` is called in the thread that made this object, whenever the command reads on; false stops the command,
    // which then reads nothing more: each of its inputs ends with an error.
    explicit caller(const wlfmt::analysis::callback<bool(caller&)>& go_on)
        : go_on_(go_on), thread_(std::this_thread::get_id()) {}

    // Texts that stand for files of these names, and lists of files that stand for folders.
    std::map<std::string, std::string, std::less<>> texts;
    std::map<std::string, std::vector<std::string>, std::less<>> folders;
    // As `check` does, any command reports every problem of what it reads, and reads on after each.
    bool lists_problems = false;
    // The command appends to them while it runs. `go_on` may take whole lines from the beginning of `printed`.
    std::string printed;
    std::vector<notice> notices;

    // Any thread of the command may call these.
    bool stops() {
        if (std::this_thread::get_id() == thread_ && !stops_ && !go_on_(*this)) stops_ = true;
        return stops_;
    }
    progress now() const noexcept { return {done_, total_, are_bytes_}; }
    void show(std::uint64_t done, std::uint64_t total, bool are_bytes) noexcept {
        done_ = done;
        total_ = total;
        are_bytes_ = are_bytes;
    }

private:
    const wlfmt::analysis::callback<bool(caller&)> go_on_;
    const std::thread::id thread_;
    std::atomic<bool> stops_ = false;
    std::atomic<std::uint64_t> done_ = 0;
    std::atomic<std::uint64_t> total_ = 0;
    std::atomic<bool> are_bytes_ = false;
};
// Null in the command itself.
inline caller* called_by = nullptr;
// The text that the caller has given for a file, or the files for a folder; null if there is none.
template <class Given>
const Given* given_for(std::string_view name, std::map<std::string, Given, std::less<>> caller::*all) {
    if (called_by == nullptr) return nullptr;
    const auto found = (called_by->*all).find(name);
    return found == (called_by->*all).end() ? nullptr : &found->second;
}
// How a shell starts the command, if not by the program of this process; else empty.
inline std::string program_words;

}  // namespace tool

#endif
