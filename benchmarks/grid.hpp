// How the benchmarks print: numbers, progress, and lines of cells.
#ifndef WLFMT_BENCHMARKS_GRID_HPP
#define WLFMT_BENCHMARKS_GRID_HPP

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline std::string text(const char* form, double v) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, form, v);
    return buffer;
}

// Shows progress to a person who is waiting.
inline void progress(const std::string& what) {
    static const bool terminal = ::isatty(STDERR_FILENO) != 0;
    if (terminal) std::fprintf(stderr, "\r\033[K%s", what.c_str());
}

// Lines of cells, printed as aligned text or as Markdown.
class grid {
public:
    explicit grid(std::vector<std::string> head) { lines_.push_back(std::move(head)); }
    void add(std::vector<std::string> line) { lines_.push_back(std::move(line)); }
    void print(const char* title, bool markdown) const {
        std::vector<std::size_t> widths(lines_[0].size());
        for (const auto& line : lines_)
            for (std::size_t n = 0; n != line.size(); ++n) widths[n] = (std::max)(widths[n], line[n].size());
        progress("");
        std::printf(markdown ? "\n**%s**\n\n" : "\n%s\n", title);
        print_line(lines_[0], widths, markdown);
        for (std::size_t n = 0; n != widths.size(); ++n)
            std::printf(markdown ? "|%s" : "%s  ", std::string(widths[n] + (markdown ? 2 : 0), '-').c_str());
        std::puts(markdown ? "|" : "");
        for (std::size_t n = 1; n != lines_.size(); ++n) print_line(lines_[n], widths, markdown);
        std::fflush(stdout);
    }

private:
    static void print_line(const std::vector<std::string>& line, const std::vector<std::size_t>& widths,
                           bool markdown) {
        for (std::size_t n = 0; n != line.size(); ++n)
            std::printf(markdown ? "| %-*s " : "%-*s  ", static_cast<int>(widths[n]), line[n].c_str());
        std::puts(markdown ? "|" : "");
    }
    std::vector<std::vector<std::string>> lines_;
};

}  // namespace bench

#endif
