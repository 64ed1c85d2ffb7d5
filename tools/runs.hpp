// The files of a run: which ranks they hold, and which of several of one rank counts.
#ifndef WLFMT_TOOLS_RUNS_HPP
#define WLFMT_TOOLS_RUNS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "output.hpp"

namespace tool {

// What a tracer's file name says: `..._rank7_20250504161643.txt`. `run` is all that comes before.
struct run_file_name {
    std::string_view run;
    std::string_view rank;
    std::string_view time;  // empty: the name is not of that form
};
inline run_file_name parse_run_file(std::string_view path) noexcept {
    run_file_name n;
    const std::size_t mark = path.rfind("_rank");
    if (mark == std::string_view::npos) return n;
    const std::string_view rest = path.substr(mark + 5);
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || rest[digits] != '_') return n;
    const std::string_view time = rest.substr(digits + 1, 14);
    if (time.size() != 14 || time.find_first_not_of("0123456789") != std::string_view::npos) return n;
    n.run = path.substr(0, mark);
    n.rank = rest.substr(0, digits);
    n.time = time;
    return n;
}

// Of several files of one rank, the newest by their names; says which ones are passed over.
inline std::vector<const char*> newest_of_each_rank(const std::vector<const char*>& files) {
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> newest;
    for (const char* path : files) {
        const run_file_name n = parse_run_file(path);
        if (n.time.empty()) continue;
        std::string_view& time = newest[{n.run, n.rank}];
        if (n.time > time) time = n.time;
    }
    std::vector<const char*> kept;
    for (const char* path : files) {
        const run_file_name n = parse_run_file(path);
        if (n.time.empty() || newest[{n.run, n.rank}] == n.time) kept.push_back(path);
    }
    if (kept.size() != files.size())
        standard_error.append(
            "wlfmt: " + counted(files.size() - kept.size(), "file of an older run is", "files of older runs are") +
            " passed over: of each rank the newest counts\n");
    return kept;
}

// `0-7,16`: none given is all.
class rank_set {
public:
    bool parse(std::string_view text) {
        while (!text.empty()) {
            const std::string_view one = text.substr(0, text.find(','));
            text.remove_prefix(one.size() == text.size() ? one.size() : one.size() + 1);
            const std::size_t dash = one.find('-');
            const auto first = wlfmt::to_number(one.substr(0, dash)).as<std::int64_t>();
            const auto last =
                dash == std::string_view::npos ? first : wlfmt::to_number(one.substr(dash + 1)).as<std::int64_t>();
            if (!first || !last || *first < 0 || *last < *first) return false;
            ranges_.emplace_back(*first, *last);
        }
        return !ranges_.empty();
    }
    bool has(std::int64_t rank) const noexcept {
        if (ranges_.empty()) return true;
        for (const auto& range : ranges_)
            if (rank >= range.first && rank <= range.second) return true;
        return false;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
};

}  // namespace tool

#endif
