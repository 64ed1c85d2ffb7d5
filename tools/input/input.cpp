#include "input.hpp"
#include "../output/caller.hpp"
#include "folder.hpp"
#include "identity.hpp"
#include "names.hpp"

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

namespace tool {

#if !defined(_WIN32)
// A file's device and inode, which all of its names and links share.
static std::string identity_in(const struct stat& file) {
    return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}
#endif

bool is_standard_output(const char* path) {
#if defined(_WIN32)
    static_cast<void>(path);
    return false;
#else
    struct stat own = {};
    struct stat other = {};
    return fstat(fileno(stdout), &own) == 0 && stat(path, &other) == 0 && identity_in(own) == identity_in(other);
#endif
}

bool standard_output_is_file() {
#if defined(_WIN32)
    return false;
#else
    struct stat own = {};
    return fstat(fileno(stdout), &own) == 0 && S_ISREG(own.st_mode);
#endif
}

static bool is_unfinished(std::string_view name) {
    return name.substr(0, unfinished_prefix.size()) == unfinished_prefix;
}

void input_files::add(const std::string& path) {
    looked_up_ = false;
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) return paths_.push_back(path);
    const std::size_t first = paths_.size();
    for (std::filesystem::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
        paths_.push_back(at->path().string());
    sort_list(paths_, std::less<>(), first);
}
std::string input_files::find(const std::string& output) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(output, failed)) return {};
#if defined(_WIN32)
    for (const std::string& path : paths_)
        if (std::filesystem::equivalent(path, output, failed)) return path;
    return {};
#else
    look_up();
    struct stat file = {};
    return stat(output.c_str(), &file) == 0 ? known_[identity_in(file)] : std::string();
#endif
}

#if !defined(_WIN32)
void input_files::look_up() {
    if (std::exchange(looked_up_, true)) return;
    known_.clear();
    for (const std::string& path : paths_) {
        struct stat file = {};
        if (stat(path.c_str(), &file) != 0) continue;
        std::string& first = known_[identity_in(file)];
        if (first.empty()) first = path;
    }
}
#endif

