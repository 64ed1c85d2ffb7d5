#include "notice.hpp"

#include <utility>

#include <wlfmt/table/mend.hpp>

#include "caller.hpp"
#include "output.hpp"

namespace tool {

notice::notice(std::string about, std::uint64_t at_line, std::string sentence)
    : file(std::move(about)), line(at_line), words(std::move(sentence)) {
    text = joined({file, line == 0 ? std::string() : joined({":", line}), ": ", words, "\n"});
    for (const std::string_view how_bad : {"error", "warning", "note"}) {
        if (words.compare(0, how_bad.size(), how_bad) != 0 || words.compare(how_bad.size(), 2, ": ") != 0) continue;
        severity = how_bad;
        words.erase(0, how_bad.size() + 2);
    }
    if (!severity.empty()) split_kind();
}

void notice::split_kind() {
    const std::size_t end = words.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
    if (end == std::string::npos || words.find('_') > end || words.compare(end, 2, ": ") != 0) return;
    kind = words.substr(0, end);
    words.erase(0, end + 2);
}

void notice::move_to(std::uint64_t to) {
    wlfmt::table::move_place(text, {line, column}, {line, to});
    column = to;
}

notice::notice(const wlfmt::problem& e, std::string_view in, std::string_view name, wlfmt::severity how_bad,
               std::uint64_t first_line)
    : kind(name_of(e.kind)),
      severity(name_of(how_bad)),
      file(name),
      field(e.field),
      words(wlfmt::message(e, in)),
      text(wlfmt::explain(e, in, wlfmt::in_file(file), how_bad, first_line)) {
    if (e.kind == wlfmt::error_kind::record_after_text) {
        line = static_cast<std::uint64_t>(e.expected);
        column = 1;
    } else if (!in.empty() || first_line != 1) {
        const wlfmt::location at = wlfmt::location_of(in, e.offset);
        line = at.line + first_line - 1;
        column = at.column;
    }
}

void message_stream::append(notice said) {
    if (copy_ != nullptr) copy_->append(said.text);
    if (called_by != nullptr) called_by->notices.push_back(std::move(said));
    else print(said.text);
}

void say(std::string_view name, parts words) { say(name, 0, words); }
void say(std::string_view name, std::uint64_t line, parts words) {
    standard_error.append(notice(printable(name), line, joined(words)));
}
void say(const wlfmt::problem& e, std::string_view in, std::string_view name, wlfmt::severity how_bad,
         std::uint64_t first_line, std::uint64_t column) {
    if (called_by != nullptr || column != 0) {
        notice said(e, in, name, how_bad, first_line);
        if (column != 0) said.move_to(column);
        return standard_error.append(std::move(said));
    }
    standard_error.append(wlfmt::explain(e, in, wlfmt::in_file(name), how_bad, first_line));
}

}  // namespace tool
