// How errors are named, placed and printed.
#ifndef WLFMT_DETAIL_CORE_ERROR_HPP
#define WLFMT_DETAIL_CORE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../error.hpp"

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

inline std::string_view name_of(error_kind c) noexcept {
    switch (c) {
    case error_kind::none: return "none";
    case error_kind::not_a_number: return "not_a_number";
    case error_kind::not_an_integer: return "not_an_integer";
    case error_kind::number_overflow: return "number_overflow";
    case error_kind::negative_value: return "negative_value";
    case error_kind::unknown_format: return "unknown_format";
    case error_kind::no_records: return "no_records";
    case error_kind::foreign_text: return "foreign_text";
    case error_kind::unwritable: return "unwritable";
    case error_kind::cannot_write: return "cannot_write";
    case error_kind::unterminated_record: return "unterminated_record";
    case error_kind::text_after_record: return "text_after_record";
    case error_kind::key_expected: return "key_expected";
    case error_kind::duplicate_key: return "duplicate_key";
    case error_kind::bad_list: return "bad_list";
    case error_kind::unterminated_list: return "unterminated_list";
    case error_kind::unterminated_string: return "unterminated_string";
    case error_kind::bad_escape: return "bad_escape";
    case error_kind::missing_layer_count: return "missing_layer_count";
    case error_kind::layer_count_mismatch: return "layer_count_mismatch";
    case error_kind::header_value: return "header_value";
    case error_kind::header_mismatch: return "header_mismatch";
    case error_kind::field_count: return "field_count";
    case error_kind::related_format: return "related_format";
    case error_kind::text_after_layers: return "text_after_layers";
    case error_kind::text_after_count: return "text_after_count";
    case error_kind::column_mismatch: return "column_mismatch";
    case error_kind::too_many_columns: return "too_many_columns";
    case error_kind::row_mismatch: return "row_mismatch";
    case error_kind::too_wide: return "too_wide";
    case error_kind::bad_edit: return "bad_edit";
    case error_kind::cannot_open: return "cannot_open";
    case error_kind::cannot_read: return "cannot_read";
    case error_kind::is_directory: return "is_directory";
    }
    return "unknown";
}

namespace detail {

inline bool continues_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the UTF-8 character at s[at], 1 for a stray byte.
inline std::size_t character_size(std::string_view s, std::size_t at) noexcept {
    const auto lead = static_cast<unsigned char>(s[at]);
    const std::size_t size = lead >= 0xF0 && lead < 0xF8   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 1;
    if (at + size > s.size()) return 1;
    for (std::size_t n = 1; n < size; ++n)
        if (!continues_character(s[at + n])) return 1;
    return size;
}

inline std::size_t count_characters(std::string_view s) noexcept {
    std::size_t n = 0;
    for (std::size_t at = 0; at < s.size(); at += character_size(s, at)) ++n;
    return n;
}

// Where the character begins that holds s[at], to cut a text there; `at` where none does.
inline std::size_t character_start(std::string_view s, std::size_t at) noexcept {
    for (std::size_t back = 0; back < 4 && back <= at; ++back)
        if (!continues_character(s[at - back])) return character_size(s, at - back) > back ? at - back : at;
    return at;
}

// Not a character that a terminal may act upon (U+0000 to U+001F, U+007F to U+009F), nor a stray byte.
inline bool is_printable(std::string_view character) noexcept {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead >= 0x20 && lead < 0x7F;
    return lead != 0xC2 || static_cast<unsigned char>(character[1]) >= 0xA0;
}

inline void append_printable(std::string& to, std::string_view s) {
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = character_size(s, at);
        if (is_printable(s.substr(at, size)))
            to.append(s.data() + at, size);
        else
            to += s[at] == '\t' ? ' ' : '.';
        at += size;
    }
}

// The guilty bytes, in backquotes and cut where they are long.
inline void append_found(std::string& to, const error& e, std::string_view text) {
    constexpr std::size_t most = 48;
    const std::size_t at = e.offset < text.size() ? static_cast<std::size_t>(e.offset) : text.size();
    std::string_view found = text.substr(at, e.length < text.size() ? static_cast<std::size_t>(e.length) : text.size());
    found = found.substr(0, found.find('\n'));
    const bool cut = found.size() > most;
    if (cut) found = found.substr(0, character_start(found, most));
    to += '`';
    append_printable(to, found);
    to += cut ? "...`" : "`";
}

