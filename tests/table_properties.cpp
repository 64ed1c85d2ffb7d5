// Tables of random parts, held against what the test itself knows of them: their text is formatted here with printf,
// and their values are read here with strtod. Nothing of the library is compared with the library.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/table.hpp>

#include "support.hpp"

namespace {

namespace table = wlfmt::table;

// A cell as the test knows it.
struct known_cell {
    enum class kind { none, text, integer, decimal };

    std::string text;  // how it is to be printed
    kind holds = kind::none;
    std::int64_t integer = 0;
    double decimal = 0;
};

// A table, and what is known of it. The texts are kept apart, as the table has views of them.
struct known_table {
    std::vector<std::string> names;
    std::vector<std::vector<known_cell>> rows;
    std::vector<std::vector<bool>> assigned;  // the cell was given a value, not a text
    known_cell total;
};

class table_maker {
public:
    explicit table_maker(std::uint32_t seed) : random_(seed) {}

    known_table make() {
        static constexpr const char* names[] = {"Self CPU %", "Self CPU", "CPU total", "CPU Mem",
                                                "# of Calls", "Node ID",  "Kind",      "Total FLOPs"};
        known_table t;
        t.names = {"Name"};
        const std::size_t columns = 1 + random_() % 5;
        for (std::size_t n = 0; n != columns; ++n) t.names.emplace_back(names[random_() % std::size(names)]);
        t.rows.resize(random_() % 6);
        for (auto& row : t.rows) {
            t.assigned.emplace_back();
            for (const std::string& name : t.names) {
                t.assigned.back().push_back(name != "Name" && name != "Kind" && one_in(2));
                row.push_back(cell_of(name));
            }
        }
        t.total = time();
        return t;
    }

private:
    bool one_in(unsigned n) { return random_() % n == 0; }

    template <class T> static std::string printed(const char* format, T value) {
        char text[80];
        std::snprintf(text, sizeof text, format, value);
        return text;
    }
    // Digits with a suffix, which stands for so many powers of ten and of two.
    static known_cell decimal(const std::string& digits, const char* suffix, const char* exponent, double times) {
        known_cell c;
        c.text = digits + suffix;
        c.holds = known_cell::kind::decimal;
        c.decimal = std::strtod((digits + exponent).c_str(), nullptr) * times;
        return c;
    }
    // A number that has few digits after its point, of any size.
    double value() {
        return static_cast<double>(random_() % 1000000) / (one_in(3) ? 1000 : 100) * (one_in(9) ? -1 : 1);
    }

    known_cell time() {
        switch (random_() % 3) {
        case 0: return decimal(printed("%.3f", static_cast<double>(random_() % 1000000) / 1000), "us", "", 1);
        case 1: return decimal(printed("%.3f", 1 + static_cast<double>(random_() % 998000) / 1000), "ms", "e3", 1);
        default: return decimal(printed("%.3f", 1 + static_cast<double>(random_() % 9000000) / 1000), "s", "e6", 1);
        }
    }
    known_cell cell_of(const std::string& name) {
        if (name == "Name" || name == "Kind") return text(name == "Kind");
        if (one_in(40)) return odd();
        if (name == "Self CPU %") return decimal(printed("%.2f", value()), "%", "", 1);
        if (name == "Total FLOPs") return decimal(printed("%.3f", value()), "", "", 1);
        if (name == "CPU Mem") {
            const std::string digits = printed("%.2f", 1 + static_cast<double>(random_() % 90000) / 100);
            return one_in(2) ? decimal(digits, " KB", "", 1024) : decimal(digits, " MB", "", 1024.0 * 1024);
        }
        if (name != "# of Calls" && name != "Node ID") return time();
        known_cell c;
        c.holds = known_cell::kind::integer;
        c.integer = static_cast<std::int64_t>(random_()) - (one_in(8) ? 3000000000 : 0);
        c.text = std::to_string(c.integer);
        return c;
    }
    // A text that no column of numbers holds.
    known_cell odd() {
        static constexpr const char* texts[] = {"x",     " 1.000us", "1.000us ", "5 u s",
                                                "1e999", "---  ---", "\xC2\xA0", "a\nb"};
        known_cell c;
        c.text = texts[random_() % std::size(texts)];
        c.holds = known_cell::kind::text;
        return c;
    }
    known_cell text(bool kind) {
        static constexpr const char* words[] = {"aten::mm", "a",  "<lambda>,", "#",
                                                "---",      "==", "x.py(12):", "\xC3\xA9t\xC3\xA9"};
        static constexpr const char* joints[] = {" ", " ", " ", "", "_", "  ", "\t"};
        known_cell c;
        for (std::size_t n = one_in(30) ? 0 : 1 + random_() % 4; n != 0; --n) {
            c.text += words[random_() % std::size(words)];
            if (n != 1) c.text += joints[one_in(3) ? random_() % std::size(joints) : 0];
        }
        if (kind) c.holds = known_cell::kind::text;
        return c;
    }

