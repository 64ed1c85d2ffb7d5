// What the command takes for granted and WASI lacks: the build includes it before the command's sources.
#pragma once
#include <cstdlib>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>
struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ FIONREAD  // it fails, as there is no terminal
inline int chown(const char*, uid_t, gid_t) { return 0; }
// There are no exceptions. What would throw is protozero, on reading a damaged trace. Each source has a copy.
extern "C" __attribute__((weak)) void* __cxa_allocate_exception(std::size_t) { std::abort(); }
extern "C" __attribute__((weak)) void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }
namespace std {  // there is one thread, so that nothing has to be locked, and nobody else can be waited for
struct mutex {};
template <class> struct lock_guard {
    explicit lock_guard(mutex&) noexcept {}
};
template <class> struct unique_lock {
    explicit unique_lock(mutex&) noexcept {}
};
struct condition_variable {
    void notify_all() noexcept {}
    void wait(unique_lock<mutex>&) noexcept {}
};
struct thread {
    using id = int;
    template <class Work> explicit thread(const Work&) noexcept {}
    static unsigned hardware_concurrency() noexcept { return 1; }
    void join() noexcept {}
};
namespace this_thread {
inline thread::id get_id() noexcept { return 0; }
}  // namespace this_thread
}  // namespace std
