// Inputs read from their beginning to their end, for plain objects and for lists of problems.
#ifndef WLFMT_PYTHON_READ_HPP
#define WLFMT_PYTHON_READ_HPP

#include "object.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <wlfmt/arrow.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/table/mend.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/answers/answers.hpp"

#include "convert.hpp"
#include "finding.hpp"
#include "lock.hpp"

namespace wlfmt_python {

constexpr int oplog_kind = 1;
constexpr int workload_kind = 2;
constexpr int table_kind = 3;
static_assert(static_cast<int>(wlfmt::file_format::oplog) == oplog_kind &&
              static_cast<int>(wlfmt::file_format::workload) == workload_kind &&
              static_cast<int>(wlfmt::file_format::table) == table_kind);

// The bytes of an input in the order in which they come. Files are read, not mapped: another process may cut them short
// meanwhile.
class bytes_of_input {
public:
    explicit bytes_of_input(const wlfmt::arrow::input& in) : in_(in) {
        if (in.text) return;
        file_.reset(std::fopen(in.name.c_str(), "rb"));
        if (!file_) fail(wlfmt::error_kind::cannot_open, errno);
    }
    // The next bytes, which live until the next call; empty at the end.
    std::string_view next() {
        if (in_.text) return std::exchange(done_, true) ? std::string_view() : std::string_view(*in_.text);
        if (!file_) return {};
        constexpr std::size_t size = std::size_t{1} << 20;
        if (memory_ == nullptr) memory_.reset(new char[size]);
        got_ = std::fread(memory_.get(), 1, size, file_.get());
        if (got_ == 0 && std::ferror(file_.get()) != 0) {
            // A folder can be opened, and not read.
            const int reason = errno;
            fail(reason == EISDIR ? wlfmt::error_kind::is_directory : wlfmt::error_kind::cannot_read, reason);
        }
        return {memory_.get(), got_};
    }
    // Returns all bytes, of which next() has returned no more than the first ones.
    std::string_view whole(unlocked& thread) {
        if (in_.text) return *in_.text;
        std::error_code unknown;
        const std::uintmax_t size = std::filesystem::file_size(in_.name, unknown);
        if (!unknown) all_.reserve(static_cast<std::size_t>(size));
        std::string_view part(memory_.get(), got_);
        for (all_ = part; !(part = next()).empty(); all_.append(part)) thread.handle_signals();
        return all_;
    }
    // The problem of the file itself.
    const wlfmt::problem& error() const noexcept { return failed_; }

private:
    void fail(wlfmt::error_kind kind, int reason) noexcept {
        failed_.kind = kind;
        failed_.found = reason;
    }
    struct close {
        void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
    };
    const wlfmt::arrow::input& in_;
    std::unique_ptr<std::FILE, close> file_;
    std::unique_ptr<char[]> memory_;
    std::size_t got_ = 0;
    std::string all_;
    bool done_ = false;
    wlfmt::problem failed_;
};

// Reads one input, and hands its records to a visitor:
//
//     void operation(const wlfmt::oplog::operation&, const wlfmt::oplog::stream&)
//     void header(const wlfmt::workload::header&, std::string_view text)
//     void layer(const wlfmt::workload::layer&, std::string_view text)
//     void table(const wlfmt::table::profile&, std::string_view text)
//
// The problems are gathered in the order of the text, also those that the visitor adds.
class input_reader {
public:
    struct manner {
        bool lenient = false;
        bool strict = false;
        std::optional<std::string> prefix = std::nullopt;  // without one: whatever each line has
    };
    input_reader(const wlfmt::arrow::input& in, const manner& read_options, unlocked& thread)
        : in_(in), how_(read_options), thread_(thread) {}

