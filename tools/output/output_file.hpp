// Writes a file, and puts it in its place only when it is complete.
#ifndef WLFMT_TOOLS_OUTPUT_OUTPUT_FILE_HPP
#define WLFMT_TOOLS_OUTPUT_OUTPUT_FILE_HPP

#include <csignal>

#include "../input/identity.hpp"
#include "output.hpp"

#if defined(_WIN32)
#include <process.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace tool {

// The name of the file that is being written. The file is removed if the command is stopped before it is complete.
class unfinished_file {
public:
    static void set(const char* name) noexcept {
        clear();
        if (std::strlen(name) >= sizeof name_) return;
        std::strcpy(name_, name);
        is_set_ = 1;
    }
    static void clear() noexcept { is_set_ = 0; }
    // Calls nothing that a signal handler must not call.
    static void remove() noexcept {
        if (is_set_ == 0) return;
        is_set_ = 0;
#if defined(_WIN32)
        static_cast<void>(std::remove(name_));
#else
        static_cast<void>(unlink(name_));
#endif
    }
    // Makes a signal that ends the command remove the file first.
    static void watch_signals() noexcept {
#if defined(_WIN32)
        for (const int signal : {SIGINT, SIGTERM}) watch(signal);
#else
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) watch(signal);
#endif
    }

private:
    static void watch(int signal) noexcept {
        // A signal that is ignored (nohup) stays ignored.
        if (std::signal(signal, end) == SIG_IGN) static_cast<void>(std::signal(signal, SIG_IGN));
    }
    static void end(int signal) {
        remove();
        static_cast<void>(std::signal(signal, SIG_DFL));
        static_cast<void>(std::raise(signal));
    }
    static inline char name_[4096] = {};
    static inline volatile std::sig_atomic_t is_set_ = 0;
};

// Writes a temporary file beside the place of the file, and renames it when it is complete: a failure leaves the old
// file as it was. The old permissions are kept. Devices and pipes are written directly. A failure is reported once.
class output_file {
public:
    output_file() = default;
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file() { discard(); }

    // Returns false, with a message, if the file cannot be written or is one of the inputs.
    bool open(const std::string& name, input_files& inputs) {
        namespace fs = std::filesystem;
        name_ = name;
        if (const std::string input = inputs.find(name); !input.empty())
            return fail(input == name ? "this file is an input, too: give the output another name"
                                      : joined({"this file is the input ", input, ": give the output another name"}));
        std::error_code ignored;
        const fs::file_status now = fs::status(name, ignored);
        if (fs::exists(now) && !fs::is_regular_file(now)) {
            if (fs::is_directory(now)) errno = EISDIR;
            else file_ = std::fopen(name.c_str(), "wb");
            return file_ != nullptr || report_no_access();
        }
        place_ = resolved(name);
        if (fs::exists(now) && !is_writable()) return report_no_access();
        for (int n = 0; file_ == nullptr && n < 100; ++n) {
            beside_ = place_.parent_path() / (joined({unfinished_prefix, process(), "-", n}));
            const std::string path = beside_.string();
            if (fs::exists(fs::symlink_status(beside_, ignored))) continue;
            unfinished_file::set(path.c_str());
            file_ = std::fopen(path.c_str(), "wbx");
            if (file_ == nullptr) break;
        }
        if (file_ == nullptr) {
            report_no_access();
            unfinished_file::clear();
            beside_.clear();
            return false;
        }
        if (fs::exists(now)) take_over(now.permissions());
        return true;
    }
    std::FILE* file() const noexcept { return file_; }
    // Puts the finished file in its place. Returns false, with a message, if some of it could not be written.
    bool keep() {
        if (file_ == nullptr) return false;
        bool good = std::ferror(file_) == 0;
        // The failed write need not be the last call: errno counts only if it is a reason for which writes fail.
        int reason = good || (errno != ENOSPC && errno != EFBIG && errno != EIO) ? 0 : errno;
        if (std::fclose(file_) != 0) {
            if (reason == 0) reason = errno;
            good = false;
        }
        file_ = nullptr;
        std::error_code failed(reason, std::generic_category());
        if (good && !beside_.empty()) std::filesystem::rename(beside_, place_, failed);
        if (good && !failed) {
            beside_.clear();
            unfinished_file::clear();
            return true;
        }
        discard();
        return fail(joined({"writing failed", failed ? ": " + failed.message() : std::string()}));
    }
    // Removes what was written; a file that was there before stays.
    void discard() {
        if (file_ != nullptr) static_cast<void>(std::fclose(file_));
        file_ = nullptr;
        if (beside_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove(beside_, ignored);
        beside_.clear();
        unfinished_file::clear();
    }

private:
    // Says why the file cannot be opened, in the system's words. Returns false.
    bool report_no_access() const {
        return fail("the file cannot be opened for writing: " + std::generic_category().message(errno));
    }
    // Reports a problem. Returns false.
    bool fail(const std::string& problem) const {
        say(name_, {"error: ", printable(problem)});
        return false;
    }
    static int process() noexcept {
#if defined(_WIN32)
        return _getpid();
#else
        return static_cast<int>(getpid());
#endif
    }
    // Follows links to the file itself, so that renaming does not replace a link.
    static std::filesystem::path resolved(std::filesystem::path path) {
        std::error_code failed;
        for (int n = 0; n < 40 && std::filesystem::is_symlink(path, failed); ++n) {
            const std::filesystem::path target = std::filesystem::read_symlink(path, failed);
            if (failed) break;
            path = target.is_absolute() ? target : path.parent_path() / target;
        }
        return path;
    }
    // Whether the file may be written: renaming alone would replace a write-protected file, too.
    bool is_writable() const {
        std::FILE* const there = std::fopen(place_.string().c_str(), "r+b");
        return there != nullptr && std::fclose(there) == 0;
    }
    // Copies the permissions and, if the system allows it, the owner of the file that is replaced.
    void take_over(std::filesystem::perms permissions) {
        std::error_code ignored;
#if !defined(_WIN32)
        struct stat there = {};
        if (stat(place_.c_str(), &there) == 0) {
            [[maybe_unused]] const int not_allowed = chown(beside_.c_str(), there.st_uid, there.st_gid);
        }
#endif
        std::filesystem::permissions(beside_, permissions, ignored);
    }

    std::string name_;
    std::filesystem::path place_;
    std::filesystem::path beside_;  // empty if place_ is written directly
    std::FILE* file_ = nullptr;
};

// A file, or standard output if no name is given.
class target {
public:
    target(const std::string& name, input_files& inputs) {
        if (name.empty() || name == "-" || is_standard_output(name.c_str())) return;
        is_open_ = file_.open(name, inputs);
        own_.emplace(file_.file());
    }
    // A file that could not be opened has already been reported.
    bool is_open() const noexcept { return is_open_; }
    stream& sink() noexcept { return own_ ? *own_ : standard_output; }
    // Puts the finished file in its place. Without this call the file that was there before stays. Returns false,
    // with a message, if something could not be written.
    bool keep() {
        if (!own_) return true;
        if (!is_open_) return false;
        own_->flush();
        return file_.keep();
    }

private:
    output_file file_;
    std::optional<stream> own_;
    bool is_open_ = true;
};

}  // namespace tool

#endif
