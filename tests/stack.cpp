// Reading and writing use a bounded amount of stack, whatever the text says: measured on a thread whose stack was
// filled with a pattern before.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/wlfmt.hpp>

#include "stack_support.hpp"

namespace {

using test::lenient;

struct counter {
    std::size_t bytes = 0;
    void append(const char*, std::size_t size) { bytes += size; }
};

void pull_operations(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::oplog::reader log(text, tolerant ? lenient() : wlfmt::options());
        do {
            while (const auto* op = log.next()) {
                std::size_t seen = op->input_shape.size();
                for (const auto& a : op->attributes) seen += a.key.size();
                for (const auto& sub : op->sub_operations) seen += sub.input_shape.size();
                if (seen == 0 || !log.ok()) break;
            }
        } while (log.skip());
    }
}
void pull_layers(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::workload::reader file(text, tolerant ? lenient() : wlfmt::options());
        do {
            std::size_t seen = file.header().checkpoints().size();
            for (const auto& entry : file.header().entries) seen += entry.key.size();
            while (const auto* layer = file.next()) seen += layer->name.size();
            if (seen == 0) break;
        } while (file.skip());
    }
}
void pull_rows(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::table::reader tables(text, tolerant ? lenient() : wlfmt::options());
        do {
            while (tables.next_table())
                while (const auto* row = tables.next())
                    if (row->frames.size() == 1) break;
        } while (tables.skip());
    }
}
template <class Document> void write_everywhere(const Document& doc) {
    counter count;
    static_cast<void>(write(count, doc));
    write_unchecked(count, doc);
    static_cast<void>(wlfmt::json::write(count, doc));
}
void read_operations(std::string_view text) { static_cast<void>(wlfmt::oplog::read(text, lenient())); }
void read_layers(std::string_view text) { static_cast<void>(wlfmt::workload::read(text, lenient())); }
void read_tables(std::string_view text) { static_cast<void>(wlfmt::table::read(text, lenient())); }
void write_operations(std::string_view text) { write_everywhere(*wlfmt::oplog::read(text, lenient())); }
void write_layers(std::string_view text) { write_everywhere(*wlfmt::workload::read(text, lenient())); }
void write_tables(std::string_view text) {
    const auto doc = wlfmt::table::read(text, lenient());
    write_everywhere(*doc);
    static_cast<void>(wlfmt::table::problem_of(*doc));
}
void stream_operations(std::string_view text) {
    wlfmt::oplog::stream log({}, lenient());
    for (std::size_t at = 0; at < text.size(); at += 4096) {
        log.feed(text.substr(at, 4096));
        while (const auto op = log.next()) static_cast<void>(op->sub_operations.size());
    }
    log.finish();
    while (log.next()) continue;
}
void read_pieces(std::string_view text) {
    for (const wlfmt::piece& p : wlfmt::oplog::pieces(text, 100)) {
        wlfmt::oplog::reader log(p.text, lenient());
        while (log.next() != nullptr) continue;
    }
}
void choose_paths(std::string_view text) {
    std::vector<std::string> paths;
    for (; !text.empty(); text.remove_prefix(text.find('\n') + 1)) paths.emplace_back(text.substr(0, text.find('\n')));
    static_cast<void>(wlfmt::oplog::choose_files(paths));
}
void cut_tables(std::string_view text) { static_cast<void>(wlfmt::table::pieces(text, 100, lenient())); }
void detect_format(std::string_view text) { static_cast<void>(wlfmt::detect(text)); }
void explain_end(std::string_view text) {
    wlfmt::problem e;
    e.kind = wlfmt::error_kind::foreign_text;
    e.offset = text.size() / 2;
    e.length = text.size();
    static_cast<void>(wlfmt::explain(e, text, wlfmt::in_file("text")));
    static_cast<void>(wlfmt::explain(wlfmt::at_place(text.substr(text.size() / 2)), wlfmt::with_message("is odd"), text,
                                     wlfmt::in_file("text")));
}

std::string paths(std::size_t n) {
    std::string out;
    for (std::size_t rank = 0; rank != n; ++rank)
        out += "wd8_tp3_rank" + std::to_string(rank * 7919 % 100003) + "_20250102000000.txt\n";
    return out;
}

}  // namespace

TEST_CASE("the stack that reading takes does not depend on the text") {
    constexpr test::stack_task tasks[] = {
        {"oplog::reader", pull_operations, test::hostile_operations},
        {"oplog::read", read_operations, test::hostile_operations},
        {"oplog::write, json::write", write_operations, test::hostile_operations},
        {"workload::reader", pull_layers, test::hostile_layers},
        {"workload::read", read_layers, test::hostile_layers},
        {"workload::write, json::write", write_layers, test::hostile_layers},
        {"table::reader", pull_rows, test::hostile_tables},
        {"table::read", read_tables, test::hostile_tables},
        {"table::write, json::write, problem_of", write_tables, test::hostile_tables},
        {"table::pieces", cut_tables, test::hostile_tables},
        {"oplog::stream", stream_operations, test::hostile_operations},
        {"oplog::pieces", read_pieces, test::hostile_operations},
        {"oplog::choose_files", choose_paths, paths},
        {"detect", detect_format, test::hostile_tables},
        {"explain", explain_end, test::hostile_operations},
    };
    test::check_stack(tasks);
}
