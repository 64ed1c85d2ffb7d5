#include "output.hpp"
#include "../general/order.hpp"
#include "../general/text.hpp"
#include "caller.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace tool {

std::string_view take_until(std::string_view& text, char mark) noexcept {
    const std::string_view taken = text.substr(0, text.find(mark));
    text.remove_prefix((std::min)(taken.size() + 1, text.size()));
    return taken;
}
bool has_ending(std::string_view text, std::string_view ending) noexcept {
    return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

std::string escaped(std::string_view text, std::string_view characters) {
    std::string with_escapes;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) with_escapes += '\\';
        with_escapes += c;
    }
    return with_escapes;
}
std::string within_quotes(std::string_view text) {
    std::string with_escapes;
    for (const char c : text) with_escapes.append(c == '\'' ? "'\\''" : std::string_view(&c, 1));
    return with_escapes;
}
std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    return "'" + within_quotes(text) + "'";
}

std::size_t numbered_texts::number_of(const std::string& text) {
    std::size_t& number = numbers_[text];
    if (number == 0) number = numbers_.size();
    return number - 1;
}

std::vector<std::size_t> sorted_positions(std::size_t count,
                                          const callback<bool(std::size_t a, std::size_t b)>& before) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), before);
    return order;
}
std::vector<std::size_t> heaviest_first(std::size_t count, const callback<double(std::size_t n)>& weight) {
    std::vector<double> weights;
    for (std::size_t n = 0; n != count; ++n) weights.push_back(weight(n));
    return sorted_positions(count, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
}
std::vector<std::size_t> heaviest_of(std::size_t count, const callback<double(std::size_t n)>& weight,
                                     std::size_t limit) {
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n != count; ++n) {
        std::size_t at = order.size();
        while (at != 0 && weight(n) > weight(order[at - 1])) --at;
        if (at == limit) continue;
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), n);
        if (order.size() > limit) order.pop_back();
    }
    return order;
}

terminal terminal_of(std::FILE* file, colour_choice colours) {
    terminal found;
    found.is_there = is_terminal(file);
    if (found.is_there) found.width = width_of(file);
    // https://no-color.org: a variable with an empty value counts as not set.
    const auto is_set = [](const char* name, std::string_view unless) {
        // No thread changes the environment.
        const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        return value != nullptr && *value != '\0' && value != unless;
    };
    const bool wanted = found.is_there && !is_set("NO_COLOR", "") && is_set("TERM", "dumb");
    found.has_colours = colours == colour_choice::always || (colours == colour_choice::automatic && wanted);
    return found;
}

std::string styled(const terminal& shown_by, std::string_view codes, std::string_view text) {
    std::string shown(text);
    if (!shown_by.has_colours || text.empty()) return shown;
    return shown.insert(0, codes).append(style::plain);
}
// Whether a line of a message marks a place in the line above it, as `   ^~~` does.
static bool is_caret_line(std::string_view line) noexcept {
    const std::size_t caret = line.find_first_not_of(' ');
    return caret != std::string_view::npos && line[caret] == '^' &&
           line.find_first_not_of('~', caret + 1) == std::string_view::npos;
}

// Shows a line of a message in the colours of a compiler: its place, how severe it is, and the caret below a line of
// the text.
static std::string in_colours(const terminal& shown_by, const std::string& line) {
    if (!shown_by.has_colours) return line;
    if (is_caret_line(line)) {
        const std::size_t caret = line.find('^');
        return line.substr(0, caret) + styled(shown_by, style::place, std::string_view(line).substr(caret));
    }
    for (const auto& [word, codes] : {std::pair<std::string_view, std::string_view>{" error: ", style::error},
                                      {" warning: ", style::warning},
                                      {" note: ", style::note}}) {
        const std::size_t found = line.find(word);
        if (found == std::string::npos || found == 0 || line[found - 1] != ':') continue;
        const std::string_view text = line;
        return styled(shown_by, style::strong, text.substr(0, found)) + ' ' +
               styled(shown_by, codes, text.substr(found + 1, word.size() - 2)) +
               std::string(text.substr(found + word.size() - 1));
    }
    return line;
}
std::size_t characters(std::string_view text) noexcept {
    std::size_t count = 0;
    bool in_code = false;
    for (const char c : text) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (c == '\x1B') in_code = true;
        else if (in_code) in_code = c != 'm';
        else if (begins) ++count;
    }
    return count;
}

void append_wrapped(std::string& lines, std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t used) {
    for (bool begins = true; !text.empty(); begins = false) {
        const std::string_view word = take_until(text, ' ');
        const std::size_t size = characters(word);
        if (!begins && used + 1 + size > width) {
            lines.append("\n").append(indent, ' ');
            used = indent;
        } else if (!begins) {
            lines += ' ';
            ++used;
        }
        lines.append(word);
        used += size;
    }
}

