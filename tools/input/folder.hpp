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
    std::string operator[](std::size_t n) const;
    // Whether the command line names the file itself, and not just the folder that holds it.
    bool is_given(std::size_t n) const noexcept { return group_of(n).prefix.empty(); }

    void add(std::string_view path);
    // Adds a file of a folder that the command line names.
    void add_in_folder(const std::filesystem::path& path);
    // Adds the files of a folder, sorted by name. Other entries, such as another folder, or a pipe to which nobody
    // might ever write, are skipped with messages, also sorted by name, which are errors if `strict`. The folder is
    // unusable, with a message, if it cannot be read to its end or holds no file.
    exit_status add_folder(const std::string& folder, bool strict);

private:
    // Whether a file in a folder is this command's own output: `wlfmt summary run > run/summary.txt`.
    static bool is_own(const std::filesystem::path& path);
    struct group {
        std::string prefix;
        std::size_t first;
    };

    void begin_group(const std::filesystem::path& prefix);
    const group& group_of(std::size_t n) const noexcept;
    void append(std::string_view name);

    std::string names_;  // each with a zero at its end
    std::vector<std::size_t> begins_;
    std::vector<group> groups_;  // a file is in the last group that begins at or before it
};

// Adds the files that the arguments name, and those in folders that they name.
exit_status add_paths(path_list& list, const settings& s, bool with_folders = true);

}  // namespace tool

#endif
