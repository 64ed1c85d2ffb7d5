// wlfmt/oplog.hpp: reading and writing rank op logs, one line per operation of one rank (types/oplog.hpp: the records).
// The format and its dialects: docs/formats.md, section 1; where their facts come from: 7.2.
//
//     wlfmt::oplog::reader log(text);
//     while (const auto* op = log.next())
//         for (const auto& sub : op->sub_operations)
//             if (sub.comm_func == "allreduce") ms += sub.duration.value_or(0.0);
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), text, wlfmt::in_file("rank7.txt"));
#include "version.hpp"

#ifndef WLFMT_OPLOG_HPP
#define WLFMT_OPLOG_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "number.hpp"
#include "types/oplog.hpp"

#include "detail/base/escapes.hpp"
#include "detail/error/problems.hpp"
#include "detail/oplog/find.hpp"
#include "detail/oplog/reader.hpp"
#include "detail/oplog/write.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// Pulls operations out of a text, one by one, in linear time overall, and allocates nothing. The text must outlive the
// reader and every view that came from it; a record is valid until the next call, a copy of it as long as the text. A
// line that does not begin with `rank:N:name(` or `stage:N:name(` is foreign text and is skipped, but one that was
// meant to be a record, `rank:0:forward step(...)`, is error_kind::foreign_text. Problems in sub-operations are
// reported when these are iterated over; with options::lenient, before the record is shown.
class reader {
public:
    using iterator = detail::record_iterator<reader, operation>;

    explicit reader(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) noexcept
        : state_(text, detail::prefixes::bom_size(text, options), options) {}
    // Continues where the other reader was, which then has nothing left to read. A record from the other's next() stays
    // there: copy the record to keep it.
    reader(reader&&) noexcept = default;
    reader& operator=(reader&&) noexcept = default;

    // The next operation; null at the end of the text and after an error.
    const operation* next() & noexcept WLFMT_LIFETIMEBOUND { return detail::oplog_reading::next(state_); }
    const operation* next() && = delete;
    // Range-for over the operations that are left. After the loop, ok() says whether an error ended it.
    [[nodiscard]] iterator begin() & noexcept WLFMT_LIFETIMEBOUND {
        return iterator(*this, state_.problems_, state_.record_);
    }
    [[nodiscard]] iterator end() const noexcept { return {}; }

    [[nodiscard]] bool ok() const noexcept { return state_.problems_.ok(); }
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return state_.problems_.first; }
    [[nodiscard]] problem error() const&& noexcept { return state_.problems_.first; }
    // Forgets an error, to go on with the line after it. Returns false and keeps the error if nothing follows.
    [[nodiscard]] bool skip() noexcept { return detail::oplog_reading::skip(state_); }

    // Where the next line begins, in bytes from the start of the text.
    [[nodiscard]] std::uint64_t offset() const noexcept { return state_.problems_.offset_of(state_.at_); }
    // How many problems have been reported so far: warnings, and errors that options::lenient tolerated.
    [[nodiscard]] std::uint64_t tolerated() const noexcept { return state_.problems_.tolerated; }
    // How many lines so far hold text other than a record.
    [[nodiscard]] std::uint64_t foreign_lines() const noexcept { return state_.foreign_lines_; }
    // Tells of those among them that hold a whole record after other text, of which nothing is read, and of records in
    // the name of whose operation another record begins. Returns error_kind::record_after_text with their number as
    // problem::found, the first one's line number as problem::expected and its place as problem::offset; or no problem.
    // Foreign text is looked at only with any_prefix, as a given prefix chooses among the lines, and not with
    // options::strict, which reports each of its lines. In a line, the first 16 and the last 16 heads of records are
    // tried.
    [[nodiscard]] problem lost() const noexcept { return detail::oplog_reading::lost(state_); }

private:
    friend struct detail::reader_access;
    detail::movable<detail::oplog_state, detail::oplog_reading> state_;
};

// Reads all operations and their sub-operations. The views live as long as the text. Throws only std::bad_alloc.
[[nodiscard]] inline result<document> read(text_view text WLFMT_LIFETIMEBOUND, const options& options = {}) {
    return detail::oplog_reading::read_all(text, options);
}

// Where a field is in the text that was read: "rank" or "stage", "op", or a key; of a sub-operation a key, or "text" if
// it is not key=value. find() takes the same names; an attribute with one of the first three names is found by
// visit_keys() alone. Without data if the record has no such field or was built by hand. Ignores later assignments.
[[nodiscard]] inline std::string_view where(const operation& op, std::string_view field) noexcept {
    return detail::oplog_finding::where(op, field);
}
std::string_view where(const operation&, std::nullptr_t) = delete;
[[nodiscard]] inline std::string_view where(const sub_operation& sub, std::string_view field) noexcept {
    return detail::oplog_finding::where(sub, field);
}
std::string_view where(const sub_operation&, std::nullptr_t) = delete;

// Writes a shape as write() does: `[2048, 2, 5120]`, None, or nothing.
template <class Stream>
auto operator<<(Stream& stream, const shape& s) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    stream << detail::value_of(s).text();
    return stream;
}

