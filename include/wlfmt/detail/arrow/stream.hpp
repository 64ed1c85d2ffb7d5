// Turns files into streams of record batches.
#ifndef WLFMT_DETAIL_ARROW_STREAM_HPP
#define WLFMT_DETAIL_ARROW_STREAM_HPP

#include <new>

#include "../../detect.hpp"
#include "../../oplog/copies.hpp"
#include "../../table/lost.hpp"
#include "../../table/mend.hpp"
#include "../../text_file.hpp"
#include "../file/source.hpp"
#include "../oplog/files.hpp"
#include "batch.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The error for a text whose tables are from another profiler; no error for any other text.
inline problem error_of_other_profiler(std::string_view text) noexcept {
    if (other_profiler(text).empty()) return {};
    return {error_kind::no_records, text.size(), 0, "profiler table"};
}

inline constexpr oplog::fields arrow_times = oplog::fields::duration | oplog::fields::timestamp;
inline constexpr oplog::fields arrow_tensor = oplog::fields::input_shape | oplog::fields::input_dtype;
inline constexpr oplog::fields arrow_messages =
    arrow_times | arrow_tensor | oplog::fields::group | oplog::fields::comm_func;

template <class Record> std::vector<arrow_field> arrow_fields() {
    std::vector<arrow_field> fields;
    const auto list = list_columns<false>([&](const column_info& c, column_type type) { fields.push_back({c, type}); });
    record_columns(list, arrow_origin(), Record());
    return fields;
}
// The columns of a stream; if it has the rows of tables, only those that do not depend on the tables.
inline std::vector<arrow_field> arrow_fields_of(arrow::contents contents) {
    switch (contents) {
    case arrow::contents::operations: return arrow_fields<oplog::operation>();
    case arrow::contents::sub_operations: return arrow_fields<oplog::sub_operation>();
    case arrow::contents::layers: return arrow_fields<workload::layer>();
    case arrow::contents::headers: return arrow_fields<workload::header>();
    case arrow::contents::rows: return arrow_table_columns().fields();
    }
    return {};
}

// Reads the inputs one after another, each time only as far as the next batch requires.
class arrow_source {
public:
    arrow_source(std::vector<arrow::input> from, arrow::request request)
        : from_(std::move(from)), request_(std::move(request)) {
        std::sort(request_.ranks.begin(), request_.ranks.end());
        if (request_.memory == nullptr) request_.memory = std::make_shared<arrow::batch_memory>();
    }
    arrow_source(const arrow_source&) = delete;
    arrow_source& operator=(const arrow_source&) = delete;

    // Does a step, after finding the columns if that has not been done yet. Catches exceptions, which must not pass
    // through C; they end the stream, as they may leave a row unfinished.
    template <class Step> int do_step(Step&& step) noexcept {
        const auto prepared_step = [&]() -> int { return prepare() ? step() : report(); };
        if (broken_ != 0) return broken_;
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
        try {
            return prepared_step();
        } catch (const std::bad_alloc&) {
            return broken_ = ENOMEM;
        } catch (...) {
            return broken_ = EIO;
        }
#else
        return prepared_step();
#endif
    }
    const std::vector<arrow_column>& columns() const noexcept { return rows_.columns(); }

