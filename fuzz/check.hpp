// What the fuzz targets share: how a property fails, texts in blocks of exactly their size, what is true of every
// error, and values taken from the input's bytes.
//
// Everything has internal linkage: the target `differential` compiles these headers several times, over several wlfmts.
#ifndef WLFMT_FUZZ_CHECK_HPP
#define WLFMT_FUZZ_CHECK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/error.hpp>

#include "../tests/texts.hpp"

namespace fuzz { namespace {

// Ends the program if a property does not hold, after printing its name and the text that it fails for.
inline void check(bool holds, const char* property, std::string_view on = {}) {
    if (holds) return;
    std::fprintf(stderr, "property failed: %s\n", property);
    std::fwrite(on.data(), 1, (std::min)(on.size(), std::size_t{4000}), stderr);
    std::fputc('\n', stderr);
    __builtin_trap();
}
inline void check_same(const std::string& a, const std::string& b, const char* property) {
    if (a == b) return;
    const auto first = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    const auto at = static_cast<std::size_t>(first - a.begin());
    const std::size_t from = at < 100 ? 0 : at - 100;
    std::string on = "they differ at " + std::to_string(at);
    on.append("\n--- one\n").append(a, from, 1500);
    on.append("\n--- other\n").append(b, (std::min)(from, b.size()), 1500);
    check(false, property, on);
}
inline void check_same(const std::vector<std::string>& a, const std::vector<std::string>& b, const char* property) {
    for (std::size_t n = 0; n < a.size() && n < b.size(); ++n) check_same(a[n], b[n], property);
    check(a.size() == b.size(), property, std::to_string(a.size()) + " and " + std::to_string(b.size()) + " records");
}
// Checks that all of `few` are in `many`, in the same order.
inline void check_subsequence(const std::vector<std::string>& few, const std::vector<std::string>& many,
                              const char* property) {
    std::size_t at = 0;
    for (const std::string& item : few) {
        while (at < many.size() && many[at] != item) ++at;
        check(at < many.size(), property, item);
        ++at;
    }
}

using block = test::exact_buffer;
using test::lines_of;

inline bool is_inside(std::string_view v, std::string_view text) {
    return v.data() == nullptr || (v.data() >= text.data() && v.data() + v.size() <= text.data() + text.size());
}

inline bool is_surrogate(std::string_view json, std::size_t at) {
    return json.substr(at, 3) == "\\ud" && json[at + 3] >= '8' && json[at + 3] <= 'f';
}
// JSON with U+FFFD in the place of lone surrogates, which simdjson refuses: they represent bytes that are not UTF-8.
// Escapes are read as two characters, so that `\\ud800`, a backslash and a text, is not taken for a surrogate.
inline std::string without_surrogates(std::string_view json) {
    std::string out;
    for (std::size_t at = 0; at < json.size();) {
        if (json[at] != '\\') {
            out += json[at++];
        } else if (is_surrogate(json, at)) {
            out += "\\ufffd";
            at += 6;
        } else {
            out += json.substr(at, 2);
            at += 2;
        }
    }
    return out;
}

// Checks what is true of every error: it lies in the text, and explain() prints it in printable lines.
inline void check_error(const wlfmt::problem& e, std::string_view text) {
    check(static_cast<bool>(e), "an error has a kind");
    check(e.offset <= text.size() && e.length <= text.size() - e.offset, "an error lies in the text", name_of(e.kind));
    const std::string said = message(e, text);
    check(!said.empty() && said.find('\n') == std::string::npos, "a message is one line", said);
    const std::string shown = explain(e, text, wlfmt::in_file("f"));
    check(shown.find(name_of(e.kind)) != std::string::npos && shown.find(said) != std::string::npos,
          "explain() has the kind and the message", shown);
    check(shown.back() == '\n', "explain() ends its line", shown);
    for (const char c : shown)
        check(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F), "explain() is printable", shown);
}
inline void check_errors(const std::vector<wlfmt::problem>& errors, std::string_view text) {
    // explain() counts the lines before an error, which takes time: of many errors the first and the last one are
    // enough.
    constexpr std::size_t most = 8;
    for (std::size_t n = 0; n < errors.size(); ++n)
        if (n < most || n + most >= errors.size()) check_error(errors[n], text);
}

// Checks what is true of everything that can be written. `unchecked`: its text. write() refuses it if problem_of()
// finds a problem, and appends nothing then; otherwise it appends the same.
template <class Record> wlfmt::problem check_write(const Record& r, const std::string& unchecked) {
    const wlfmt::problem problem = problem_of(r);
    std::string checked = "before";
    const wlfmt::problem e = write(checked, r);
    check(e.kind == problem.kind && e.field == problem.field && e.found == problem.found,
          "write() refuses what problem_of() finds", unchecked);
    check_same(checked, "before" + (e ? std::string() : unchecked), "write() writes all or nothing");
    return problem;
}

// The options that the bits choose: strict, lenient; with the third, problems are not collected.
inline wlfmt::options options_of(unsigned bits, std::vector<wlfmt::problem>& tolerated) {
    wlfmt::options options;
    options.strict = (bits & 1) != 0;
    options.lenient = (bits & 2) != 0;
    if ((bits & 4) == 0) {
        options.on_problem = [&](const wlfmt::problem& e) { tolerated.push_back(e); };
    }
    return options;
}

// Calls check(text, option bits) for an input whose first byte chooses the options and whose rest is the text.
template <class Check> int check_with_options(const std::uint8_t* data, std::size_t size, Check check_text) {
    if (size == 0) return 0;
    const block text({reinterpret_cast<const char*>(data) + 1, size - 1});
    check_text(text.view(), unsigned{data[0]});
    return 0;
}

// Checks what is true of the strict, the usual and the lenient reading of a text in which other text is allowed between
// the records. `read` takes the text and the option bits; `parts` are the lists of which a lenient reader reads at
// least as much. Returns the usual reading.
template <class Read, class Reading>
Reading check_modes(std::string_view text, Read read, std::vector<std::string> Reading::*parts) {
    const Reading strict = read(text, 1U);
    const Reading usual = read(text, 0U);
    const Reading lenient = read(text, 2U);
    check_errors(strict.errors, text);
    check_errors(lenient.tolerated, text);
    check_same(strict.records, usual.records, "strict reads the same records");
    check_subsequence(usual.*parts, lenient.*parts, "lenient reads a superset");
    check(lenient.errors.empty() || lenient.errors[0].kind == wlfmt::error_kind::no_records, "lenient goes on");
    if (usual.errors.empty())
        for (const wlfmt::problem& e : lenient.tolerated)
            check(wlfmt::severity_of(e) == wlfmt::severity::warning,
                  "lenient reading tolerates no error where there is none");
    return usual;
}

// Takes values from the bytes of an input. After its last byte every value is 0 or empty.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    bool empty() const noexcept { return at_ == end_; }
    std::uint8_t byte() { return at_ != end_ ? *at_++ : std::uint8_t{0}; }
    bool flag() { return (byte() & 1) != 0; }
    // A number below n, n <= 256.
    std::size_t below(std::size_t n) { return byte() % n; }
    std::uint64_t bits() {
        std::uint64_t v = 0;
        for (int n = 0; n < 8; ++n) v = v << 8 | byte();
        return v;
    }
    std::int64_t integer() {
        const std::size_t size = below(9);
        std::uint64_t v = 0;
        for (std::size_t n = 0; n < size; ++n) v = v << 8 | byte();
        return static_cast<std::int64_t>(v);
    }
    // Numbers as programs have them: measured ones in hundredths and thousandths, and doubles of arbitrary bits.
    double decimal() {
        static constexpr double scales[] = {1, 100, 1000, 1e6, 1e-6};
        const std::size_t kind = below(6);
        if (kind < 5) return static_cast<double>(integer() % 10000000000) / scales[kind];
        const std::uint64_t v = bits();
        double value;
        std::memcpy(&value, &v, sizeof value);
        return value;
    }
    // A text that lives as long as this object: one of the words given, bytes of the input, or both joined.
    template <std::size_t N> std::string_view text(const std::string_view (&words)[N]) {
        std::string t;
        for (std::size_t pieces = 1 + below(3) % 2; pieces > 0; --pieces) {
            const std::size_t kind = below(N + 8);
            if (kind < N) t += words[kind];
            else
                for (std::size_t size = kind - N; size > 0; --size) t += static_cast<char>(byte());
        }
        return keep(t);
    }
    std::string_view keep(std::string_view t) {
        kept_.emplace_back(new char[t.size()]);
        std::copy(t.begin(), t.end(), kept_.back().get());
        return {kept_.back().get(), t.size()};
    }
    std::string_view rest() {
        const std::string_view t(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_));
        at_ = end_;
        return t;
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    std::vector<std::unique_ptr<char[]>> kept_;
};

}}  // namespace fuzz

#endif
