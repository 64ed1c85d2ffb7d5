// Reads the facts in the names of op-log files, and chooses a run's files by them.
#ifndef WLFMT_DETAIL_OPLOG_FILES_HPP
#define WLFMT_DETAIL_OPLOG_FILES_HPP

#include <map>
#include <tuple>

#include "../../types/run.hpp"
#include "../base/order.hpp"
#include "../base/text_slots.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline bool is_digits(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}
// The number that the digits make; 0 without digits.
inline std::int64_t number_of(std::string_view digits) noexcept {
    std::int64_t v = 0;
    for (const char c : digits) v = v * 10 + (c - '0');
    return v;
}
// The number, of at most nine digits, after `name`; empty if the part has something else.
inline std::optional<std::int64_t> number_after(std::string_view part, std::string_view name) noexcept {
    if (part.substr(0, name.size()) != name) return {};
    const std::string_view digits = part.substr(name.size());
    if (digits.size() > 9 || !is_digits(digits)) return {};
    return number_of(digits);
}
inline bool is_time(std::string_view part) noexcept { return part.size() == 14 && is_digits(part); }
inline std::string_view file_name(std::string_view path) noexcept { return path.substr(path.find_last_of("/\\") + 1); }

// The file's name without its last extension and a compressor's after that.
inline std::string_view stem(std::string_view path) noexcept {
    std::string_view name = file_name(path);
    for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2", ".lz4"})
        if (name.size() > packed.size() && name.substr(name.size() - packed.size()) == packed)
            name.remove_suffix(packed.size());
    return name.substr(0, name.find_last_of('.'));
}

// Calls each(part) for the parts of the name, which underscores separate.
template <class Each> void for_each_part(std::string_view path, const Each& each) {
    std::string_view rest = stem(path);
    for (;;) {
        const std::size_t end = (std::min)(rest.find('_'), rest.size());
        each(rest.substr(0, end));
        if (end == rest.size()) return;
        rest.remove_prefix(end + 1);
    }
}
inline std::string run_name(std::string_view path) {
    std::string name;
    for_each_part(path, [&](std::string_view part) {
        if (!number_after(part, "rank") && !is_time(part)) name.append(name.empty() ? "" : "_").append(part);
    });
    return name;
}

// The time in a name; data() is null if it has none.
inline std::string_view time_in(std::string_view path) noexcept {
    std::string_view time;
    for_each_part(path, [&](std::string_view part) {
        if (is_time(part)) time = part;
    });
    return time;
}
inline oplog::file_facts facts_in(std::string_view path) noexcept {
    oplog::file_facts facts;
    facts.time = time_in(path);
    const std::pair<std::string_view, std::optional<std::int64_t>*> numbers[] = {
        {"wd", &facts.world_size}, {"tp", &facts.tensor},      {"pp", &facts.pipeline},
        {"exp", &facts.expert},    {"expNum", &facts.experts}, {"numl", &facts.layers},
        {"l", &facts.layers},      {"bs", &facts.micro_batch}, {"rank", &facts.rank}};
    for_each_part(path, [&](std::string_view part) {
        for (const auto& [name, number] : numbers)
            if (const auto v = number_after(part, name)) *number = v;
    });
    return facts;
}

// What is kept of a path until all paths are known: a few dozen bytes, however long the path is.
struct named_file {
    std::size_t position;
    std::uint64_t path;  // the hash of the path
    std::int64_t time;   // 0 if the name has none
    std::uint32_t run;   // the number of the run
    std::int32_t rank;   // -1 if the name has none
};