    // The next batch; null at the end, and once an error has ended the stream.
    [[nodiscard]] std::shared_ptr<const arrow_batch> next() {
        if (failed_) return nullptr;
        const std::size_t greatest = (std::max)(std::size_t{1}, request_.rows_per_batch);
        rows_.begin();
        while (!done_ && !pending_ && static_cast<std::size_t>(rows_.size()) < greatest && may_add()) step();
        if (rows_.size() != 0 && !cancelled_) return rows_.take();
        failed_ = pending_;
        return nullptr;
    }
    // Whether an error has ended the stream. It does so only after the rows before it have been returned as a batch.
    bool failed() const noexcept { return failed_; }
    // Ends the stream and returns the error's code; from then on, explanation() returns its message.
    int report() noexcept {
        failed_ = true;
        return code_;
    }
    const char* explanation() const noexcept { return failed_ ? message_.c_str() : nullptr; }

private:
    // Finds the columns; for tables, reads all inputs. Returns false after an error, such as an unknown column.
    [[nodiscard]] bool prepare() {
        if (prepared_) return true;
        if (request_.contents == arrow::contents::rows) {
            tables_ = arrow_table_columns(request_.canonical);
            if (!find_table_columns()) return false;
            fields_ = tables_.fields();
        } else {
            fields_ = arrow_fields_of(request_.contents);
        }
        // Reserving memory keeps growing columns from being copied: scanning a few files takes a quarter less time.
        rows_.expect(fields_, (std::min)(request_.rows_per_batch, std::size_t{4096}), request_.memory);
        if (request_.columns.empty())
            for (std::size_t n = 0; n != fields_.size(); ++n) rows_.add_column(n, fields_[n]);
        for (const std::string& wanted : request_.columns) {
            std::size_t n = 0;
            // Asking twice for a name gives the first and the second column of that name.
            while (n != fields_.size() && (fields_[n].column.name != wanted || rows_.has(n))) ++n;
            if (n == fields_.size()) return refuse_column(wanted);
            rows_.add_column(n, fields_[n]);
        }
        needed_ = needed_fields();
        for (std::size_t n = 0; n != fields_.size(); ++n)
            if (request_.contents == arrow::contents::operations && fields_[n].column.name == copy_column.name)
                has_copies_ = rows_.has(n);
        prepared_ = true;
        return true;
    }
    bool refuse_column(std::string_view name) {
        rows_ = arrow_rows();
        code_ = EINVAL;
        message_.assign("there is no column `").append(name).append("`; the columns are ");
        for (const arrow_field& f : fields_) {
            if (f.column.name == name) {
                message_.assign("the column `").append(name).append("` is asked for twice");
                break;
            }
            message_.append(f.column.name).append(&f == &fields_.back() ? "" : ", ");
        }
        return false;
    }
    // Whether another row may be added to the batch. As checking is slow, it is done once per megabyte of text: even a
    // column that is almost full can take several more megabytes.
    bool may_add() {
        if (taken_ < 1U << 20) return true;
        taken_ = 0;
        return goes_on() && !rows_.is_full();
    }
    // Asks the program whether to go on; if not, ends the stream and returns false.
    bool goes_on() {
        if (!cancelled_ && (!request_.go_on || request_.go_on())) return true;
        cancelled_ = pending_ = true;
        code_ = ECANCELED;
        message_ = "cancelled";
        close();
        return false;
    }
    void step() {
        if (log_) return step_log();
        if (layers_) return step_workload();
        if (rows_of_) return step_table();
        open();
    }
    const arrow::input& in() const noexcept { return from_[at_]; }

    // Sets text_ to the text of the current input; it is valid until the next call. Mends tables, and refuses
    // another profiler's tables.
    [[nodiscard]] problem open_text() {
        mended_ = {};
        const problem e = open_bytes();
        if (e || request_.contents != arrow::contents::rows) return e;
        if (!request_.strict)
            mended_ = table::mend(text_, request_.prefix ? std::string_view(*request_.prefix) : any_prefix);
        if (!mended_.done.empty()) text_ = mended_.text;
        return error_of_other_profiler(text_);
    }
    [[nodiscard]] problem open_bytes() {
        rows_.forget();
        file_.reset();
        once_ = false;
        if (in().text) {
            text_ = *in().text;
            return problem();
        }
        // The path is opened only once, as a pipe that is opened again has lost its writer.
        source opened(in().name.c_str());
        if (small_.read(opened, text_)) return problem();
        once_ = opened.regular_size() == 0;
        if (!request_.map_files) {
            const problem e = read_all(opened, read_);
            text_ = read_;
            return e;
        }
        file_ = file_access::text_of(std::move(opened));
        text_ = file_->text();
        return file_->error();
    }
    options options_for(std::string_view prefix) {
        options options;
        options.lenient = request_.lenient;
        options.strict = request_.strict;
        options.prefix = prefix;
        options.piece_at = in().piece_at;
        options.on_problem = [this](const problem& e) {
            if (lost_) lost_->add(e);
            tolerate(in_piece(e));
        };
        return options;
    }
    // Turns the offset of a reader's error, which counts from the start of the whole text, into one in the piece.
    problem in_piece(problem e) const noexcept {
        e.offset -= in().piece_at.value_or(0);
        return e;
    }
    void tolerate(const problem& e) const {
        if (request_.on_problem) request_.on_problem(problem_in_file(e));
    }
    arrow::file_problem problem_in_file(const problem& e) const noexcept {
        return {in(), e, text_, mended_.done.empty() ? nullptr : &mended_};
    }
    void fail(const problem& e) {
        const bool file = e.kind == error_kind::cannot_open || e.kind == error_kind::cannot_read ||
                          e.kind == error_kind::is_directory;
        if (request_.lenient && !file && !rows_.too_long()) {
            tolerate(e);
            return close();
        }
        pending_ = true;
        code_ = e.kind == error_kind::cannot_open ? ENOENT : file ? EIO : EINVAL;
        message_ = explain(e, text_, in_file(in().name));
        if (!mended_.done.empty()) {
            const location where = location_of(text_, e.offset);
            const table::text_place place{where.line, where.column};
            table::move_place(message_, place, mended_.place_of(place));
        }
        if (request_.on_error) request_.on_error(problem_in_file(e));
        close();
    }
    void close() {
        log_.reset();
        layers_.reset();
        rows_of_.reset();
        lost_.reset();
    }
    void open() {
        done_ = next_ == from_.size();
        if (done_ || !goes_on()) return;
        at_ = next_++;
        taken_ += in().name.size();
        origin_ = {in().name, {}, -1};
        if (const problem e = open_text()) return fail(e);
        switch (request_.contents) {
        case arrow::contents::operations:
        case arrow::contents::sub_operations:
            origin_.run = time_in(in().name);
            copies_ = oplog::copies();
            log_.emplace(text_, options_for(request_.prefix ? std::string_view(*request_.prefix) : any_prefix));
            break;
        case arrow::contents::layers:
        case arrow::contents::headers: layers_.emplace(text_, options_for({})); break;
        case arrow::contents::rows:
            if (!mended_.done.empty() && request_.on_mended) request_.on_mended(in(), mended_);
            table_ = -1;
            prefix_ = 0;
            rows_of_.emplace(text_, options_for(prefixes_[at_][0]));
            in_table_ = false;
            if (!request_.prefix && !request_.strict) lost_.emplace(text_);
            break;
        }
    }

