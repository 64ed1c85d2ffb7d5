// Lists the files of folders.
#ifndef WLFMT_TOOLS_INPUT_FOLDER_HPP
#define WLFMT_TOOLS_INPUT_FOLDER_HPP

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/output.hpp"
#include "identity.hpp"

namespace tool {

// The paths of many files, in little more memory than their names take: a folder's name is kept once for its files.
class path_list {
public:
    std::size_t size() const noexcept { return begins_.size(); }
    bool empty() const noexcept { return begins_.empty(); }
    std::string operator[](std::size_t n) const {
        return std::string(group_of(n).prefix).append(names_.c_str() + begins_[n]);
    }
    // Whether the command line names the file itself, and not just the folder that holds it.
    bool is_given(std::size_t n) const noexcept { return group_of(n).prefix.empty(); }

    void add(std::string_view path) {
        begin_group({});
        append(path);
    }
    // Adds a file of a folder that the command line names.
    void add_in_folder(const std::filesystem::path& path) {
        std::filesystem::path folder = path.parent_path() / "";
        if (groups_.empty() || groups_.back().prefix != folder.string()) begin_group(folder);
        append(path.filename().string());
    }
    // Adds the files of a folder, sorted by name. Other entries, such as another folder, or a pipe to which nobody
    // might ever write, are skipped with messages, also sorted by name, which are errors if `strict`. The folder is
    // unusable, with a message, if it cannot be read to its end or holds no file.
    exit_status add_folder(const std::string& folder, bool strict) {
        namespace fs = std::filesystem;
        begin_group(fs::path(folder) / "");
        const std::size_t first = size();
        std::vector<std::string> skipped;
        std::string folder_in_it;
        const auto skip = [&](const fs::path& path, std::string_view entry) {
            skipped.push_back(
                joined({printable(path.string()), strict ? ": error: " : ": warning: ", entry, " is skipped\n"}));
        };
        std::error_code failed;
        fs::directory_iterator entries(folder, failed);
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
            std::error_code ignored;
            if (entries->is_directory(ignored)) {
                skip(entries->path(), "a folder in a folder");
                const std::string path = entries->path().string();
                if (folder_in_it.empty() || path < folder_in_it) folder_in_it = path;
            } else if (entries->is_fifo(ignored) || entries->is_socket(ignored))
                skip(entries->path(), "a pipe in a folder");
            else if (!is_own(entries->path())) append(entries->path().filename().string());
        }
        sort_list(skipped);
        for (const std::string& line : skipped) standard_error.append(line);
        const char* const names = names_.c_str();
        sort_list(
            begins_, [&](std::size_t a, std::size_t b) { return std::strcmp(names + a, names + b) < 0; }, first);
        if (failed) say(folder, {"error: cannot_read: ", failed.message()});
        else if (size() == first)
            say(folder, {"error: the folder holds no file",
                         folder_in_it.empty() ? "" : "; give a folder that is in it: ", printable(folder_in_it)});
        if (failed || size() == first) return unusable;
        return strict && !skipped.empty() ? problems : clean;
    }

private:
    // Whether a file in a folder is this command's own output: `wlfmt summary run > run/summary.txt`.
    static bool is_own(const std::filesystem::path& path) {
        return is_unfinished(path.filename().string()) ||
               (standard_output_is_file() && is_standard_output(path.string().c_str()));
    }
    struct group {
        std::string prefix;
        std::size_t first;
    };

    void begin_group(const std::filesystem::path& prefix) {
        if (groups_.empty() || !prefix.empty() || !groups_.back().prefix.empty())
            groups_.push_back({prefix.string(), size()});
    }
    const group& group_of(std::size_t n) const noexcept {
        const auto after = std::upper_bound(groups_.begin(), groups_.end(), n,
                                            [](std::size_t file, const group& g) { return file < g.first; });
        return *(after - 1);
    }
    void append(std::string_view name) {
        begins_.push_back(names_.size());
        names_.append(name).push_back('\0');
    }

    std::string names_;  // each with a zero at its end
    std::vector<std::size_t> begins_;
    std::vector<group> groups_;  // a file is in the last group that begins at or before it
};

// Adds the files that the arguments name, and those in folders that they name.
inline exit_status add_paths(path_list& list, const settings& s, bool with_folders = true) {
    exit_status worst = clean;
    for (const std::string path : s.files) {
        std::error_code ignored;
        if (with_folders && path != "-" && std::filesystem::is_directory(path, ignored))
            worst = (std::max)(worst, list.add_folder(path, s.strict));
        else list.add(path);
    }
    return worst;
}

}  // namespace tool

#endif
