// The JSON that is written, read back by simdjson and held against the records. The first byte chooses the options, the
// second the format, the rest is the text.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

// The JSON in a canonical spelling, in which each value has one form.
//
// Integers are written by their digits, decimals by their bits; in tables, where an exponent says how a cell is
// spelled, all numbers by their bits as decimals. A lone surrogate, which simdjson refuses and which is how JSON holds
// a byte that is not UTF-8, is U+FFFD on both sides.

std::string of_string(std::string_view s) { return "\"" + std::to_string(s.size()) + ":" + std::string(s); }
std::string of_decimal(double v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    return "d" + std::to_string(bits);
}

enum class numbers { exact, as_decimals };

template <class Value> void render(std::string& out, Value&& value, numbers kind) {
    namespace od = simdjson::ondemand;
    switch (od::json_type(value.type())) {
    case od::json_type::object:
        out += '{';
        for (auto field : value.get_object()) {
            out += of_string(std::string_view(field.unescaped_key()));
            out += '=';
            render(out, field.value(), kind);
        }
        out += '}';
        break;
    case od::json_type::array:
        out += '[';
        for (auto element : value.get_array()) render(out, element, kind);
        out += ']';
        break;
    case od::json_type::string: out += of_string(std::string_view(value.get_string())); break;
    case od::json_type::boolean: out += bool(value.get_bool()) ? "true" : "false"; break;
    case od::json_type::null:
        fuzz::check(value.is_null(), "null is spelled out");
        out += "null";
        break;
    case od::json_type::number: {
        std::string token(std::string_view(value.raw_json_token()));
        token.erase(token.find_last_not_of(" \n") + 1);
        const bool decimal = kind == numbers::as_decimals || token.find_first_of(".eE") != std::string::npos;
        // A header's numbers are spelled as they are there.
        out += decimal ? of_decimal(double(value.get_double())) : token == "-0" ? "i0" : "i" + token;
        break;
    }
    }
    out += ';';
}

// The expected JSON of a record, from the rules of the interchange form.

class expected {
public:
    std::string text;

    expected& raw(std::string_view t) {
        text += t;
        return *this;
    }
    void end() { text += ';'; }

    void key(std::string_view k, char quote = 0) { raw(of_string(utf8(k, quote))).raw("="); }
    void string(std::string_view s, char quote = 0) {
        raw(of_string(utf8(s, quote)));
        end();
    }
    void integer(std::int64_t v) {
        raw("i" + std::to_string(v));
        end();
    }
    void decimal(double v) {
        if (std::isfinite(v)) return raw(of_decimal(v)).end();
        string(v != v ? "nan" : v > 0 ? "inf" : "-inf");
    }
    void null() { raw("null;"); }
    // Guesses the type of a value from its spelling: it is a number only if the number would be written like that.
    void guess(std::string_view s, char quote = 0) {
        if (s == "None") return null();
        if (s == "True" || s == "False") {
            raw(s == "True" ? "true;" : "false;");
            return;
        }
        if (s == "nan" || s == "inf" || s == "-inf") return string(s);
        if (is_number(s, false)) return is_plain_integer(s) ? raw("i").raw(s).end() : string(s, quote);
        if (is_number(s, true)) {
            const double v = std::strtod(std::string(s).c_str(), nullptr);
            return std::isfinite(v) && is_written_as(v, s) ? decimal(v) : string(s, quote);
        }
        const wlfmt::oplog::shape shape(s);
        if (!shape.is_list() || !has_plain_integers(s)) return string(s, quote);
        raw("[");
        for (const std::int64_t dim : shape) integer(dim);
        raw("];");
    }
    // A list is a shape, however its integers are spelled.
    void shape(const wlfmt::oplog::shape& s, char quote = 0) {
        if (!s.is_list()) return guess(s.text(), quote);
        raw("[");
        for (const std::int64_t dim : s) integer(dim);
        raw("];");
    }
    void number(const wlfmt::number& n, char quote = 0) {
        if (n.is_integer()) return integer(n.as<std::int64_t>().value_or(0));
        if (n.is_decimal()) return decimal(n.value_or(0.0));
        if (n.is_text()) return guess(n.text(), quote);
        null();
    }

private:
    // [+-]?\d+ or [+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?, in its whole length.
    static bool is_number(std::string_view s, bool decimals) {
        std::size_t at = 0;
        const auto digits = [&] {
            const std::size_t from = at;
            while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
            return at - from;
        };
        if (at < s.size() && (s[at] == '-' || s[at] == '+')) ++at;
        std::size_t count = digits();
        if (decimals && at < s.size() && s[at] == '.') {
            ++at;
            count += digits();
        }
        if (count == 0) return false;
        if (decimals && at < s.size() && (s[at] == 'e' || s[at] == 'E')) {
            ++at;
            if (at < s.size() && (s[at] == '-' || s[at] == '+')) ++at;
            if (digits() == 0) return false;
        }
        return at == s.size();
    }

