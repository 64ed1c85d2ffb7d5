#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../tests/texts.hpp"
#include "bench.hpp"
#include "odd.hpp"

namespace bench {
namespace {

using test::lines_of;
using wlfmt::number;

const std::vector<std::string>& sample_names(format f) {
    static const std::vector<std::string> names[] = {
        {"oplog_rank7_moe_simulation.txt", "oplog_rank7_pipeline_last_stage.txt"},
        {"workload_dense_1024gpus.txt", "workload_moe_128gpus.txt"},
        {"profiler_table_moe_train_step.txt"}};
    return names[static_cast<int>(f)];
}

std::string content(const std::string& path) {
    std::string text;
    if (const wlfmt::problem e = wlfmt::read_file(path.c_str(), text))
        fail(wlfmt::explain(e, {}, wlfmt::in_file(path)));
    return text;
}

// Whether a file is one of the given format as its writer writes it, without anything odd, so that the peers can read
// it, too.
bool is_plain(format f, std::string_view text) {
    std::string written;
    if (f == format::oplog) {
        if (wlfmt::detect(text) != wlfmt::file_format::oplog) return false;
        const auto doc = wlfmt::oplog::read(text);
        if (!doc) return false;
        for (const wlfmt::oplog::operation& op : doc->operations) {
            if (op.origin != wlfmt::oplog::origin::rank || op.spaced || !op.attributes.empty()) return false;
            for (const wlfmt::oplog::sub_operation& s : op.sub_operations)
                if (s.is_text() || s.quote != 0 || !s.attributes.empty()) return false;
        }
        if (wlfmt::oplog::write(written, *doc)) return false;
    } else if (f == format::workload) {
        if (wlfmt::detect(text) != wlfmt::file_format::workload) return false;
        const auto doc = wlfmt::workload::read(text);
        if (!doc) return false;
        for (const wlfmt::workload::layer& l : doc->layers) {
            if (l.policy.data() != nullptr) return false;
            for (const number& n : {l.forward.compute, l.input_grad.compute, l.weight_grad.compute, l.update})
                if (!n.is_integer()) return false;
        }
        if (wlfmt::workload::write(written, *doc)) return false;
    } else {
        if (wlfmt::detect(text) != wlfmt::file_format::table) return false;
        auto doc = wlfmt::table::read(text);
        if (!doc || doc->tables.size() != 1) return false;
        wlfmt::table::profile& t = doc->tables[0];
        for (std::size_t n = 0; n != t.cells.size(); ++n) {
            if (t.cells[n].value().has_value()) t.cells[n] = t.cells[n].value();
            else if (n % t.columns.size() != 0) return false;
        }
        if (wlfmt::table::write(written, *doc)) return false;
    }
    return written == text;
}

std::vector<std::string> real_files(format f, std::string_view kind) {
    std::vector<std::string> texts;
    if (kind != "files") {
        for (const std::string& name : sample_names(f)) texts.push_back(content(WLFMT_BENCH_DATA "/" + name));
        return texts;
    }
    const char* folder = std::getenv("WLFMT_BENCH_FILES");
    if (folder == nullptr) return texts;
    std::vector<std::string> paths;
    std::error_code problem;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, problem))
        if (entry.is_regular_file(problem)) paths.push_back(entry.path().string());
    if (problem) fail(std::string(folder) + ": " + problem.message());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
        std::string text = content(path);
        if (is_plain(f, text)) texts.push_back(std::move(text));
    }
    return texts;
}

// Appends one file of at most `size` bytes; there is always a record in it.
using file_maker = std::function<void(std::string& to, std::size_t size)>;

void append_line(std::string& to, std::string_view line) {
    to += line;
    if (line.empty() || line.back() != '\n') to += '\n';
}