std::string path_list::operator[](std::size_t n) const {
    return std::string(group_of(n).prefix).append(names_.c_str() + begins_[n]);
}
void path_list::add(std::string_view path) {
    begin_group({});
    append(path);
}
void path_list::add_in_folder(const std::filesystem::path& path) {
    std::filesystem::path folder = path.parent_path() / "";
    if (groups_.empty() || groups_.back().prefix != folder.string()) begin_group(folder);
    append(path.filename().string());
}
exit_status path_list::add_folder(const std::string& folder, bool strict) {
    namespace fs = std::filesystem;
    if (const std::vector<std::string>* const given = given_for(folder, &caller::folders)) {
        for (const std::string& file : *given) add(file);
        return clean;
    }
    begin_group(fs::path(folder) / "");
    const std::size_t first = size();
    std::vector<std::pair<std::string, const char*>> skipped;
    std::string folder_in_it;
    const auto skip = [&](const fs::path& path, const char* entry) { skipped.emplace_back(path.string(), entry); };
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
    for (const auto& [path, entry] : skipped) say(path, {strict ? "error: " : "warning: ", entry, " is skipped"});
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
bool path_list::is_own(const std::filesystem::path& path) {
    return is_unfinished(path.filename().string()) ||
           (standard_output_is_file() && is_standard_output(path.string().c_str()));
}
void path_list::begin_group(const std::filesystem::path& prefix) {
    if (groups_.empty() || !prefix.empty() || !groups_.back().prefix.empty())
        groups_.push_back({prefix.string(), size()});
}
const path_list::group& path_list::group_of(std::size_t n) const noexcept {
    const auto after = std::upper_bound(groups_.begin(), groups_.end(), n,
                                        [](std::size_t file, const group& g) { return file < g.first; });
    return *(after - 1);
}
void path_list::append(std::string_view name) {
    begins_.push_back(names_.size());
    names_.append(name).push_back('\0');
}

exit_status add_paths(path_list& list, const settings& s, bool with_folders) {
    exit_status worst = clean;
    for (const std::string path : s.files) {
        if (with_folders && is_folder(path)) worst = (std::max)(worst, list.add_folder(path, s.strict));
        else list.add(path);
    }
    return worst;
}

std::string name_after(const settings& s, std::string_view ending) {
    const auto name_of = [](const char* path) {
        std::error_code failed;
        const std::filesystem::path whole = std::filesystem::absolute(path, failed).lexically_normal();
        if (failed || std::string_view(path) == "-") return std::string("stdin");
        if (std::filesystem::is_directory(whole, failed))
            return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
        return wlfmt::oplog::facts_of(path).rank ? wlfmt::oplog::run_name_of(path) : whole.stem().string();
    };
    std::string name = name_of(s.files[0]);
    if (s.files.size() == 2)
        if (const std::string other = name_of(s.files[1]); other != name) name += "-" + other;
    return (name.empty() ? std::string("wlfmt") : name).append(ending);
}
std::string free_name(const std::string& name) {
    std::error_code failed;
    std::string unused = name;
    const std::size_t end = name.rfind('.');
    for (unsigned n = 2; std::filesystem::exists(std::filesystem::symlink_status(unused, failed)); ++n)
        unused = joined({name.substr(0, end), "-", n, name.substr(end)});
    return unused;
}
std::uint64_t size_of_file(const char* path) {
    if (const std::string* const given = given_for(path, &caller::texts)) return given->size();
    std::error_code failed;
    const std::uintmax_t size =
        std::filesystem::is_regular_file(path, failed) ? std::filesystem::file_size(path, failed) : 0;
    return failed ? 0 : size;
}

bool is_file(const std::string& path) {
    std::error_code failed;
    return given_for(path, &caller::texts) != nullptr || std::filesystem::is_regular_file(path, failed);
}
bool is_folder(const std::string& path) {
    std::error_code failed;
    return given_for(path, &caller::folders) != nullptr || (path != "-" && std::filesystem::is_directory(path, failed));
}

file_stamp file_stamp::now(std::string_view path) {
    file_stamp stamp;
    std::error_code failed;
    stamp.size = std::filesystem::file_size(std::filesystem::path(path), failed);
    stamp.time = std::filesystem::last_write_time(std::filesystem::path(path), failed);
    return stamp;
}

input::input(const char* path, std::string& memory, std::uint64_t first_byte)
    : path_(path), given_(given_for(path_, &caller::texts)), text_(memory), first_byte_(first_byte) {
    if (given_ == nullptr) {
        stream_ = path_ == "-" ? stdin : std::fopen(path, "rb");
        if (stream_ == nullptr) {
            at_end_ = true;
            error_ = {wlfmt::error_kind::cannot_open, 0, 0, {}, errno};
            return;
        }
        // The file is read in large pieces: a buffer of the stream would only cost a copy.
        static_cast<void>(std::setvbuf(stream_, nullptr, _IONBF, 0));
    }
    if (first_byte != 0 && !seek(first_byte)) error_ = {wlfmt::error_kind::cannot_read, 0, 0, {}, errno};
    fill(beginning_size);
}
input::input(std::string_view path, std::string&& text, std::vector<notebook_cell> cells)
    : path_(path), own_(std::move(text)), text_(own_), cells_(std::move(cells)), have_(own_.size()), at_end_(true) {}
input::~input() {
    if (stream_ != nullptr && stream_ != stdin) static_cast<void>(std::fclose(stream_));
}
std::uint64_t input::size() const {
    if (given_ != nullptr) return at_end_ ? 0 : given_->size();
    std::error_code failed;
    const std::uintmax_t size =
        at_end_ || stream_ == stdin ? 0 : std::filesystem::file_size(std::filesystem::path(path_), failed);
    return failed ? 0 : size;
}
bool input::can_be_read_again() const {
    std::error_code failed;
    return given_ != nullptr || (stream_ != nullptr && path_ != "-" &&
                                 std::filesystem::is_regular_file(std::filesystem::path(path_), failed));
}
bool input::search(const callback<bool(std::string_view)>& shows) {
    const bool again = can_be_read_again();
    bool shown = false;
    for (std::size_t from = 0; !shown && !at_end_;) {
        from = have_ - (std::min)(have_ - from, beginning_size);
        const std::size_t before = beginning().rfind('\n', from);
        from = before == std::string_view::npos ? from : before + 1;
        if (again) {
            text_.erase(0, from);
            have_ -= std::exchange(from, 0);
        }
        fill(have_ + part_size);
        shown = shows(beginning().substr(from));
    }
    if (again && seek(first_byte_)) {
        have_ = 0;
        read_ = 0;
        at_end_ = false;
        fill(beginning_size);
    }
    return shown;
}
std::string_view input::next() {
    if (handed_) have_ = 0;
    handed_ = true;
    fill(chunk_size);
    return beginning();
}
std::string_view input::whole() {
    for (std::size_t size = 1 << 24; !at_end_; size *= 2) fill(size);
    return beginning();
}
void input::replace(std::string&& text, std::vector<notebook_cell>&& cells) {
    text_ = std::move(text);
    cells_ = std::move(cells);
    have_ = text_.size();
    at_end_ = true;
}
void input::fill(std::size_t size) {
    if (text_.size() < size && !at_end_) text_.resize(size);
    while (!at_end_ && have_ < size) {
        if (called_by != nullptr && called_by->stops()) {
            at_end_ = true;
            error_ = {wlfmt::error_kind::cannot_read, 0, 0, {}, EINTR};
            return;
        }
        errno = 0;
        const std::size_t wanted = (std::min)(size - have_, max_read);
        const std::size_t got = read(&text_[have_], wanted);
        have_ += got;
        read_ += got;
        // Input in borrowed memory is not counted: threads may share the work, and show its progress.
        if (&text_ == &own_) reading_progress.add(got);
        if (got == wanted) continue;
        at_end_ = true;
        if (stream_ == nullptr || std::ferror(stream_) == 0) continue;
        const bool is_folder = errno == EISDIR;
        error_ = {is_folder ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read, 0, 0, {}, errno};
    }
}
std::size_t input::read(char* to, std::size_t size) {
    if (given_ == nullptr) return std::fread(to, 1, size, stream_);
    const std::uint64_t from = first_byte_ + read_;
    return from < given_->size() ? given_->copy(to, size, static_cast<std::size_t>(from)) : 0;
}
bool input::seek(std::uint64_t byte) {
    if (given_ != nullptr) return true;
#if defined(_WIN32)
    return _fseeki64(stream_, static_cast<long long>(byte), SEEK_SET) == 0;
#else
    return fseeko(stream_, static_cast<off_t>(byte), SEEK_SET) == 0;
#endif
}

bool report_unreadable(const input& from) {
    if (!from.error()) return false;
    say(from.error(), {}, from.name());
    return true;
}

}  // namespace tool