    template <class Record> void add_row(const Record& record) {
        rows_.add_row(origin_, record);
        check_row(record.source);
    }
    // Call it after each row: reports values that were too long for their columns, and bytes that are not UTF-8.
    void check_row(std::string_view source) {
        if (rows_.take_replaced()) tolerate(error_at(error_kind::not_utf8, source, text_, {}));
        if (const arrow_column* const c = rows_.too_long()) fail({error_kind::number_overflow, 0, 0, c->name()});
    }

    void step_log() {
        const oplog::operation* const op = log_->next();
        if (op == nullptr) {
            const problem e = log_->error();
            if (request_.on_end) request_.on_end(in(), origin_.position + 1);
            if (e) return fail(in_piece(e));
            if (const problem lost = log_->lost()) tolerate(in_piece(lost));
            return close();
        }
        ++origin_.position;
        taken_ += op->source.size();
        if (!request_.ranks.empty() && (op->origin != oplog::origin::rank ||
                                        !std::binary_search(request_.ranks.begin(), request_.ranks.end(), op->rank)))
            return;
        if (has_copies_) origin_.is_copy = request_.is_copy ? request_.is_copy(*op) : copies_.is_copy(*op);
        if (request_.contents == arrow::contents::operations) return add_row(*op);
        if (needs_only(arrow_times)) add_nested_rows(op->sub_operations.only<arrow_times>(), *op);
        else if (needs_only(arrow_messages)) add_nested_rows(op->sub_operations.only<arrow_messages>(), *op);
        else add_nested_rows(op->sub_operations, *op);
        if (!log_->ok()) fail(in_piece(log_->error()));
    }
    template <class List> void add_nested_rows(const List& list, const oplog::operation& op) {
        std::int64_t count = 0;
        for (const oplog::sub_operation& s : list) {
            if (s.damaged) break;
            if (count == 0) rows_.begin_sub_operations(origin_, op);
            rows_.add_row(count++, s);
            check_row(s.source);
            if (pending_) break;
        }
        if (count != 0) rows_.end_sub_operations(count);
    }
    // The members of nested operations that the requested columns need.
    oplog::fields needed_fields() const {
        auto fields = oplog::fields::none;
        for (std::size_t place = arrow_nested_place; place < fields_.size(); ++place) {
            const std::string_view name = fields_[place].column.name;
            auto field = name == tensor_column<oplog::sub_operation>.name ? arrow_tensor : oplog::fields::all;
            for (std::size_t n = 0; n != key_count<oplog::sub_operation>; ++n)
                if (name == rows_of<oplog::sub_operation>()[n].heading) field = field_of(static_cast<sub_key>(n));
            if (rows_.has(place)) fields = fields | field;
        }
        return fields;
    }
    bool needs_only(oplog::fields fields) const noexcept { return (needed_ | fields) == fields; }

    void step_workload() {
        const bool headers = request_.contents == arrow::contents::headers;
        const workload::layer* const layer = layers_->next();
        if (layer == nullptr && !layers_->ok()) return fail(layers_->error());
        ++origin_.position;
        if (layer != nullptr && headers) return;
        taken_ += layer != nullptr ? layer->source.size() : layers_->header().source.size();
        if (layer != nullptr) return add_row(*layer);
        if (headers) add_row(layers_->header());
        close();
    }