std::string wrapped(std::string_view line, std::size_t width) {
    if (characters(line) <= width) return std::string(line);
    const std::size_t blanks = line.find_first_not_of(' ');
    const std::size_t used = blanks == std::string_view::npos ? 0 : blanks;
    std::string lines(line.substr(0, used));
    append_wrapped(lines, line.substr(used), width, used + 4, used);
    return lines;
}
// `count` characters of a line, from the character `first` on.
static std::string characters_of(std::string_view line, std::size_t first, std::size_t count) {
    std::string found;
    std::size_t begun = 0;
    for (const char c : line) {
        begun += characters({&c, 1});
        if (begun > first && begun - first <= count) found += c;
    }
    return found;
}

// Cuts a line, and the line below it that has the caret, to the part around the caret that fits the terminal.
static void fit_excerpt(std::string& line, std::string& caret, std::size_t width) {
    constexpr std::string_view cut_off = "  ...";
    const std::size_t place = caret.find('^');
    if (characters(line) <= width || width < 4 * cut_off.size()) return;
    const std::size_t kept = width - cut_off.size() - 3;
    const std::size_t first = place + 1 < kept ? 0 : place - kept / 2;
    const bool goes_on = characters(line) > first + kept;
    line = (first == 0 ? "" : std::string(cut_off)) + characters_of(line, first, kept) + (goes_on ? "..." : "");
    caret.erase(0, first);
    caret.resize((std::min)(caret.size(), kept));
    if (first != 0) caret.insert(0, cut_off.size(), ' ');
}

std::optional<double> progress_line::due(int first_milliseconds) {
    const auto now = clock::now();
    if (now - last_ < std::chrono::milliseconds(is_shown_ ? 200 : first_milliseconds)) return std::nullopt;
    last_ = now;
    return std::chrono::duration<double>(now - begin_).count();
}
void progress_line::show(std::string_view line) {
    const std::size_t shown = (std::min)(line.size(), width_of(stderr) - 1);
    static_cast<void>(std::fprintf(stderr, "\r%.*s\x1B[K", static_cast<int>(shown), line.data()));
    is_shown_ = true;
}
void progress_line::clear() {
    if (is_shown_) static_cast<void>(std::fputs("\r\x1B[K", stderr));
    is_shown_ = false;
}
progress::progress(std::string_view items, std::size_t count, output written)
    : items_(items),
      count_(count),
      terminal_(called_by == nullptr && is_terminal(stderr) && (written == output::nothing || !is_terminal(stdout))) {}
void progress::add(std::size_t more, std::string_view items) {
    count_ += more;
    items_ = items;
}
void progress::step() {
    ++done_;
    if (called_by != nullptr && count_ > 1) called_by->show(done_, count_, false);
    if (!terminal_ || count_ <= 1) return;
    const auto seconds = line_.due(200);
    if (!seconds) return;
    const double rate = static_cast<double>(done_) / *seconds;
    const double left = static_cast<double>(count_ - (std::min)(done_, count_)) / rate;
    char line[160];
    static_cast<void>(std::snprintf(line, sizeof line, "%zu of %zu %.*s, %.*f a second, %.0f %s left", done_, count_,
                                    static_cast<int>(items_.size()), items_.data(), rate < 10 ? 1 : 0, rate,
                                    left < 100 ? left : left / 60, left < 100 ? "s" : "min"));
    line_.show(line);
}

void byte_progress::begin(std::uint64_t size) {
    all_ = size;
    is_on_ = true;
    line_.begin();
}
void byte_progress::add(std::size_t bytes) {
    read_ += bytes;
    if (!is_on_) return;
    if (called_by != nullptr) return called_by->show(read_, all_, true);
    const auto seconds = line_.due(1000);
    if (!seconds) return;
    const double rate = static_cast<double>(read_) / *seconds;
    const double left = static_cast<double>(all_ - (std::min)(read_, all_)) / rate;
    char line[160];
    static_cast<void>(all_ == 0
                          ? std::snprintf(line, sizeof line, "%.1f MB read, %.1f MB/s", megabytes(read_), rate / 1e6)
                          : std::snprintf(line, sizeof line, "%.1f of %.1f MB read, %.1f MB/s, %.0f s left",
                                          megabytes(read_), megabytes(all_), rate / 1e6, left));
    line_.show(line);
}

std::string range_text(std::int64_t first, std::int64_t last) {
    return first == last ? std::to_string(first) : joined({first, " to ", last});
}

// A line above one with a caret is an excerpt, which is cut to the terminal's width around the caret.
void message_stream::print(std::string_view text) {
    while (text.find('\n') != std::string_view::npos) {
        std::string line = printable(take_until(text, '\n'));
        std::string_view rest = text;
        if (std::string caret = printable(take_until(rest, '\n')); is_caret_line(caret)) {
            fit_excerpt(line, caret, error_terminal.width);
            stream_.append({line, "\n", in_colours(error_terminal, caret), "\n"});
            text = rest;
        } else {
            stream_.append(wrapped(in_colours(error_terminal, line), error_terminal.width) + '\n');
        }
    }
    stream_.append(printable(text));
}

void print_line(std::string_view text) {
    standard_output.append(wrapped(printable(text), output_terminal.width) + '\n');
}
std::string counted(std::uint64_t n, const char* singular, const char* plural) {
    return joined({n, " ", n == 1 ? singular : plural});
}