// Lines in turn, endlessly, each as it is or rewritten by `change`.
class line_source {
public:
    using changer = std::function<void(std::string& to, std::string_view line)>;
    line_source(std::vector<std::string> texts, std::size_t head_lines, changer change)
        : texts_(std::move(texts)), change_(std::move(change)) {
        for (const std::string& text : texts_) {
            const std::vector<std::string_view> all = lines_of(text);
            lines_.insert(lines_.end(), all.begin() + static_cast<std::ptrdiff_t>(head_lines), all.end());
        }
    }
    // Appends lines while they fit, at least one; returns how many.
    std::int64_t append(std::string& to, std::size_t size) {
        const std::size_t begin = to.size();
        std::int64_t count = 0;
        for (;; ++count) {
            if (line_.empty()) change_(line_, lines_[next_++ % lines_.size()]);
            if (count != 0 && to.size() - begin + line_.size() > size) return count;
            to += line_;
            line_.clear();
        }
    }

private:
    std::vector<std::string> texts_;
    std::vector<std::string_view> lines_;
    changer change_;
    std::size_t next_ = 0;
    std::string line_;
};

namespace oplog = wlfmt::oplog;

// Rewrites an operation with other numbers, and with the odd values asked for.
class oplog_changer {
public:
    explicit oplog_changer(unsigned odd) noexcept : odd_(odd) {}

    void operator()(std::string& to, std::string_view line) {
        oplog::reader log(line);
        const oplog::operation* read = log.next();
        if (read == nullptr) fail(wlfmt::explain(log.error(), line, wlfmt::in_file("sample")));
        oplog::operation op = *read;
        dims_.clear();
        subs_.clear();
        sub_attributes_.clear();
        op.rank = draw_.up_to_digits(4);
        redraw(op.stage_id, static_cast<double>(draw_.up_to_digits(2)));
        redraw(op.batch_id, static_cast<double>(draw_.up_to_digits(3)));
        redraw(op.duration, draw_.hundredths(4));
        redraw(op.timestamp, timestamp());
        redraw(op.input_shape);
        for (const oplog::sub_operation& s : op.sub_operations) subs_.push_back(s);
        for (oplog::sub_operation& s : subs_) redraw(s);
        if (!op.sub_operations.is_missing()) op.sub_operations = oplog::sub_operation_list(subs_.data(), subs_.size());
        reorder(op);
        oplog::write_unchecked(to, op);
    }

private:
    double timestamp() { return static_cast<double>(draw_.of_digits(12)) / 100; }

    void redraw(number& n, double value) {
        if (n.is_decimal()) {
            n = odd_value(draw_, odd_, value);
        } else if (n.is_integer()) {
            const auto whole = static_cast<std::int64_t>(value);
            n = (odd_ & negative) != 0 ? -whole : whole;
        }
    }
    void redraw(oplog::shape& s) {
        if (!s.is_list()) return;
        std::vector<std::int64_t> dims;
        for (std::size_t n = s.size(); n != 0; --n) dims.push_back(draw_.up_to_digits(5));
        dims_.push_back(std::move(dims));
        s = oplog::shape(dims_.back().data(), dims_.back().size());
    }
    void redraw(oplog::sub_operation& s) {
        redraw(s.duration, draw_.hundredths(3));
        redraw(s.timestamp, timestamp());
        redraw(s.input_shape);
        if ((odd_ & escapes) != 0) s.func_name = "it's\t\"dense_4h_to_h\"";
        if ((odd_ & (key_order | further_keys)) == 0) return;
        // A known key takes its value from the record; a missing one is left out.
        std::vector<oplog::attribute> keys = {{"trace_src_func", {}}, {"duration", {}},     {"timestamp", {}},
                                              {"input__shape", {}},   {"input__dtype", {}}, {"func_name", {}},
                                              {"group", {}},          {"comm_func", {}}};
        if ((odd_ & key_order) != 0) std::reverse(keys.begin(), keys.end());
        if ((odd_ & further_keys) != 0) keys.insert(keys.begin() + 5, {"stream", "7"});
        sub_attributes_.push_back(std::move(keys));
        s.attributes = oplog::attribute_list(sub_attributes_.back().data(), sub_attributes_.back().size());
    }
    void reorder(oplog::operation& op) {
        if ((odd_ & (key_order | further_keys)) == 0) return;
        attributes_ = {{"stage_id", {}},     {"batch_id", {}},     {"mg_state", {}},
                       {"duration", {}},     {"description", {}},  {"group_kind", {}},
                       {"input__shape", {}}, {"input__dtype", {}}, {"timestamp", {}}};
        if ((odd_ & key_order) != 0) std::reverse(attributes_.begin(), attributes_.end());
        if ((odd_ & further_keys) != 0) {
            constexpr oplog::attribute further[] = {
                {"cmd_uid", "fwd-0"}, {"op_semantics", "compute"}, {"finalize_base_duration_ms", "12.5"}};
            attributes_.insert(attributes_.begin() + 6, std::begin(further), std::end(further));
        }
        attributes_.push_back({"sub_operations", {}});
        op.attributes = oplog::attribute_list(attributes_.data(), attributes_.size());
    }

