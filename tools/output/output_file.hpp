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
    static void set(const char* name) noexcept;
    static void clear() noexcept { is_set_ = 0; }
    // Calls nothing that a signal handler must not call.
    static void remove() noexcept;
    // Makes a signal that ends the command remove the file first.
    static void watch_signals() noexcept;

private:
    static void watch(int signal) noexcept;
    static void end(int signal);
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
    bool open(const std::string& name, input_files& inputs);
    std::FILE* file() const noexcept { return file_; }
    // Puts the finished file in its place. Returns false, with a message, if some of it could not be written.
    bool keep();
    // Removes what was written; a file that was there before stays.
    void discard();

private:
    // Says why the file cannot be opened, in the system's words. Returns false.
    bool report_no_access() const;
    // Reports a problem. Returns false.
    bool fail(const std::string& problem) const;
    static int process() noexcept;
    // Follows links to the file itself, so that renaming does not replace a link.
    static std::filesystem::path resolved(std::filesystem::path path);
    // Whether the file may be written: renaming alone would replace a write-protected file, too.
    bool is_writable() const;
    // Copies the permissions and, if the system allows it, the owner of the file that is replaced.
    void take_over(std::filesystem::perms permissions);

    std::string name_;
    std::filesystem::path place_;
    std::filesystem::path beside_;  // empty if place_ is written directly
    std::FILE* file_ = nullptr;
};

// A file, or standard output if no name is given.
class target {
public:
    target(const std::string& name, input_files& inputs);
    // A file that could not be opened has already been reported.
    bool is_open() const noexcept { return is_open_; }
    stream& sink() noexcept { return own_ ? *own_ : standard_output; }
    // Puts the finished file in its place. Without this call the file that was there before stays. Returns false,
    // with a message, if something could not be written.
    bool keep();

private:
    output_file file_;
    std::optional<stream> own_;
    bool is_open_ = true;
};

}  // namespace tool

#endif
