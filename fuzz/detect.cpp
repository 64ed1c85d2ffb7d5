// Checks detect() against the three readers: what is detected can be read, and what a reader reads is detected.
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

using wlfmt::error_kind;
using wlfmt::file_format;

constexpr std::size_t nowhere = std::string_view::npos;

// Where the line of the first op-log record begins, good or bad, whatever its prefix.
std::size_t first_record(std::string_view text) {
    wlfmt::options options;
    options.prefix = wlfmt::any_prefix;
    wlfmt::oplog::reader log(text, options);
    const auto* op = log.next();
    if (op == nullptr && log.error().kind == error_kind::no_records) return nowhere;
    const std::size_t at = op != nullptr ? static_cast<std::size_t>(op->source.data() - text.data())
                                         : static_cast<std::size_t>(log.error().offset);
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}

// Where the header of the first table ends, among the tables of all prefixes.
std::size_t first_table(std::string_view text, const std::vector<std::string_view>& prefixes) {
    std::size_t first = nowhere;
    for (const std::string_view prefix : prefixes) {
        wlfmt::options options;
        options.prefix = prefix;
        wlfmt::table::reader tables(text, options);
        // A table whose header is refused counts, too. A table before the line that shows its prefix does not.
        const bool any = tables.next_table() || tables.error().kind != error_kind::no_records;
        const auto at = static_cast<std::size_t>(tables.offset());
        if (any && (prefix.empty() || prefix.data() < text.data() + at)) first = (std::min)(first, at);
    }
    return first;
}

// The reader takes any word for a policy, detect() only a name.
bool has_name(const wlfmt::workload::document& doc) {
    constexpr std::string_view name_bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const std::string_view policy = doc.header.policy;
    return !policy.empty() && policy.find_first_not_of(name_bytes) == nowhere && (policy[0] < '0' || policy[0] > '9');
}

void check_prefix(std::string_view text, file_format f) {
    const std::string_view prefix = wlfmt::find_prefix(text);
    fuzz::check(prefix.empty() || fuzz::is_inside(prefix, text), "a prefix is a view of the text", text);
    if (prefix.empty()) return;
    fuzz::check(f == file_format::oplog || f == file_format::table, "what has a prefix is an op log or a table", text);
    wlfmt::options options;
    options.prefix = prefix;
    if (f == file_format::oplog) {
        wlfmt::oplog::reader log(text, options);
        fuzz::check(log.next() != nullptr || log.error().kind != error_kind::no_records,
                    "an op log holds a record after its prefix", text);
    } else {
        wlfmt::table::reader tables(text, options);
        fuzz::check(tables.next_table() || tables.error().kind != error_kind::no_records,
                    "a table comes after its prefix", text);
    }
}

void check_answer(std::string_view text, file_format f) {
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(text);
    prefixes.insert(prefixes.begin(), std::string_view());
    const std::size_t record = first_record(text);
    const std::size_t table = first_table(text, prefixes);
    switch (f) {
    case file_format::oplog:
        fuzz::check(record != nowhere && record < table, "the first record comes before any table", text);
        break;
    case file_format::table:
        fuzz::check(table != nowhere && table <= record, "the first table comes before any record", text);
        break;
    case file_format::workload: {
        wlfmt::workload::reader file(text);
        fuzz::check(!file.header().policy.empty(), "a workload file has a policy", text);
        file.next();
        fuzz::check(file.error().kind != error_kind::no_records, "a workload file has a header", text);
        break;
    }
    case file_format::unknown:
        fuzz::check(record == nowhere, "a text with a record is known", text);
        fuzz::check(table == nowhere, "a text with a table is known", text);
    }

    wlfmt::options strict;
    strict.strict = true;
    if (wlfmt::oplog::read(text, strict).ok()) fuzz::check(f == file_format::oplog, "an op log is known", text);
    if (wlfmt::table::read(text, strict).ok()) fuzz::check(f == file_format::table, "a table is known", text);
    const auto layers = wlfmt::workload::read(text);
    if (layers.ok() && has_name(*layers) && record == nowhere && table == nowhere)
        fuzz::check(f == file_format::workload, "a workload file is known", text);
}

void check_written(std::string_view text) {
    std::string written;
    const auto log = wlfmt::oplog::read(text);
    if (log.ok() && !wlfmt::oplog::write(written, *log))
        fuzz::check(wlfmt::detect(written) == file_format::oplog, "a written op log is known", written);
    written.clear();
    const auto layers = wlfmt::workload::read(text);
    if (layers.ok() && has_name(*layers) && !wlfmt::workload::write(written, *layers))
        fuzz::check(wlfmt::detect(written) == file_format::workload, "a written workload file is known", written);
    written.clear();
    const auto tables = wlfmt::table::read(text);
    // A column's title may look like a record at the start of its line.
    if (tables.ok() && !wlfmt::table::write(written, *tables) && first_record(written) == nowhere)
        fuzz::check(wlfmt::detect(written) == file_format::table, "a written table is known", written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::block block({reinterpret_cast<const char*>(data), size});
    const std::string_view text = block.view();
    const file_format f = wlfmt::detect(text);
    check_prefix(text, f);
    check_answer(text, f);
    check_written(text);

    // Neither a byte order mark nor blank lines change the answer, nor does what comes after the first record or table.
    if (text.substr(0, 3) != "\xEF\xBB\xBF") {
        const std::string marked = "\xEF\xBB\xBF" + std::string(text);
        fuzz::check(wlfmt::detect(marked) == f, "a byte order mark changes nothing", text);
        const std::string lower = "\n  \n" + std::string(text);
        fuzz::check(wlfmt::detect(lower) == f, "blank lines before it change nothing", text);
    }
    if (!text.empty() && text.back() == '\n' && (f == file_format::oplog || f == file_format::table)) {
        std::string longer(text);
        longer.append(1000, ' ').append("\nrank:0:x()\n");
        fuzz::check(wlfmt::detect(longer) == f, "what comes later changes nothing", text);
    }
    return 0;
}