    unsigned odd_;
    drawing draw_;
    std::deque<std::vector<std::int64_t>> dims_;
    std::vector<oplog::sub_operation> subs_;
    std::deque<std::vector<oplog::attribute>> sub_attributes_;
    std::vector<oplog::attribute> attributes_;
};

file_maker oplog_files(std::vector<std::string> texts, bool redrawn, unsigned odd) {
    line_source::changer change = append_line;
    if (redrawn) change = oplog_changer(odd);
    const auto lines = std::make_shared<line_source>(std::move(texts), 0, std::move(change));
    return [lines](std::string& to, std::size_t size) { lines->append(to, size); };
}

namespace workload = wlfmt::workload;

class workload_changer {
public:
    explicit workload_changer(unsigned odd) noexcept : odd_(odd) {}

    void operator()(std::string& to, std::string_view line) {
        const std::string file = "HYBRID_TRANSFORMER\n1\n" + std::string(line);
        workload::reader reader(file);
        const workload::layer* read = reader.next();
        if (read == nullptr) fail(wlfmt::explain(reader.error(), file, wlfmt::in_file("sample")));
        workload::layer l = *read;
        for (workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad}) {
            p->compute = compute(7);
            const std::int64_t bytes = draw_.up_to_digits((odd_ & seventeen_digits) != 0 ? 17 : 12);
            p->bytes = (odd_ & negative) != 0 ? -bytes : bytes;
        }
        l.update = compute(5);
        if ((odd_ & policies) != 0) l.policy = draw_.below(2) != 0 ? "DATA" : "HYBRID_DATA_MODEL";
        const std::size_t begin = to.size();
        workload::write_unchecked(to, l);
        if ((odd_ & blanks) == 0) return;
        for (std::size_t at = begin; (at = to.find('\t', at)) != std::string::npos; at += 3) to.replace(at, 1, "\t  ");
        to.insert(to.size() - 1, "\r");
    }

private:
    number compute(int digits) {
        const std::int64_t whole = draw_.up_to_digits(digits);
        const auto value = static_cast<double>(whole);
        const double odd = odd_value(draw_, odd_, value);
        if (odd == value) return whole;
        if (odd == -value) return -whole;
        return odd;
    }

    unsigned odd_;
    drawing draw_;
};

file_maker workload_files(std::vector<std::string> texts, bool redrawn, unsigned odd) {
    std::string header(lines_of(texts.front())[0]);
    if ((odd & policies) != 0) header.replace(0, header.find(' '), "HYBRID_CUSTOMIZED");
    line_source::changer change = append_line;
    if (redrawn) change = workload_changer(odd);
    const auto lines = std::make_shared<line_source>(std::move(texts), 2, std::move(change));
    return [lines, header](std::string& to, std::size_t size) {
        // The number of layers is known once they are written.
        constexpr std::size_t count_line = 9;
        const std::size_t begin = to.size();
        const std::int64_t count = lines->append(to, size - header.size() - count_line);
        to.insert(begin, header + std::to_string(count) + '\n');
    };
}

namespace table = wlfmt::table;

class table_changer {
public:
    explicit table_changer(unsigned odd) noexcept : odd_(odd) {}