    // Returns false if there was an error that ended the reading, which is then the last problem.
    template <class Visitor> bool read(int kind, Visitor& visitor) {
        bytes_of_input bytes(in_);
        const std::string_view beginning = bytes.next();
        std::string_view first = kind == oplog_kind ? beginning : bytes.whole(thread_);
        if (bytes.error()) return fail(bytes.error(), {});
        if (std::optional<finding> compressed = find_compression(first, in_.name)) {
            all_.push_back(std::move(*compressed));
            return false;
        }
        if (kind == table_kind && !how_.strict) {
            mended_ = wlfmt::table::mend(first, how_.prefix ? std::string_view(*how_.prefix) : wlfmt::any_prefix);
            for (const wlfmt::table::mending& one : mended_.done) all_.push_back(finding_of(one, in_.name));
            if (!mended_.done.empty()) first = mended_.text;
        }
        format_ = static_cast<wlfmt::file_format>(kind);
        wlfmt::problem e;
        if (kind == table_kind) e = wlfmt::detail::error_of_other_profiler(first);
        if (e) return fail(e, first);
        switch (kind) {
        case oplog_kind: return read_oplog(bytes, first, visitor);
        case workload_kind: return read_workload(first, visitor);
        default: return read_tables(first, visitor);
        }
    }
    std::vector<finding>& problems() noexcept { return all_; }

private:
    // A problem that does not keep anything from being read is a warning.
    void add(const wlfmt::problem& e, std::string_view text, std::uint64_t first_line = 1,
             wlfmt::severity s = wlfmt::severity::warning) {
        all_.push_back(finding(e, text, in_.name, s, first_line).before(mended_.done.empty() ? nullptr : &mended_));
    }
    bool fail(const wlfmt::problem& e, std::string_view text) {
        const bool ends = !how_.lenient || finding::is_of_file(e.kind);
        const wlfmt::severity severity = ends ? wlfmt::severity::error : wlfmt::severity::warning;
        std::optional<finding> other = find_other_format(e, text, in_.name, format_, severity);
        if (other) all_.push_back(std::move(*other));
        else add(e, text, 1, severity);
        return false;
    }
    // Whether the whole text of an op log, which is read in parts, is of another format. That is then a problem.
    bool is_other_format(const wlfmt::problem& e) {
        if (e.kind != wlfmt::error_kind::no_records) return false;
        bytes_of_input bytes(in_);
        std::optional<finding> other =
            find_other_format(e, bytes.whole(thread_), in_.name, format_,
                              how_.lenient ? wlfmt::severity::warning : wlfmt::severity::error);
        if (other) all_.push_back(std::move(*other));
        return other.has_value();
    }
    // A problem that lenient reading passes over, or a warning.
    void pass(const wlfmt::problem& e) {
        if (lost_ != nullptr) lost_->add(e);
        if (log_ != nullptr) add_in_line(e);
        else add(e, text_);
    }
    void add_in_line(wlfmt::problem e, wlfmt::severity s = wlfmt::severity::warning) {
        const wlfmt::oplog::stream_line line = log_->line_at(e.offset);
        e.offset -= (std::min)(line.offset, e.offset);
        add(e, line.text, line.number, s);
    }
    wlfmt::options options() {
        wlfmt::options read_options;
        read_options.lenient = how_.lenient;
        read_options.strict = how_.strict;
        read_options.on_problem = [this](const wlfmt::problem& e) { pass(e); };
        return read_options;
    }

    template <class Visitor> bool read_oplog(bytes_of_input& bytes, std::string_view chunk, Visitor& visitor) {
        wlfmt::options read_options = options();
        read_options.prefix = how_.prefix ? std::string_view(*how_.prefix) : wlfmt::any_prefix;
        wlfmt::oplog::stream log(read_options);
        log_ = &log;
        for (bool more = true; more && log.ok(); chunk = more ? bytes.next() : chunk) {
            more = !chunk.empty();
            if (more) log.feed(chunk);
            else log.finish();
            do {
                while (const auto op = log.next()) {
                    visitor.operation(op, log);
                    thread_.handle_signals();
                }
                if (!log.ok() && !is_other_format(log.error()))
                    add_in_line(log.error(), how_.lenient ? wlfmt::severity::warning : wlfmt::severity::error);
            } while (how_.lenient && !log.ok() && log.skip());
        }
        const wlfmt::problem lost = log.ok() || how_.lenient ? log.lost() : wlfmt::problem();
        if (lost) add(lost, {});
        if (bytes.error()) fail(bytes.error(), {});
        log_ = nullptr;
        return log.ok() && !bytes.error();
    }
    template <class Visitor> bool read_workload(std::string_view text, Visitor& visitor) {
        text_ = text;
        wlfmt::workload::reader file(text, options());
        const wlfmt::workload::header head = file.header();
        // A text that holds nothing has no header to hand on.
        if (file.error().kind != wlfmt::error_kind::no_records) visitor.header(head, text);
        while (const auto* layer = file.next()) {
            visitor.layer(*layer, text);
            thread_.handle_signals();
        }
        if (file.ok()) return true;
        return fail(file.error(), text);
    }
    // The tables of each prefix, in turn.
    template <class Visitor> bool read_tables(std::string_view text, Visitor& visitor) {
        text_ = text;
        std::vector<std::string_view> prefixes;
        if (how_.prefix) prefixes.push_back(*how_.prefix);
        else prefixes = wlfmt::find_prefixes(text);
        if (prefixes.empty()) prefixes.emplace_back();
        wlfmt::problem no_table;
        bool any = false;
        wlfmt::table::losses lost(text);
        lost_ = &lost;
        for (const std::string_view prefix : prefixes) {
            wlfmt::options read_options = options();
            read_options.prefix = prefix;
            const auto read = wlfmt::table::read(text, read_options);
            for (const wlfmt::table::profile& table : read->tables) {
                lost.add(table);
                visitor.table(table, text);
            }
            const wlfmt::problem e = read.error();
            if (e.kind == wlfmt::error_kind::no_records) {
                no_table = e;
                continue;
            }
            if (e) return fail(e, text);
            any = true;
        }
        lost_ = nullptr;
        if (!any) return fail(no_table, text);
        if (!how_.prefix && !how_.strict) lost.report([&](const wlfmt::problem& e) { add(e, text); });
        return true;
    }
    const wlfmt::arrow::input& in_;
    const manner& how_;
    wlfmt::file_format format_ = wlfmt::file_format::unknown;
    unlocked& thread_;
    std::string_view text_;
    const wlfmt::oplog::stream* log_ = nullptr;
    wlfmt::table::losses* lost_ = nullptr;
    std::vector<finding> all_;
    wlfmt::table::mended mended_;
};

// Hands the interchange form to Python in parts of whole lines.
class json_parts {
public:
    json_parts(unlocked& thread, bool canonical, PyObject* each)
        : thread_(thread), canonical_(canonical), each_(each) {}

