// What is wrong with a file, as it is reported to Python.
#ifndef WLFMT_PYTHON_FINDING_HPP
#define WLFMT_PYTHON_FINDING_HPP

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <wlfmt/table/mend.hpp>
#include <wlfmt/types/arrow.hpp>
#include <wlfmt/wlfmt.hpp>

namespace wlfmt_python {

// A problem with all that can be said of it, which outlives the text.
struct finding {
    wlfmt::error_kind kind = wlfmt::error_kind::none;
    std::string_view name = wlfmt::name_of(kind);
    wlfmt::severity severity = wlfmt::severity::error;
    std::string file;
    std::uint64_t line = 0;  // 0: the problem has no place in the text
    std::uint64_t column = 0;
    std::string field;
    std::string message;
    std::string text;

    finding() = default;
    // `in` is the text, or its line `first_line`. The offset of the error is counted from the start of `in`.
    finding(const wlfmt::problem& e, std::string_view in, const std::string& path, wlfmt::severity how_bad,
            std::uint64_t first_line = 1)
        : kind(e.kind),
          severity(how_bad),
          file(path),
          field(e.field),
          message(wlfmt::message(e, in)),
          text(wlfmt::explain(e, in, wlfmt::in_file(path), how_bad, first_line)) {
        if (e.kind == wlfmt::error_kind::record_after_text) {
            line = static_cast<std::uint64_t>(e.expected);
            column = 1;
            return;
        }
        if (in.empty()) {
            // There is no line that could be shown.
            const std::string place = path + ":1:1: ";
            if (text.compare(0, place.size(), place) == 0) text.erase(path.size(), 4);
            return;
        }
        const wlfmt::location at = wlfmt::location_of(in, e.offset);
        line = at.line + first_line - 1;
        column = at.column;
    }
    // A sentence about the whole of a file.
    finding(std::string_view what, std::string words, const std::string& path,
            wlfmt::severity how_bad = wlfmt::severity::warning)
        : name(what), severity(how_bad), file(path), message(std::move(words)), text(path) {
        text.append(": ").append(name_of(severity)).append(": ").append(name).append(": ").append(message);
    }
    // The same problem with its place in the original text, if its own is in a mended one.
    finding before(const wlfmt::table::mended* mended) && {
        if (mended == nullptr || line == 0) return std::move(*this);
        const wlfmt::table::text_place to = mended->place_of({line, column});
        wlfmt::table::move_place(text, {line, column}, to);
        line = to.line;
        column = to.column;
        return std::move(*this);
    }
    // Turns an error into a warning, or the other way round.
    void set_severity(wlfmt::severity how_bad) {
        const std::string before = std::string(": ").append(name_of(severity)).append(": ").append(name);
        const std::size_t at = text.find(before);
        if (at != std::string::npos)
            text.replace(at, before.size(), std::string(": ").append(name_of(how_bad)).append(": ").append(name));
        severity = how_bad;
    }
};

// What was mended in a text, as a warning with its line there.
inline finding finding_of(const wlfmt::table::mending& one, const std::string& path) {
    finding told("mended_table", message(one), path);
    told.line = one.line;
    told.column = 1;
    told.text.insert(path.size(), ":" + std::to_string(one.line) + ":1");
    return told;
}

// Says that a text is packed, if it is. The finding has no line, as a packed text has none to show.
inline std::optional<finding> find_compression(std::string_view text, const std::string& name) {
    const std::string_view packing = wlfmt::packed_by(text);
    if (packing.empty()) return std::nullopt;
    constexpr std::pair<std::string_view, std::string_view> ways[] = {
        {"gzip", "pass gzip.open(...)"},
        {"bzip2", "pass bz2.open(...)"},
        {"xz", "pass lzma.open(...)"},
        {"zip", "pass a file of zipfile.ZipFile(...).open(...)"},
        {"tar", "pass files of tarfile.open(...).extractfile(...)"}};
    std::string words = packing == "tar" ? "the file is an archive of tar: " : "the file is compressed by ";
    if (packing != "tar") words.append(packing).append(": ");
    const auto* const way = std::find_if(std::begin(ways), std::end(ways), [&](auto& w) { return w.first == packing; });
    if (way == std::end(ways)) words.append("decompress it first");
    else words.append(way->second).append(" in its place");
    finding f(wlfmt::name_of(wlfmt::error_kind::unknown_format), words, name, wlfmt::severity::error);
    f.kind = wlfmt::error_kind::unknown_format;
    return f;
}
// Says that a text is of another format than the one that was asked for, if nothing was read of it for that reason.
inline std::optional<finding> find_other_format(const wlfmt::problem& e, std::string_view text, const std::string& name,
                                                wlfmt::file_format wanted, wlfmt::severity how_bad) {
    constexpr struct {
        wlfmt::file_format format;
        std::string_view words;
    } formats[] = {{wlfmt::file_format::oplog, "a rank op log: read_oplog(), or of='operations' of scan()"},
                   {wlfmt::file_format::workload, "a workload file: read_workload(), or of='layers' of scan()"},
                   {wlfmt::file_format::table, "a profiler table: read_table(), or of='rows' of scan()"}};
    // A workload file is refused at its header, which is in its first two lines; the others have no records.
    const bool is_refused = wanted == wlfmt::file_format::workload ? wlfmt::location_of(text, e.offset).line <= 2
                                                                   : e.kind == wlfmt::error_kind::no_records;
    if (text.empty() || !is_refused) return std::nullopt;
    const wlfmt::file_format format = wlfmt::detect(text);
    for (const auto& other : formats) {
        if (other.format != format || format == wanted) continue;
        finding f(wlfmt::name_of(e.kind), std::string("this is ").append(other.words), name, how_bad);
        f.kind = e.kind;
        return f;
    }
    return std::nullopt;
}
inline wlfmt::file_format format_of(wlfmt::arrow::contents of) noexcept {
    using wlfmt::arrow::contents;
    return of == contents::rows                                ? wlfmt::file_format::table
           : of == contents::layers || of == contents::headers ? wlfmt::file_format::workload
                                                               : wlfmt::file_format::oplog;
}
// What is wrong with a text that cannot be read as that format.
inline finding failure(const wlfmt::problem& e, std::string_view text, const std::string& name,
                       wlfmt::file_format wanted, std::uint64_t first_line = 1) {
    if (std::optional<finding> compressed = find_compression(text, name)) return std::move(*compressed);
    if (std::optional<finding> other = find_other_format(e, text, name, wanted, wlfmt::severity::error))
        return std::move(*other);
    return finding(e, text, name, wlfmt::severity::error, first_line);
}
// The same for a text that is passed over.
inline finding passed_over(const wlfmt::problem& e, std::string_view text, const std::string& name,
                           wlfmt::file_format wanted, std::uint64_t first_line = 1) {
    if (std::optional<finding> other = find_other_format(e, text, name, wanted, wlfmt::severity::warning))
        return std::move(*other);
    return finding(e, text, name, wlfmt::severity::warning, first_line);
}

}  // namespace wlfmt_python

#endif
