// Op logs and tables read piece by piece. The first two bytes choose the options and how many pieces there are, the
// next two a byte range, the rest is the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog/pieces.hpp>

#include "check.hpp"
#include "dump_oplog.hpp"
#include "table_dump.hpp"

namespace {

namespace oplog = wlfmt::oplog;
namespace table = wlfmt::table;
using wlfmt::piece;

struct reading {
    std::vector<std::string> records;
    std::vector<std::string> errors;  // errors and tolerated problems, in the order of the text
};

void put_error(reading& to, const wlfmt::problem& e) {
    if (e.kind == wlfmt::error_kind::no_records) return;
    to.errors.push_back(std::string(name_of(e.kind)) + " " + std::to_string(e.offset) + " " + std::to_string(e.length) +
                        " " + std::string(e.field) + " " + std::to_string(e.found) + " " + std::to_string(e.expected));
}

wlfmt::options options_of(unsigned bits, reading& to) {
    wlfmt::options options;
    options.strict = (bits & 1) != 0;
    options.lenient = (bits & 2) != 0;
    if ((bits & 4) != 0) options.prefix = wlfmt::any_prefix;
    if ((bits & 8) != 0) options.prefix = "[rank0]: ";
    options.on_problem = [&](const wlfmt::problem& e) { put_error(to, e); };
    return options;
}

void read_oplog(std::string_view text, const wlfmt::options& options, reading& to) {
    oplog::reader log(text, options);
    do {
        while (const oplog::operation* op = log.next()) {
            std::string record = fuzz::dump(*op);
            if (!log.ok()) break;
            to.records.push_back(std::move(record));
        }
        if (!log.ok()) put_error(to, log.error());
    } while (log.skip());
}

void read_tables(std::string_view text, const wlfmt::options& options, reading& to) {
    table::reader tables(text, options);
    // Set when reading cannot go on after an error: at the end of the text, the error stays.
    bool stopped = false;
    const auto skipped = [&] {
        if (tables.ok() || stopped) return false;
        put_error(to, tables.error());
        stopped = !tables.skip();
        return !stopped;
    };
    do {
        while (tables.next_table()) {
            to.records.push_back(fuzz::dump_head(tables.titles(), tables.columns()));
            do {
                while (const table::row* r = tables.next()) to.records.push_back(fuzz::dump(*r));
            } while (skipped());
            to.records.push_back(fuzz::dump_totals(tables.totals()));
        }
    } while (skipped());
}

template <class Read>
void check_pieces(const std::vector<piece>& pieces, std::string_view text, unsigned bits, const Read& read) {
    reading all;
    std::uint64_t at = 0;
    for (const piece& p : pieces) {
        fuzz::check(p.offset == at && p.text.data() == text.data() + at, "a piece begins where the one before it ends");
        at += p.text.size();
        // A copy of exactly its size: a sanitizer sees a read beyond the piece.
        const fuzz::block copy(p.text);
        wlfmt::options options = options_of(bits, all);
        options.piece_at = p.offset;
        read(copy.view(), options, all);
    }
    fuzz::check(at == text.size(), "the pieces are the whole");
    reading whole;
    read(text, options_of(bits, whole), whole);
    fuzz::check_same(all.records, whole.records, "the records of the pieces are those of the whole");
    fuzz::check_same(all.errors, whole.errors, "the errors of the pieces are those of the whole");
}

template <class PieceOf> std::vector<piece> three_ranges(std::uint64_t a, std::uint64_t b, const PieceOf& piece_of) {
    if (a > b) std::swap(a, b);
    return {piece_of(wlfmt::byte_range{0, a}), piece_of(wlfmt::byte_range{a, b}),
            piece_of(wlfmt::byte_range{b, wlfmt::byte_range().end})};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const unsigned bits = data[0];
    const std::size_t n = data[1];
    const fuzz::block block({reinterpret_cast<const char*>(data) + 4, size - 4});
    const std::string_view text = block.view();
    // The range may begin and end anywhere in the text and a little after it.
    const std::uint64_t a = data[2] * (text.size() + 2) / 256;
    const std::uint64_t b = data[3] * (text.size() + 2) / 256;

    const auto check_oplog = [&](const std::vector<piece>& pieces) { check_pieces(pieces, text, bits, read_oplog); };
    check_oplog(oplog::pieces(text, n));
    check_oplog(three_ranges(a, b, [&](wlfmt::byte_range r) { return oplog::piece_of(text, r); }));

    reading none;
    const wlfmt::options options = options_of(bits, none);
    const auto check_tables = [&](const std::vector<piece>& pieces) { check_pieces(pieces, text, bits, read_tables); };
    check_tables(table::pieces(text, n, options));
    check_tables(three_ranges(a, b, [&](wlfmt::byte_range r) { return table::piece_of(text, r, options); }));
    return 0;
}
