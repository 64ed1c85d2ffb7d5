// Writing with fmt::format_to, as its author advises where speed counts: format strings that are compiled, and one
// memory_buffer used again and again. Empty if CMake has not found the library.
#ifndef WLFMT_BENCHMARKS_PEERS_FMT_HPP
#define WLFMT_BENCHMARKS_PEERS_FMT_HPP
#ifdef WLFMT_BENCH_FMT

#include <fmt/compile.h>
#include <fmt/format.h>

#include <string>
#include <wlfmt/number.hpp>

namespace bench::peers {

// A buffer that is written from its start each time.
class reused_buffer {
public:
    fmt::memory_buffer& begin() {
        buffer_.clear();
        return buffer_;
    }
    std::size_t size() const { return buffer_.size(); }
    std::string text() const { return {buffer_.data(), buffer_.size()}; }

private:
    fmt::memory_buffer buffer_;
};

}  // namespace bench::peers

// A number as Python prints it.
template <> struct fmt::formatter<wlfmt::number> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    template <class Context> auto format(const wlfmt::number& n, Context& context) const {
        if (n.is_decimal()) {
            // Takes fewer instructions than {:#}, the single format that would do.
            const double v = n.value_or(0.0);
            const auto out = fmt::format_to(context.out(), FMT_COMPILE("{}"), v);
            return v == std::floor(v) ? fmt::format_to(out, FMT_COMPILE(".0")) : out;
        }
        if (n.is_integer()) return fmt::format_to(context.out(), FMT_COMPILE("{}"), *n.as<std::int64_t>());
        return fmt::format_to(context.out(), FMT_COMPILE("{}"), n.is_none() ? "None" : "");
    }
};

#endif
#endif
