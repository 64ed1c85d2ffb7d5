// Errors, numbers, values and texts are formatted by std::format, and by {fmt} where it is there.
#include <string>
#if __has_include(<fmt/core.h>)
#include <fmt/core.h>
#endif
#include <format>

#include <wlfmt/oplog.hpp>
#include <wlfmt/types/formatter.hpp>

std::string formatted(const wlfmt::oplog::operation& op, const wlfmt::problem& e) {
    std::string all = std::format("{}", op.duration) + std::format("{}", op.description) + std::format("{}", e) +
                      std::format("{}", e.kind) + std::format("{}", op.find("x")) +
                      std::format("{}", op.find("x").text());
#if defined(FMT_VERSION)
    all += fmt::format("{:>8} {} {} {} {}", op.duration, op.description, e, e.kind, op.find("x"));
    all += fmt::format("{:.3} {:8.2f} {:+}", op.duration, op.duration, op.find("x"));
#endif
    return all;
}
