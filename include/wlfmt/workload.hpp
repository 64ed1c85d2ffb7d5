// wlfmt/workload.hpp: reading and writing workload files of ASTRA-sim 1.0 and SimAI (the records: types/workload.hpp).
// The format and its dialects: docs/formats.md, section 2; where their facts come from: 7.2.
//
//     auto file = wlfmt::workload::read(text);
//     if (!file) std::cerr << wlfmt::explain(file.error(), text, wlfmt::in_file("moe.txt"));
//     for (auto& layer : file->layers) layer.weight_grad.bytes *= 2;
//     if (auto e = wlfmt::workload::write(out, *file)) return fail(e);
#include "version.hpp"

#ifndef WLFMT_WORKLOAD_HPP
#define WLFMT_WORKLOAD_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "types/workload.hpp"

#include "detail/error/problems.hpp"
#include "detail/workload/lists.hpp"
#include "detail/workload/reader.hpp"
#include "detail/workload/write.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace workload {

// Pulls layers out of a text, one by one, in linear time overall, and allocates nothing; the constructor reads the two
// header lines. The text must outlive the reader and every view that came from it. next() shows every layer in the same
// place: copy a layer to keep it. At the end of the text, fewer layers than declared are an error, as the file may be
// cut off, and more are a warning (error_kind::layer_count_mismatch). A time, a size or a degree of parallelism below 0
// is read, with a warning (error_kind::negative_value). Warnings go to options::on_problem.
class reader {
public:
    explicit reader(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) noexcept : state_(text, options) {
        detail::workload_reading::start(state_);
    }
    // Continues where the other reader was, which then has nothing left to read. A layer from the other's next() stays
    // there: copy the layer to keep it.
    reader(reader&&) noexcept = default;
    reader& operator=(reader&&) noexcept = default;

    [[nodiscard]] const workload::header& header() const& noexcept WLFMT_LIFETIMEBOUND { return state_.header_; }
    [[nodiscard]] workload::header header() const&& { return state_.header_; }
    // The next layer; null at the end of the text and after an error.
    const layer* next() & noexcept WLFMT_LIFETIMEBOUND { return detail::workload_reading::next(state_); }
    const layer* next() && = delete;
    // Range-for over the layers that are left. After the loop, ok() says whether an error ended it.
    using iterator = detail::record_iterator<reader, layer>;
    [[nodiscard]] iterator begin() & noexcept WLFMT_LIFETIMEBOUND {
        return iterator(*this, state_.problems_, state_.record_);
    }
    [[nodiscard]] iterator end() const noexcept { return {}; }

    [[nodiscard]] bool ok() const noexcept { return state_.problems_.ok(); }
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return state_.problems_.first; }
    [[nodiscard]] problem error() const&& noexcept { return state_.problems_.first; }
    // Forgets an error, to go on with the next line. Returns false and keeps the error at the end of the text, and if
    // the text has another format.
    [[nodiscard]] bool skip() noexcept { return detail::workload_reading::skip(state_); }
    // Where the next line begins, in bytes from the start of the text.
    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.problems_.offset_of(state_.at_); }
    // How many problems have been reported so far: warnings, and errors that options::lenient tolerated.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.problems_.tolerated; }

private:
    detail::movable<detail::workload_state, detail::workload_reading> state_;
};

// Reads a whole file. The document's views live as long as the text. Throws only std::bad_alloc; a declared count
// reserves no more than the text can fill. If layers are missing, the result has those that are there, and the error.
[[nodiscard]] inline result<document> read(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) {
    return detail::workload_reading::read_all(text, options);
}

// Where a field is in the text that was read. Takes any name that problem::field can have: "name", "dependency",
// "forward.compute", "forward.comm", "forward.bytes", the same of "input_grad" and "weight_grad", "update", "policy",
// "further", and the header keys that a layer repeats ("target_model_sha256"). In a header: "policy", "layer count", or
// the key of an entry, for which the place of its value is returned; for a key that the header lacks, the result is
// empty and at the end of the header line. Without data if a layer has no such field, or if the record was built by
// hand.
[[nodiscard]] inline std::string_view where(const layer& layer, std::string_view field) noexcept {
    return detail::workload_finding::where(layer, field);
}
std::string_view where(const layer&, std::nullptr_t) = delete;
// The same for a field whose name the compiler checks: where(layer, field::forward_comm).
[[nodiscard]] inline std::string_view where(const layer& layer, field f) noexcept {
    return detail::workload_finding::where(layer, name_of(f));
}
[[nodiscard]] inline std::string_view where(const header& head, std::string_view field) noexcept {
    return detail::workload_finding::where(head, field);
}
std::string_view where(const header&, std::nullptr_t) = delete;

// Phases, layers, headers and documents are equal if they have the same values: numbers as in diff.hpp (1 is 1.0),
// header entries in the same order, with or without a colon, and the bare number as that of its key. Neither the blanks
// in a list nor the declared number of layers count.
[[nodiscard]] inline bool operator==(const phase& a, const phase& b) noexcept {
    return detail::workload_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const phase& a, const phase& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const layer& a, const layer& b) noexcept {
    return detail::workload_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const layer& a, const layer& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const header& a, const header& b) noexcept {
    return detail::workload_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const header& a, const header& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const document& a, const document& b) noexcept {
    return a.header == b.header && detail::are_same(a.layers, b.layers);
}
[[nodiscard]] inline bool operator!=(const document& a, const document& b) noexcept { return !(a == b); }

// Writes to a sink (sink.hpp) in AICB's layout: one blank between header entries, one tab between fields, a line end
// after every line, and the number of a document's layers, whatever its header declares. Refuses what would not read
// back as it is: writes nothing, and returns the error of problem_of(). Returns cannot_write if the sink fails.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const header& head) {
    const problem wrong = detail::workload_check::problem_of(head);
    return wrong ? wrong : detail::put(sink, head);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const layer& layer) {
    const problem wrong = detail::workload_check::problem_of_any(layer);
    return wrong ? wrong : detail::put(sink, layer);
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const document& doc) {
    bool plain = false;
    const problem wrong = detail::workload_check::first_problem(doc, plain);
    if (wrong) return wrong;
    return plain ? detail::put<true>(sink, doc) : detail::put<false>(sink, doc);
}

// The same without a check: whatever the records hold is written.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const header& head) {
    static_cast<void>(detail::put(sink, head));
}
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const layer& layer) {
    static_cast<void>(detail::put(sink, layer));
}
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const document& doc) {
    static_cast<void>(detail::put<false>(sink, doc));
}

// The first thing that keeps a record from reading back as it is (a blank in a name, an empty token):
// error_kind::unwritable with the field's name, or error_kind::none. Consecutive blanks in a header's list and in
// layer::further are no problem, but are written as one blank. Allocates nothing. A document reads back if its header
// and layers do, if layers have their own policies under HYBRID_CUSTOMIZED and only there, and if they repeat the
// header's five sha256 texts if and only if it has them. problem::found is the guilty layer's position, from 0, and
// problem::expected is 1; both are 0 for the header.
[[nodiscard]] inline problem problem_of(const layer& layer) noexcept {
    return detail::workload_check::problem_of(layer);
}
[[nodiscard]] inline problem problem_of(const header& head) noexcept {
    return detail::workload_check::problem_of(head);
}
[[nodiscard]] inline problem problem_of(const document& doc) noexcept {
    bool plain = false;
    return detail::workload_check::first_problem(doc, plain);
}

}}}  // namespace wlfmt::WLFMT_ABI::workload

#include "detail/base/config_end.hpp"
#endif
