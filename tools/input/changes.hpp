// Reads a list of changes, a path and a value a row: CSV, or JSON Lines.
#ifndef WLFMT_TOOLS_INPUT_CHANGES_HPP
#define WLFMT_TOOLS_INPUT_CHANGES_HPP

#include <deque>

#include "../command_line/settings.hpp"
#include "input.hpp"
#include "read.hpp"

namespace tool {

// The changes of a file. The assignments refer to texts that it owns.
class change_list {
public:
    // Reads all rows, and reports those that are no change.
    void read(input& from, report& r) {
        const std::string_view text = from.whole();
        r.about(text);
        std::uint64_t row = 0;
        for (std::size_t at = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; at < text.size();) {
            const std::size_t begin = at;
            fields_.clear();
            const char* wrong = text[at] == '{' ? read_object(text, at) : read_row(text, at);
            ++row;
            const bool is_blank = fields_.empty() || (fields_.size() == 1 && fields_[0].empty());
            const bool is_title = row == 1 && fields_.size() == 2 && fields_[0] == "path" && fields_[1] == "value";
            if (wrong == nullptr && (is_blank || is_title)) continue;
            if (wrong == nullptr && fields_.size() != 2) wrong = "a row is a path and a value";
            if (wrong != nullptr) {
                r.error(text.substr(begin, 0), wrong);
                continue;
            }
            assignments_.push_back({kept(std::move(fields_[0])), kept(std::move(fields_[1])), row});
        }
    }
    const std::vector<assignment>& assignments() const noexcept { return assignments_; }

private:
    std::string_view kept(std::string&& text) { return texts_.emplace_back(std::move(text)); }

    // Reads a row of CSV (RFC 4180), and goes on after its line end. Returns what is wrong, or null.
    const char* read_row(std::string_view text, std::size_t& at) {
        for (;;) {
            std::string& field = fields_.emplace_back();
            const char* wrong = nullptr;
            if (at < text.size() && text[at] == '"') {
                for (++at;; ++at) {
                    if (at == text.size()) return "a quote is not closed";
                    if (text[at] != '"') field += text[at];
                    else if (text.substr(at + 1, 1) == "\"") field += text[++at];
                    else break;
                }
                ++at;
                if (at < text.size() && text[at] != ',' && text[at] != '\r' && text[at] != '\n')
                    wrong = "text follows a closing quote";
            }
            for (; at < text.size() && text[at] != ',' && text[at] != '\n'; ++at)
                if (text[at] != '\r') field += text[at];
            if (wrong != nullptr) {
                at = (std::min)(text.find('\n', at), text.size() - 1) + 1;
                return wrong;
            }
            if (at >= text.size() || text[at++] == '\n') return nullptr;
        }
    }

    // Reads {"path": TEXT, "value": TEXT or NUMBER}, its members in any order, and goes on after its line.
    const char* read_object(std::string_view text, std::size_t& at) {
        const std::size_t end = (std::min)(text.find('\n', at), text.size());
        std::string_view rest = trimmed(text.substr(at + 1, end - at - 1));
        at = end + 1;
        constexpr const char* wrong = "a row is an object with a path, a text, and a value, a text or a number";
        std::optional<std::string> members[2];
        for (bool more = true; more;) {
            std::string name;
            std::string value;
            if (!take_text(rest, name) || rest.substr(0, 1) != ":") return wrong;
            rest = trimmed(rest.substr(1));
            const bool is_text = rest.substr(0, 1) == "\"";
            if (is_text ? !take_text(rest, value) : !take_number(rest, value)) return wrong;
            if (name != "path" && name != "value") return wrong;
            std::optional<std::string>& member = members[name == "value"];
            if (member || (name == "path" && !is_text)) return wrong;
            member = std::move(value);
            more = rest.substr(0, 1) == ",";
            if (more) rest = trimmed(rest.substr(1));
        }
        if (rest != "}" || !members[0] || !members[1]) return wrong;
        fields_ = {*std::move(members[0]), *std::move(members[1])};
        return nullptr;
    }
    static std::string_view trimmed(std::string_view text) {
        const std::size_t first = text.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) return {};
        return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
    }
    static bool take_text(std::string_view& rest, std::string& value) {
        if (rest.substr(0, 1) != "\"") return false;
        std::size_t end = 1;
        while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2U : 1U;
        if (end >= rest.size()) return false;
        value = unquoted(rest.substr(0, end + 1));
        if (value.empty() && end != 1) return false;
        rest = trimmed(rest.substr(end + 1));
        return true;
    }
    static bool take_number(std::string_view& rest, std::string& value) {
        const std::size_t end = (std::min)(rest.find_first_of(" \t,}"), rest.size());
        value = rest.substr(0, end);
        rest = trimmed(rest.substr(end));
        // An integer beyond 64 bits is a number, too: whoever sets it says why it cannot be set.
        const std::size_t sign = value.substr(0, 1) == "-" ? 1 : 0;
        const bool is_integer = value.size() > sign && value.find_first_not_of("0123456789", sign) == std::string::npos;
        return is_integer || wlfmt::to_number(value).has_value();
    }

    std::vector<std::string> fields_;
    std::deque<std::string> texts_;
    std::vector<assignment> assignments_;
};

}  // namespace tool

#endif