// Shapes are equal if they have the same dimensions, however they are written or given; any other text by its bytes.
[[nodiscard]] inline bool operator==(const shape& a, const shape& b) noexcept {
    return detail::oplog_comparison::same(a, b, {});
}
[[nodiscard]] inline bool operator!=(const shape& a, const shape& b) noexcept { return !(a == b); }
// Records are equal if they have the same values, whatever the order of their keys: numbers of known keys as in
// diff.hpp (1 is 1.0), texts and further keys by their bytes or as lists of integers, shapes and nested operations one
// by one, the n-th further key of a name with the other's n-th. A further key without a value counts as missing. Linear
// if the further keys are in the same order, as in a copy; else quadratic.
[[nodiscard]] inline bool operator==(const sub_operation& a, const sub_operation& b) noexcept {
    return detail::oplog_comparison::same_record(a, b);
}
[[nodiscard]] inline bool operator!=(const sub_operation& a, const sub_operation& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const operation& a, const operation& b) noexcept {
    return detail::oplog_comparison::same(a, b);
}
[[nodiscard]] inline bool operator!=(const operation& a, const operation& b) noexcept { return !(a == b); }
[[nodiscard]] inline bool operator==(const document& a, const document& b) noexcept {
    return detail::are_same(a.operations, b.operations);
}
[[nodiscard]] inline bool operator!=(const document& a, const document& b) noexcept { return !(a == b); }

// Calls visit(key, value) for each attribute, known or further, in the order in which write() writes them, with its
// current value, whether the record was read or built by hand. Leaves out missing attributes and an operation's head.
//
//     wlfmt::oplog::visit_keys(op, [](std::string_view key, const wlfmt::value& v) { std::cout << key << ' ' << v; });
template <class Visitor> void visit_keys(const operation& op, Visitor&& visit) { detail::visit_values(op, visit); }
template <class Visitor> void visit_keys(const sub_operation& sub, Visitor&& visit) {
    if (!sub.is_text()) detail::visit_values(sub, visit);
}

// Appends the line of an operation with its line end, or all lines of a document, to a sink (sink.hpp). The bytes are
// the tracer's: Python's repr of decimals and strings. What would not read back as it is, such as a line end in a
// description, is refused: an error is returned, and nothing is appended. For a document, problem::found is the
// position of the operation.
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const operation& op) {
    problem e = detail::write_checked(sink, &op, 1);
    e.expected = 0;  // a single operation has no position in a document
    return e;
}
template <class Sink, detail::unless_temporary_text<Sink> = 0>
[[nodiscard]] problem write(Sink&& sink, const document& doc) {
    return detail::write_checked(sink, doc.operations.data(), doc.operations.size());
}
// The same without a check: a record that write() would refuse is written, and its line reads as something else.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const operation& op) {
    static_cast<void>(detail::oplog_writer(sink).template write<false>(&op, 1));
}
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_unchecked(Sink&& sink, const document& doc) {
    static_cast<void>(detail::oplog_writer(sink).template write<false>(doc.operations.data(), doc.operations.size()));
}

// The first thing that keeps a record from reading back as it is (a comma before a key in a value, a line end, a name
// that is not an identifier, a damaged list), as error_kind::unwritable with the field's name. Allocates nothing.
[[nodiscard]] inline problem problem_of(const operation& op) noexcept { return detail::oplog_check::problem_of(op); }
[[nodiscard]] inline problem problem_of(const sub_operation& sub) noexcept {
    return detail::oplog_check::problem_of(sub);
}
[[nodiscard]] inline problem problem_of(const document& doc) noexcept { return detail::oplog_check::problem_of(doc); }

// Calls visit(key, member) for each attribute of an operation or nested operation, in the order of writing. A member is
// a number, a text, a shape or the nested list; a missing one is visited, too.
template <class Record, class Visitor> void for_each_attribute(const Record& record, Visitor&& visit) {
    detail::visit_attributes(record, std::forward<Visitor>(visit));
}

// Decodes what is between the quotes of a Python string in the log (\\ \' \" \n \xNN \uNNNN \UNNNNNNNN, octal, ...)
// into `buffer`, which must have room for text.size() bytes. Returns a view of the buffer, or the text itself if it has
// no backslash. An unknown escape stays, as in Python; a lone surrogate becomes its three bytes.
[[nodiscard]] inline std::string_view unescape(text_view text WLFMT_LIFETIMEBOUND,
                                               char* buffer WLFMT_LIFETIMEBOUND) noexcept {
    return detail::without_escapes(text, buffer);
}
template <class String = std::string> [[nodiscard]] String unescape(std::string_view text) {
    String decoded(text.size(), '\0');
    const std::string_view plain = unescape(text, &decoded[0]);
    if (plain.data() == text.data()) return String(plain);
    decoded.resize(plain.size());
    return decoded;
}
template <class String = std::string, class S, detail::if_null_literal<S> = 0> String unescape(S&&) = delete;
// Appends text as Python's repr(str) quotes and escapes it; bytes from 0x80 on stay as they are.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void write_quoted(Sink&& sink, std::string_view text) {
    detail::oplog_writer(sink).write_quoted(text);
}
template <class Sink> void write_quoted(Sink&& sink, std::nullptr_t) = delete;

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "detail/base/config_end.hpp"
#endif
