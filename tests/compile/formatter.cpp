// Errors, numbers, values and texts are formatted by std::format, and by {fmt} where it is there.
#include <format>
#include <string>

#include <wlfmt/types/std_format.hpp>
#if __has_include(<fmt/format.h>)
#include <wlfmt/types/fmt.hpp>
#endif
#include <wlfmt/oplog.hpp>

std::string formatted(const wlfmt::oplog::operation& op, const wlfmt::problem& e) {
    std::string all = std::format("{}", op.duration) + std::format("{}", op.description) + std::format("{}", e) +
                      std::format("{}", e.kind) + std::format("{}", op.find("x")) +
                      std::format("{}", op.find("x").text());
#if __has_include(<fmt/format.h>)
    all += fmt::format("{:>8} {} {} {} {}", op.duration, op.description, e, e.kind, op.find("x"));
    all += fmt::format("{:.3} {:8.2f} {:+}", op.duration, op.duration, op.find("x"));
#endif
    return all;
}
