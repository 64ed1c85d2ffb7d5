// Checks that any text is a valid Arrow stream up to its first error, with the rows that the readers find, in batches
// of any size, and that a chosen column has the same values as among all columns.
#include <wlfmt/arrow.hpp>
#include <wlfmt/wlfmt.hpp>

#include "arrow_stream.hpp"
#include "check.hpp"

namespace {

using wlfmt::arrow::contents;

struct count {
    std::size_t rows = 0;
    bool good = true;
};

// The rows of a text and whether it can be read, from the readers alone.
count count_rows(std::string_view text, contents of, bool lenient) {
    count c;
    wlfmt::options options;
    options.lenient = lenient;
    if (of == contents::operations || of == contents::sub_operations) {
        options.prefix = wlfmt::any_prefix;
        wlfmt::oplog::reader log(text, options);
        while (const auto* op = log.next()) {
            if (of == contents::operations) {
                // A stream counts the nested operations, too, and looks at none of their values.
                static_cast<void>(op->sub_operations.only<wlfmt::oplog::fields::none>().size());
                ++c.rows;
                continue;
            }
            for (const auto& sub : op->sub_operations) {
                if (sub.damaged) break;  // a stream has no row for it, nor for those after it
                ++c.rows;
            }
            if (!log.ok()) break;
        }
        c.good = log.ok();
    } else if (of != contents::rows) {
        wlfmt::workload::reader file(text, options);
        while (file.next() != nullptr) ++c.rows;
        c.good = file.ok();
        if (of == contents::headers) c.rows = c.good ? 1 : 0;
    } else {
        std::vector<std::string_view> prefixes = wlfmt::find_prefixes(text);
        if (prefixes.empty()) prefixes.emplace_back();
        bool any = false;
        for (const std::string_view prefix : prefixes) {
            options.prefix = prefix;
            wlfmt::table::reader tables(text, options);
            while (tables.next_table()) {
                any = true;
                while (tables.next() != nullptr) ++c.rows;
                if (!tables.ok()) break;
            }
            // A prefix without a table is an error only if no prefix has one.
            c.good = tables.ok() || (any && tables.error().kind == wlfmt::error_kind::no_records);
            if (!tables.ok() && tables.error().kind != wlfmt::error_kind::no_records) return c;
        }
    }
    return c;
}

fuzz::arrow_rows read(std::string_view text, const wlfmt::arrow::request& request) {
    ArrowArrayStream stream;
    wlfmt::arrow::open({{"one", std::string(text)}}, request, stream);
    return fuzz::read_arrow(stream);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto take = [&text] {
        const unsigned byte = text.empty() ? 0U : static_cast<unsigned char>(text.front());
        if (!text.empty()) text.remove_prefix(1);
        return byte;
    };
    const unsigned kind = take();
    const unsigned choice = take();
    wlfmt::arrow::request request;
    request.contents = static_cast<contents>(kind % 5);
    request.lenient = (kind & 0x40U) != 0;
    std::size_t problems = 0;
    request.on_problem = [&](const auto&) { ++problems; };
    const fuzz::arrow_rows whole = read(text, request);
    const count expected = count_rows(text, request.contents, request.lenient);
    // Lenient reading goes on with the next text after an error that ends a reader.
    fuzz::check((whole.code == 0) == (request.lenient || expected.good), "a stream fails where a reader does",
                whole.error);
    fuzz::check(expected.good || !request.lenient || problems != 0, "what ends a reader is told");
    fuzz::check(whole.rows.size() == expected.rows, "a stream has the rows that the reader finds",
                std::to_string(whole.rows.size()) + " and " + std::to_string(expected.rows));

    request.rows_per_batch = choice % 5;
    const fuzz::arrow_rows small = read(text, request);
    fuzz::check_same(small.rows, whole.rows, "batches of any size hold the same rows");
    fuzz::check(small.code == whole.code && small.error == whole.error, "batches of any size end alike");
    if (whole.columns.empty()) return 0;

    // Of several columns with one name, the first is chosen.
    const std::string& chosen = whole.columns[choice % whole.columns.size()];
    request.columns = {chosen};
    request.rows_per_batch = 1000;
    const fuzz::arrow_rows one = read(text, request);
    fuzz::check(one.columns == request.columns, "the column that was asked for is there");
    // Errors in the parts of a list that are not decoded are not found.
    if (request.contents == contents::sub_operations || (request.contents == contents::operations && whole.code != 0))
        return 0;
    fuzz::check(one.rows.size() == whole.rows.size() && one.code == whole.code, "a chosen column has all rows");
    for (std::size_t n = 0; n != one.rows.size(); ++n) {
        const std::string& row = whole.rows[n];
        fuzz::check(
            row.compare(0, one.rows[n].size(), one.rows[n]) == 0 || row.find(";" + one.rows[n]) != std::string::npos,
            "a chosen column has the values of the whole", one.rows[n] + "\n" + row);
    }
    return 0;
}