// What a numeric field holds, for messages: a letter tells the columns of profiler tables that print units.
inline const char* kind_of_number(std::int64_t letter) noexcept {
    switch (letter) {
    case '%': return "a percent like `0.17%`";
    case 's': return "a time like `13.980ms`";
    case 'B': return "a size like `3.81 KB`";
    default: return "a number";
    }
}

inline void append_count(std::string& to, std::int64_t n, const char* one, const char* many) {
    to += std::to_string(n);
    to += ' ';
    to += n == 1 ? one : many;
}

}  // namespace detail

inline std::string message(const error& e, std::string_view text) {
    std::string out;
    const auto found = [&] { detail::append_found(out, e, text); };
    const auto field = [&] {
        if (e.field.empty()) return;
        detail::append_printable(out, e.field);
        out += ": ";
    };
    switch (e.kind) {
    case error_kind::none: out = "no problem"; break;
    case error_kind::not_a_number:
        field();
        if (e.length == 0)
            out += "nothing stands";
        else
            found();
        out += " where ";
        out += detail::kind_of_number(e.expected);
        out += " is expected";
        break;
    case error_kind::not_an_integer:
        field();
        if (e.length == 0)
            out += "nothing stands where an integer is expected";
        else {
            found();
            out += " where an integer is expected";
        }
        break;
    case error_kind::number_overflow:
        field();
        found();
        out += " is beyond what 64 bits hold";
        break;
    case error_kind::negative_value:
        field();
        found();
        out += " is below 0";
        break;
    case error_kind::cannot_write: out = "writing failed"; break;
    case error_kind::header_mismatch:
        found();
        out += " differs from the header's entry ";
        detail::append_printable(out, e.field);
        break;
    case error_kind::too_wide: out = "the table's padding would be many times its text"; break;
    case error_kind::bad_edit: out = "a replacement lies outside the text or overlaps another one"; break;
    case error_kind::unknown_format: out = "neither a rank op log nor a workload file nor a profiler table"; break;
    case error_kind::no_records:
        if (!e.field.empty()) {
            out = "the text holds no ";
            detail::append_printable(out, e.field);
        } else
            out = "the text holds no record";
        break;
    case error_kind::foreign_text:
        found();
        out += " belongs to no ";
        if (e.field.empty())
            out += "record";
        else
            detail::append_printable(out, e.field);
        break;
    case error_kind::unwritable:
        field();
        out += "written as it is, this would not read back";
        break;
    case error_kind::unterminated_record:
        out = "the line does not end with the record's `)`; cut off, or text behind it?";
        break;
    case error_kind::text_after_record:
        found();
        out += " behind the record's `)`";
        break;
    case error_kind::key_expected:
        found();
        out += " where `key=` is expected";
        break;
    case error_kind::duplicate_key:
        found();
        out += " stands twice in this record";
        break;
    case error_kind::bad_list:
        field();
        found();
        out += e.expected == '['   ? " where a list, `[...]`, is expected"
               : e.expected == ',' ? " where `, ` or the list's `]` is expected"
                                   : " where a quoted string is expected";
        break;
    case error_kind::unterminated_list:
        field();
        out += "the line ends before the list's `]`; cut off?";
        break;
    case error_kind::unterminated_string:
        field();
        out += "the line ends before the closing quote; cut off?";
        break;
    case error_kind::bad_escape:
        field();
        found();
        if (e.offset + 1 < text.size() && text[static_cast<std::size_t>(e.offset) + 1] == 'N')
            out += " names its character, which is not read";
        else
            out += " and what follows it are no character; a backslash itself is written `\\\\`";
        break;
    case error_kind::missing_layer_count: out = "the second line, the number of layers, is missing"; break;
    case error_kind::layer_count_mismatch:
        out = "the header declares ";
        detail::append_count(out, e.expected, "layer", "layers");
        out += ", ";
        out += std::to_string(e.found);
        out += e.found == 1 ? " follows" : " follow";
        if (e.found < e.expected) out += "; cut off?";
        break;
    case error_kind::header_value:
        field();
        if (e.expected > 0) {
            if (e.length != 0) {
                found();
                out += " where ";
            }
            out += "the list counts ";
            detail::append_count(out, e.expected, "layer index", "layer indices");
            out += ", ";
            out += std::to_string(e.found);
            out += e.found == 1 ? " follows" : " follow";
        } else if (e.length != 0) {
            found();
            out += " where a word is expected";
        } else {
            out += "the value is missing";
        }
        break;
    case error_kind::field_count:
        detail::append_count(out, e.found, "field", "fields");
        out += " where a layer has ";
        out += std::to_string(e.expected);
        if (e.found < e.expected) {
            out += "; a missing ";
            if (e.field.empty() || e.found + 1 < e.expected)
                out += "field?";
            else {
                detail::append_printable(out, e.field);
                out += '?';
            }
        }
        break;
    case error_kind::related_format:
        out = "another format than the 12-field layers of ASTRA-sim 1.0 and SimAI: ";
        detail::append_printable(out, e.field);
        break;
    case error_kind::text_after_layers:
        found();
        out += " behind the last layer";
        break;
    case error_kind::text_after_count:
        found();
        out += " behind the number of layers";
        break;
    case error_kind::column_mismatch:
        out = "the rule has ";
        detail::append_count(out, e.expected, "column", "columns");
        out += ", the header line names ";
        out += std::to_string(e.found);
        out += e.found > e.expected ? "; two blanks inside a name?" : "; a name missing, or one blank between two?";
        break;
    case error_kind::too_many_columns:
        detail::append_count(out, e.found, "column", "columns");
        out += ", of which ";
        out += std::to_string(e.expected);
        out += " can be read";
        break;
    case error_kind::row_mismatch:
        found();
        if (e.field.empty())
            out += " fits no column of the rule";
        else {
            out += " does not fit the column ";
            detail::append_printable(out, e.field);
        }
        out += "; the row has ";
        detail::append_count(out, e.found, "cell", "cells");
        out += " for ";
        detail::append_count(out, e.expected, "column", "columns");
        if (e.found > e.expected) out += ", two blanks inside one?";
        break;
    case error_kind::cannot_open: out = "the file cannot be opened"; break;
    case error_kind::cannot_read: out = "reading the file failed"; break;
    case error_kind::is_directory: out = "this is a directory, not a file"; break;
    }
    return out;
}