    // Rewrites the first `rows` rows of the table.
    void operator()(std::string& to, table::profile profile, std::size_t rows) {
        const std::size_t width = profile.columns.size();
        texts_.clear();
        profile.cells.resize(rows * width);
        if ((odd_ & memory) != 0) {
            rename(profile, "Self CUDA", "Self CPU Mem");
            rename(profile, "CUDA total", "CPU Mem");
        }
        for (std::size_t n = 0; n != profile.cells.size(); ++n) redraw(profile.cells[n], profile.columns[n % width]);
        if ((odd_ & stacks) != 0) add_stacks(profile);
        table::write_unchecked(to, profile);
        to += '\n';
    }

private:
    static void rename(table::profile& profile, std::string_view from, std::string_view name) {
        for (table::column& c : profile.columns) {
            if (c.name != from) continue;
            const std::uint32_t width = c.width;
            c = table::column(name);
            c.width = width;
        }
    }

    void redraw(table::cell& c, const table::column& column) {
        const bool minus = (odd_ & negative) != 0;
        switch (column.unit) {
        case table::unit::text:
            if ((odd_ & utf8) != 0) print(c, std::string(c.text().substr(0, 40)) + "\xC3\xA4\xE2\x86\x92");
            break;
        case table::unit::percent: {
            if (!c.value().is_decimal()) break;
            const double value = static_cast<double>(draw_.below(10001)) / 100;
            c = table::cell(minus ? -value : value);
            break;
        }
        case table::unit::microseconds: {
            if (!c.value().is_decimal()) break;
            constexpr double units[] = {1, 1e3, 1e6};
            // Exactly the value that the cell's text will be read as.
            const double value = static_cast<double>(draw_.up_to_digits(6)) * units[draw_.below(3)] / 1000;
            c = table::cell(minus ? -value : value);
            if ((odd_ & outgrown) != 0 && draw_.below(4) == 0) print(c, std::to_string(draw_.of_digits(9)) + ".000us");
            if ((odd_ & seventeen_digits) != 0 && draw_.below(2) == 0)
                print(c, std::to_string(draw_.of_digits(5)) + "." + std::to_string(draw_.of_digits(12)) + "ms");
            break;
        }
        case table::unit::bytes: {
            static constexpr std::string_view units[] = {" b", " Kb", " Mb", " Gb"};
            const int unit = draw_.below(4);
            const std::int64_t size = draw_.up_to_digits(3);
            std::string text = minus ? "-" : "";
            text += std::to_string(size);
            if (unit != 0) text += "." + std::to_string(draw_.of_digits(2));
            text += units[unit];
            print(c, text);
            return;
        }
        case table::unit::count: c = table::cell(draw_.up_to_digits(6)); break;
        default: break;
        }
        if ((odd_ & no_value) == 0 || column.unit == table::unit::text) return;
        static constexpr std::string_view nothing[] = {"NaN", "--", "", "0"};
        const int which = draw_.below(8);
        if (which < 3 || (which == 3 && column.unit != table::unit::text)) print(c, std::string(nothing[which]));
    }

    void print(table::cell& c, std::string text) {
        texts_.push_back(std::move(text));
        c = table::cell(texts_.back());
    }

    static void add_stacks(table::profile& profile) {
        static constexpr std::string_view frames[] = {"torch/nn/modules/module.py(1130): _call_impl",
                                                      "megatron/core/tensor_parallel/layers.py(462): forward",
                                                      "megatron/training.py(412): train_step"};
        std::vector<table::cell> cells;
        const std::size_t width = profile.columns.size();
        for (std::size_t n = 0; n != profile.cells.size(); ++n) {
            cells.push_back(profile.cells[n]);
            if ((n + 1) % width == 0) cells.emplace_back(frames[0]);
        }
        profile.frames.assign(profile.size(), table::frame_list(std::vector<std::string_view>(frames + 1, frames + 3)));
        profile.columns.emplace_back("Source Location");
        profile.cells = std::move(cells);
    }

