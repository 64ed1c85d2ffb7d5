// Telling the formats apart: the answer is the one that the readers give.
#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

using wlfmt::format;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::block block({reinterpret_cast<const char*>(data), size});
    const std::string_view text = block.text();
    const format f = wlfmt::detect(text);
    fuzz::check(f == format::unknown || !name(f).empty(), "a format has a name");

    // The format's reader finds something to read.
    using wlfmt::code;
    if (f == format::oplog) {
        wlfmt::oplog::reader log(text);
        fuzz::check(log.next() != nullptr || log.error().what != code::no_records, "an op log holds a record", text);
    } else if (f == format::workload) {
        wlfmt::workload::reader file(text);
        file.next();
        fuzz::check(file.error().what != code::no_records, "a workload file has a header", text);
    } else if (f == format::table) {
        wlfmt::table::reader tables(text);
        fuzz::check(tables.next_table() || tables.error().what != code::no_records, "a table is there", text);
    }
    // What is read without an error is known, and what is written is known for what it is.
    std::string written;
    const auto log = wlfmt::oplog::read(text);
    if (log.ok()) {
        fuzz::check(f != format::unknown, "a good op log is known", text);
        wlfmt::oplog::write(written, *log);
        fuzz::check(wlfmt::detect(written) == format::oplog, "a written op log is known", written);
    }
    const auto tables = wlfmt::table::read(text);
    if (tables.ok()) fuzz::check(f != format::unknown, "a good table is known", text);

    // Neither a byte order mark nor blank lines change it, nor what stands beyond the first 64 KiB.
    if (text.substr(0, 3) != "\xEF\xBB\xBF") {
        const std::string marked = "\xEF\xBB\xBF" + std::string(text);
        fuzz::check(wlfmt::detect(marked) == f, "a byte order mark changes nothing", text);
        const std::string lower = "\n  \n" + std::string(text);
        fuzz::check(wlfmt::detect(lower) == f, "blank lines before it change nothing", text);
    }
    if (!text.empty() && text.back() == '\n' && f != format::unknown) {
        std::string longer(text);
        longer.append(std::size_t{64} * 1024, ' ').append("\nrank:0:x()\n");
        fuzz::check(wlfmt::detect(longer) == f, "what stands far behind changes nothing", text);
    }
    return 0;
}