template <class Paths> class run_choice {
public:
    explicit run_choice(const Paths& paths) : paths_(paths) {}
    oplog::run_files choose() {
        files_.reserve(paths_.size());
        for (std::size_t n = 0; n != paths_.size(); ++n) add(n);
        sort_list(files_, [](const named_file& a, const named_file& b) {
            return std::tie(a.run, a.rank, a.time, a.path) < std::tie(b.run, b.rank, b.time, b.path);
        });
        leave_out_repeated();
        for (std::size_t begin = 0; begin != files_.size();) {
            std::size_t end = begin;
            while (end != files_.size() && files_[end].run == files_[begin].run &&
                   files_[end].rank == files_[begin].rank)
                ++end;
            choose_newest(begin, end);
            begin = end;
        }
        for (std::vector<std::size_t>* list : {&result_.chosen, &result_.superseded, &result_.repeated})
            sort_list(*list, [](std::size_t a, std::size_t b) { return a < b; });
        if (runs_.size() > 1) several_runs();
        if (runs_.size() == 1) {
            find_missing();
            find_earlier();
        }
        return std::move(result_);
    }

private:
    void add(std::size_t n) {
        const auto& item = paths_[n];
        const std::string_view path = item;
        const oplog::file_facts f = facts_in(path);
        named_file file{n, hash_of(path), 0, 0, -1};
        if (f.rank) {
            if (f.world_size && *f.rank >= *f.world_size) refuse(path, "the rank is not below the world size");
            const std::int64_t of_model = f.tensor.value_or(1) * f.pipeline.value_or(1);
            if (f.world_size && (of_model == 0 || *f.world_size % of_model != 0))
                refuse(path, "the world size is not a multiple of the tensor and pipeline parallel sizes");
            file.time = number_of(f.time);
            file.rank = static_cast<std::int32_t>(*f.rank);
            const auto [run, is_new] = runs_.try_emplace(run_name(path));
            if (is_new) run->second = {static_cast<std::uint32_t>(runs_.size()), f.world_size};
            file.run = run->second.number;
        }
        files_.push_back(file);
    }
    void refuse(std::string_view path, std::string_view why) {
        result_.contradictions.emplace_back(path).append(": ").append(why);
    }
    // Leaves out paths that are in the list twice. They are next to each other, in the order in which they were given.
    void leave_out_repeated() {
        std::size_t kept = 0;
        for (const named_file& f : files_) {
            bool repeated = false;
            for (std::size_t n = kept; n-- != 0 && !repeated;) {
                const named_file& other = files_[n];
                if (other.path != f.path || other.run != f.run || other.rank != f.rank) break;
                repeated = std::string_view(paths_[other.position]) == std::string_view(paths_[f.position]);
            }
            if (repeated) result_.repeated.push_back(f.position);
            else files_[kept++] = f;
        }
        files_.resize(kept, named_file());
    }
    // Chooses the newest of the files of one rank of one run, which are sorted by time.
    void choose_newest(std::size_t begin, std::size_t end) {
        if (files_[begin].rank < 0) {
            for (std::size_t n = begin; n != end; ++n) result_.chosen.push_back(files_[n].position);
            return;
        }
        const std::int64_t time = files_[end - 1].time;
        std::size_t newest = files_[end - 1].position;
        for (std::size_t n = begin; n != end; ++n)
            if (files_[n].time == time) newest = (std::min)(newest, files_[n].position);
        result_.chosen.push_back(newest);
        for (std::size_t n = begin; n != end; ++n) {
            const std::size_t other = files_[n].position;
            if (other == newest) continue;
            result_.superseded.push_back(other);
            if (files_[n].time != time) last_superseded_ = (std::max)(last_superseded_, files_[n].time);
            else
                result_.contradictions.push_back(std::string(paths_[newest]) + " and " + std::string(paths_[other]) +
                                                 " are files of one rank and one time");
        }
    }
    static std::string file_count(std::size_t n) { return std::to_string(n) + (n == 1 ? " file" : " files"); }
    void several_runs() {
        std::vector<std::size_t> counts(runs_.size() + 1);
        for (const named_file& f : files_) ++counts[f.run];
        std::string sentence = "files of " + std::to_string(runs_.size()) + " runs:";
        for (const auto& [name, run] : runs_)
            sentence.append(" ").append(name).append(" (").append(file_count(counts[run.number])).append(")");
        result_.contradictions.push_back(std::move(sentence));
    }
    void find_missing() {
        std::int64_t expected = -1;
        for (const named_file& f : files_) {
            if (f.rank < 0) continue;
            if (expected < 0) expected = runs_.begin()->second.world_size ? 0 : f.rank;
            if (f.rank > expected) result_.missing.push_back({expected, f.rank - 1});
            expected = f.rank + 1;
        }
        const std::int64_t end = runs_.begin()->second.world_size.value_or(0);
        if (expected < end) result_.missing.push_back({expected, end - 1});
    }
    // Where most ranks were written again, one whose newest file is no newer than those has none of the newest run.
    void find_earlier() {
        std::size_t count = 0;
        std::size_t later = 0;
        std::string first;
        for (std::size_t n = 0; n != files_.size(); ++n) {
            const named_file& f = files_[n];
            if (f.rank < 0 || (n + 1 != files_.size() && files_[n + 1].rank == f.rank)) continue;
            if (f.time > last_superseded_) ++later;
            else if (count++ == 0) first = std::to_string(f.rank);
        }
        if (count == 0 || later <= count) return;
        result_.contradictions.push_back(
            "rank " + first + " has no file of the newest run, and that of an earlier one is taken" +
            (count == 1 ? std::string() : ", as of " + std::to_string(count - 1) + " more ranks"));
    }

    struct run_facts {
        std::uint32_t number = 0;  // counts from 1; files without a rank have 0
        std::optional<std::int64_t> world_size = {};
    };
    const Paths& paths_;
    std::vector<named_file> files_;
    std::map<std::string, run_facts> runs_;
    std::int64_t last_superseded_ = -1;  // the newest time of a file of which its rank has a newer one
    oplog::run_files result_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