    std::mt19937 random_;
};

std::size_t characters(const std::string& s) {
    std::size_t n = 0;
    for (const char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
}

// The text of the table, as PyTorch prints it.
std::string printed(const known_table& t) {
    std::vector<std::size_t> widths(t.names.size(), 12);
    std::size_t longest = 0;
    for (const auto& row : t.rows) longest = (std::max)(longest, characters(row[0].text));
    widths[0] = (std::min)(longest + 4, std::size_t{55});
    const auto padded = [](const std::string& s, std::size_t width) {
        const std::size_t size = characters(s);
        return std::string(size < width ? width - size : 0, ' ') + s + "  ";
    };
    std::string rule;
    std::string header;
    for (std::size_t n = 0; n != t.names.size(); ++n) {
        rule += std::string(widths[n], '-') + "  ";
        header += padded(t.names[n], widths[n]);
    }
    std::string all = rule + "\n" + header + "\n" + rule + "\n";
    for (const auto& row : t.rows) {
        for (std::size_t n = 0; n != row.size(); ++n) all += padded(row[n].text, widths[n]);
        all += "\n";
    }
    return all + rule + "\n" + "Self CPU time total: " + t.total.text + "\n";
}

table::profile built(const known_table& t) {
    table::profile one;
    for (const std::string& name : t.names) one.columns.emplace_back(name);
    for (std::size_t r = 0; r != t.rows.size(); ++r)
        for (std::size_t n = 0; n != t.names.size(); ++n) {
            const known_cell& c = t.rows[r][n];
            const bool assigned = t.assigned[r][n];
            if (assigned && c.holds == known_cell::kind::decimal) one.cells.emplace_back(c.decimal);
            else if (assigned && c.holds == known_cell::kind::integer) one.cells.emplace_back(c.integer);
            else one.cells.emplace_back(std::string_view(c.text));
        }
    one.totals.push_back({"Self CPU time total", table::cell(std::string_view(t.total.text))});
    return one;
}

bool is_as_known(const table::cell& c, const known_cell& known) {
    if (c.text() != known.text) return false;
    switch (known.holds) {
    case known_cell::kind::integer: return c.value().is_integer() && c.as<std::int64_t>() == known.integer;
    case known_cell::kind::decimal: return c.value().is_decimal() && c.value_or(-1.0) == known.decimal;
    case known_cell::kind::text: return c.value().is_text() || c.value().is_missing();
    default: return c.value().is_missing();
    }
}

}  // namespace

TEST_CASE("a table of any parts is refused, or is printed and read back as what the test knows of it") {
    table_maker maker(20250322);
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (int n = 0; n != 4000; ++n) {
        const known_table known = maker.make();
        const table::profile one = built(known);
        std::string text;
        const wlfmt::problem e = table::write(text, one);
        CHECK(e.kind == table::problem_of(one).kind);
        CHECK(e.field == table::problem_of(one).field);
        if (e) {
            ++refused;
            CHECK(text.empty());
            continue;
        }
        ++accepted;
        REQUIRE(text == printed(known));
        table::reader tables(text);
        REQUIRE(tables.next_table());
        REQUIRE(tables.columns().size() == known.names.size());
        for (std::size_t c = 0; c != known.names.size(); ++c) CHECK(tables.columns()[c].name == known.names[c]);
        for (const auto& row : known.rows) {
            const table::row* const read = tables.next();
            REQUIRE(read != nullptr);
            for (std::size_t c = 0; c != row.size(); ++c)
                CHECK_MESSAGE(is_as_known((*read)[c], row[c]), known.names[c] << ": " << row[c].text << "\n" << text);
        }
        CHECK(tables.next() == nullptr);
        CHECK(tables.ok());
        CHECK(is_as_known(tables.find_total("Self CPU time total"), known.total));
        CHECK_FALSE(tables.next_table());
        CHECK(tables.ok());
    }
    // Both often enough to say something.
    CHECK(accepted > 1000);
    CHECK(refused > 500);
}
