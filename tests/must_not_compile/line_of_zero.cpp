// must not compile: deleted
// each LITERAL: 0 NULL nullptr
// each CALL: row.text row.value object.key object.string object.written_key object.plain object.value
#include <cstddef>
#include <string>
#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>

void write(wlfmt::csv::row_writer<std::string>& row, std::string& out) {
    static_cast<void>(wlfmt::json::write_object(out, [&](auto& object) {
        static_cast<void>(row), static_cast<void>(object);
#ifdef FIXED
        CALL("a");
#else
        CALL(LITERAL);
#endif
    }));
}
