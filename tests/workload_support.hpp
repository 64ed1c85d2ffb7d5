// What the workload tests share: files, layers taken out of their reader, comparisons that name the member that
// differs.
#ifndef WLFMT_TESTS_WORKLOAD_SUPPORT_HPP
#define WLFMT_TESTS_WORKLOAD_SUPPORT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/workload.hpp>

#include "data_files.hpp"
#include "support.hpp"

namespace test {

inline std::vector<std::string> workload_files() { return data_files("workload", workload_samples); }

// A value with consecutive blanks as one blank, as values are written.
inline std::string folded(std::string_view value) {
    std::string out;
    for (const char c : value) {
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
        if (!blank) out += c;
        if (blank && !out.empty() && out.back() != ' ') out += ' ';
    }
    return out;
}

// The first member in which two layers differ; empty if they are the same.
inline std::string difference(const wlfmt::workload::layer& a, const wlfmt::workload::layer& b) {
    if (a.name != b.name) return "name";
    if (a.dependency != b.dependency) return "dependency";
    const wlfmt::workload::phase* const of_a[] = {&a.forward, &a.input_grad, &a.weight_grad};
    const wlfmt::workload::phase* const of_b[] = {&b.forward, &b.input_grad, &b.weight_grad};
    for (std::size_t n = 0; n != 3; ++n) {
        const std::string phase = n == 0 ? "forward." : n == 1 ? "input_grad." : "weight_grad.";
        if (of_a[n]->compute != of_b[n]->compute) return phase + "compute";
        if (of_a[n]->comm != of_b[n]->comm) return phase + "comm";
        if (of_a[n]->bytes != of_b[n]->bytes) return phase + "bytes";
    }
    if (a.update != b.update) return "update";
    const bool policies = a.policy == b.policy && (a.policy.data() == nullptr) == (b.policy.data() == nullptr);
    if (!policies) return "policy";
    const bool further =
        folded(a.further) == folded(b.further) && wlfmt::is_missing(a.further) == wlfmt::is_missing(b.further);
    return further ? "" : "further";
}

inline std::string difference(const std::vector<wlfmt::workload::layer>& a,
                              const std::vector<wlfmt::workload::layer>& b) {
    for (std::size_t n = 0; n != (std::min)(a.size(), b.size()); ++n)
        if (!difference(a[n], b[n]).empty()) return "layer " + std::to_string(n) + ": " + difference(a[n], b[n]);
    return a.size() == b.size() ? "" : std::to_string(a.size()) + " and " + std::to_string(b.size()) + " layers";
}

inline std::string difference(const wlfmt::workload::header& a, const wlfmt::workload::header& b) {
    if (a.policy != b.policy) return "policy";
    auto i = a.entries.begin();
    auto k = b.entries.begin();
    for (; i != a.entries.end() && k != b.entries.end(); ++i, ++k)
        if (i->key != k->key || folded(i->value) != folded(k->value) || i->colon != k->colon)
            return "entry " + std::string(i->key);
    return i == a.entries.end() && k == b.entries.end() ? "" : "number of entries";
}

// Compares everything but the declared number of layers, which writing corrects.
inline std::string difference(const wlfmt::workload::document& a, const wlfmt::workload::document& b) {
    const std::string headers = difference(a.header, b.header);
    return headers.empty() ? difference(a.layers, b.layers) : headers;
}

// The layers that a pull reader yields, with bad lines skipped.
struct workload_reading {
    std::vector<wlfmt::workload::layer> layers;
    std::vector<wlfmt::problem> errors;  // errors and tolerated problems, in the order of the text
    std::uint64_t tolerated = 0;
};

inline workload_reading read_layers(std::string_view text, wlfmt::options how = {}) {
    workload_reading got;
    how.on_problem = [&](const wlfmt::problem& e) { got.errors.push_back(e); };
    wlfmt::workload::reader file(text, how);
    do {
        while (const wlfmt::workload::layer* one = file.next()) got.layers.push_back(*one);
        if (!file.ok()) got.errors.push_back(file.error());
    } while (file.skip());
    got.tolerated = file.tolerated();
    return got;
}

// The text that write_unchecked() appends.
template <class Record> std::string unchecked(const Record& record) {
    std::string out;
    wlfmt::workload::write_unchecked(out, record);
    return out;
}

// The text that write() appends; a refusal fails the test.
template <class Record> std::string checked(const Record& record) {
    std::string out;
    const wlfmt::problem e = wlfmt::workload::write(out, record);
    CHECK_MESSAGE(!e, wlfmt::message(e, ""));
    CHECK(out == unchecked(record));
    return out;
}

}  // namespace test

#endif