inline location locate(std::string_view text, std::uint64_t offset) noexcept {
    const std::size_t at = offset < text.size() ? static_cast<std::size_t>(offset) : text.size();
    location where;
    std::size_t begin = 0;
    while (begin < at) {
        const void* hit = std::memchr(text.data() + begin, '\n', at - begin);
        if (hit == nullptr) break;
        begin = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) + 1;
        ++where.line;
    }
    where.column = at - begin + 1;
    where.character = detail::count_characters(text.substr(begin, at - begin)) + 1;
    where.line_text = text.substr(begin, text.find('\n', begin) - begin);
    if (!where.line_text.empty() && where.line_text.back() == '\r') where.line_text.remove_suffix(1);
    return where;
}

inline std::string_view name_of(severity s) noexcept { return s == severity::error ? "error" : "warning"; }

inline std::string explain(const error& e, std::string_view text, std::string_view file_name, severity s,
                           std::uint64_t first_line) {
    std::string out(file_name);
    // Files, and what was built by hand, have no text to point into.
    const bool placed = e.kind < error_kind::cannot_open && e.kind != error_kind::unwritable;
    location where;
    if (placed) {
        where = locate(text, e.offset);
        out += ':';
        out += std::to_string(where.line + first_line - 1);
        out += ':';
        out += std::to_string(where.column);
    }
    out += s == severity::error ? ": error: " : ": warning: ";
    out += name_of(e.kind);
    out += ": ";
    out += message(e, text);
    if (placed && where.character != where.column) {
        out += " (character ";
        out += std::to_string(where.character);
        out += ')';
    }
    out += '\n';
    if (!placed || where.line_text.empty()) return out;

    // Only so much of a long line as a terminal shows, whole characters of it.
    constexpr std::size_t before = 60;
    constexpr std::size_t width = 110;
    const std::string_view line = where.line_text;
    const std::size_t at = where.column - 1 < line.size() ? static_cast<std::size_t>(where.column - 1) : line.size();
    const bool whole = line.size() <= width || at <= before;
    const std::size_t begin = whole ? 0 : detail::character_start(line, at - before);
    const bool to_end = line.size() - begin <= width;
    const std::size_t end = to_end ? line.size() : detail::character_start(line, begin + width);

    const std::string lead = "  ";
    out += lead;
    if (begin > 0) out += "...";
    detail::append_printable(out, line.substr(begin, end - begin));
    if (end < line.size()) out += "...";
    out += '\n';
    out += lead;
    if (begin > 0) out += "   ";
    out.append(detail::count_characters(line.substr(begin, at - begin)), ' ');
    out += '^';
    const std::size_t rest = e.length > end - at ? end - at : static_cast<std::size_t>(e.length);
    if (rest > 1) out.append(detail::count_characters(line.substr(at, rest)) - 1, '~');
    out += '\n';
    return out;
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
