// What is wrong with a file, as Python is told of it.
#ifndef WLFMT_PYTHON_FINDING_HPP
#define WLFMT_PYTHON_FINDING_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <wlfmt/wlfmt.hpp>

namespace wlfmt_python {

// A problem with all that can be said of it, which outlives the text.
struct finding {
    wlfmt::error_kind kind = wlfmt::error_kind::none;
    wlfmt::severity severity = wlfmt::severity::error;
    std::string file;
    std::uint64_t line = 0;  // 0: the problem has no place in the text
    std::uint64_t column = 0;
    std::string field;
    std::string message;
    std::string text;

    finding() = default;
    finding(const wlfmt::error& e, std::string_view in, const std::string& name, wlfmt::severity how_bad)
        : kind(e.kind),
          severity(how_bad),
          file(name),
          field(e.field),
          message(wlfmt::message(e, in)),
          text(wlfmt::explain(e, in, name, how_bad)) {
        if (in.empty()) return;
        const wlfmt::location at = wlfmt::locate(in, e.offset);
        line = at.line;
        column = at.column;
    }
    bool is_of_file() const noexcept {
        return kind == wlfmt::error_kind::cannot_open || kind == wlfmt::error_kind::cannot_read ||
               kind == wlfmt::error_kind::is_directory;
    }
};

// A compressed file has no line that anybody could look at.
inline std::optional<finding> find_compression(std::string_view text, const std::string& name) {
    constexpr struct {
        std::string_view begin;
        std::string_view words;
    } kinds[] = {{"\x1f\x8b", "gzip: pass gzip.open(...) in its place"},
                 {"BZh", "bzip2: pass bz2.open(...) in its place"},
                 {"\xfd\x37zXZ", "xz: pass lzma.open(...) in its place"},
                 {"\x28\xb5\x2f\xfd", "Zstandard: decompress it first"},
                 {"PK\x03\x04", "zip: pass a file of zipfile.ZipFile(...).open(...) in its place"}};
    for (const auto& kind : kinds) {
        if (text.substr(0, kind.begin.size()) != kind.begin) continue;
        finding f;
        f.kind = wlfmt::error_kind::unknown_format;
        f.file = name;
        f.message.append("the file is compressed by ").append(kind.words);
        f.text.append(name).append(": error: ").append(wlfmt::name_of(f.kind)).append(": ").append(f.message);
        return f;
    }
    return std::nullopt;
}
// What is wrong with a text that cannot be read.
inline finding failure(const wlfmt::error& e, std::string_view text, const std::string& name) {
    if (std::optional<finding> compressed = find_compression(text, name)) return std::move(*compressed);
    return finding(e, text, name, wlfmt::severity::error);
}

}  // namespace wlfmt_python

#endif