void unfinished_file::set(const char* name) noexcept {
    clear();
    const std::size_t size = std::strlen(name) + 1;
    if (size > sizeof name_) return;
    std::memcpy(name_, name, size);
    is_set_ = 1;
}
void unfinished_file::remove() noexcept {
    if (is_set_ == 0) return;
    is_set_ = 0;
#if defined(_WIN32)
    static_cast<void>(std::remove(name_));
#else
    static_cast<void>(unlink(name_));
#endif
}
void unfinished_file::watch_signals() noexcept {
#if defined(_WIN32)
    for (const int signal : {SIGINT, SIGTERM}) watch(signal);
#else
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) watch(signal);
#endif
}
void unfinished_file::watch(int signal) noexcept {
    // A signal that is ignored (nohup) stays ignored.
    if (std::signal(signal, end) == SIG_IGN) static_cast<void>(std::signal(signal, SIG_IGN));
}
void unfinished_file::end(int signal) {
    remove();
    static_cast<void>(std::signal(signal, SIG_DFL));
    static_cast<void>(std::raise(signal));
}

bool output_file::open(const std::string& name, input_files& inputs) {
    namespace fs = std::filesystem;
    name_ = name;
    if (const std::string input = inputs.find(name); !input.empty())
        return fail(input == name ? "this file is an input, too: give the output another name"
                                  : joined({"this file is the input ", input, ": give the output another name"}));
    std::error_code ignored;
    const fs::file_status now = fs::status(name, ignored);
    if (fs::exists(now) && !fs::is_regular_file(now)) {
        if (fs::is_directory(now)) errno = EISDIR;
        else file_ = std::fopen(name.c_str(), "wb");
        return file_ != nullptr || report_no_access();
    }
    place_ = resolved(name);
    if (fs::exists(now) && !is_writable()) return report_no_access();
    for (int n = 0; file_ == nullptr && n < 100; ++n) {
        beside_ = place_.parent_path() / (joined({unfinished_prefix, process(), "-", n}));
        const std::string path = beside_.string();
        if (fs::exists(fs::symlink_status(beside_, ignored))) continue;
        unfinished_file::set(path.c_str());
        file_ = std::fopen(path.c_str(), "wbx");
        if (file_ == nullptr) break;
    }
    if (file_ == nullptr) {
        report_no_access();
        unfinished_file::clear();
        beside_.clear();
        return false;
    }
    if (fs::exists(now)) take_over(now.permissions());
    return true;
}
bool output_file::keep() {
    if (file_ == nullptr) return false;
    bool good = std::ferror(file_) == 0;
    // The failed write need not be the last call: errno counts only if it is a reason for which writes fail.
    int reason = good || (errno != ENOSPC && errno != EFBIG && errno != EIO) ? 0 : errno;
    if (std::fclose(file_) != 0) {
        if (reason == 0) reason = errno;
        good = false;
    }
    file_ = nullptr;
    std::error_code failed(reason, std::generic_category());
    if (good && !beside_.empty()) std::filesystem::rename(beside_, place_, failed);
    if (good && !failed) {
        beside_.clear();
        unfinished_file::clear();
        return true;
    }
    discard();
    return fail(joined({"writing failed", failed ? ": " + failed.message() : std::string()}));
}
void output_file::discard() {
    if (file_ != nullptr) static_cast<void>(std::fclose(file_));
    file_ = nullptr;
    if (beside_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
    beside_.clear();
    unfinished_file::clear();
}
bool output_file::report_no_access() const {
    return fail("the file cannot be opened for writing: " + std::generic_category().message(errno));
}
bool output_file::fail(const std::string& problem) const {
    say(name_, {"error: ", printable(problem)});
    return false;
}
int output_file::process() noexcept {
#if defined(_WIN32)
    return _getpid();
#else
    return static_cast<int>(getpid());
#endif
}
std::filesystem::path output_file::resolved(std::filesystem::path path) {
    std::error_code failed;
    for (int n = 0; n < 40 && std::filesystem::is_symlink(path, failed); ++n) {
        const std::filesystem::path target = std::filesystem::read_symlink(path, failed);
        if (failed) break;
        path = target.is_absolute() ? target : path.parent_path() / target;
    }
    return path;
}
bool output_file::is_writable() const {
    std::FILE* const there = std::fopen(place_.string().c_str(), "r+b");
    return there != nullptr && std::fclose(there) == 0;
}
void output_file::take_over(std::filesystem::perms permissions) {
    std::error_code ignored;
#if !defined(_WIN32)
    struct stat there = {};
    if (stat(place_.c_str(), &there) == 0) {
        [[maybe_unused]] const int not_allowed = chown(beside_.c_str(), there.st_uid, there.st_gid);
    }
#endif
    std::filesystem::permissions(beside_, permissions, ignored);
}

target::target(const std::string& name, input_files& inputs) {
    if (name.empty() || name == "-" || is_standard_output(name.c_str())) return;
    is_open_ = file_.open(name, inputs);
    own_.emplace(file_.file());
}
bool target::keep() {
    if (!own_) return true;
    if (!is_open_) return false;
    own_->flush();
    return file_.keep();
}

}  // namespace tool