    void step_table() {
        if (!in_table_) {
            if (!rows_of_->next_table()) return end_prefix();
            in_table_ = true;
            origin_.position = -1;
            ++table_;
            tables_.choose(rows_of_->columns());
            if (lost_) lost_->begin(*rows_of_);
        }
        const table::row* const r = rows_of_->next();
        if (r == nullptr) {
            in_table_ = false;
            if (lost_) lost_->end(*rows_of_);
            if (!rows_of_->ok()) fail(rows_of_->error());
            return;
        }
        if (lost_) lost_->add(*r);
        taken_ += r->source.size();
        for (const std::string_view frame : r->frames) taken_ += frame.size();
        tables_.add_row(rows_, in().name, table_, ++origin_.position, *r);
        check_row(r->source);
    }
    // A prefix without a table is an error only if no prefix of the text has a table.
    void end_prefix() {
        const problem e = rows_of_->error();
        const bool last = ++prefix_ == prefixes_[at_].size();
        if (e && (e.kind != error_kind::no_records || (last && table_ < 0))) return fail(e);
        if (last && lost_) lost_->report([&](const problem& found) { tolerate(found); });
        if (last) return close();
        rows_of_.emplace(text_, options_for(prefixes_[at_][prefix_]));
    }
    [[nodiscard]] bool find_table_columns() {
        prefixes_.clear();
        prefixes_.reserve(from_.size());
        for (at_ = 0; at_ != from_.size(); ++at_) {
            if (!goes_on()) return false;
            if (const problem e = open_text()) {
                fail(e);
                return false;
            }
            if (once_ && !text_.empty()) from_[at_].text.emplace(text_);
            std::vector<std::string_view> found;
            if (request_.prefix) found.push_back(*request_.prefix);
            else found = find_prefixes(text_);
            prefixes_.emplace_back(found.begin(), found.end());
            if (found.empty()) prefixes_.back().emplace_back();
            for (const std::string& prefix : prefixes_.back()) {
                options options;
                options.lenient = true;
                options.prefix = prefix;
                table::reader tables(text_, options);
                while (tables.next_table()) {
                    tables_.add(tables.columns());
                    if (!tables_.any_unknown()) continue;
                    tables_.choose(tables.columns());
                    while (const table::row* const r = tables.next()) tables_.look_at(*r);
                }
            }
        }
        at_ = 0;
        return true;
    }

    std::vector<arrow::input> from_;
    arrow::request request_;
    std::vector<arrow_field> fields_;
    bool prepared_ = false;
    arrow_rows rows_;
    oplog::fields needed_ = oplog::fields::all;
    bool has_copies_ = false;  // the column `copy` was asked for
    oplog::copies copies_;
    arrow_table_columns tables_;

    std::size_t next_ = 0;  // the position of the input after the current one
    std::size_t at_ = 0;
    bool done_ = false;
    bool pending_ = false;  // an error will be reported after the rows before it
    bool failed_ = false;
    bool cancelled_ = false;
    int code_ = 0;
    std::string message_;
    int broken_ = 0;  // the code for the exception that ended the stream, or 0

    std::optional<text_file> file_;
    std::string read_;  // the text of a file that is not mapped
    table::mended mended_;
    bool once_ = false;  // the file can be read only once, like a pipe
    small_files small_;
    std::string_view text_;
    std::size_t taken_ = 0;  // the number of bytes read since may_add() last checked
    // The origin of the last record of the file, or of the last row of the table.
    arrow_origin origin_;
    std::optional<oplog::reader> log_;
    std::optional<workload::reader> layers_;
    std::optional<table::reader> rows_of_;
    std::optional<table::losses> lost_;  // what is lost of the tables, unless a prefix chooses among the lines
    // The line prefixes of each input: at least one, which may be empty.
    std::vector<std::vector<std::string>> prefixes_;
    std::size_t prefix_ = 0;
    std::int64_t table_ = -1;
    bool in_table_ = false;
};

inline arrow_source& arrow_source_of(ArrowArrayStream* stream) noexcept {
    return *static_cast<arrow_source*>(stream->private_data);
}
inline void make_arrow_stream(std::unique_ptr<arrow_source> from, ArrowArrayStream& stream) noexcept {
    stream = ArrowArrayStream();
    stream.private_data = from.release();
    stream.get_schema = [](ArrowArrayStream* s, ArrowSchema* schema) {
        arrow_source& own = arrow_source_of(s);
        *schema = ArrowSchema();
        return own.do_step([&] {
            make_arrow_schema(own.columns(), *schema);
            return 0;
        });
    };
    stream.get_next = [](ArrowArrayStream* s, ArrowArray* array) {
        arrow_source& own = arrow_source_of(s);
        *array = ArrowArray();
        return own.do_step([&] {
            if (const std::shared_ptr<const arrow_batch> batch = own.next()) make_arrow_array(batch, *array);
            return own.failed() ? own.report() : 0;
        });
    };
    stream.get_last_error = [](ArrowArrayStream* s) { return arrow_source_of(s).explanation(); };
    stream.release = [](ArrowArrayStream* s) {
        delete &arrow_source_of(s);
        s->release = nullptr;
    };
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