    static bool is_plain_integer(std::string_view s) {
        const std::string_view digits = s.substr(s[0] == '-' ? 1 : 0);
        return !digits.empty() && digits[0] != '+' && (digits[0] != '0' || s == "0");
    }
    static bool has_plain_integers(std::string_view s) {
        bool all = true;
        std::string word;
        for (const char c : std::string(s) + " ") {
            if ((c >= '0' && c <= '9') || c == '-' || c == '+') {
                word += c;
                continue;
            }
            all = all && (word.empty() || is_plain_integer(word));
            word.clear();
        }
        return all;
    }

public:
    static bool is_written_as(double v, std::string_view s) {
        std::string written;
        wlfmt::append_value(written, wlfmt::number(v));
        return written == s;
    }

private:
    // The text as JSON's strings hold it: whole characters as they are, U+FFFD for any other byte, and for a surrogate
    // that a Python escape denotes.
    static std::string utf8(std::string_view s, char quote) {
        std::string out;
        for (std::size_t at = 0; at < s.size();) {
            if (s[at] == '\\' && quote != 0) {
                const char* p = s.data() + at;
                std::uint32_t c = '\\';
                const auto kind = wlfmt::detail::escapes::read(p, s.data() + s.size(), c);
                at = static_cast<std::size_t>(p - s.data());
                if (kind == wlfmt::detail::escape::nothing) continue;
                if (kind != wlfmt::detail::escape::character) c = '\\';
                char buffer[4];
                if (c >= 0xD800 && c < 0xE000) out += "\xEF\xBF\xBD";
                else out.append(buffer, wlfmt::detail::escapes::write_utf8(buffer, c));
                continue;
            }
            const std::size_t size = character_size(s.substr(at));
            out += size == 0 ? std::string_view("\xEF\xBF\xBD") : s.substr(at, size);
            at += size == 0 ? 1 : size;
        }
        return out;
    }
    // The size of the character at the start of a text, found by decoding and encoding it again; 0 if the bytes are not
    // a character.
    static std::size_t character_size(std::string_view s) {
        const auto lead = static_cast<unsigned char>(s[0]);
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (size < 2 || s.size() < size) return size == 1 ? 1 : 0;
        std::uint32_t c = lead & (0xFFU >> (size + 1));
        for (std::size_t n = 1; n < size; ++n) c = c << 6 | (static_cast<unsigned char>(s[n]) & 0x3FU);
        if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
        char buffer[4];
        const char* const end = wlfmt::detail::escapes::write_utf8(buffer, c);
        return s.substr(0, size) == std::string_view(buffer, static_cast<std::size_t>(end - buffer)) ? size : 0;
    }
};

void json_of(expected& out, const wlfmt::oplog::sub_operation& s) {
    if (s.is_text()) return out.string(s.text, s.quote);
    out.raw("{");
    wlfmt::detail::visit_attributes(s, [&](std::string_view key, const auto& v) {
        if (wlfmt::is_missing(v)) return;
        out.key(key, s.quote);
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, wlfmt::number>) out.number(v, s.quote);
        else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, wlfmt::oplog::shape>) out.shape(v, s.quote);
        else out.guess(v, s.quote);
    });
    out.raw("};");
}
std::string json_of(const wlfmt::oplog::operation& r) {
    expected out;
    out.raw("{").key(r.origin == wlfmt::oplog::origin::rank ? "rank" : "stage");
    out.integer(r.rank);
    out.key("op");
    out.string(r.op);
    wlfmt::detail::visit_attributes(r, [&](std::string_view key, const auto& v) {
        using value = std::decay_t<decltype(v)>;
        if (wlfmt::is_missing(v)) return;
        out.key(key);
        if constexpr (std::is_same_v<value, wlfmt::number>) {
            out.number(v);
        } else if constexpr (std::is_same_v<value, wlfmt::oplog::shape>) {
            out.shape(v);
        } else if constexpr (std::is_same_v<value, wlfmt::text_view>) {
            out.guess(v);
        } else if (v.is_none()) {
            out.null();
        } else {
            out.raw("[");
            for (const auto& s : v)
                if (!s.damaged) json_of(out, s);
            out.raw("];");
        }
    });
    out.raw("};");
    return out.text;
}

