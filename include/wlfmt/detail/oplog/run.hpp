// Facts in file names.
#ifndef WLFMT_DETAIL_OPLOG_RUN_HPP
#define WLFMT_DETAIL_OPLOG_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../run.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The number after `name`, if there is nothing else; at most nine digits.
inline std::optional<std::int64_t> number_after(std::string_view part, std::string_view name) noexcept {
    if (part.size() <= name.size() || part.size() > name.size() + 9 || part.substr(0, name.size()) != name) return {};
    std::int64_t v = 0;
    for (const char c : part.substr(name.size())) {
        if (c < '0' || c > '9') return {};
        v = v * 10 + (c - '0');
    }
    return v;
}
inline bool is_time(std::string_view part) noexcept {
    constexpr std::size_t digits = 14;
    return part.size() == digits && part.find_first_not_of("0123456789") == std::string_view::npos;
}
inline std::string_view file_name(std::string_view path) noexcept { return path.substr(path.find_last_of("/\\") + 1); }

// The name without what comes after the last point, and without what a compressor adds to that.
inline std::string_view stem(std::string_view path) noexcept {
    std::string_view name = file_name(path);
    for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2", ".lz4"})
        if (name.size() > packed.size() && name.substr(name.size() - packed.size()) == packed)
            name.remove_suffix(packed.size());
    return name.substr(0, name.find_last_of('.'));
}

// Whatever tells one run's files from another's: the name without rank and time, which are left out here.
inline std::string run_name(std::string_view path) {
    std::string to;
    std::string_view rest = stem(path);
    for (;;) {
        const std::size_t end = (std::min)(rest.find('_'), rest.size());
        const std::string_view part = rest.substr(0, end);
        if (!number_after(part, "rank") && !is_time(part)) to.append(to.empty() ? "" : "_").append(part);
        if (end == rest.size()) return to;
        rest.remove_prefix(end + 1);
    }
}

class run_choice {
public:
    explicit run_choice(const std::vector<std::string>& paths) : paths_(paths) {
        for (const std::string& path : paths) facts_.push_back(oplog::facts_of(path));
    }
    oplog::run_files choose() {
        std::map<std::string_view, std::size_t> seen;
        for (std::size_t n = 0; n != paths_.size(); ++n) {
            if (seen.emplace(paths_[n], n).second)
                add(n);
            else
                to_.repeated.push_back(n);
        }
        std::sort(to_.superseded.begin(), to_.superseded.end());
        for (const auto& entry : newest_) to_.chosen.push_back(entry.second);
        std::sort(to_.chosen.begin(), to_.chosen.end());
        if (names_.size() > 1) several_runs();
        find_missing();
        return std::move(to_);
    }

private:
    void add(std::size_t n) {
        const oplog::file_facts& f = facts_[n];
        if (!f.rank) {
            to_.chosen.push_back(n);
            return;
        }
        const auto refuse = [&](const char* why) { to_.contradictions.push_back(paths_[n] + ": " + why); };
        if (f.world_size && *f.rank >= *f.world_size) refuse("the rank is not below the world size");
        const std::int64_t of_model = f.tensor.value_or(1) * f.pipeline.value_or(1);
        if (f.world_size && (of_model == 0 || *f.world_size % of_model != 0))
            refuse("the world size is no multiple of the tensor and pipeline parallel sizes");
        const std::string name = run_name(paths_[n]);
        ++names_[name];
        const auto place = newest_.emplace(std::pair(name, *f.rank), n).first;
        std::size_t& newest = place->second;
        if (newest == n) return;
        if (facts_[newest].time == f.time)
            to_.contradictions.push_back(paths_[newest] + " and " + paths_[n] + " are files of one rank and one time");
        const bool later = facts_[newest].time < f.time;
        to_.superseded.push_back(later ? newest : n);
        if (later) newest = n;
    }
    void several_runs() {
        std::string all = "files of " + std::to_string(names_.size()) + " runs:";
        for (const auto& [name, files] : names_)
            all.append(" ")
                .append(name)
                .append(" (")
                .append(std::to_string(files))
                .append(files == 1 ? " file)" : " files)");
        to_.contradictions.push_back(std::move(all));
    }
    void find_missing() {
        if (names_.size() != 1) return;
        std::int64_t expected = newest_.begin()->first.second;
        std::int64_t end = newest_.rbegin()->first.second + 1;
        if (const auto size = facts_[newest_.begin()->second].world_size) {
            expected = 0;
            end = (std::max)(end, *size);
        }
        for (const auto& entry : newest_) {
            const std::int64_t rank = entry.first.second;
            if (rank > expected) to_.missing.push_back({expected, rank - 1});
            expected = rank + 1;
        }
        if (expected < end) to_.missing.push_back({expected, end - 1});
    }

    const std::vector<std::string>& paths_;
    std::vector<oplog::file_facts> facts_;
    std::map<std::pair<std::string, std::int64_t>, std::size_t> newest_;  // by run and rank
    std::map<std::string, std::size_t> names_;                            // of runs, and how many files each has
    oplog::run_files to_;
};

}  // namespace detail

namespace oplog {

inline file_facts facts_of(std::string_view path) noexcept {
    file_facts to;
    std::string_view rest = detail::stem(path);
    while (!rest.empty()) {
        const std::size_t end = (std::min)(rest.find('_'), rest.size());
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix((std::min)(end + 1, rest.size()));
        const std::pair<std::string_view, std::optional<std::int64_t>*> numbers[] = {
            {"wd", &to.world_size}, {"tp", &to.tensor},      {"pp", &to.pipeline},
            {"exp", &to.expert},    {"expNum", &to.experts}, {"numl", &to.layers},
            {"l", &to.layers},      {"bs", &to.micro_batch}, {"rank", &to.rank}};
        for (const auto& [name, number] : numbers)
            if (const auto v = detail::number_after(part, name)) *number = v;
        if (detail::is_time(part)) to.time = part;
    }
    return to;
}

inline run_files choose_files(const std::vector<std::string>& paths) { return detail::run_choice(paths).choose(); }

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
