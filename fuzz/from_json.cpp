// JSON in, text out: what is read from JSON and can be written reads back, and is the same JSON and the same text from
// then on. The first byte chooses the format, the rest is the JSON.
#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

template <class Document> std::string json_of(const Document& doc) {
    std::string json;
    fuzz::check(!wlfmt::json::write(json, doc), "what was written has its form in JSON");
    return json;
}

// Goes on after every error, so that each part of the JSON is looked at. Every error lies in the JSON.
template <class Reader> std::size_t read_on(std::string_view json) {
    wlfmt::json::texts kept;
    Reader from(json, kept);
    std::size_t records = 0;
    std::uint64_t last = 0;
    do {
        while (from.next() != nullptr) {
            ++records;
            fuzz::check(from.offset() >= last && from.offset() < json.size(), "records come in their order", json);
            last = from.offset();
        }
        if (from.ok()) break;
        fuzz::check_error(from.error(), json);
    } while (from.skip());
    return records;
}

template <class Reader, class FromJson, class FromText>
void try_format(const fuzz::block& block, FromJson from_json, FromText from_text) {
    const std::string_view json = block.view();
    read_on<Reader>(json);
    wlfmt::json::texts kept;
    const auto read = from_json(json, kept);
    if (!read.ok()) return fuzz::check_error(read.error(), json);
    std::string text;
    if (const wlfmt::problem e = write(text, *read)) {
        fuzz::check(text.empty(), "what is refused is not written", text);
        return;
    }
    const fuzz::block written(text);
    const auto again = from_text(written.view());
    // No reader takes the text of a document without operations, layers or tables.
    if (again.error().kind == wlfmt::error_kind::no_records) return;
    fuzz::check(again.ok(), "what was written reads back", text);
    const std::string same_json = json_of(*again);
    wlfmt::json::texts kept_again;
    const fuzz::block second(same_json);
    const auto back = from_json(second.view(), kept_again);
    fuzz::check(back.ok(), "the JSON of a text is read", same_json);
    fuzz::check_same(json_of(*back), same_json, "JSON to records to JSON is the same JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    namespace json = wlfmt::json;
    const fuzz::block block({reinterpret_cast<const char*>(data) + 1, size - 1});
    switch (data[0] % 3) {
    case 0:
        try_format<json::oplog_reader>(
            block, [](std::string_view t, json::texts& kept) { return json::read_oplog(t, kept); },
            [](std::string_view t) { return wlfmt::oplog::read(t); });
        break;
    case 1:
        try_format<json::workload_reader>(
            block, [](std::string_view t, json::texts& kept) { return json::read_workload(t, kept); },
            [](std::string_view t) { return wlfmt::workload::read(t); });
        break;
    default:
        try_format<json::table_reader>(
            block, [](std::string_view t, json::texts& kept) { return json::read_table(t, kept); },
            [](std::string_view t) { return wlfmt::table::read(t); });
    }
    return 0;
}
