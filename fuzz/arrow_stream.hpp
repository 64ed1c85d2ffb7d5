// A consumer of Arrow streams that holds every struct against the specification and turns rows into texts.
#ifndef WLFMT_FUZZ_ARROW_STREAM_HPP
#define WLFMT_FUZZ_ARROW_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <wlfmt/types/arrow.hpp>

#include "check.hpp"

namespace fuzz { namespace {

template <class T> T arrow_item(const void* buffer, std::size_t n) {
    T item;
    std::memcpy(&item, static_cast<const char*>(buffer) + n * sizeof(T), sizeof(T));
    return item;
}

inline bool arrow_is_valid(const ArrowArray& a, std::int64_t n) {
    const auto at = static_cast<std::size_t>(n);
    return a.buffers[0] == nullptr || (arrow_item<std::uint8_t>(a.buffers[0], at / 8) >> at % 8 & 1) != 0;
}
inline std::string arrow_utf8(const ArrowArray& a, std::int64_t n) {
    const auto at = static_cast<std::size_t>(n);
    const auto from = arrow_item<std::int32_t>(a.buffers[1], at);
    const auto to = arrow_item<std::int32_t>(a.buffers[1], at + 1);
    check(0 <= from && from <= to, "the offsets of texts grow");
    const std::string text(static_cast<const char*>(a.buffers[2]) + from, static_cast<std::size_t>(to - from));
    for (std::size_t byte = 0; byte < text.size();) {
        const std::size_t size = wlfmt::utf8_size(text, byte);
        check(size != 0, "texts are UTF-8", text);
        byte += size;
    }
    return text;
}

// One value as a text; ~ for null.
inline std::string arrow_value(const ArrowSchema& s, const ArrowArray& a, std::int64_t n) {
    if (!arrow_is_valid(a, n)) return "~";
    const auto at = static_cast<std::size_t>(n);
    const std::string format = s.format;
    if (format == "l") return std::to_string(arrow_item<std::int64_t>(a.buffers[1], at));
    if (format == "g") {
        char text[64];
        std::snprintf(text, sizeof text, "%a", arrow_item<double>(a.buffers[1], at));
        return text;
    }
    if (format == "i") {
        const auto word = arrow_item<std::int32_t>(a.buffers[1], at);
        check(word >= 0 && word < a.dictionary->length, "the number of a text is in its dictionary");
        return "'" + arrow_utf8(*a.dictionary, word) + "'";
    }
    check(format == "+l", "a format of this library", format);
    const auto from = arrow_item<std::int32_t>(a.buffers[1], at);
    const auto to = arrow_item<std::int32_t>(a.buffers[1], at + 1);
    check(0 <= from && from <= to && to <= a.children[0]->length, "the offsets of lists grow");
    std::string items = "[";
    for (std::int32_t item = from; item != to; ++item) items += arrow_value(*s.children[0], *a.children[0], item) + ",";
    return items + "]";
}

inline void check_arrow_column(const ArrowSchema& s, const ArrowArray& a, std::int64_t rows) {
    check(a.length == rows && a.offset == 0 && a.n_buffers == 2, "a column has the length of its batch");
    std::int64_t nulls = 0;
    for (std::int64_t n = 0; n != rows; ++n) nulls += !arrow_is_valid(a, n);
    check(nulls == a.null_count, "the nulls are counted");
    check((s.dictionary != nullptr) == (a.dictionary != nullptr), "a dictionary is where the schema says");
    if (a.dictionary == nullptr) return;
    std::set<std::string> words;
    for (std::int64_t n = 0; n != a.dictionary->length; ++n) words.insert(arrow_utf8(*a.dictionary, n));
    check(static_cast<std::int64_t>(words.size()) == a.dictionary->length, "each text is in its dictionary once");
}

struct arrow_rows {
    std::vector<std::string> columns;
    std::vector<std::string> rows;  // name=value; for each column
    std::size_t batches = 0;
    int code = 0;
    std::string error;
};

// Reads a stream to its end, or to its error, and releases it before the last batch.
inline arrow_rows read_arrow(ArrowArrayStream& stream) {
    arrow_rows all;
    ArrowSchema schema;
    all.code = stream.get_schema(&stream, &schema);
    if (all.code != 0) {
        check(schema.release == nullptr, "there is no schema after an error");
        all.error = stream.get_last_error(&stream);
        stream.release(&stream);
        return all;
    }
    check(std::strcmp(schema.format, "+s") == 0 && schema.dictionary == nullptr, "a batch is a struct");
    for (std::int64_t n = 0; n != schema.n_children; ++n) all.columns.emplace_back(schema.children[n]->name);
    ArrowArray batch = {};
    for (;;) {
        ArrowArray next;
        all.code = stream.get_next(&stream, &next);
        if (all.code != 0) {
            check(next.release == nullptr, "there is no batch after an error");
            all.error = stream.get_last_error(&stream);
            check(stream.get_next(&stream, &next) == all.code && next.release == nullptr, "an error stays");
        }
        const bool last = next.release == nullptr;
        if (last) stream.release(&stream);
        if (batch.release != nullptr) {
            check(batch.n_children == schema.n_children && batch.null_count == 0 && batch.length > 0 &&
                      batch.n_buffers == 1 && batch.buffers[0] == nullptr,
                  "a batch has the columns of the schema, and rows");
            for (std::int64_t c = 0; c != batch.n_children; ++c)
                check_arrow_column(*schema.children[c], *batch.children[c], batch.length);
            for (std::int64_t r = 0; r != batch.length; ++r) {
                std::string row;
                for (std::int64_t c = 0; c != batch.n_children; ++c)
                    row += all.columns[static_cast<std::size_t>(c)] + "=" +
                           arrow_value(*schema.children[c], *batch.children[c], r) + ";";
                all.rows.push_back(std::move(row));
            }
            batch.release(&batch);
            check(batch.release == nullptr, "a released batch says so");
            ++all.batches;
        }
        if (last) break;
        batch = next;
    }
    schema.release(&schema);
    return all;
}

}}  // namespace fuzz

#endif