    void operation(const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) { write(op); }
    void header(const wlfmt::workload::header& head, std::string_view) { write(head); }
    void layer(const wlfmt::workload::layer& one, std::string_view) { write(one); }
    // JSON has no NaN: the line before a table is an array with the row and column of each cell that is NaN.
    void table(const wlfmt::table::profile& one, std::string_view) {
        if (canonical_) write_table(wlfmt::table::canonical(one));
        else write_table(one);
    }
    void write_table(const wlfmt::table::profile& one) {
        std::string places("[");
        for (std::size_t n = 0; n != one.size() * one.columns.size(); ++n) {
            if (!is_nan(one.cells[n], one.columns[n % one.columns.size()].unit)) continue;
            places.append(places.size() == 1 ? "[" : ",[").append(std::to_string(n / one.columns.size())).append(",");
            places.append(std::to_string(n % one.columns.size())).append("]");
        }
        append(places.append("]\n"));
        write(one);
    }

    void append(const char* text, std::size_t size) {
        json_.append(text, size);
        thread_.handle_signals();
    }
    bool any() const noexcept { return any_; }
    void finish() {
        if (!json_.empty()) hand_on(0, json_.size());
    }

private:
    static constexpr std::size_t most = std::size_t{1} << 18;
    void append(const std::string& text) { append(text.data(), text.size()); }
    static bool is_nan(const wlfmt::table::cell& cell, wlfmt::table::unit unit) noexcept {
        const std::string_view text = cell.text();
        const bool is_decimal = unit == wlfmt::table::unit::percent || unit == wlfmt::table::unit::microseconds ||
                                unit == wlfmt::table::unit::bytes || unit == wlfmt::table::unit::flops;
        return is_decimal && cell.value().is_missing() && !text.empty() && text != "--";
    }
    template <class Record> void write(const Record& r) {
        any_ = true;
        // The reader of a record has reported what cannot be written of it.
        static_cast<void>(wlfmt::json::write(*this, r));
        // Not from append(), as functions of the library that call it are noexcept.
        std::size_t begin = 0;
        while (json_.size() - begin >= most) {
            std::size_t end = json_.rfind('\n', begin + most - 1);
            if (end == std::string::npos || end < begin) end = json_.find('\n', begin);
            hand_on(begin, end + 1);
            begin = end + 1;
        }
        json_.erase(0, begin);
    }
    void hand_on(std::size_t begin, std::size_t end) {
        thread_.call([&] {
            // No owners: if the thread ends in the call, they would touch Python's objects.
            PyObject* const part =
                PyBytes_FromStringAndSize(json_.data() + begin, static_cast<Py_ssize_t>(end - begin));
            PyObject* const done = part != nullptr ? PyObject_CallFunctionObjArgs(each_, part, nullptr) : nullptr;
            Py_DecRef(part);
            Py_DecRef(done);
            return done != nullptr;
        });
    }

    unlocked& thread_;
    bool canonical_;
    PyObject* each_;
    std::string json_;
    bool any_ = false;
};

// read(input, kind, lenient, strict, prefix, canonical, each) -> problems. Calls each(JSON Lines as bytes) for one part
// after the other.
inline PyObject* read(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* input = nullptr;
        int kind = 0;
        int lenient = 0;
        int strict = 0;
        PyObject* prefix = nullptr;
        int canonical = 0;
        PyObject* each = nullptr;
        wlfmt::arrow::input in;
        input_reader::manner read_options;
        if (PyArg_ParseTuple(args, "OippOpO", &input, &kind, &lenient, &strict, &prefix, &canonical, &each) == 0 ||
            !is_between(kind, oplog_kind, table_kind, "kind") || !take_optional(prefix, read_options.prefix) ||
            !take_input(input, in))
            return nullptr;
        std::vector<finding> found;
        bool is_whole = false;
        {
            unlocked thread;
            read_options.lenient = lenient != 0;
            read_options.strict = strict != 0;
            input_reader from(in, read_options, thread);
            json_parts to(thread, canonical != 0, each);
            is_whole = from.read(kind, to);
            // With `lenient`, what was read is handed on; a workload file without a header has nothing to hand on.
            found = std::move(from.problems());
            is_whole = is_whole ||
                       (lenient != 0 && !found.back().is_of_file() &&
                        found.back().kind != wlfmt::error_kind::unknown_format && (kind != workload_kind || to.any()));
            if (is_whole) to.finish();
        }
        if (!is_whole) {
            found.back().set_severity(wlfmt::severity::error);
            return raise(found.back());
        }
        return list_of(found).release();
    });
}

}  // namespace wlfmt_python

#endif