    unsigned odd_;
    drawing draw_;
    std::deque<std::string> texts_;
};

// Tables, each with as many different rows as there is room for.
class table_source {
public:
    table_source(std::vector<std::string> texts, bool redrawn, unsigned odd)
        : texts_(std::move(texts)), redrawn_(redrawn), changer_(odd) {
        for (const std::string& text : texts_) {
            auto doc = table::read(text);
            if (!doc) fail(wlfmt::explain(doc.error(), text, wlfmt::in_file("sample")));
            tables_.push_back(doc->tables.at(0));
        }
    }

    void append(std::string& to, std::size_t size) {
        const std::size_t begin = to.size();
        for (;; ++next_) {
            const std::size_t n = next_ % tables_.size();
            // The title, the rules, the totals and the blank line after the table take less room than eight rows.
            const std::size_t row_size = row_bytes(n);
            const std::size_t left = size - (to.size() - begin);
            std::size_t rows = tables_[n].size();
            if (left < (rows + 8) * row_size) rows = left / row_size > 8 ? left / row_size - 8 : 0;
            if (rows < (std::min)(std::size_t{4}, tables_[n].size()) && to.size() != begin) return;
            rows = rows == 0 ? 1 : rows;
            if (redrawn_) changer_(to, tables_[n], rows);
            else append_verbatim(to, n, rows);
        }
    }

private:
    std::size_t row_bytes(std::size_t n) {
        if (row_bytes_.size() <= n) row_bytes_.resize(tables_.size());
        if (row_bytes_[n] == 0) {
            std::string text;
            if (redrawn_) changer_(text, tables_[n], tables_[n].size());
            else text = texts_[n];
            row_bytes_[n] = text.size() / (tables_[n].size() + 4) + 1;
        }
        return row_bytes_[n];
    }

    // Appends the table's own lines, without its last rows if it has more than `rows`.
    void append_verbatim(std::string& to, std::size_t n, std::size_t rows) const {
        const std::size_t dropped = tables_[n].size() - rows;
        std::string_view rest = texts_[n];
        std::size_t line = 0;
        const std::size_t first = 3 + 2 * tables_[n].titles.size() + rows;
        for (const std::string_view text : lines_of(rest)) {
            if (line < first || line >= first + dropped) append_line(to, text);
            ++line;
        }
        to += '\n';
    }

    std::vector<std::string> texts_;
    std::vector<table::profile> tables_;
    std::vector<std::size_t> row_bytes_;
    bool redrawn_;
    table_changer changer_;
    std::size_t next_ = 0;
};

file_maker table_files(std::vector<std::string> texts, bool redrawn, unsigned odd) {
    const auto tables = std::make_shared<table_source>(std::move(texts), redrawn, odd);
    return [tables](std::string& to, std::size_t size) { tables->append(to, size); };
}

}  // namespace

std::vector<std::string> odd_kinds(format f) {
    std::vector<std::string> names;
    each_odd(f, [&](const odd_kind& k) { names.emplace_back(k.name); });
    return names;
}

bool has_kind(format f, std::string_view kind) { return kind != "files" || !real_files(f, kind).empty(); }

void fill(input& in, format f, std::string_view kind, std::size_t size, std::size_t file_size) {
    std::vector<std::string> texts = real_files(f, kind);
    if (texts.empty()) fail("no files of that kind: " + std::string(kind));
    const bool redrawn = kind != "samples" && kind != "files";
    const unsigned odd = odd_of(f, kind);
    const file_maker append = f == format::oplog      ? oplog_files(std::move(texts), redrawn, odd)
                              : f == format::workload ? workload_files(std::move(texts), redrawn, odd)
                                                      : table_files(std::move(texts), redrawn, odd);
    in.name = kind;
    in.text.clear();
    in.text.reserve(size + file_size);
    std::vector<std::size_t> ends;
    do {
        append(in.text, file_size);
        ends.push_back(in.text.size());
    } while (in.text.size() + file_size <= size);
    in.files.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        in.files.push_back(std::string_view(in.text).substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace bench
