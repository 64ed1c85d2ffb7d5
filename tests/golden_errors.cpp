// One example of each problem as explain() prints it, held against tests/data/errors.txt.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>

#include "support.hpp"

namespace {

using wlfmt::code;

struct example {
    // Shown as the file's name; the text is the content of this file of tests/data where `text` has no data.
    std::string_view name;
    std::string_view text;
    // The problem that the example shows.
    wlfmt::error (*problem)(std::string_view text);
};

wlfmt::error first_of_oplog(std::string_view text, bool strict) {
    wlfmt::options how;
    how.strict = strict;
    return wlfmt::oplog::read(text, how).error();
}
wlfmt::error oplog(std::string_view text) { return first_of_oplog(text, false); }
wlfmt::error strict_oplog(std::string_view text) { return first_of_oplog(text, true); }

wlfmt::error unwritable_operation(std::string_view) {
    auto op = wlfmt::oplog::operation::traced(7, "forward_step");
    op.description = "a,b=c";
    return wlfmt::oplog::problem_of(op);
}

constexpr example examples[] = {
    {"oplog/error_not_a_number.txt", {}, oplog},
    {"oplog/error_not_an_integer.txt", {}, oplog},
    {"oplog/error_number_overflow.txt", {}, oplog},
    {"oplog/error_no_records.txt", {}, oplog},
    {"oplog/error_foreign_text.txt", {}, strict_oplog},
    {"an operation built by hand", "", unwritable_operation},
    {"oplog/error_unterminated_record.txt", {}, oplog},
    {"oplog/error_text_after_record.txt", {}, oplog},
    {"oplog/error_key_expected.txt", {}, oplog},
    {"oplog/error_duplicate_key.txt", {}, oplog},
    {"oplog/error_bad_list.txt", {}, oplog},
    {"oplog/error_unterminated_list.txt", {}, oplog},
    {"oplog/error_unterminated_string.txt", {}, oplog},
    {"oplog/error_bad_escape.txt", {}, oplog},
};

// No problem of these formats is in the list above yet.
constexpr code without_example[] = {
    code::unknown_format,  code::missing_layer_count, code::layer_count_mismatch, code::header_value,
    code::field_count,     code::related_format,      code::text_after_layers,    code::text_after_count,
    code::column_mismatch, code::too_many_columns,    code::row_mismatch,         code::cannot_open,
    code::cannot_read,     code::is_directory,
};

std::string text_of(const example& e) { return e.text.data() != nullptr ? std::string(e.text) : test::data(e.name); }

}  // namespace

TEST_CASE("each problem is printed as the golden file has it") {
    std::string printed;
    for (const example& e : examples) {
        const std::string text = text_of(e);
        const wlfmt::error problem = e.problem(text);
        CHECK_MESSAGE(problem, e.name);
        printed += wlfmt::explain(problem, text, e.name);
    }
    const std::string golden = test::data("errors.txt");
    const bool same = printed == golden;
    CHECK_MESSAGE(same, "tests/data/errors.txt differs from what is printed now:\n", printed);
}

TEST_CASE("each code has an example") {
    std::array<bool, wlfmt::code_count> shown{};
    for (const example& e : examples) shown[static_cast<std::size_t>(e.problem(text_of(e)).what)] = true;
    for (const code c : without_example) {
        CHECK_MESSAGE(!shown[static_cast<std::size_t>(c)], name(c), " has an example: take it off the list");
        shown[static_cast<std::size_t>(c)] = true;
    }
    CHECK_FALSE(shown[static_cast<std::size_t>(code::none)]);
    for (std::size_t n = 1; n < shown.size(); ++n) CHECK_MESSAGE(shown[n], name(static_cast<code>(n)));
}