// If a decimal is an integer of 64 bits, the integer's digits, found by moving the point; else empty.
std::string whole_digits(std::string_view s) {
    const bool negative = s[0] == '-';
    if (negative || s[0] == '+') s.remove_prefix(1);
    const std::size_t e = (std::min)(s.find_first_of("eE"), s.size());
    long point = e < s.size() ? std::strtol(std::string(s.substr(e + 1)).c_str(), nullptr, 10) : 0;
    std::string digits;
    for (const char c : s.substr(0, e))
        if (c != '.') digits += c;
    if (const std::size_t dot = s.substr(0, e).find('.'); dot != s.npos) point -= static_cast<long>(e - dot - 1);
    for (; point < 0 && !digits.empty() && digits.back() == '0'; ++point) digits.pop_back();
    digits.erase(0, digits.find_first_not_of('0'));
    if (point < 0 || point > 20) return {};
    digits.append(static_cast<std::size_t>(point), '0');
    const std::string_view most = negative ? "9223372036854775808" : "9223372036854775807";
    if (digits.size() > most.size() || (digits.size() == most.size() && digits > most)) return {};
    return (negative ? "-" : "") + digits;
}

// Whether a number is written as this text: only then does a key that the format does not define have a number.
bool is_written(std::string_view text, const wlfmt::number& n) {
    std::string written;
    wlfmt::append_value(written, n);
    return written == text;
}
std::string json_of(const wlfmt::workload::header& h) {
    expected out;
    out.raw("{").key("policy");
    out.string(h.policy);
    out.key("header");
    out.raw("{");
    for (const wlfmt::workload::entry& e : h.entries) {
        out.key(e.key.empty() && !e.colon ? wlfmt::text_view("DLRM_LAST_BOTTOM_LAYER") : e.key);
        std::vector<std::string_view> words;
        for (const std::string_view word : wlfmt::workload::words(e.value)) words.push_back(word);
        bool list = (e.key == "checkpoints" || e.key == "checkpoint_initiates") && !words.empty();
        for (const std::string_view word : words) list = list && wlfmt::to_number(word).is_integer();
        if (list && wlfmt::to_number(words[0]) == static_cast<std::int64_t>(words.size() - 1)) {
            out.raw("[");
            for (std::size_t n = 1; n != words.size(); ++n) out.integer(*wlfmt::to_number(words[n]).as<std::int64_t>());
            out.raw("];");
            continue;
        }
        using wlfmt::detail::entry_type;
        const bool bare = e.key.empty() && !e.colon;
        const entry_type type = bare ? entry_type::number : wlfmt::detail::type_of_entry(e.key);
        const bool is_target = wlfmt::detail::target_position(e.key) != wlfmt::detail::target_keys_count;
        const bool known = type == entry_type::size || type == entry_type::number;
        const wlfmt::number n = wlfmt::to_number(e.value);
        const bool is_large = n.is_decimal() && std::abs(n.value_or(0.0)) >= 0x1p53;
        if (!known && (is_target || !n.has_value() || is_large || !is_written(e.value, n))) {
            out.string(e.value);
            continue;
        }
        const double v = n.value_or(0.0);
        // A decimal beyond what a double holds exactly is what its digits say, or a text.
        const std::string exact =
            n.is_decimal() && std::isfinite(v) && std::abs(v) >= 0x1p53 ? whole_digits(e.value) : std::string();
        if (!exact.empty()) out.raw("i" + exact).end();
        else if (n.has_value() && std::isfinite(v) && (!n.is_decimal() || std::abs(v) < 0x1p53)) out.number(n);
        else out.string(e.value);
    }
    out.raw("};");
    if (!h.declared_layers.is_missing()) {
        out.key("declared_layers");
        out.number(h.declared_layers);
    }
    out.raw("};");
    return out.text;
}
std::string json_of(const wlfmt::workload::layer& l) {
    expected out;
    out.raw("{").key("name");
    out.string(l.name);
    out.key("dependency");
    out.integer(l.dependency);
    const auto phase = [&](std::string_view name, const wlfmt::workload::phase& p) {
        out.key(name);
        out.raw("{").key("compute");
        out.number(p.compute);
        out.key("comm");
        out.string(p.comm);
        out.key("bytes");
        out.number(p.bytes);
        out.raw("};");
    };
    phase("forward", l.forward);
    phase("input_grad", l.input_grad);
    phase("weight_grad", l.weight_grad);
    out.key("update");
    out.number(l.update);
    if (!wlfmt::is_missing(l.policy)) {
        out.key("policy");
        out.string(l.policy);
    }
    if (!wlfmt::is_missing(l.further)) {
        out.key("further");
        out.raw("[");
        for (const std::string_view word : wlfmt::workload::words(l.further)) out.string(word);
        out.raw("];");
    }
    out.raw("};");
    return out.text;
}

