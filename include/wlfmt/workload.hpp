// wlfmt/workload.hpp: reading and writing workload files of ASTRA-sim 1.0 and SimAI. The records themselves, what the
// lines hold: wlfmt/types/workload.hpp.
//
//     auto file = wlfmt::workload::read(text);
//     if (!file) std::cerr << wlfmt::explain(file.error(), text, "moe.txt");
//     for (auto& layer : file->layers) layer.weight_grad.bytes *= 2;
//     if (auto e = wlfmt::workload::write(out, *file)) return fail(e);
//
// The format, its dialects and where their facts come from: docs/formats.md, section 2.
#include "version.hpp"

#ifndef WLFMT_WORKLOAD_HPP
#define WLFMT_WORKLOAD_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "types/workload.hpp"

#include "detail/base/records.hpp"
#include "detail/workload/state.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace workload {
inline namespace WLFMT_IMPL {

// Pulls layers out of a text, one by one, and allocates nothing. Linear in the text in all.
//
//     wlfmt::workload::reader file(text);                 // reads the two header lines
//     if (file.ok()) std::cout << file.header().policy;
//     while (const auto* layer = file.next()) use(*layer);
//     if (!file.ok()) std::cerr << wlfmt::explain(file.error(), text, "moe.txt");
//
// The text must outlive the reader and every view that came out of it. next() shows every layer in the same place: copy
// a layer to keep it. The declared number of layers is checked at the end of the text. A time, a size or a degree of
// parallelism below 0 is read, and is a warning (error_kind::negative_value).
class reader : private detail::workload_state {
public:
    template <class Kernel = detail::kernel>
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    [[nodiscard]] const workload::header& header() const& noexcept { return header_; }
    template <class Kernel = detail::kernel>
    [[nodiscard]] workload::header header() && noexcept {
        return std::move(header_);
    }
    // The next layer; null at the end of the text and after an error.
    template <class Kernel = detail::kernel>
    const layer* next() & noexcept;
    const layer* next() && = delete;
    // Range-for over the layers that are left. After the loop, ok() says whether an error ended it.
    template <class Kernel = detail::kernel>
    [[nodiscard]] detail::record_iterator<reader, layer> begin() & noexcept {
        return {*this, problems_};
    }
    [[nodiscard]] detail::record_iterator<reader, layer> end() const noexcept { return {}; }

    [[nodiscard]] bool ok() const noexcept { return problems_.ok(); }
    [[nodiscard]] const struct error& error() const& noexcept { return problems_.first; }
    [[nodiscard]] struct error error() && noexcept { return problems_.first; }
    // After an error: forgets it, to continue with the line after it. Returns false, and keeps the error, if there is
    // nothing to continue with: at the end of the text, or in a text of another format.
    template <class Kernel = detail::kernel>
    [[nodiscard]] bool skip() noexcept;
    // Where the next line begins, in bytes from the start of the text.
    [[nodiscard]] std::uint64_t offset() const noexcept;
    // How many problems were reported to options::on_problem so far: warnings, and errors that options::lenient
    // tolerated.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return problems_.tolerated; }

private:
    friend struct detail::reader_access;
};

// Reads a whole file. The document's views live as long as the text. Throws nothing but what std::vector throws when
// there is no memory. A declared count reserves no more than the text can fill. result::complete() is true if all
// layers were read in spite of the error: their number is not the declared one, or other text follows them.
template <class Kernel = detail::kernel>
[[nodiscard]] result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// The field of that name as it is in the text that was read: "name", "dependency", "forward.compute", "forward.comm",
// "forward.bytes", the same of "input_grad" and "weight_grad", "update", "policy", "further", and the header keys that
// a layer repeats ("target_model_sha256"). Of a header: "policy", "layer count", any entry's key (its value is
// returned). All names that error::field has are known. Without data if there is no such field, or if the record was
// built by hand.
template <class Kernel = detail::kernel>
[[nodiscard]] std::string_view where(const layer& one, std::string_view field) noexcept;
template <class Kernel = detail::kernel>
[[nodiscard]] std::string_view where(const header& head, std::string_view field) noexcept;

// Writes to a sink (sink.hpp) in AICB's layout: one blank between header entries, one tab between fields, a line end
// after every line. A document is written with the number of its layers, whatever its header declares.
//
// What would not read back as it is, is refused: the error of problem_of() is returned, and nothing is written. If the
// sink fails, the error is cannot_write.
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const header& head);
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const layer& one);
template <class Sink>
[[nodiscard]] error write(Sink&& sink, const document& doc);

// The same without a check: whatever the records hold is written.
template <class Sink>
void write_unchecked(Sink&& sink, const header& head);
template <class Sink>
void write_unchecked(Sink&& sink, const layer& one);
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc);

// The first thing that keeps a record from reading back as it is (a blank in a name, an empty token), as
// error_kind::unwritable with the name of the field, or error_kind::none. Runs of blanks in a header's list and in
// layer::further are not a problem: each is written as one blank. Allocates nothing.
//
// A document reads back if its header and each layer do, if its layers have policies of their own exactly under
// HYBRID_CUSTOMIZED, and if they repeat the five sha256 texts of the header exactly if it has them. error::found is the
// position of the guilty layer, from 0, and error::expected is 1; if the header is guilty, both are 0.
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const layer& one) noexcept;
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const header& head) noexcept;
template <class Kernel = detail::kernel>
[[nodiscard]] error problem_of(const document& doc) noexcept;

}  // namespace WLFMT_IMPL
}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/workload/read.hpp"
#include "detail/workload/write.hpp"

#include "detail/base/config_end.hpp"
#endif