// A cell that was read: text stays text, whatever it looks like.
void json_of(expected& out, const wlfmt::table::cell& cell) {
    const wlfmt::number& v = cell.value();
    if (v.is_text()) out.string(v.text());
    else if (v.has_value()) out.decimal(v.value_or(0.0));
    else out.null();
}
std::string json_of_head(const wlfmt::table::profile& one) {
    expected out;
    out.raw("{").key("columns");
    out.raw("[");
    for (const auto& c : one.columns) out.string(c.name);
    out.raw("];").key("totals");
    out.raw("{");
    for (const auto& t : one.totals) {
        out.key(t.name);
        json_of(out, t.value);
    }
    out.raw("};};");
    return out.text;
}
std::string json_of_row(const wlfmt::table::profile& one, std::size_t n) {
    expected out;
    out.raw("{");
    const wlfmt::table::row row = one.row(n);
    for (std::size_t c = 0; c < one.columns.size(); ++c) {
        const std::string_view text = row[c].text();
        const std::string_view name = one.columns[c].name;
        out.key(name);
        if (one.columns[c].unit == wlfmt::table::unit::source) {
            out.raw("[");
            if (!text.empty()) out.string(text);
            for (const std::string_view frame : row.frames) out.string(frame);
            out.raw("];");
        } else if (name == "Name" || name == "Overload Name" || name == "Input Shapes") {
            out.string(text);
        } else {
            json_of(out, row[c]);
        }
    }
    out.raw("};");
    return out.text;
}

// Checks that each line that is written is the expected JSON.
void check_lines(const std::string& written, const std::vector<std::string>& expected_lines, numbers kind) {
    static simdjson::ondemand::parser parser;
    std::size_t n = 0;
    for (const std::string_view line : fuzz::lines_of(written)) {
        fuzz::check(n < expected_lines.size() && line.back() == '\n', "a record is a line", line);
        const simdjson::padded_string json(fuzz::without_surrogates(line.substr(0, line.size() - 1)));
        std::string got;
        try {
            simdjson::ondemand::document doc = parser.iterate(json);
            // A document's own value is taken as an object, which every line is.
            got += '{';
            for (auto field : doc.get_object()) {
                got += of_string(std::string_view(field.unescaped_key()));
                got += '=';
                render(got, simdjson::ondemand::value(field.value()), kind);
            }
            got += "};";
            const bool at_end = doc.current_location().error() == simdjson::OUT_OF_BOUNDS;
            fuzz::check(at_end, "a line is one object", line);
        } catch (const simdjson::simdjson_error& e) {
            fuzz::check(false, e.what(), line);
        }
        fuzz::check_same(got, expected_lines[n], "the JSON says what the record says");
        ++n;
    }
    fuzz::check(n == expected_lines.size(), "every record is a line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const fuzz::block block({reinterpret_cast<const char*>(data) + 2, size - 2});
    const std::string_view text = block.view();
    std::vector<wlfmt::problem> tolerated;
    const wlfmt::options options = fuzz::options_of(data[0], tolerated);
    std::string written;
    std::vector<std::string> lines;
    switch (data[1] % 3) {
    case 0: {
        const auto doc = wlfmt::oplog::read(text, options);
        const wlfmt::problem e = wlfmt::json::write(written, *doc);
        wlfmt::problem expected_error;
        for (std::size_t n = 0; n != doc->operations.size(); ++n) {
            lines.push_back(json_of(doc->operations[n]));
            bool damaged = false;
            for (const auto& s : doc->operations[n].sub_operations) damaged = damaged || s.damaged;
            if (!damaged || expected_error) continue;
            expected_error.kind = wlfmt::error_kind::unwritable;
            expected_error.found = static_cast<std::int64_t>(n);
        }
        fuzz::check(e.kind == expected_error.kind && e.found == expected_error.found,
                    "what JSON leaves out is reported", text);
        break;
    }
    case 1: {
        const auto doc = wlfmt::workload::read(text, options);
        fuzz::check(!wlfmt::json::write(written, *doc), "a workload file has its form in JSON");
        lines.push_back(json_of(doc->header));
        for (const auto& l : doc->layers) lines.push_back(json_of(l));
        break;
    }
    default: {
        const auto doc = wlfmt::table::read(text, options);
        fuzz::check(!wlfmt::json::write(written, *doc), "tables have their form in JSON");
        for (const auto& one : doc->tables) {
            lines.push_back(json_of_head(one));
            for (std::size_t n = 0; n < one.size(); ++n) lines.push_back(json_of_row(one, n));
        }
    }
    }
    check_lines(written, lines, data[1] % 3 < 2 ? numbers::exact : numbers::as_decimals);
    return 0;
}
