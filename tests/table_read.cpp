// Reading profiler tables: every layout to its columns, rows and totals, every error, and how a reader goes on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <wlfmt/table.hpp>
#include <wlfmt/table/mend.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"
#include "table_support.hpp"

namespace table = wlfmt::table;
using table::cell;
using table::frame_list;
using table::unit;
using test::difference;
using test::frames_of;
using test::lenient_tables;
using test::read_as;
using test::read_tables;
using wlfmt::error_kind;
using wlfmt::number;

namespace {

struct named {
    std::string_view name;
    table::unit unit;
    std::uint32_t width;
    bool left_aligned = false;
};

table::profile expected(std::initializer_list<named> columns, std::vector<cell> cells,
                        std::vector<table::total> totals = {}) {
    table::profile one;
    for (const named& n : columns) {
        table::column c;
        c.name = n.name;
        c.unit = n.unit;
        c.width = n.width;
        c.left_aligned = n.left_aligned;
        one.columns.push_back(c);
    }
    one.cells = std::move(cells);
    one.totals = std::move(totals);
    return one;
}

// Most files are this table in another layout.
table::profile small_table() {
    return expected({{"Name", unit::text, 15}, {"Self CPU", unit::microseconds, 12}, {"# of Calls", unit::count, 12}},
                    {cell("aten::mm"), read_as("13.980ms", 13980.0), read_as("12", 12), cell("aten::relu_"),
                     read_as("0.250us", 0.25), read_as("3", 3)},
                    {{"Self CPU time total", read_as("13.981ms", 13981.0)}});
}
table::profile with_totals(table::profile one, std::vector<table::total> totals) {
    one.totals = std::move(totals);
    return one;
}
table::profile with_titles(table::profile one, std::vector<wlfmt::text_view> titles) {
    one.titles = std::move(titles);
    return one;
}
table::profile with_frames(table::profile one, std::vector<frame_list> frames) {
    one.frames = std::move(frames);
    return one;
}
table::profile first_row_of(table::profile one) {
    one.cells.resize(one.columns.size());
    one.totals.clear();
    return one;
}

table::profile pytorch_1_0() {
    return expected(
        {{"Name", unit::text, 14, true},
         {"CPU time", unit::microseconds, 15},
         {"CUDA time", unit::microseconds, 15},
         {"Calls", unit::count, 15},
         {"CPU total", unit::microseconds, 15},
         {"CUDA total", unit::microseconds, 15}},
        {cell("conv2d"), read_as("224.779us", 224.779), read_as("281.568us", 281.568), read_as("1", 1),
         read_as("224.779us", 224.779), read_as("281.568us", 281.568), cell("contiguous"), read_as("3.120us", 3.12),
         read_as("0.000us", 0.0), read_as("2", 2), read_as("6.240us", 6.24), read_as("0.000us", 0.0)});
}

constexpr std::string_view copy_stack[] = {"model.py(168): embed", "nn.Module: Model_0"};
constexpr std::string_view conv_stack[] = {"torch/nn/modules/conv.py(462): forward", "a.py(1): f"};

using tables = std::vector<table::profile>;

tables devices() {
    static const std::string_view names[][6] = {
        {"Self XPU", "Self XPU %", "XPU total", "XPU time avg", "XPU Mem", "Self XPU time total"},
        {"Self HPU", "Self HPU %", "HPU total", "HPU time avg", "HPU Mem", "Self HPU time total"},
        {"Self NPU", "Self NPU %", "NPU total", "NPU time avg", "NPU Mem", "Self NPU time total"},
        {"Self MTIA", "Self MTIA %", "MTIA total", "MTIA time avg", "MTIA Mem", "Self MTIA time total"},
        {"Self MUSA", "Self MUSA %", "MUSA total", "MUSA time avg", "MUSA Mem", "Self MUSA time total"},
        {"Self PRIVATEUSE1", "Self PRIVATEUSE1 %", "PRIVATEUSE1 total", "PRIVATEUSE1 time avg", "PRIVATEUSE1 Mem",
         "Self PRIVATEUSE1 time total"},
    };
    tables all;
    for (const auto& device : names)
        all.push_back(
            expected({{"Name", unit::text, 5},
                      {device[0], unit::microseconds, 12},
                      {device[1], unit::percent, 12},
                      {device[2], unit::microseconds, 12},
                      {device[3], unit::microseconds, 12},
                      {device[4], unit::bytes, 12},
                      {"# of Calls", unit::count, 12}},
                     {cell("k"), read_as("1.500ms", 1500.0), read_as("100.00%", 100.0), read_as("1.500ms", 1500.0),
                      read_as("500.000us", 500.0), read_as("16 B", 16.0), read_as("3", 3)},
                     {{device[5], read_as("1.500ms", 1500.0)}}));
    return all;
}

tables plain() {
    return {expected(
        {{"Name", unit::text, 55},
         {"Self CPU %", unit::percent, 12},
         {"Self CPU", unit::microseconds, 12},
         {"CPU total %", unit::percent, 12},
         {"CPU total", unit::microseconds, 12},
         {"CPU time avg", unit::microseconds, 12},
         {"Self CUDA", unit::microseconds, 12},
         {"Self CUDA %", unit::percent, 12},
         {"CUDA total", unit::microseconds, 12},
         {"CUDA time avg", unit::microseconds, 12},
         {"# of Calls", unit::count, 12}},
        {cell("aten::mm"),
         read_as("18.18%", 18.18),
         read_as("345.600us", 345.6),
         read_as("649.29%", 649.29),
         read_as("12.346ms", 12346.0),
         read_as("12.346ms", 12346.0),
         read_as("0.000us", 0.0),
         read_as("0.00%", 0.0),
         read_as("46.271ms", 46271.0),
         read_as("3.916s", 3916000.0),
         read_as("1", 1),
         cell("nccl:all_reduce"),
         read_as("0.00%", 0.0),
         read_as("0.000us", 0.0),
         read_as("0", 0),
         read_as("94.776ms", 94776.0),
         read_as("23.694ms", 23694.0),
         read_as("12.500us", 12.5),
         read_as("100.00%", 100.0),
         read_as("2.000s", 2000000.0),
         read_as("117.654ms", 117654.0),
         read_as("1154", 1154),
         cell("void at::native::vectorized_elementwise_kernel<4, at..."),
         read_as("-0.17%", -0.17),
         read_as("1.000ms", 1000.0),
         cell("NaN"),
         read_as("9.000ms", 9000.0),
         read_as("450.000us", 450.0),
         read_as("0.071us", 0.071),
         read_as("0.01%", 0.01),
         read_as("8.001ms", 8001.0),
         read_as("400.025us", 400.025),
         read_as("20", 20)},
        {{"Self CPU time total", read_as("1.901ms", 1901.0)}, {"Self CUDA time total", read_as("2.000s", 2000000.0)}})};
}

tables pytorch_1_3() {
    return {expected(
        {{"Name", unit::text, 10, true},
         {"Self CPU total %", unit::percent, 15},
         {"Self CPU total", unit::microseconds, 15},
         {"CPU total %", unit::percent, 15},
         {"CPU total", unit::microseconds, 15},
         {"CPU time avg", unit::microseconds, 15},
         {"CUDA total %", unit::percent, 15},
         {"CUDA total", unit::microseconds, 15},
         {"CUDA time avg", unit::microseconds, 15},
         {"Number of Calls", unit::count, 15}},
        {cell("conv2d"),
         read_as("26.12%", 26.12),
         read_as("224.779us", 224.779),
         read_as("26.12%", 26.12),
         read_as("224.779us", 224.779),
         read_as("224.779us", 224.779),
         read_as("25.80%", 25.8),
         read_as("281.568us", 281.568),
         read_as("281.568us", 281.568),
         read_as("1", 1),
         cell("add"),
         read_as("12.00%", 12.0),
         read_as("1.008s", 1008000.0),
         read_as("0.00%", 0.0),
         read_as("1.000ms", 1000.0),
         read_as("3.120us", 3.12),
         read_as("0.28%", 0.28),
         read_as("3.072us", 3.072),
         read_as("3.072us", 3.072),
         read_as("3", 3)},
        {{"Self CPU time total", read_as("860.676us", 860.676)}, {"CUDA time total", read_as("1.092ms", 1092.0)}})};
}

tables all_left_aligned() {
    // A label as wide as its column, or wider, does not show whether the column is aligned left or right.
    return {expected({{"Name", unit::text, 7, true},
                      {"Self CPU total %", unit::percent, 15},
                      {"CPU time avg", unit::microseconds, 15, true},
                      {"Number of Calls", unit::count, 15}},
                     {cell("pow"), read_as("60.77%", 60.77), read_as("47.470us", 47.47), read_as("3", 3), cell("mul"),
                      read_as("21.73%", 21.73), read_as("25.465us", 25.465), read_as("2", 2)})};
}

tables overflow() {
    return {expected({{"Name", unit::text, 14},
                      {"Self CPU %", unit::percent, 12},
                      {"Self CPU", unit::microseconds, 12},
                      {"CPU total %", unit::percent, 12},
                      {"CPU total", unit::microseconds, 12},
                      {"CPU time avg", unit::microseconds, 12},
                      {"# of Calls", unit::count, 12}},
                     {cell("aten::mm"),
                      read_as("-688540.00%", -688540.0),
                      read_as("-688540.000us", -688540.0),
                      read_as("1.00%", 1.0),
                      read_as("2.000us", 2.0),
                      read_as("3.000us", 3.0),
                      read_as("1", 1),
                      cell("aten::relu"),
                      read_as("0.10%", 0.1),
                      read_as("1.000us", 1.0),
                      read_as("1.00%", 1.0),
                      read_as("2.000us", 2.0),
                      read_as("3.000us", 3.0),
                      read_as("2", 2),
                      cell("a name that is longer than its column"),
                      read_as("0.10%", 0.1),
                      read_as("1.000us", 1.0),
                      read_as("1.00%", 1.0),
                      read_as("2.000us", 2.0),
                      read_as("3.000us", 3.0),
                      read_as("3", 3)})};
}

tables overflow_and_empty() {
    return {expected({{"Name", unit::text, 13},
                      {"Overload Name", unit::text, 12},
                      {"Self CPU", unit::microseconds, 12},
                      {"CPU total", unit::microseconds, 12},
                      {"# of Calls", unit::count, 12}},
                     {cell("aten::mm"), cell(), read_as("-688540.000us", -688540.0), read_as("2.000us", 2.0),
                      read_as("1", 1), cell("aten::add"), cell("Tensor"), read_as("1.000us", 1.0),
                      read_as("-1234567.000us", -1234567.0), read_as("2", 2), cell("aten::t"),
                      cell("a longer overload"), read_as("1.000us", 1.0), cell(), read_as("3", 3)})};
}

tables overload_names() {
    return {expected({{"Name", unit::text, 15},
                      {"Overload Name", unit::text, 12},
                      {"Self CPU", unit::microseconds, 12},
                      {"# of Calls", unit::count, 12}},
                     {cell("aten::add"), cell("Tensor"), read_as("1.000us", 1.0), read_as("2", 2), cell("aten::mm"),
                      cell(), read_as("2.000us", 2.0), read_as("1", 1), cell("aten::copy_"), cell(),
                      read_as("3.000us", 3.0), read_as("1", 1)})};
}

tables memory() {
    return {expected({{"Name", unit::text, 15},
                      {"CPU Mem", unit::bytes, 12},
                      {"Self CPU Mem", unit::bytes, 12},
                      {"CUDA Mem", unit::bytes, 12},
                      {"Self CUDA Mem", unit::bytes, 12},
                      {"# of Calls", unit::count, 12}},
                     {cell("aten::empty"), read_as("0 b", 0.0), read_as("-4 b", -4.0), read_as("3.81 Kb", 3901.44),
                      read_as("-1.12 Gb", -1.12 * 1073741824), read_as("1", 1), cell("aten::to"),
                      read_as("55.91 Mb", 55.91 * 1048576), read_as("1023.99 Kb", 1048565.76),
                      read_as("2.00 Tb", 2199023255552.0), read_as("-953.67 Mb", -953.67 * 1048576), read_as("2", 2)})};
}

tables memory_upper() {
    return {expected(
        {{"Name", unit::text, 15},
         {"CPU Mem", unit::bytes, 12},
         {"Self CPU Mem", unit::bytes, 12},
         {"# of Calls", unit::count, 12}},
        {cell("aten::empty"), read_as("0 B", 0.0), read_as("-103.86 KB", -106352.64), read_as("1", 1), cell("aten::to"),
         read_as("46.41 MB", 46.41 * 1048576), read_as("1.00 GB", 1073741824.0), read_as("2", 2)})};
}

tables missing() {
    return {expected({{"Name", unit::text, 5},
                      {"Self CPU %", unit::percent, 12},
                      {"CPU total %", unit::percent, 12},
                      {"Self CPU", unit::microseconds, 12},
                      {"CPU Mem", unit::bytes, 12},
                      {"# of Calls", unit::count, 12},
                      {"Total FLOPs", unit::flops, 12}},
                     {cell("a"),
                      cell("NaN"),
                      cell("nan"),
                      cell(),
                      cell(),
                      read_as("1", 1),
                      cell("--"),
                      cell("b"),
                      cell("NaN%"),
                      cell("nan%"),
                      cell("--"),
                      cell("--"),
                      read_as("2", 2),
                      cell("NaN"),
                      cell("c"),
                      read_as("0", 0),
                      read_as("0.00%", 0.0),
                      read_as("0", 0),
                      read_as("0 b", 0.0),
                      read_as("0", 0),
                      read_as("0.000", 0.0),
                      cell(),
                      read_as("1.00%", 1.0),
                      read_as("2.00%", 2.0),
                      read_as("3.000us", 3.0),
                      read_as("4 b", 4.0),
                      read_as("5", 5),
                      read_as("6.000", 6.0)})};
}

tables node_id() {
    return {expected({{"Name", unit::text, 52},
                      {"Self CPU %", unit::percent, 12},
                      {"CPU total", unit::microseconds, 12},
                      {"Number of Calls", unit::count, 12},
                      {"Node ID", unit::count, 12}},
                     {cell("rpc_async#udf(worker0 -> worker1)"), read_as("0.00%", 0.0), read_as("1.008s", 1008000.0),
                      read_as("1", 1), read_as("0", 0), cell("rpc_async#udf(worker0 -> worker1)#remote_op: mul"),
                      read_as("31.43%", 31.43), read_as("199.949us", 199.949), read_as("2", 2), read_as("1", 1)})};
}

tables shapes() {
    return {expected({{"Name", unit::text, 15},
                      {"Self CPU", unit::microseconds, 12},
                      {"# of Calls", unit::count, 12},
                      {"Input Shapes", unit::text, 80}},
                     {cell("aten::addmm"), read_as("1.000ms", 1000.0), read_as("1", 1),
                      cell("[[128], [5, 512], [512, 128], [], []]"), cell("aten::t"), read_as("1.000us", 1.0),
                      read_as("2", 2), cell("[]"), cell("aten::cat"), read_as("2.000us", 2.0), read_as("1", 1),
                      cell("[[12, 34], [12, 34], [12, 34], [12, 34], [12, 34], [12, 34], [12, 34], [5, 6, 7]")})};
}

tables stack() {
    return {with_frames(expected({{"Name", unit::text, 15},
                                  {"Self CPU", unit::microseconds, 12},
                                  {"# of Calls", unit::count, 12},
                                  {"Source Location", unit::source, 51, true}},
                                 {cell("aten::copy_"), read_as("62.047s", 62047000.0), read_as("12", 12),
                                  cell("<built-in method to of Tensor object at 0x78a5>"), cell("launch"),
                                  read_as("1.000us", 1.0), read_as("480", 480), cell(), cell("aten::mm"),
                                  read_as("2.000us", 2.0), read_as("1", 1), cell("train.py(12): <module>")}),
                        {test::stack_of(copy_stack)})};
}

tables stack_flops() {
    return {with_frames(
        expected({{"Name", unit::text, 16},
                  {"Self CPU", unit::microseconds, 12},
                  {"# of Calls", unit::count, 12},
                  {"Source Location", unit::source, 48, true},
                  {"Total MFLOPs", unit::flops, 12}},
                 {cell("step"), read_as("345.600us", 345.6), read_as("1", 1), cell(), cell("--"), cell("aten::conv2d"),
                  read_as("1.000ms", 1000.0), read_as("20", 20), cell("torch/nn/modules/conv.py(454): _conv_forward"),
                  read_as("2360.000", 2360.0), cell("aten::addmm"), read_as("2.000us", 2.0), read_as("3", 3),
                  cell("<built-in method addmm>"), read_as("5.120", 5.12)}),
        {frame_list(), test::stack_of(conv_stack)})};
}

tables unknown_columns() {
    return {expected({{"Name", unit::text, 5},
                      {"Kind", unit::other, 12},
                      {"Rank", unit::other, 12},
                      {"Ratio", unit::other, 12},
                      {"Load", unit::other, 12},
                      {"Took", unit::other, 12},
                      {"Size", unit::other, 12}},
                     {cell("a"), read_as("gemm", number("gemm")), read_as("3", 3), read_as("1.5", 1.5),
                      read_as("12.50%", 12.5), read_as("3.000ms", 3000.0), read_as("4 Kb", number("4 Kb")), cell("b"),
                      read_as("x y", number("x y")), cell("--"), read_as("1e-3", 0.001), read_as("-0.10%", -0.1),
                      read_as("2.000s", 2000000.0), read_as("12345678901234567890", number("12345678901234567890"))})};
}

// The expected tables of each file without problems.
const std::map<std::string, tables>& files() {
    const table::profile small = small_table();
    static const std::map<std::string, tables> all = {
        {"all_left_aligned", all_left_aligned()},
        {"banner", {small}},
        {"blank_ends", {first_row_of(small)}},
        {"blank_lines", {small}},
        {"bom", {small}},
        {"console",
         {small, expected({{"Name", unit::text, 13}, {"CPU total", unit::microseconds, 12}},
                          {cell("aten::add"), read_as("1.000us", 1.0)})}},
        {"crlf", {small}},
        {"cut_off",
         {with_totals(
             expected({{"Name", unit::text, 15}, {"Self CPU", unit::microseconds, 12}, {"# of Calls", unit::count, 12}},
                      {cell("aten::mm"), read_as("13.980ms", 13980.0), read_as("12", 12), cell("aten::relu_"),
                       read_as("0.250us", 0.25), read_as("3", 3)}),
             {})}},
        {"devices", devices()},
        {"equals_rule", {small}},
        {"flops",
         {expected(
             {{"Name", unit::text, 16},
              {"Self CPU", unit::microseconds, 12},
              {"# of Calls", unit::count, 12},
              {"Total FLOPs", unit::flops, 12}},
             {cell("aten::conv2d"), read_as("1.000ms", 1000.0), read_as("20", 20),
              read_as("18135613440.000", 18135613440.0), cell("aten::mul"), read_as("1.000us", 1.0), read_as("1", 1),
              read_as("30.000", 30.0), cell("aten::t"), read_as("0.500us", 0.5), read_as("1", 1), cell("--")})}},
        {"header_with_a_gap",
         {expected({{"Name", unit::text, 5}, {"", unit::other, 12}, {"# of Calls", unit::count, 12}},
                   {cell("a"), read_as("x", number("x")), read_as("1", 1), cell("b"), cell(), read_as("2", 2)})}},
        {"indented", {small}},
        {"indented_and_stripped", {small}},
        {"memory", memory()},
        {"memory_upper", memory_upper()},
        {"missing", missing()},
        {"no_break_spaces", {small}},
        {"no_closing_rule", {with_totals(small, {})}},
        {"no_final_newline", {small}},
        {"no_rows",
         {expected({{"Name", unit::text, 5}, {"Self CPU", unit::microseconds, 12}, {"# of Calls", unit::count, 12}}, {},
                   {{"Self CPU time total", read_as("0.000us", 0.0)}})}},
        {"node_id", node_id()},
        {"one_blank_between",
         {expected({{"Name", unit::text, 3}, {"Self CPU", unit::microseconds, 6}},
                   {cell("a"), read_as("1.000us", 1.0), cell("b"), read_as("2.000us", 2.0)})}},
        {"overflow", overflow()},
        {"overflow_and_empty", overflow_and_empty()},
        {"overload_names", overload_names()},
        {"plain", plain()},
        {"prose_total", {small}},
        {"pytorch_1_0", {pytorch_1_0()}},
        {"pytorch_1_3", pytorch_1_3()},
        {"shapes", shapes()},
        {"small", {small}},
        {"stack", stack()},
        {"stack_flops", stack_flops()},
        {"stripped", {small}},
        {"titles",
         {with_titles(small, {"Sorted by self CPU time", "This report only display top-level ops statistics"})}},
        {"totals",
         {with_totals(small, {{"Self CPU time total", read_as("2.000us", 2.0)},
                              {"Self CUDA time total", cell("NaN")},
                              {"CUDA time total", read_as("1.000s", 1000000.0)}})}},
        {"unknown_columns", unknown_columns()},
        {"utf8",
         {expected({{"Name", unit::text, 14}, {"Self CPU", unit::microseconds, 12}, {"# of Calls", unit::count, 12}},
                   {cell("sch\xC3\xB6n::\xE9\x9B\xAA"), read_as("13.980ms", 13980.0), read_as("12", 12),
                    cell("\xF0\x9F\x98\x80"), read_as("0.250us", 0.25), read_as("3", 3), cell("plain"),
                    read_as("1.000us", 1.0), read_as("1", 1)})}},
    };
    return all;
}

std::string file(std::string_view name) { return test::data("table/" + std::string(name) + ".txt"); }

// The text of small.txt with one piece of it replaced.
std::string changed(std::string_view from, std::string_view to, std::string text = file("small")) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

table::document document_of(const tables& all) {
    table::document doc;
    doc.tables = all;
    return doc;
}

// The text that wlfmt reads in place of one whose tables people or programs have damaged.
std::string mended(const std::string& text) {
    const table::mended m = table::mend(text);
    return m.done.empty() ? text : m.text;
}

// The document that a text without problems is read as.
table::document read_clean(std::string_view text) {
    const auto read = table::read(text);
    CHECK_MESSAGE(read.ok(), wlfmt::explain(read.error(), text, wlfmt::in_file("read_clean")));
    return *read;
}

// The document of a text whose only problem is that its tables, of which there are so many, lack their closing rules.
table::document read_open(std::string_view text, std::size_t open = 1) {
    const auto got = read_tables(text, lenient_tables());
    CHECK(got.errors.size() == open);
    for (const wlfmt::problem& e : got.errors) {
        CHECK(e.kind == error_kind::unclosed_table);
        CHECK(e.length == 0);
    }
    CHECK(table::read(text).error().kind == error_kind::unclosed_table);
    return got.doc;
}

bool has_no_closing_rule(std::string_view name) {
    return name == "blank_ends" || name == "cut_off" || name == "no_closing_rule";
}

// The lines that a strict reader calls foreign text, as "3: the line".
std::vector<std::string> foreign_lines(std::string_view text) {
    wlfmt::options how;
    how.strict = true;
    std::vector<std::string> lines;
    for (const wlfmt::problem& e : read_tables(text, how).errors) {
        if (e.kind == error_kind::unclosed_table) continue;
        CHECK(e.kind == error_kind::foreign_text);
        CHECK(e.field == "profiler table");
        lines.push_back(std::to_string(wlfmt::location_of(text, e.offset).line) + ": " +
                        std::string(text.substr(static_cast<std::size_t>(e.offset), e.length)));
    }
    return lines;
}

using strings = std::vector<std::string>;

// What the only cell of a column is read as, in each of the two ways to read a row: in the middle of a text, and at its
// end.
struct cell_reading {
    number value = {};
    wlfmt::problem problem = {};
};
cell_reading read_cell(std::string_view column, std::string_view printed) {
    const std::string text = test::one_cell_table(column, printed);
    // With a line end: without one, a number that ends before its column does would have been cut.
    const std::string at_end = text.substr(0, text.rfind("\n----") + 1);
    const auto got = read_tables(text, lenient_tables());
    auto other = read_tables(at_end, lenient_tables());
    if (column != "Calls") {
        REQUIRE(!other.errors.empty());
        CHECK(other.errors.back().kind == error_kind::unclosed_table);
        other.errors.pop_back();
    }
    REQUIRE(got.doc.tables.size() == 1);
    REQUIRE_MESSAGE(difference(got.doc, other.doc) == "", printed);
    REQUIRE(got.doc.tables[0].size() == 1);
    REQUIRE(got.errors.size() == other.errors.size());
    cell_reading one;
    const cell read = got.doc.tables[0].row(0)[1];
    CHECK(read.text() == printed);
    // The text outlives the table.
    one.value = read.value().is_text() ? number(printed) : number(read.value());
    if (!got.errors.empty()) {
        one.problem = got.errors[0];
        CHECK(one.problem.field == column);
        CHECK(text.substr(static_cast<std::size_t>(one.problem.offset), one.problem.length) == printed);
        one.problem.field = {};
    }
    return one;
}

bool reads_as(std::string_view column, std::string_view printed, const number& value) {
    const cell_reading got = read_cell(column, printed);
    return !got.problem && got.value == value;
}
bool is_refused(std::string_view column, std::string_view printed, error_kind why) {
    const cell_reading got = read_cell(column, printed);
    return got.problem.kind == why && got.value == number(printed);
}

// A table of that many columns of one character each, with one row.
std::string wide_table(std::size_t columns) {
    std::string rule, names, row;
    for (std::size_t n = 0; n != columns; ++n) {
        rule += "---  ";
        names += "  c  ";
        row += "  1  ";
    }
    return rule + "\n" + names + "\n" + rule + "\n" + row + "\n" + rule + "\n";
}

bool is_inside(std::string_view view, std::string_view text) {
    return view.empty() || (view.data() >= text.data() && view.data() + view.size() <= text.data() + text.size());
}

}  // namespace

TEST_CASE("every file reads to its titles, columns, cells, frames and totals") {
    std::size_t clean = 0;
    for (const std::string& name : test::table_files()) clean += name.find("table/error_") != 0;
    CHECK(clean == files().size() + std::size(test::table_samples));
    for (const auto& one : files()) {
        CAPTURE(one.first);
        const std::string text = mended(file(one.first));
        const table::document doc = has_no_closing_rule(one.first) ? read_open(text) : read_clean(text);
        CHECK(difference(doc, document_of(one.second)) == "");
    }
}

TEST_CASE("the real table") {
    const std::string text = test::data(test::table_samples[0]);
    const auto doc = read_clean(text);
    REQUIRE(doc.tables.size() == 1);
    const table::profile& one = doc.tables[0];
    CHECK(one.size() == 84);
    CHECK(one.totals.empty());
    CHECK(one.titles.empty());
    const tables like = plain();
    REQUIRE(one.columns.size() == 11);
    for (std::size_t n = 0; n != 11; ++n) CHECK(one.columns[n].name == like[0].columns[n].name);
    table::profile first = one;
    first.cells.resize(11);
    table::profile wanted = like[0];
    wanted.totals.clear();
    wanted.cells = {cell("train_step-0"),
                    read_as("0.17%", 0.17),
                    read_as("13.980ms", 13980.0),
                    read_as("47.17%", 47.17),
                    read_as("3.916s", 3916000.0),
                    read_as("3.916s", 3916000.0),
                    read_as("0.000us", 0.0),
                    read_as("0.00%", 0.0),
                    read_as("46.271ms", 46271.0),
                    read_as("46.271ms", 46271.0),
                    read_as("1", 1)};
    CHECK(difference(first, wanted) == "");
    CHECK(foreign_lines(text).empty());
}

TEST_CASE("the name of a column decides its unit") {
    const struct {
        table::unit unit;
        std::vector<std::string_view> names;
    } units[] = {
        {unit::text, {"Name", "Overload Name", "Input Shapes"}},
        {unit::source, {"Source Location"}},
        {unit::bytes, {"CPU Mem", "Self CUDA Mem", "Mem", "Mem %"}},
        {unit::percent, {"Self CPU %", "CUDA total %", "%", "% FLOPs"}},
        {unit::flops, {"Total FLOPs", "Total KFLOPs", "Total GFLOPs", "MFLOPS", "FLOP Calls"}},
        {unit::count, {"# of Calls", "Number of Calls", "Calls", "Node ID", "Calls total"}},
        {unit::microseconds,
         {"Self CPU", "CPU total", "CPU time avg", "CPU time", "CUDA total", "Self XPU", "Self anything"}},
        {unit::other, {"", "name", "Names", "Self", "self CPU", "Rank", "mem", "Source", "Node IDs"}},
    };
    for (const auto& u : units)
        for (const std::string_view name : u.names) CHECK_MESSAGE(table::unit_of(name) == u.unit, name);
    // The list of usual columns says what the rule says.
    for (const auto& usual : wlfmt::detail::usual_columns)
        CHECK_MESSAGE(wlfmt::detail::unit_by_words({usual.name, usual.size}) == usual.unit, usual.name);
}

TEST_CASE("columns of one quantity have one canonical name in every version of PyTorch and for every device") {
    using table::quantity;
    const struct {
        std::string_view printed;
        std::string_view name;
        table::quantity quantity;
        std::string_view device;
        bool own;
        bool average;
        double scale;
    } names[] = {
        {"Name", "name", quantity::name, "", false, false, 1},
        {"Full Name", "full_name", quantity::full_name, "", false, false, 1},
        {"Overload Name", "overload_name", quantity::overload_name, "", false, false, 1},
        {"Input Shapes", "input_shapes", quantity::input_shapes, "", false, false, 1},
        {"Source Location", "source", quantity::source, "", false, false, 1},
        {"Node ID", "node_id", quantity::node_id, "", false, false, 1},
        {"# of Calls", "calls", quantity::calls, "", false, false, 1},
        {"Number of Calls", "calls", quantity::calls, "", false, false, 1},
        {"Calls", "calls", quantity::calls, "", false, false, 1},
        {"# Calls", "calls", quantity::calls, "", false, false, 1},
        {"Self CPU", "self_cpu_time_us", quantity::time, "CPU", true, false, 1},
        {"Self CPU total", "self_cpu_time_us", quantity::time, "CPU", true, false, 1},
        {"Self CPU time total", "self_cpu_time_us", quantity::time, "CPU", true, false, 1},
        {"Self CUDA", "self_device_time_us", quantity::time, "CUDA", true, false, 1},
        {"Self XPU", "self_device_time_us", quantity::time, "XPU", true, false, 1},
        {"Self MY_CHIP2", "self_device_time_us", quantity::time, "MY_CHIP2", true, false, 1},
        {"Self PrivateUse1", "self_device_time_us", quantity::time, "PrivateUse1", true, false, 1},
        {"Self CPU %", "self_cpu_time_percent", quantity::time, "CPU", true, false, 1},
        {"Self CPU total %", "self_cpu_time_percent", quantity::time, "CPU", true, false, 1},
        {"Self HPU %", "self_device_time_percent", quantity::time, "HPU", true, false, 1},
        {"CPU total", "cpu_time_us", quantity::time, "CPU", false, false, 1},
        {"NPU total", "device_time_us", quantity::time, "NPU", false, false, 1},
        {"CUDA time total", "device_time_us", quantity::time, "CUDA", false, false, 1},
        {"CPU total %", "cpu_time_percent", quantity::time, "CPU", false, false, 1},
        {"CUDA total %", "device_time_percent", quantity::time, "CUDA", false, false, 1},
        {"CPU time avg", "cpu_time_avg_us", quantity::time, "CPU", false, true, 1},
        {"CPU time", "cpu_time_avg_us", quantity::time, "CPU", false, true, 1},
        {"MUSA time avg", "device_time_avg_us", quantity::time, "MUSA", false, true, 1},
        {"CPU Mem", "cpu_memory_bytes", quantity::memory, "CPU", false, false, 1},
        {"Self CPU Mem", "self_cpu_memory_bytes", quantity::memory, "CPU", true, false, 1},
        {"PRIVATEUSE1 Mem", "device_memory_bytes", quantity::memory, "PRIVATEUSE1", false, false, 1},
        {"Self CUDA Mem", "self_device_memory_bytes", quantity::memory, "CUDA", true, false, 1},
        {"Total FLOPs", "flops", quantity::flops, "", false, false, 1},
        {"Total KFLOPs", "flops", quantity::flops, "", false, false, 1e3},
        {"Total MFLOPs", "flops", quantity::flops, "", false, false, 1e6},
        {"Total PFLOPs", "flops", quantity::flops, "", false, false, 1e15},
        {"MFLOPS", "flops_per_second", quantity::flops_rate, "", false, false, 1e6},
        {"GFLOPS/s", "flops_per_second", quantity::flops_rate, "", false, false, 1e9},
    };
    for (const auto& n : names) {
        CAPTURE(n.printed);
        const table::column_meaning m = table::meaning_of(n.printed);
        CHECK(m.name == n.name);
        CHECK(m.quantity == n.quantity);
        CHECK(m.device == n.device);
        CHECK(m.self == n.own);
        CHECK(m.average == n.average);
        CHECK(m.scale == n.scale);
        // The canonical name ends with the column's unit.
        const auto ends = [&](std::string_view end) {
            return n.name.size() > end.size() && n.name.substr(n.name.size() - end.size()) == end;
        };
        const unit u = table::unit_of(n.printed);
        CHECK((u == unit::microseconds) == ends("_us"));
        CHECK((u == unit::percent) == ends("_percent"));
        CHECK((u == unit::bytes) == ends("_bytes"));
    }
    for (const std::string_view stranger :
         {"", "name", "Self", "Self ", "Self %", " total", "Self cuda", "Rank total", "Total", "Total XFLOPs", "XFLOPS",
          "FLOPs", "Total MFLOPs/s", "Self CUDA time", "# of Calls ", "Mem", "Self GPU 0", "1PU total", "_PU total"}) {
        const table::column_meaning m = table::meaning_of(stranger);
        CHECK_MESSAGE(m.quantity == quantity::unknown, stranger);
        CHECK_MESSAGE((m.name.empty() && m.device.empty() && m.scale == 1), stranger);
    }
}

TEST_CASE("a column that is built by its name is as PyTorch has it") {
    const table::column times("Self CPU");
    CHECK(times.name == "Self CPU");
    CHECK(times.unit == unit::microseconds);
    CHECK(times.width == 0);
    CHECK_FALSE(times.left_aligned);
    CHECK(table::column("Source Location").unit == unit::source);
    CHECK(table::column("Source Location").left_aligned);
    const table::column none;
    CHECK(none.name.empty());
    CHECK(none.unit == unit::other);
}

TEST_CASE("columns are found by name, the first of that name") {
    const std::string text = file("memory");
    table::reader tables(text);
    REQUIRE(tables.next_table());
    CHECK(tables.find_column("Name") == 0);
    CHECK(tables.find_column("Self CPU Mem") == 2);
    CHECK(tables.find_column("Self CPU mem") == tables.columns().size());
    CHECK(tables.find_column("") == 6);
    CHECK(table::reader("").find_column("Name") == 0);
    const table::row* r = tables.next();
    REQUIRE(r != nullptr);
    CHECK(r->find("CPU Mem").text() == "0 b");
    CHECK(r->find("Self CPU Mem").value() == -4.0);
    CHECK(r->find("# of Calls").as<int>() == 1);
    CHECK(r->find("Calls").is_missing());
    CHECK((*r)[tables.find_column("no such column")].is_missing());
    const std::string twice = "---  ---  ---\n x    y    y\n---  ---  ---\n";
    table::reader columns(twice);
    REQUIRE(columns.next_table());
    CHECK(columns.find_column("y") == 1);
    const auto doc = table::read(text);
    const table::profile& one = doc->tables.at(0);
    CHECK(one.find_column("Self CPU Mem") == 2);
    CHECK(one.find_column("?") == one.columns.size());
    CHECK(one.find_cell(1, "Name").text() == "aten::to");
    CHECK(one.find_cell(2, "Name").is_missing());
    CHECK(one.find_cell(0, "?").is_missing());
    CHECK(one.cell_at(0, one.find_column("?")).is_missing());
    table::profile edited = one;
    REQUIRE(edited.edit_cell(1, "Name") != nullptr);
    CHECK(edited.edit_cell(1, "Name")->text() == "aten::to");
    CHECK(edited.edit_cell(2, "Name") == nullptr);
    CHECK(edited.edit_cell(0, "?") == nullptr);
    CHECK(edited.edit_cell_at(0, one.find_column("?")) == nullptr);
}

TEST_CASE("rows, columns and lists are looked at by position") {
    const std::string text = file("small");
    table::reader tables(text);
    REQUIRE(tables.next_table());
    const wlfmt::item_list<table::column>& columns = tables.columns();
    CHECK(columns.size() == 3);
    CHECK_FALSE(columns.empty());
    CHECK(columns[1].name == "Self CPU");
    CHECK(columns.end() - columns.begin() == 3);
    CHECK(wlfmt::item_list<int>().empty());
    const table::row* r = tables.next();
    REQUIRE(r != nullptr);
    CHECK(r->cells.size() == 3);
    CHECK((*r)[2].text() == "12");
    CHECK(&(*r)[2] == &r->cells[2]);
    CHECK(r->frames.empty());
}

TEST_CASE("every column of every device is known with no-break spaces, too") {
    using columns = wlfmt::detail::table_columns;
    int names = 0;
    for (const auto& row : columns::rows)
        for (const auto& device : columns::devices) {
            std::string name(row.printed);
            if (const std::size_t hole = name.find('*'); hole != std::string::npos)
                name.replace(hole, 1, device.printed);
            if (name.find('+') != std::string::npos || name.find(' ') == std::string::npos) continue;
            std::string printed = name;
            for (std::size_t at = 0; (at = printed.find(' ', at)) != std::string::npos;)
                printed.replace(at, 1, "\xC2\xA0");
            CAPTURE(name);
            const std::string_view found = columns::spelled(printed);
            CHECK(found == name);
            CHECK(found.data() != printed.data());
            ++names;
        }
    CHECK(names > 150);
    const std::string other = "My\xC2\xA0own";
    CHECK(columns::spelled(other).data() == other.data());
}

TEST_CASE("the unit that a column has by its name is that of what its row says it measures") {
    using columns = wlfmt::detail::table_columns;
    using table::quantity;
    using table::unit;
    for (const auto& row : columns::rows)
        for (const auto& device : columns::devices) {
            std::string name(row.printed);
            if (const std::size_t hole = name.find_first_of("*+"); hole != std::string::npos)
                name.replace(hole, 1, name[hole] == '*' ? device.printed : "G");
            CAPTURE(name);
            const auto wanted = [&] {
                switch (row.quantity) {
                case quantity::name:
                case quantity::overload_name:
                case quantity::input_shapes: return unit::text;
                case quantity::source: return unit::source;
                case quantity::node_id:
                case quantity::calls: return unit::count;
                case quantity::time: return name.back() == '%' ? unit::percent : unit::microseconds;
                case quantity::memory: return unit::bytes;
                case quantity::flops:
                case quantity::flops_rate: return unit::flops;
                case quantity::full_name:
                case quantity::unknown: break;
                }
                return unit::other;
            };
            CHECK(table::unit_of(name) == wanted());
        }
}

TEST_CASE("stack frames are lines, or an array of their own") {
    CHECK(frame_list().empty());
    CHECK(frame_list().size() == 0);
    CHECK(frame_list::from_text(" \n\t\r\n").empty());
    const frame_list lines = frame_list::from_text("  a.py(1): f  \n\n \xC2\xA0 b.py(2): g\r\n   \nc");
    CHECK(lines.size() == 3);
    CHECK_FALSE(lines.empty());
    CHECK(frames_of(lines) == strings{"a.py(1): f", "b.py(2): g", "c"});
    CHECK((*lines.begin()).size() == 10);
    const std::string_view own[] = {"x", "", " y "};
    CHECK(frames_of(test::stack_of(own)) == strings{"x", "", " y "});
    CHECK(test::stack_of(own).size() == 3);
    CHECK(frame_list(std::vector<std::string_view>()).empty());
    // However many braces there are: two literals are a pair of iterators to std::string_view since C++20.
    const strings two = {"a.py(1): f", "b.py(2): g"};
    CHECK(frames_of(frame_list({"a.py(1): f", "b.py(2): g"})) == two);
    CHECK(frames_of(frame_list{"a.py(1): f", "b.py(2): g"}) == two);
    CHECK(frames_of(frame_list({{"a.py(1): f", "b.py(2): g"}})) == two);
    CHECK(frames_of(frame_list{{"a.py(1): f", "b.py(2): g"}}) == two);
    CHECK(frames_of({"a\nb"}) == strings{"a\nb"});
}

TEST_CASE("times are microseconds, percents as printed, memory in bytes of 1024") {
    const struct {
        std::string_view column;
        std::string_view unit;
        const char* exponent;
        double factor;
    } forms[] = {
        {"Self CPU", "us", "", 1},    {"CPU total", "ms", "e3", 1},    {"CPU time avg", "s", "e6", 1},
        {"Self CPU %", "%", "", 1},   {"CPU Mem", " b", "", 1},        {"CPU Mem", " B", "", 1},
        {"CPU Mem", " Kb", "", 1024}, {"CPU Mem", " MB", "", 1048576}, {"CPU Mem", " Gb", "", 1073741824},
        {"CPU Mem", "kB", "", 1024},  {"CPU Mem", "mb", "", 1048576},  {"CPU Mem", " TB", "", 1099511627776.0},
        {"Total FLOPs", "", "", 1},   {"Anything", "us", "", 1},       {"Anything", "ms", "e3", 1},
        {"Anything", "s", "e6", 1},   {"Anything", "%", "", 1},
    };
    const std::string digits = "9071623548012";
    for (const auto& form : forms) {
        for (std::size_t whole = 1; whole <= 10; ++whole) {
            for (std::size_t decimals = 0; decimals <= 4; ++decimals) {
                for (const char* const sign : {"", "-", "+"}) {
                    std::string figure = sign + digits.substr(0, whole);
                    if (decimals != 0) figure += "." + digits.substr(13 - decimals);
                    const double value = std::strtod((figure + form.exponent).c_str(), nullptr) * form.factor;
                    const std::string printed = figure.append(form.unit);
                    const bool integer = form.column == "Total FLOPs" && decimals == 0;
                    const number wanted = integer ? number(static_cast<std::int64_t>(value)) : number(value);
                    REQUIRE_MESSAGE(reads_as(form.column, printed, wanted), printed);
                }
            }
        }
    }
}

TEST_CASE("a time is rounded once") {
    // Read as a double and then multiplied by 1000 these would be off by the last bit.
    CHECK(reads_as("Self CPU", "0.001ms", 1.0));
    CHECK(reads_as("Self CPU", "4.035ms", 4035.0));
    CHECK(reads_as("Self CPU", "1.001s", 1001000.0));
    CHECK(reads_as("Self CPU", "8.303s", 8303000.0));
    CHECK(reads_as("Self CPU", "0.29ms", 290.0));
    CHECK(reads_as("Self CPU", "9007199254740.993ms", 9007199254740993.0));
}

TEST_CASE("counts are integers of 64 bits") {
    for (const std::string_view column : {"# of Calls", "Number of Calls", "Node ID"}) {
        CHECK(reads_as(column, "95", 95));
        CHECK(reads_as(column, "-1", -1));
        CHECK(reads_as(column, "+7", 7));
        CHECK(reads_as(column, "007", 7));
        CHECK(reads_as(column, "123456789012345", 123456789012345));
        CHECK(reads_as(column, "9223372036854775807", 9223372036854775807));
        CHECK(reads_as(column, "-9223372036854775808", (std::numeric_limits<std::int64_t>::min)()));
        CHECK(is_refused(column, "9223372036854775808", error_kind::number_overflow));
        for (const std::string_view word : {"1.0", "1e3", "many", "1 2", "12x", "0x10", "1us", "1%", "-", "+", "."})
            CHECK_MESSAGE(is_refused(column, word, error_kind::not_an_integer), word);
    }
}

TEST_CASE("a bare zero is the integer zero in every column of numbers") {
    for (const std::string_view column : {"Self CPU %", "Self CPU", "CPU Mem", "# of Calls", "Total FLOPs", "Load"})
        CHECK_MESSAGE(reads_as(column, "0", 0), column);
    for (const std::string_view column : {"Self CPU %", "Self CPU", "CPU Mem"})
        for (const std::string_view zero : {"-0", "+0", "00", "0.0", "0."})
            CHECK_MESSAGE(is_refused(column, zero, error_kind::not_a_number), column, zero);
}

TEST_CASE("an empty cell, dashes and NaN are missing, not zero") {
    for (const std::string_view column : {"Self CPU %", "Self CPU", "CPU Mem", "# of Calls", "Total FLOPs", "Load"})
        for (const std::string_view nothing : {"", "--", "NaN", "nan", "NaN%", "nan%"})
            // (A line with a name and nothing else is not a row.)
            if (!nothing.empty() || column == "Load")
                CHECK_MESSAGE(reads_as(column, nothing, number()), column, nothing);
    for (const std::string_view word : {"NAN", "-", "---", "N/A", "None", "-NaN", "NaNus", "inf"}) {
        CHECK_MESSAGE(is_refused("Self CPU", word, error_kind::not_a_number), word);
        CHECK_MESSAGE(is_refused("# of Calls", word, error_kind::not_an_integer), word);
    }
}

TEST_CASE("names and shapes have no value, whatever they are") {
    for (const std::string_view column : {"Overload Name", "Input Shapes"})
        for (const std::string_view text : {"", "95", "0", "1.5ms", "NaN", "--", "[[2, 3], []]", "a b"})
            CHECK_MESSAGE(reads_as(column, text, number()), column, text);
    CHECK(reads_as("Source Location", "95", number()));
}

TEST_CASE("a column of another name holds a number, percent, time or text") {
    CHECK(reads_as("Load", "3", 3));
    CHECK(reads_as("Load", "-1.5e3", -1500.0));
    CHECK(reads_as("Load", ".5", 0.5));
    CHECK(reads_as("Load", "12.5%", 12.5));
    CHECK(reads_as("Load", "3s", 3000000.0));
    for (const std::string_view text : {"gemm", "4 Kb", "1,000", "1e999", "12345678901234567890", "-", "1.5h"})
        CHECK_MESSAGE(reads_as("Load", text, number(text)), text);
}

TEST_CASE("a cell in a form that its column does not have is an error, and a text to a lenient reader") {
    const struct {
        std::string_view column;
        std::vector<std::string_view> cells;
    } refused[] = {
        {"Self CPU", {"5",    "5.0",   "1.us",    ".5us",    "1u s",  "1.5h",        "1.5mS",  "1.5MS", "1e3us",
                      "1.5%", "1,5us", "us",      "s",       "-us",   "--us",        "1.2.3s", "1.5 b", "1.5m",
                      "x",    "1us2",  "-.000us", "0-1.5us", "+-1us", "1.5\xC2\xB5", "1_0us"}},
        {"Self CPU %", {"0.17", "%", "-%", ".5%", "1.%", "1 x%", "1%%", "1.5us", "1e2%", "0x1%", "1.5% x", "-.25%"}},
        {"CPU Mem",
         {"5", "5 bytes", "1.5 Xb", "1.5 K", "b", " b", "1. b", ".5 Kb", "1e3 b", "1.5 Pb", "1.5 bK", "1.5%", "12.34%",
          "-12.34%", "-.25 Kb", "1.5 Mbb"}},
        {"Total FLOPs", {"1.5us", "x", "1.5%", "1 000", "0x1", ".", "1e", "-", "1.2.3", "1 b"}},
    };
    for (const auto& r : refused)
        for (const std::string_view printed : r.cells) {
            if (printed.front() == ' ') continue;
            CHECK_MESSAGE(is_refused(r.column, printed, error_kind::not_a_number), r.column, printed);
        }
    // Beyond a double.
    const std::string large(400, '9');
    CHECK(is_refused("Self CPU", large + "us", error_kind::number_overflow));
    CHECK(is_refused("Self CPU %", large + "%", error_kind::number_overflow));
    CHECK(is_refused("CPU Mem", large + " b", error_kind::number_overflow));
    CHECK(is_refused("CPU Mem", std::string(308, '9') + " Tb", error_kind::number_overflow));
    CHECK(is_refused("Total FLOPs", "1e999", error_kind::number_overflow));
    CHECK(is_refused("Total FLOPs", "9223372036854775808", error_kind::number_overflow));
}

TEST_CASE("names and cells with a single blank between them are one") {
    const std::string text =
        "---- ----- ------\n"
        "Name Calls Self x\n"
        "---- ----- ------\n"
        "a b      1 1.00us\n";
    CHECK(table::read(text).error().kind == error_kind::column_mismatch);
    CHECK(table::read(text).error().found == 1);
}

TEST_CASE("cells are looked up by name, and documents and tables are ranges") {
    const std::string text = test::data("profiler_table_moe_train_step.txt");
    auto doc = wlfmt::table::read(text);
    REQUIRE(doc.ok());
    REQUIRE(doc->size() == doc->tables.size());
    CHECK_FALSE(doc->empty());
    std::size_t rows = 0;
    for (const auto& profile : *doc)
        for (const auto& row : profile) {
            ++rows;
            CHECK(row["Name"].text() == row.find("Name").text());
            CHECK_FALSE(row["Name"].is_missing());
            CHECK(row["no such column"].is_missing());
            CHECK(row[0].text() == row.cells[0].text());
        }
    CHECK(rows == doc->tables[0].size());
    for (auto& profile : *doc) profile.titles.clear();
    const auto& first = doc->tables[0];
    CHECK(first.begin() != first.end());
    CHECK(std::next(first.begin(), static_cast<std::ptrdiff_t>(rows)) == first.end());
}

TEST_CASE("rows wider than their columns shift the rest") {
    // Where every cell has text, the cells are counted; where one is empty, the spans are shifted.
    const std::string head =
        "----------  ----------  ----------  ----------  \n"
        "      Name    Self CPU   CPU total       Calls  \n"
        "----------  ----------  ----------  ----------  \n";
    // The same in the middle of a table and at its end.
    const auto cells_in = [&](const std::string& line, std::string_view next) {
        const std::string text = (head + line).append("\n").append(next);
        const auto read = table::read(text);
        strings texts;
        if (read.ok())
            for (std::size_t n = 0; n != 4; ++n) texts.emplace_back(read->tables.at(0).cell_at(0, n).text());
        else texts.emplace_back(name_of(read.error().kind));
        return texts;
    };
    const auto cells_of = [&](const std::string& line) {
        const strings texts = cells_in(line, head.substr(0, head.find('\n')));
        CHECK(cells_in(line, "         z     4.000us     5.000us           6  \n") == texts);
        return texts;
    };
    CHECK(cells_of("  a longer name     1.000us     2.000us           3  ") ==
          strings{"a longer name", "1.000us", "2.000us", "3"});
    CHECK(cells_of("a longer name     1.000us                       3  ") ==
          strings{"a longer name", "1.000us", "", "3"});
    CHECK(cells_of("a longer name              12345678.000us           3  ") ==
          strings{"a longer name", "", "12345678.000us", "3"});
    CHECK(cells_of("         a                 2.000us      ") == strings{"a", "", "2.000us", ""});
    CHECK(cells_of("               1.000us") == strings{"", "1.000us", "", ""});
    // The last column has no end.
    CHECK(cells_of("         a     1.000us     2.000us  12345678901234") ==
          strings{"a", "1.000us", "2.000us", "12345678901234"});
    CHECK(cells_of("         a  12345678901.000us     2.000us           3  ") ==
          strings{"a", "12345678901.000us", "2.000us", "3"});
    CHECK(cells_of("    \xC3\xA4\xC3\xB6 \xE2\x86\x92 b     1.000us  123456.000us  12345678901  ") ==
          strings{"\xC3\xA4\xC3\xB6 \xE2\x86\x92 b", "1.000us", "123456.000us", "12345678901"});
    // A run that ends beyond its column must begin where the column does, and every other run must be where padding
    // puts it.
    CHECK(cells_of(" a longer name     1.000us                      3  ") == strings{"row_mismatch"});
    CHECK(cells_of("a longer name    1.000us                        3  ") == strings{"row_mismatch"});
    CHECK(cells_of("a longer name") == strings{"row_mismatch"});
    CHECK(cells_of("a  b  c  d  e") == strings{"row_mismatch"});
}

TEST_CASE("blank lines do not end a table where a rule or a whole row follows") {
    const auto rows_behind_blanks = [](std::string_view line) {
        const std::string text = changed("    aten::relu_", "\n \xC2\xA0\n" + std::string(line) + "\n    aten::relu_");
        // The reader alone ends the table there.
        CHECK(read_tables(text, lenient_tables()).doc.tables.at(0).size() == 1);
        const auto got = read_tables(mended(text), lenient_tables());
        const std::size_t rows = got.doc.tables.at(0).size();
        CHECK(got.errors.size() == (rows == 3 ? 0 : 1));
        if (rows != 3) CHECK(got.errors.at(0).kind == error_kind::unclosed_table);
        return rows;
    };
    CHECK(rows_behind_blanks("    aten::add         1.000us             3") == 3);
    CHECK(rows_behind_blanks("    aten::add         1.000us              ") == 1);
    CHECK(rows_behind_blanks("    done") == 1);
    const std::string blank_end = mended(changed("3  \n", "3  \n\n\n"));
    CHECK(difference(read_clean(blank_end).tables.at(0), small_table()) == "");
    const std::string at_end = file("no_closing_rule") + "\n \n\t";
    CHECK(difference(read_open(at_end).tables.at(0), files().at("no_closing_rule")[0]) == "");
}

TEST_CASE("a table with source locations does not end at blank lines") {
    const std::string blanks = changed("         launch", "\n\n         launch", file("stack"));
    CHECK(difference(read_clean(blanks), document_of(stack())) == "");
}

TEST_CASE("titles follow lines of `=`, two at most") {
    const std::string text = file("titles");
    const table::profile wanted = files().at("titles")[0];
    CHECK(foreign_lines(text).empty());
    // A third one is foreign text.
    const std::string third = "===\nanother title\n" + text;
    CHECK(difference(read_clean(third).tables.at(0), wanted) == "");
    CHECK(foreign_lines(third) == strings{"1: ===", "2: another title"});
    // So is a line of `=` without a title, and a title without its line.
    const std::string no_title = "=====\n" + file("small");
    CHECK(read_clean(no_title).tables.at(0).titles.empty());
    CHECK(foreign_lines(no_title) == strings{"1: ====="});
    const std::string blank_title = "=====\n\n" + file("small");
    CHECK(foreign_lines(blank_title) == strings{"1: ====="});
    const std::string no_line = "Sorted\n" + file("small");
    CHECK(read_clean(no_line).tables.at(0).titles.empty());
    CHECK(foreign_lines(no_line) == strings{"1: Sorted"});
    const std::string apart = "=====\nSorted\n\n" + file("small");
    CHECK(read_clean(apart).tables.at(0).titles.empty());
    CHECK(foreign_lines(apart) == strings{"1: =====", "2: Sorted"});
    // The blanks around a title are not part of it.
    const std::string indented = " \t=== \n\xC2\xA0 by  time \t\n" + file("small");
    REQUIRE(read_clean(indented).tables.at(0).titles.size() == 1);
    CHECK(read_clean(indented).tables[0].titles[0] == "by  time");
}

TEST_CASE("titles above what is no table are foreign lines") {
    // The second line of `=` has become a rule: it, the second title and the table's rule are a bad header. What is
    // above it is foreign text, line by line, and the table keeps its rule.
    const std::string text = changed("\n=======", "\n=======\t", file("titles"));
    wlfmt::options strict;
    strict.strict = true;
    const auto got = read_tables(text, strict);
    REQUIRE(got.errors.size() == 3);
    CHECK(got.errors[0].kind == error_kind::foreign_text);
    CHECK(wlfmt::location_of(text, got.errors[0].offset).line == 1);
    CHECK(got.errors[1].kind == error_kind::foreign_text);
    CHECK(wlfmt::location_of(text, got.errors[1].offset).line == 2);
    CHECK(got.errors[2].kind == error_kind::column_mismatch);
    CHECK(wlfmt::location_of(text, got.errors[2].offset).line == 4);
    CHECK(difference(got.doc, document_of({small_table()})) == "");
    const auto loose = table::read(text, lenient_tables());
    CHECK(difference(*loose, document_of({small_table()})) == "");
}

TEST_CASE("totals follow the closing rule, also after blank lines, eight at most") {
    const std::string base = file("small");
    const auto totals_of = [&](const std::string& lines) {
        const std::string text = base + lines;
        const auto doc = read_clean(text);
        strings all;
        for (const table::total& t : doc.tables.at(0).totals)
            all.push_back(std::string(t.name) + "=" + std::string(t.value.text()));
        return all;
    };
    const std::string first = "Self CPU time total=13.981ms";
    CHECK(totals_of("CUDA time total: 1.000s\n") == strings{first, "CUDA time total=1.000s"});
    CHECK(totals_of("Self ger\xC3\xA4t_1 time total:1us") == strings{first, "Self ger\xC3\xA4t_1 time total=1us"});
    CHECK(totals_of("\n  \nCUDA time total: 1.000s\n\n") == strings{first, "CUDA time total=1.000s"});
    for (const std::string line :
         {"CUDA time total 1.000s", "CUDA time total:", "CUDA time total: 1.000 s", "time total: 1.000s",
          "My CUDA time total: 1.000s", "CUDA time totals: 1s", "CUDA  time total: 1s"}) {
        CAPTURE(line);
        CHECK(totals_of(line + "\nCUDA time total: 1.000s\n") == strings{first});
        CHECK(foreign_lines(base + line).size() == 1);
    }
    std::string nine;
    for (int n = 2; n <= 9; ++n) nine += "D" + std::to_string(n) + " time total: " + std::to_string(n) + "us\n";
    const strings eight = totals_of(nine);
    REQUIRE(eight.size() == table::max_totals);
    CHECK(eight.back() == "D8 time total=8us");
    CHECK(foreign_lines(base + nine) == strings{"15: D9 time total: 9us"});
    // Another value under a name that was there already is not one more total.
    CHECK(totals_of(nine.substr(0, nine.find("D9")) + "D8 time total: 80us\n").back() == "D8 time total=80us");
}

TEST_CASE("a text may hold several tables, with and without foreign lines between them") {
    const std::string text = file("console") + file("stack") + "\n\n" + file("titles") + "end\n" + file("plain");
    tables wanted = files().at("console");
    for (const std::string name : {"stack", "titles", "plain"})
        wanted.insert(wanted.end(), files().at(name).begin(), files().at(name).end());
    CHECK(difference(read_clean(text), document_of(wanted)) == "");
}

TEST_CASE("without next_table() the rows of all tables follow one another") {
    // Two tables with columns in different orders, one without rows between them, and lines around them.
    const std::string text =
        "step 1\n---  ---\n  a    b\n---  ---\n  1    2\n  3    4\n---  ---\n\n"
        "---  ---\n  c    d\n---  ---\n---  ---\n\nstep 2\n---  ---\n  b    a\n---  ---\n  5    6\n---  ---\n";
    strings rows;
    table::reader tables(text);
    for (const table::row& r : tables) rows.push_back(std::string(r.find("a").text()) + std::string(r[1].text()));
    CHECK(tables.ok());
    CHECK(rows == strings{"12", "34", "66"});
    CHECK(tables.next() == nullptr);
    CHECK_FALSE(tables.next_table());
    // After next_table() the loop is over the rows of this table alone.
    table::reader by_table(text);
    strings counts;
    while (by_table.next_table()) {
        std::size_t count = 0;
        for (const table::row& r : by_table) count += r.cells.size();
        counts.push_back(std::to_string(count));
    }
    CHECK(counts == strings{"4", "0", "2"});
    // An error in the second table ends the loop, and is reported.
    const std::string bad = file("small") + "\n" + file("error_not_an_integer");
    std::size_t count = 0;
    table::reader stopped(bad);
    while (stopped.next() != nullptr) ++count;
    CHECK(count == 3);
    CHECK(stopped.error().kind == error_kind::not_an_integer);
}

TEST_CASE("tables without a closing rule end where the next one begins") {
    const std::string old = file("pytorch_1_0");
    const tables two = {pytorch_1_0(), pytorch_1_0()};
    for (const std::string between : {"", "\n", "\n \n"}) {
        const std::string text = old + between + old;
        CHECK(difference(read_clean(text), document_of(two)) == "");
        CHECK(foreign_lines(text).empty());
    }
    const std::string mixed = file("no_closing_rule") + file("utf8") + file("no_rows");
    tables wanted = files().at("no_closing_rule");
    wanted.push_back(files().at("utf8")[0]);
    wanted.push_back(files().at("no_rows")[0]);
    CHECK(difference(read_open(mixed), document_of(wanted)) == "");
    CHECK(table::read(mixed).error().offset == file("no_closing_rule").size());
    // The same where next() is not called.
    const std::string text = old + old;
    table::reader tables(text);
    CHECK(tables.next_table());
    CHECK(tables.next_table());
    CHECK_FALSE(tables.next_table());
    CHECK(tables.ok());
}

TEST_CASE("text around tables is passed over, and an error of a strict reader alone") {
    const std::string console = file("console");
    CHECK(foreign_lines(console) == strings{"1: INFO step 1", "9: INFO step 2", "11: INFO: ---- 3 ----", "17: done"});
    CHECK(foreign_lines(file("banner")) ==
          strings{"1: " + std::string(80, '-'), "2: Profiling results:", "3: " + std::string(80, '-')});
    CHECK(foreign_lines(file("blank_ends")) == strings{"6: aten::relu_ took 3 ms",
                                                       "8: ---------------  ------------  ------------",
                                                       "9: Self CPU time total: 13.981ms"});
    CHECK(foreign_lines(file("prose_total")) == strings{"8: Self CUDA time total: 1.000ms (after warm-up)"});
    CHECK(foreign_lines(file("error_foreign_text_behind")) == strings{"9: done"});
    // Tables abridged by hand, and a rule alone.
    const std::string abridged = file("small") + "\n----  ...  ----\n a    ...   b\n----  ...  ----\n---  ---\n";
    CHECK(read_clean(abridged).tables.size() == 1);
    CHECK(foreign_lines(abridged).size() == 4);
    // read() finds the same tables.
    wlfmt::options strict;
    strict.strict = true;
    CHECK(difference(read_tables(console, strict).doc, document_of(files().at("console"))) == "");
    for (const auto& one : files()) {
        const std::string& name = one.first;
        if (name == "console" || name == "banner" || name == "blank_ends" || name == "prose_total") continue;
        CHECK_MESSAGE(foreign_lines(mended(file(name))).empty(), name);
    }
}

TEST_CASE("frames below a row are its own") {
    const std::string head =
        "--------  ----------  ----------------  \n"
        "    Name       Calls  Source Location   \n"
        "--------  ----------  ----------------  \n"
        "       a           1  first.py(1): f    \n";
    const auto frames_below = [&](const std::string& lines) {
        const std::string text = head + lines + head.substr(0, head.find('\n') + 1);
        return frames_of(read_clean(text).tables.at(0).row(0).frames);
    };
    CHECK(frames_below("").empty());
    CHECK(frames_below("                      b.py(2): g\n                      \n") == strings{"b.py(2): g"});
    // Indented deeper, longer than the column, or pushed to the left into another column.
    CHECK(frames_below("                          b.py(2): g, which is longer than its column\n") ==
          strings{"b.py(2): g, which is longer than its column"});
    CHECK(frames_below("            b.py(2)\n") == strings{"b.py(2)"});
    CHECK(frames_below("\n                      b\n\n\n                      c\r\n       d           2\n") ==
          strings{"b", "c"});
    // A line with text in the first column alone is neither a row nor a frame, nor is one whose text crosses columns.
    const std::string row = head + "       b\n";
    CHECK(table::read(row).error().kind == error_kind::row_mismatch);
    const std::string across = head + "            b.py(2): g\n";
    CHECK(table::read(across).error().kind == error_kind::row_mismatch);
}

TEST_CASE("the frames of a row that was refused are passed over with it") {
    for (const std::string bad : {"62.047x", "6  2.047s", "  62 .0  47s"}) {
        CAPTURE(bad);
        const std::string text = changed("62.047s", bad, file("stack"));
        table::profile wanted = stack()[0];
        wanted.cells.erase(wanted.cells.begin(), wanted.cells.begin() + 4);
        wanted.frames.clear();
        const auto got = read_tables(text);
        CHECK(got.errors.size() == 1);
        CHECK(difference(got.doc, document_of({wanted})) == "");
    }
}

TEST_CASE("a lenient reader keeps the frames of a row with a bad cell") {
    const std::string text = changed("62.047s", "62.047x", file("stack"));
    table::profile wanted = stack()[0];
    wanted.cells[1] = read_as("62.047x", number("62.047x"));
    CHECK(difference(*table::read(text, lenient_tables()), document_of({wanted})) == "");
}

TEST_CASE("with stacks and FLOPs each value is in its own column") {
    const std::string head =
        "--------  ----------------  ------------  \n"
        "    Name  Source Location    Total FLOPs  \n"
        "--------  ----------------  ------------  \n";
    const auto last_two = [&](const std::string& line) {
        const std::string text = head + line + "\n" + head.substr(0, head.find('\n') + 1);
        const auto doc = read_clean(text);
        const table::profile& one = doc.tables.at(0);
        return std::string(one.cell_at(0, 1).text()) + "|" + std::string(one.cell_at(0, 2).text());
    };
    CHECK(last_two("       a  12.000            a.py(1): f") == "a.py(1): f|12.000");
    CHECK(last_two("       a  --                ") == "|--");
    CHECK(last_two("       a  --                a.py(1): f") == "a.py(1): f|--");
    CHECK(last_two("       a                    a.py(1): f") == "a.py(1): f|");
    // Only where the FLOPs are the last column and the source location comes right before them.
    const std::string other =
        "--------  ----------------  ------------  ------\n"
        "    Name  Source Location    Total FLOPs   Calls\n"
        "--------  ----------------  ------------  ------\n"
        "       a  12.000                    13.0       1\n"
        "--------  ----------------  ------------  ------\n";
    CHECK(read_clean(other).tables.at(0).cell_at(0, 1).text() == "12.000");
}

namespace {

// The expected first error of a file.
struct expected_error {
    std::string_view file;
    error_kind kind;
    std::uint64_t line;
    std::uint64_t column;
    std::uint64_t length;
    std::string_view field;
    std::int64_t found;
    std::int64_t expected;
    std::string_view message;
    bool strict = false;
};

constexpr expected_error expected_errors[] = {
    {"column_mismatch", error_kind::column_mismatch, 2, 12, 32, "", 4, 3,
     "the rule has 3 columns, the header line names 4; are there two blanks inside a name?"},
    {"cut_column", error_kind::cut_column, 2, 75, 7, "CPU tim", 81, 0,
     "the table's lines are cut at their right edge, after 81 characters; a wider terminal, or a file, has the rest"},
    {"foreign_text", error_kind::foreign_text, 1, 1, 11, "profiler table", 0, 0,
     "`INFO step 1` belongs to no profiler table", true},
    {"foreign_text_behind", error_kind::foreign_text, 9, 3, 4, "profiler table", 0, 0,
     "`done` belongs to no profiler table", true},
    {"no_records", error_kind::no_records, 4, 1, 0, "profiler table", 0, 0, "the text holds no profiler table"},
    {"not_a_number", error_kind::not_a_number, 5, 24, 6, "Self CPU", 0, 's',
     "Self CPU: `0,25 s` where a time like `13.980ms` is expected"},
    {"not_an_integer", error_kind::not_an_integer, 5, 41, 3, "# of Calls", 0, 0,
     "# of Calls: `3.5` where an integer is expected"},
    {"number_overflow", error_kind::number_overflow, 5, 8, 19, "# of Calls", 0, 0,
     "# of Calls: `9223372036854775808` is beyond what 64 bits hold"},
    {"row_across_columns", error_kind::not_a_number, 5, 23, 9, "Self CPU", 0, 's',
     "Self CPU: `0.250us x` where a time like `13.980ms` is expected"},
    {"row_behind_columns", error_kind::row_mismatch, 5, 46, 1, "", 4, 3,
     "`x` fits no column of the rule; the row has 4 cells for 3 columns; are there two blanks inside one?"},
    {"row_mismatch", error_kind::row_mismatch, 5, 13, 5, "Name", 4, 3,
     "`relu_` does not fit the column Name; the row has 4 cells for 3 columns; are there two blanks inside one?"},
    {"too_many_columns", error_kind::too_many_columns, 1, 770, 4, "", 130, 128,
     "130 columns, of which 128 can be read"},
    {"total", error_kind::not_a_number, 7, 22, 4, "Self CPU time total", 0, 's',
     "Self CPU time total: `fast` where a time like `13.980ms` is expected"},
};

wlfmt::options options_of(const expected_error& want) {
    wlfmt::options how;
    how.strict = want.strict;
    return how;
}

}  // namespace

TEST_CASE("every error has its code, place, field, counts and message") {
    std::size_t error_files = 0;
    for (const std::string& name : test::table_files()) error_files += name.find("/error_") != std::string::npos;
    CHECK(error_files == std::size(expected_errors));
    for (const expected_error& want : expected_errors) {
        CAPTURE(want.file);
        const std::string text = file("error_" + std::string(want.file));
        const auto read = table::read(text, options_of(want));
        const wlfmt::problem& e = read.error();
        CHECK(e.kind == want.kind);
        CHECK(wlfmt::location_of(text, e.offset).line == want.line);
        CHECK(wlfmt::location_of(text, e.offset).column == want.column);
        CHECK(e.length == want.length);
        CHECK(e.field == want.field);
        CHECK(e.found == want.found);
        CHECK(e.expected == want.expected);
        CHECK(wlfmt::message(e, text) == want.message);
    }
}

TEST_CASE("the message tells which kind of number a column holds") {
    const auto message_of = [](std::string_view column, std::string_view printed) {
        const std::string text = test::one_cell_table(column, printed);
        return wlfmt::message(table::read(text).error(), text);
    };
    CHECK(message_of("Self CPU %", "1.000us") == "Self CPU %: `1.000us` where a percent like `0.17%` is expected");
    CHECK(message_of("CPU Mem", "5") == "CPU Mem: `5` where a size like `3.81 KB` is expected");
    CHECK(message_of("Total FLOPs", "x") == "Total FLOPs: `x` where a number is expected");
    CHECK(message_of("Calls", "x") == "Calls: `x` where an integer is expected");
}

TEST_CASE("a header with too few names, and a row with too few cells") {
    const std::string one_blank = changed("    # of Calls", " # of Calls");
    const wlfmt::problem header = table::read(one_blank).error();
    CHECK(header.kind == error_kind::column_mismatch);
    CHECK(wlfmt::message(header, one_blank) ==
          "the rule has 3 columns, the header line names 2; is a name missing, or is there one blank between two?");
    const std::string one_run = changed("aten::relu_       0.250us             3", "aten::relu_ 0.250us");
    const wlfmt::problem e = table::read(one_run).error();
    CHECK(e.kind == error_kind::row_mismatch);
    CHECK(e.found == 1);
    CHECK(wlfmt::message(e, one_run) ==
          "`aten::relu_ 0.250us` does not fit the column Name; the row has 1 cell for 3 columns");
}

TEST_CASE("a row that cannot be read in any way points at its first phrase that has no column of its own") {
    const auto guilty = [](std::string_view row) {
        const std::string text = changed("    aten::relu_       0.250us             3  ", row);
        const auto read = table::read(text);
        const wlfmt::problem& e = read.error();
        CHECK(e.kind == error_kind::row_mismatch);
        return std::string(text.substr(static_cast<std::size_t>(e.offset), e.length)) + " in " + std::string(e.field);
    };
    CHECK(guilty("    aten::relu_  1  0.250us             3  ") == "0.250us in Self CPU");
    CHECK(guilty("    aten::relu_ x") == "aten::relu_ x in Name");
    CHECK(guilty("    a  b    0.250us             3  ") == "b in Name");
    CHECK(guilty("          a           1           2   3") == "3 in # of Calls");
}

TEST_CASE("no more columns than the limit are read") {
    const std::string most = wide_table(table::max_columns);
    const auto doc = read_clean(most);
    CHECK(doc.tables.at(0).columns.size() == 128);
    CHECK(doc.tables.at(0).cells.size() == 128);
    const std::string more = wide_table(table::max_columns + 1);
    const wlfmt::problem e = table::read(more).error();
    CHECK(e.kind == error_kind::too_many_columns);
    CHECK(e.offset == 5 * 128);
    CHECK(e.length == 3);
    CHECK(e.found == 129);
    // A row may have any number of phrases.
    const std::string long_row = changed("3  \n", std::string(3000, 'x').append("  y").append(3000, ' ') + "\n");
    CHECK_FALSE(table::read(long_row).ok());
    std::string phrases;
    for (int n = 0; n != 1000; ++n) phrases += "x  ";
    const std::string many = changed("    aten::relu_       0.250us             3  ", phrases);
    CHECK(table::read(many).error().kind == error_kind::row_mismatch);
    // And a header.
    const std::string names = changed("           Name      Self CPU    # of Calls  ", phrases);
    CHECK(table::read(names).error().kind == error_kind::column_mismatch);
}

TEST_CASE("offsets count from the caller's text, its byte order mark included") {
    const std::string text = "\xEF\xBB\xBF" + changed("0.250us", "0.250xs");
    CHECK(table::read(text).error().offset == text.find("0.250xs"));
    const std::string bom = file("bom");
    table::reader tables(bom);
    CHECK(tables.offset() == 3);
}

TEST_CASE("a document holds what was read before the error") {
    const std::string text = file("error_not_a_number");
    const auto read = table::read(text);
    CHECK_FALSE(read.ok());
    CHECK(difference(*read, document_of({first_row_of(small_table())})) == "");
    const std::string header = file("small") + file("error_column_mismatch");
    CHECK(difference(*table::read(header), document_of({small_table()})) == "");
}

TEST_CASE("the reader stops at an error and goes on after it, in the same table") {
    const std::string text = file("error_not_an_integer") + "\n" + file("error_column_mismatch") + "\n" +
                             file("error_row_mismatch") + file("small");
    table::reader tables(text);
    CHECK(tables.ok());
    CHECK_FALSE(tables.skip());
    REQUIRE(tables.next_table());
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() == nullptr);
    CHECK(tables.error().kind == error_kind::not_an_integer);
    CHECK(tables.next() == nullptr);
    CHECK_FALSE(tables.next_table());
    CHECK(tables.skip());
    CHECK(tables.ok());
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
    CHECK(tables.totals().size() == 1);
    // The second one has a bad header.
    CHECK_FALSE(tables.next_table());
    CHECK(tables.error().kind == error_kind::column_mismatch);
    CHECK(tables.columns().empty());
    CHECK(tables.next() == nullptr);
    CHECK(tables.skip());
    REQUIRE(tables.next_table());
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() == nullptr);
    CHECK(tables.error().kind == error_kind::row_mismatch);
    CHECK(tables.skip());
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
    REQUIRE(tables.next_table());
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() == nullptr);
    CHECK_FALSE(tables.next_table());
    CHECK(tables.ok());
    CHECK_FALSE(tables.skip());
    CHECK(tables.tolerated() == 0);
    CHECK(tables.offset() == text.size());
}

TEST_CASE("skip() returns false where there is nothing to go on with") {
    for (const std::string name : {"error_no_records", "error_total"}) {
        const std::string text = file(name);
        table::reader tables(text);
        while (tables.next() != nullptr) {
        }
        CHECK_FALSE(tables.ok());
        CHECK_FALSE(tables.skip());
        CHECK(tables.next() == nullptr);
        CHECK_FALSE(tables.next_table());
    }
    // That a text has no table is reported once.
    const std::string text = "done\n";
    table::reader tables(text);
    CHECK_FALSE(tables.next_table());
    CHECK(tables.error().kind == error_kind::no_records);
    CHECK(tables.error().offset == 5);
    CHECK_FALSE(tables.skip());
    CHECK_FALSE(tables.next_table());
    for (const std::string_view empty : {"", "\n", "\xEF\xBB\xBF"})
        CHECK(table::read(empty).error().kind == error_kind::no_records);
    CHECK(table::read(std::string_view()).error().kind == error_kind::no_records);
    // A table whose header is bad counts as a table.
    const std::string bad = file("error_column_mismatch");
    CHECK(read_tables(bad).errors.size() == 1);
}

TEST_CASE("a total that cannot be read is kept as a text, and reading goes on after it") {
    const std::string text = file("error_total") + "CUDA time total: 1.000s\n";
    const auto got = read_tables(text);
    CHECK(got.errors.size() == 1);
    const tables wanted = {with_totals(small_table(), {{"Self CPU time total", read_as("fast", number("fast"))},
                                                       {"CUDA time total", read_as("1.000s", 1000000.0)}})};
    CHECK(difference(got.doc, document_of(wanted)) == "");
    CHECK(difference(*table::read(text, lenient_tables()), document_of(wanted)) == "");
}

TEST_CASE("a lenient reader reads what needs no guess and reports the rest") {
    const auto cell_kept = [](std::size_t n, std::string_view printed) {
        table::profile one = small_table();
        one.cells[n] = read_as(printed, number(printed));
        return one;
    };
    const struct {
        std::string_view file;
        tables wanted;
    } lenient[] = {
        {"column_mismatch", {}},
        {"foreign_text", {small_table()}},
        {"foreign_text_behind", {small_table()}},
        {"not_a_number", {cell_kept(4, "0,25 s")}},
        {"not_an_integer", {cell_kept(5, "3.5")}},
        {"row_across_columns", {cell_kept(4, "0.250us x")}},
        {"row_behind_columns", {with_totals(first_row_of(small_table()), small_table().totals)}},
        {"row_mismatch", {with_totals(first_row_of(small_table()), small_table().totals)}},
        {"too_many_columns", {}},
    };
    for (const auto& l : lenient) {
        CAPTURE(l.file);
        const std::string text = file("error_" + std::string(l.file));
        wlfmt::options how = lenient_tables();
        how.strict = l.file.find("foreign") == 0;
        const auto got = read_tables(text, how);
        CHECK(difference(got.doc, document_of(l.wanted)) == "");
        CHECK(got.errors.size() == 1);
        CHECK(got.tolerated == 1);
    }
    const std::string overflow = file("error_number_overflow");
    CHECK((*table::read(overflow, lenient_tables())).tables.at(0).cell_at(1, 1).value().text() ==
          "9223372036854775808");
    // A text without any table is an error to a lenient reader, too.
    const std::string none = file("error_no_records");
    CHECK(table::read(none, lenient_tables()).error().kind == error_kind::no_records);
    // The problems are those that a reader that is not lenient stops at.
    for (const std::string& name : test::table_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto strict = read_tables(text);
        const auto got = read_tables(text, lenient_tables());
        REQUIRE(got.errors.size() == strict.errors.size());
        for (std::size_t n = 0; n != got.errors.size(); ++n) {
            CHECK(got.errors[n].kind == strict.errors[n].kind);
            CHECK(got.errors[n].offset == strict.errors[n].offset);
        }
    }
    // A program need not pass a callback.
    const std::string text = file("error_not_a_number");
    table::reader tables(text, lenient_tables());
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() != nullptr);
    CHECK(tables.tolerated() == 1);
}

TEST_CASE("next() goes to the first table itself, and next_table() past what is left") {
    const std::string text = file("console");
    table::reader tables(text);
    CHECK(tables.columns().empty());
    const table::row* r = tables.next();
    REQUIRE(r != nullptr);
    CHECK((*r)[0].text() == "aten::mm");
    CHECK(tables.columns().size() == 3);
    CHECK(tables.totals().empty());
    REQUIRE(tables.next_table());
    CHECK(tables.columns().size() == 2);
    CHECK(tables.totals().empty());
    CHECK(tables.next() != nullptr);
    CHECK(tables.next() == nullptr);
    CHECK(tables.next() == nullptr);
    CHECK_FALSE(tables.next_table());
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
    CHECK(tables.offset() == text.size());
}

TEST_CASE("totals are there once the rows are at their end") {
    const std::string text = file("plain");
    table::reader tables(text);
    REQUIRE(tables.next_table());
    for (int row = 0; row != 3; ++row) {
        CHECK(tables.next() != nullptr);
        CHECK(tables.totals().empty());
    }
    CHECK(tables.next() == nullptr);
    CHECK(tables.totals().size() == 2);
    CHECK(tables.totals()[1].name == "Self CUDA time total");
}

TEST_CASE("next_table() reports no problem of the rows that it passes over") {
    const std::string text = file("error_not_a_number") + file("error_total") + file("small");
    table::reader tables(text);
    std::size_t count = 0;
    while (tables.next_table()) ++count;
    CHECK(tables.ok());
    CHECK(count == 3);
}

TEST_CASE("the reader is bound to a text that lives on, and is not copied") {
    static_assert(std::is_constructible_v<table::reader, std::string&>);
    static_assert(std::is_constructible_v<table::reader, const std::string&>);
    static_assert(std::is_constructible_v<table::reader, std::string_view>);
    static_assert(std::is_constructible_v<table::reader, const char*>);
    static_assert(!std::is_constructible_v<table::reader, std::string>);
    static_assert(!std::is_constructible_v<table::reader, const std::string, const wlfmt::options&>);
    static_assert(!std::is_copy_constructible_v<table::reader>);
    static_assert(!std::is_copy_assignable_v<table::reader>);
    static_assert(std::is_nothrow_constructible_v<table::reader, std::string_view, const wlfmt::options&>);
    CHECK(sizeof(table::reader) <= 23000);
}

TEST_CASE("the document holds what the reader yields") {
    for (const std::string& name : test::table_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            const auto read = table::read(text, how);
            const auto got = read_tables(text, how);
            if (read.ok()) CHECK(difference(*read, got.doc) == "");
            const bool stopped = !lenient && !got.errors.empty();
            if (stopped) CHECK(read.error().offset == got.errors[0].offset);
            if (stopped) CHECK(read.error().kind == got.errors[0].kind);
        }
    }
}

TEST_CASE("reading tables row by row allocates nothing") {
    for (const std::string& name : test::table_files()) {
        const std::string text = test::data(name);
        std::size_t cells = 0;
        const std::size_t before = test::allocations();
        table::reader tables(text, lenient_tables());
        while (tables.next_table()) {
            while (const table::row* r = tables.next()) {
                cells += r->cells.size();
                for (const std::string_view frame : r->frames) cells += frame.size();
            }
        }
        CHECK(test::allocations() == before);
        CHECK((cells != 0 || name.find("error_") != std::string::npos || name == "table/no_rows.txt"));
    }
}

TEST_CASE("every view lies in the text") {
    for (const std::string& name : test::table_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const auto doc = table::read(text, lenient_tables());
        for (const table::profile& one : doc->tables) {
            for (const std::string_view title : one.titles) CHECK(is_inside(title, text));
            for (const table::column& c : one.columns) CHECK(is_inside(c.name, text));
            for (const cell& c : one.cells) CHECK(is_inside(c.text(), text));
            for (const cell& c : one.cells) CHECK(is_inside(c.value().text(), text));
            for (std::size_t n = 0; n != one.size(); ++n)
                for (const std::string_view frame : one.row(n).frames) CHECK(is_inside(frame, text));
            for (const table::total& t : one.totals)
                CHECK((is_inside(t.name, text) && is_inside(t.value.text(), text)));
        }
    }
}

TEST_CASE("a document is copied and moved without its text") {
    const std::string text = file("stack_flops");
    table::document moved = read_clean(text);
    const table::document copy = moved;
    const table::document other = std::move(moved);
    CHECK(difference(copy, other) == "");
    CHECK(difference(copy, document_of(stack_flops())) == "");
}

TEST_CASE("no byte outside the text is read") {
    for (const std::string name :
         {"small", "titles", "stack_flops", "overflow_and_empty", "memory", "no_break_spaces"}) {
        CAPTURE(name);
        const std::string text = file(name);
        for (const test::guard side : {test::guard::before, test::guard::after}) {
            for (std::size_t size = 0; size <= text.size(); ++size) {
                const std::string_view cut = std::string_view(text).substr(0, size);
                const test::guarded_text guarded(cut, side);
                const auto here = read_tables(guarded.view(), lenient_tables());
                const auto there = read_tables(cut, lenient_tables());
                REQUIRE(difference(here.doc, there.doc) == "");
                REQUIRE(here.errors.size() == there.errors.size());
            }
        }
    }
    // The first row directly after the shortest lines that can be above it.
    const std::string shortest = "---  ---\na    Self b\n---  ---\n  x  1us\n  y  2us\n" + std::string(200, '\n');
    const test::guarded_text guarded(shortest, test::guard::before);
    CHECK((*table::read(guarded.view())).tables.at(0).size() == 2);
}

TEST_CASE("a row reads the same wherever it is in the text") {
    // In the middle of a text the reader looks for cells where padding puts them; in a line that is shorter than the
    // table, at the end of the text, it splits the line into phrases.
    const std::string head =
        "---------------  ------------  ------------  ------------  ------------  ------------  \n"
        "           Name    Self CPU %      Self CPU       CPU Mem    # of Calls   Total FLOPs  \n"
        "---------------  ------------  ------------  ------------  ------------  ------------  \n";
    const std::string rule = head.substr(0, head.find('\n') + 1);
    const std::string rows[] = {
        "       aten::mm        18.18%     345.600us     -55.91 Mb          1154      2360.000  ",
        "nccl:all reduce             0        2.000s           0 b           -20            --  ",
        "                       -0.17%                    1023.99 KB         20                 ",
    };
    const std::string_view pieces[] = {" ",    "  ",   "\t",       "\r",       "\v",       std::string_view("\0", 1),
                                       "\x7F", "\xFF", "-",        "--",       "+",        ".",
                                       "0",    "9",    "99999999", "e5",       "x",        "%",
                                       "s",    "b",    " b",       "\xC3\xA9", "\xC2\xA0", "NaN",
                                       "=",    ":",    "/"};
    for (const std::string& row : rows) {
        for (std::size_t at = 0; at <= row.size(); ++at) {
            for (const std::string_view piece : pieces) {
                for (const bool over : {false, true}) {
                    std::string line = row.substr(0, at);
                    line.append(piece);
                    if (at + (over ? piece.size() : 0) < row.size())
                        line.append(row.substr(at + (over ? piece.size() : 0)));
                    const std::size_t blank = line.back() == ' ' ? 1 : 0;
                    const std::string last = head + line.substr(0, line.size() - blank) + "\n";
                    const std::string amid = head + line + "\n" + rows[0] + "\n" + rows[0] + "\n" + rule;
                    auto end = read_tables(last, lenient_tables());
                    auto middle = read_tables(amid, lenient_tables());
                    table::profile& one = middle.doc.tables.at(0);
                    // Without its last cell a row was cut, if the text ends with it.
                    if (one.size() == 3 && one.cell_at(0, one.columns.size() - 1).text().empty()) {
                        REQUIRE(end.doc.tables.at(0).size() == 0);
                        REQUIRE(end.errors.back().kind == error_kind::row_mismatch);
                        continue;
                    }
                    REQUIRE(!end.errors.empty());
                    REQUIRE(end.errors.back().kind == error_kind::unclosed_table);
                    end.errors.pop_back();
                    REQUIRE(one.size() == end.doc.tables.at(0).size() + 2);
                    one.cells.resize(one.cells.size() - 2 * one.columns.size());
                    REQUIRE_MESSAGE(difference(middle.doc, end.doc) == "", line);
                    REQUIRE(middle.errors.size() == end.errors.size());
                    for (std::size_t n = 0; n != end.errors.size(); ++n) {
                        REQUIRE(middle.errors[n].kind == end.errors[n].kind);
                        REQUIRE(middle.errors[n].offset == end.errors[n].offset);
                        REQUIRE(middle.errors[n].length == end.errors[n].length);
                        REQUIRE(middle.errors[n].field == end.errors[n].field);
                    }
                }
            }
        }
    }
}

TEST_CASE("a layout's blanks, line ends and widths do not matter") {
    const std::string small = file("small");
    std::string tabs, wide_blanks;
    for (const char c : small) {
        if (c == '\n') wide_blanks += "\r";
        c == ' ' ? wide_blanks.append("\xE3\x80\x80") : wide_blanks.append(1, c);
    }
    // A name's words may be parted by any blank, but a total's are parted by spaces.
    const std::string upper = wide_blanks.substr(0, wide_blanks.find("Self\xE3\x80\x80"
                                                                     "CPU\xE3\x80\x80time"));
    CHECK(difference(read_clean(changed("13.981ms\n", "13.981ms")), document_of({small_table()})) == "");
    const auto doc = read_clean(upper);
    REQUIRE(doc.tables.size() == 1);
    CHECK(doc.tables[0].columns[1].name ==
          "Self\xE3\x80\x80"
          "CPU");
    CHECK(doc.tables[0].columns[1].unit == unit::other);
    CHECK(doc.tables[0].cell_at(1, 0).text() == "aten::relu_");
    CHECK(doc.tables[0].cell_at(1, 1).value() == 0.25);
    std::string other_blanks;
    for (std::size_t n = 0; n != upper.size(); ++n) {
        const bool wide = upper.compare(n, 3, "\xE3\x80\x80") == 0;
        other_blanks += wide ? "\xE1\x9A\x80" : upper.substr(n, 1);
        if (wide) n += 2;
    }
    CHECK(read_clean(other_blanks).tables.at(0).cell_at(1, 0).text() == "aten::relu_");
    // A rule of `=`, and one that is longer than the header.
    for (const std::string name : {"equals_rule", "stripped", "indented", "no_break_spaces"})
        CHECK(difference(read_clean(file(name)), document_of({small_table()})) == "");
}

namespace {

// A table of that many rows, each of its own name.
std::string numbered_table(const std::string& name, int rows) {
    std::string text =
        "----------  ------------  ------------  \n"
        "      Name      Self CPU    # of Calls  \n"
        "----------  ------------  ------------  \n";
    for (int n = 0; n != rows; ++n)
        text += "    " + name + std::to_string(n) + "       1.500us             " + std::to_string(n) + "  \n";
    return text + "----------  ------------  ------------  \nSelf CPU time total: 3.000us\n";
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (wlfmt::detail::line_cursor all(text); !all.done();) lines.emplace_back(all.next());
    return lines;
}

std::string prefixed(std::string_view text, std::string_view prefix) {
    std::string all;
    for (const std::string& line : lines_of(text)) all.append(prefix).append(line).append("\n");
    return all;
}

// The lines of texts in turn, each with its own prefix.
std::string interleaved(const std::vector<std::string>& texts) {
    std::string all;
    std::vector<std::vector<std::string>> lines;
    for (const std::string& text : texts) lines.push_back(lines_of(text));
    for (std::size_t n = 0; n != lines[0].size(); ++n)
        for (const auto& of : lines) all.append(of.at(n)).append("\n");
    return all;
}

wlfmt::options after(std::string_view prefix) {
    wlfmt::options how;
    how.prefix = prefix;
    return how;
}

// The prefix of the first table of a text, without data if there is no table.
std::string_view found_prefix(std::string_view text) {
    table::reader first(text, after(wlfmt::any_prefix));
    first.next_table();
    return first.prefix();
}

std::vector<std::string> names_of(const table::document& doc) {
    std::vector<std::string> names;
    for (const table::profile& one : doc.tables)
        for (const table::row& r : one.rows()) names.emplace_back(r[0].text());
    return names;
}

}  // namespace

TEST_CASE("tables are read after a launcher's prefix, stacks and titles too") {
    for (const std::string_view prefix :
         {"[rank0]: ", "[default0]:", "(RayTrainWorker pid=1234, ip=10.0.0.1) ", "worker-3 | ",
          "(EngineCore_DP0 pid=1234) INFO 11-05 12:00:00 [gpu_worker.py:55] ", "2025-01-01 12:00:00,123 INFO "}) {
        for (const std::string name :
             {"small", "stack", "stack_flops", "titles", "utf8", "overflow_and_empty", "crlf"}) {
            CAPTURE(prefix);
            CAPTURE(name);
            const std::string plain = file(name);
            const std::string text = prefixed(plain, prefix);
            const auto wanted = table::read(plain);
            const auto got = table::read(text, after(prefix));
            REQUIRE(got.ok());
            CHECK(difference(*got, *wanted) == "");
            CHECK(difference(*table::read(text, after(wlfmt::any_prefix)), *wanted) == "");
            CHECK(found_prefix(text) == prefix);
            // The same with other text, also between the rows.
            std::string mixed;
            for (const std::string& line : lines_of(text))
                mixed.append(line).append("\nother: --- ---\n\n[rank7]: x\n");
            CHECK(difference(*table::read(mixed, after(prefix)), *wanted) == "");
            CHECK(difference(*table::read(mixed, after(wlfmt::any_prefix)), *wanted) == "");
        }
    }
    const std::string plain = file("small");
    CHECK(found_prefix(plain).empty());
    CHECK_FALSE(wlfmt::is_missing(found_prefix(plain)));
    CHECK(wlfmt::is_missing(found_prefix("no table")));
    CHECK(difference(*table::read(plain, after(wlfmt::any_prefix)), *table::read(plain)) == "");
    const std::string indented = file("indented");
    CHECK(found_prefix(indented).empty());
    CHECK(difference(*table::read(indented, after(wlfmt::any_prefix)), *table::read(indented)) == "");
}

TEST_CASE("times in a table's prefix may change, and blanks at the line ends be gone") {
    std::string text;
    int second = 0;
    for (const std::string& line : lines_of(file("stack"))) {
        text += "2025-01-01 12:00:" + std::to_string(10 + second++ % 50) + ",7 INFO " + line;
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    const std::string prefix = "2025-01-01 12:00:10,7 INFO ";
    const std::string plain = file("stack");
    CHECK(difference(*table::read(text, after(prefix)), *table::read(plain)) == "");
    CHECK(difference(*table::read(text, after(wlfmt::any_prefix)), *table::read(plain)) == "");
}

TEST_CASE("each rank's table can be had from interleaved ranks") {
    const std::string text =
        interleaved({prefixed(numbered_table("a", 3), "[rank0]: "), prefixed(numbered_table("b", 3), "[rank1]: "),
                     prefixed(numbered_table("c", 3), "[rank2]: ")});
    CHECK(names_of(*table::read(text, after("[rank0]: "))) == strings{"a0", "a1", "a2"});
    CHECK(names_of(*table::read(text, after("[rank1]: "))) == strings{"b0", "b1", "b2"});
    CHECK(names_of(*table::read(text, after("[rank2]: "))) == strings{"c0", "c1", "c2"});
    CHECK(names_of(*table::read(text, after(wlfmt::any_prefix))) == strings{"a0", "a1", "a2"});
    CHECK(table::read(text, after("[rank3]: ")).error().kind == error_kind::no_records);
    const std::string with_plain = text + text + numbered_table("d", 1);
    CHECK(wlfmt::find_prefixes(with_plain) == std::vector<std::string_view>{"[rank0]: ", "[rank1]: ", "[rank2]: ", ""});
    const std::string times = prefixed(numbered_table("a", 1), "12:00:00 ") +
                              prefixed(numbered_table("b", 1), "12:00:01 ") +
                              prefixed(numbered_table("c", 1), "12:00:01 [rank1]: ");
    CHECK(wlfmt::find_prefixes(times) == std::vector<std::string_view>{"12:00:00 ", "12:00:01 [rank1]: "});
    // With any_prefix the tables follow each other, and the first one has lost its end.
    const std::string closed = prefixed(numbered_table("a", 2), "[rank0]: ");
    const std::string open = closed.substr(0, closed.rfind("[rank0]: -"));
    const std::string both = open + prefixed(numbered_table("b", 2), "[rank1]: ");
    const auto got = read_tables(both, [] {
        wlfmt::options how = after(wlfmt::any_prefix);
        how.lenient = true;
        return how;
    }());
    CHECK(names_of(got.doc) == strings{"a0", "a1", "b0", "b1"});
    REQUIRE(got.errors.size() == 1);
    CHECK(got.errors[0].kind == error_kind::unclosed_table);
    CHECK(got.errors[0].offset == open.size());
}

TEST_CASE("places in a text with prefixes are those of the whole text") {
    std::string text = "start\n" + prefixed(numbered_table("a", 2), "[rank0]: ");
    const std::size_t bad = text.find("1.500us", text.find("a1"));
    text.replace(bad, 7, "  soon ");
    table::reader tables(text, after("[rank0]: "));
    CHECK(tables.offset() == 0);
    REQUIRE(tables.next_table());
    CHECK(tables.prefix() == "[rank0]: ");
    const table::row* r = tables.next();
    REQUIRE(r != nullptr);
    CHECK(r->source == "    a0       1.500us             0  ");
    CHECK(table::where(*r, "Self CPU") == "1.500us");
    CHECK(table::where(*r, "Self CPU").data() == text.data() + text.find("1.500us"));
    CHECK(tables.offset() == text.find("[rank0]:     a1"));
    CHECK(tables.next() == nullptr);
    CHECK(tables.error().kind == error_kind::not_a_number);
    CHECK(tables.error().offset == bad + 2);
    CHECK(tables.skip());
    CHECK(tables.next() == nullptr);
    CHECK(tables.ok());
    CHECK(tables.find_total("Self CPU time total").value() == 3.0);
    CHECK(tables.find_total("CPU time total").is_missing());
    // A strict reader takes only lines with the prefix for foreign text.
    wlfmt::options strict = after("[rank0]: ");
    strict.strict = true;
    const std::string among = "other\n" + prefixed(numbered_table("a", 2), "[rank0]: ") + "other\n";
    CHECK(table::read(among, strict).ok());
    const std::string own = among + "[rank0]: done\n";
    CHECK(table::read(own, strict).error().kind == error_kind::foreign_text);
}

TEST_CASE("frame lists split lines that have a prefix") {
    const std::string_view lines = "[0]:  a.py(1): f\nother\n[0]:\n[1]: no\n[0]:  b.py(2): g  ";
    CHECK(frames_of(frame_list::from_text(lines, "[0]: ")) == strings{"a.py(1): f", "b.py(2): g"});
    CHECK(frames_of(frame_list::from_text(lines, "[1]: ")) == strings{"no"});
    CHECK(frame_list::from_text(lines, "[2]: ").empty());
}

TEST_CASE("row_mismatch blames the surplus phrase, not the last column's, which has no end") {
    const std::string text =
        "-----  -----  \n"
        " Name  Calls  \n"
        "-----  -----  \n"
        "    x  123456789  extra\n";
    const auto read = table::read(text);
    CHECK(read.error().kind == error_kind::row_mismatch);
    CHECK(text.substr(static_cast<std::size_t>(read.error().offset), read.error().length) == "extra");
    CHECK(read.error().field.empty());
}

TEST_CASE("an error at the end of a text stays, and ok() stays false") {
    const std::string text = test::one_cell_table("Self CPU", "soon").substr(0, 4 * 37 - 1);
    table::reader tables(text);
    std::size_t rows = 0;
    do {
        while (tables.next() != nullptr) ++rows;
    } while (tables.skip());
    CHECK(rows == 0);
    CHECK_FALSE(tables.ok());
    CHECK(tables.error().kind == error_kind::unclosed_table);
    CHECK_FALSE(tables.skip());
    CHECK_FALSE(tables.ok());
}

TEST_CASE("a rule that is glued to other text is missed above a header of PyTorch's") {
    const std::string rest =
        "        Test        Self %    # of Calls  \n"
        "------------  ------------  ------------  \n"
        "    aten::mm        13.98%            12  \n"
        "------------  ------------  ------------  \n"
        "Self CPU time total: 13.980ms\n";
    const std::string rule = "------------  ------------  ------------  \n";
    const std::string text = "test_profiler (test.TestProfiler) ... " + rule + rest;
    // Of a header of PyTorch's that is said, and the rule below it is enough to mend it.
    std::string known = text;
    known.replace(known.find("    Test"), 8, "    Name");
    const wlfmt::problem e = table::read(known).error();
    CHECK(e.kind == error_kind::missing_rule);
    CHECK(e.expected == 1);
    CHECK(read_clean(mended(known)).tables.at(0).size() == 1);
}

TEST_CASE("a cell that is kept as a text is not a number") {
    for (const std::string_view printed : {"316.074", "True", "5", "1e3"}) {
        const std::string text = test::one_cell_table("Self CPU", printed) + "Self CPU time total: 316.074\n";
        const auto doc = table::read(text, lenient_tables());
        const cell c = doc->tables.at(0).find_cell(0, "Self CPU");
        CHECK(c.text() == printed);
        CHECK(c.value().is_text());
        CHECK(c.value().text() == printed);
        CHECK(c.value_or(-1.0) == -1);
        CHECK(doc->tables[0].find_total("Self CPU time total").value() == number("316.074"));
        CHECK(table::problem_of(*doc).kind == error_kind::unwritable);
    }
}

TEST_CASE("a document that was read in part holds what comes before the error") {
    const std::string text = test::one_cell_table("Self CPU", "1.000us") + test::one_cell_table("Self CPU", "soon");
    const auto part = table::read(text);
    CHECK_FALSE(part.ok());
    CHECK(part->tables.size() == 2);
}

TEST_CASE("where() gives a cell as it is written in the text") {
    const std::string text = file("memory");
    const auto doc = table::read(text);
    const table::row r = doc->tables.at(0).row(0);
    CHECK(table::where(r, "Self CPU Mem") == "-4 b");
    CHECK(table::where(r, "Self CPU Mem").data() == text.data() + text.find("-4 b"));
    CHECK(wlfmt::is_missing(table::where(r, "?")));
    table::profile edited = doc->tables[0];
    *edited.edit_cell(0, "Self CPU Mem") = 12;
    *edited.edit_cell(0, "Name") = cell("elsewhere");
    CHECK(wlfmt::is_missing(table::where(edited.row(0), "Self CPU Mem")));
    CHECK(wlfmt::is_missing(table::where(edited.row(0), "Name")));
    CHECK(table::where(edited.row(0), "CPU Mem") == "0 b");
    CHECK(wlfmt::is_missing(table::where(table::row(), "Name")));
}

TEST_CASE("units have names") {
    CHECK(name_of(unit::text) == "text");
    CHECK(name_of(unit::microseconds) == "microseconds");
    CHECK(name_of(unit::other) == "other");
    CHECK(name_of(static_cast<table::unit>(99)) == "unknown");
}

TEST_CASE("a row's source ends before its carriage return, whatever its characters") {
    const std::string head = "--------  ------------  \n    Name    # of Calls  \n--------  ------------  \n";
    for (const std::string name : {"    gemm",
                                   "   \xC3\xA9"
                                   "emm",
                                   "   \xF6"
                                   "emm"}) {
        const std::string row = name + "             7  ";
        // Beyond the last row: on the planned path, too.
        for (const std::string& rest : {std::string("\r\n"), "\r\n" + head.substr(0, 24) + std::string(80, '\n')}) {
            const std::string text = head + row + rest;
            table::reader tables(text);
            const table::row* shown = tables.next();
            REQUIRE(shown != nullptr);
            CHECK(shown->source == row);
            CHECK(shown->cells[1].value() == 7);
        }
    }
}

namespace {

// A small table with a line between its rows.
std::string with_line(const std::string& line) {
    const std::string small = test::data("table/small.txt");
    const std::size_t second = small.find("    aten::relu_");
    return small.substr(0, second) + line + "\n" + small.substr(second);
}

}  // namespace

TEST_CASE("a line with a name and nothing else is text in the table, not a row") {
    for (const std::string line : {"The op is", "...", "     +41 more", "WARNING: slow"}) {
        const std::string text = with_line(line);
        table::reader tables(text);
        REQUIRE(tables.next() != nullptr);
        CHECK(tables.next() == nullptr);
        REQUIRE(tables.error().kind == wlfmt::error_kind::row_mismatch);
        CHECK(tables.error().field == "Name");
        CHECK(text.compare(static_cast<std::size_t>(tables.error().offset), tables.error().length,
                           line.substr(line.find_first_not_of(' '))) == 0);
        REQUIRE(tables.skip());
        const table::row* const after = tables.next();
        REQUIRE(after != nullptr);
        CHECK((*after)[0].text() == "aten::relu_");

        wlfmt::options how;
        how.lenient = true;
        table::reader lenient(text, how);
        std::vector<std::string> names;
        for (const table::row& r : lenient) names.emplace_back(r[0].text());
        CHECK(names == std::vector<std::string>{"aten::mm", "aten::relu_"});
        CHECK(lenient.ok());
        CHECK(lenient.tolerated() == 1);
    }
}

TEST_CASE("the source of a row ends before its carriage return, whatever characters it has") {
    const std::string rule = "---------------  ------------  \r\n";
    const std::string text = rule + "           Name    # of Calls  \r\n" + rule +
                             "     \xC3\xB6::add            95  \r\n" + "       aten::mm             7\r\n" +
                             "      \xF6  aten              7 \r";
    table::reader tables(text);
    std::vector<std::string> sources;
    while (const table::row* r = tables.next()) sources.emplace_back(r->source);
    for (const std::string& source : sources) CHECK(source.find('\r') == std::string::npos);
    CHECK(sources.size() == 2);
}

TEST_CASE("the last row of a text that was cut off is reported, and not read") {
    const std::string small = test::data("table/small.txt");
    const std::size_t row = small.find("    aten::relu_");
    const std::size_t row_end = small.find('\n', row);
    const std::size_t whole = small.find_last_not_of(' ', row_end - 1) + 1;
    for (std::size_t cut = row + 5; cut <= row_end; ++cut) {
        const std::string text = small.substr(0, cut);
        table::reader tables(text);
        std::size_t rows = 0;
        while (tables.next() != nullptr) ++rows;
        CAPTURE(text.substr(row));
        CHECK(rows == (cut < whole ? 1 : 2));
        // One problem each: within its row, or after a whole one.
        CHECK(tables.error().kind == (cut < whole ? error_kind::row_mismatch : error_kind::unclosed_table));
        CHECK_FALSE(tables.skip());
    }
    // A count that was cut within its digits ends before its column.
    std::string text = small.substr(0, whole);
    text.replace(whole - 2, 2, "4");
    CHECK(table::read(text).error().field == "# of Calls");
    // What follows decides: the same row before a closing rule, or before another row, has an empty cell. After blank
    // lines, or before a rule that opens a table, it was cut, too.
    const std::string no_calls = small.substr(0, small.find("0.250us") + 7);
    const std::string first_row = small.substr(small.find("    aten::mm"), row - small.find("    aten::mm"));
    CHECK(read_clean(no_calls + small.substr(row_end)).tables.at(0).size() == 2);
    CHECK(read_clean(no_calls + "\n" + first_row + small.substr(row_end + 1)).tables.at(0).size() == 3);
    for (const std::string after : {"", "\n", "\n\n\n", "\n\nother text\n"}) {
        const std::string at_end = no_calls + after;
        CHECK(table::read(at_end).error().kind == error_kind::row_mismatch);
    }
    const std::string both = no_calls + "\n" + small;
    const auto two = read_tables(both, lenient_tables());
    REQUIRE(two.doc.tables.size() == 2);
    CHECK(two.doc.tables[0].size() == 1);
    CHECK(two.doc.tables[1].size() == 2);
    CHECK(two.errors.at(0).field == "# of Calls");
}

TEST_CASE("the last row that was cut is found whatever its bytes and columns are, and whatever follows") {
    const auto read = [](const std::string& text) {
        const auto got = read_tables(text, lenient_tables());
        std::string all;
        for (const auto& e : got.errors) all.append(name_of(e.kind)).append("@" + std::to_string(e.offset) + " ");
        for (const table::profile& one : got.doc.tables) all += std::to_string(one.size());
        return all;
    };
    const std::string header = "----------  ----------  \n      Name  # of Calls  \n----------  ----------  \n";
    CHECK(read(header + "   \xC3\xA4         1") == "row_mismatch@89 0");
    CHECK(read(header + "         \xC3\xA4          1") == "row_mismatch@96 0");
    CHECK(read(header + "         \xC3\xA4          12") == "unclosed_table@98 1");
    // A blank after the last cell shows that it is whole.
    CHECK(read(header + "         a          1 ") == "unclosed_table@97 1");
    // A first column that holds no text.
    std::string full = header;
    full.replace(full.find("     Name"), 9, "Full Name");
    CHECK(read(full + "         a          1") == "row_mismatch@95 0");
    CHECK(read(full + "         a          12\n         b") == "row_mismatch@107 1");
    // An empty line before the next table is no closing rule.
    const std::string next = header + "         c           3\n----------  ----------  \n";
    CHECK(read(header + "         b\n" + next) == "row_mismatch@84 01");
    CHECK(read(header + "         b\n\n" + next) == "row_mismatch@84 01");
}

namespace {

// What is reported of a text and read from it: problems with their lines, columns and rows of each table.
std::string outcome_of_tables(const std::string& text, std::string_view prefix = {}) {
    wlfmt::options how = lenient_tables();
    how.prefix = prefix;
    const auto got = read_tables(text, how);
    std::string all;
    for (const auto& e : got.errors)
        all.append(name_of(e.kind)).append("@" + std::to_string(wlfmt::location_of(text, e.offset).line) + " ");
    for (const table::profile& one : got.doc.tables) {
        all += "[" + std::to_string(one.columns.size()) + ":";
        for (std::size_t n = 0; n != one.size(); ++n) all.append(" ").append(one.row(n)[0].text());
        all += one.totals.empty() ? "]" : "+]";
    }
    return all;
}

const std::string short_header = "Name  Self CPU  # of Calls\n";
const std::string short_rule = "----  --------  ----------\n";
const std::string mm_row = "  mm   1.000us           2\n";
const std::string add_row = " add   7.000us          11\n";
const std::string names_with_memory =
    "-------  --------  --------  ----------  -----  \n"
    "   Name  Self CPU  CUDA Mem  # of Calls  Extra  \n"
    "-------  --------  --------  ----------  -----  \n"
    "     mm   1.000us   3.81 Kb           2  a b    \n"
    " add it   7.000us       0 b          11  x      \n"
    "-------  --------  --------  ----------  -----  \n"
    "Self CPU time total: 8.000us\n";
const std::string mm_total = "Self CPU time total: 1.000us\n";

}  // namespace

TEST_CASE("a table that lacks one of the rules around its header, or both, is mended, and else an error") {
    const std::string rows = mm_row + add_row;
    for (const std::string before : {"", "Some prose.\n", "x  y\n\n"}) {
        const std::string at = std::to_string(std::count(before.begin(), before.end(), '\n') + 1);
        const std::string next = std::to_string(std::count(before.begin(), before.end(), '\n') + 2);
        const auto check = [&](const std::string& text, const std::string& line) {
            CHECK(outcome_of_tables(before + text) == "missing_rule@" + line + " ");
            CHECK(outcome_of_tables(mended(before + text)) == "[3: mm add+]");
        };
        check(short_header + short_rule + rows + short_rule + mm_total, at);
        check(short_rule + short_header + rows + short_rule + mm_total, next);
        check(short_header + rows + short_rule + mm_total, at);
        CHECK(wlfmt::detect(before + short_header + rows) == wlfmt::file_format::table);
        CHECK(wlfmt::detect(before + short_header + short_rule) == wlfmt::file_format::table);
        CHECK(wlfmt::detect(before + short_rule + short_header + rows) == wlfmt::file_format::table);
    }
    // After a good table, and after one that is not closed.
    const std::string good = short_rule + short_header + short_rule + mm_row + short_rule + mm_total;
    CHECK(outcome_of_tables(good + "\n" + short_header + add_row) == "missing_rule@8 [3: mm+]");
    CHECK(outcome_of_tables(mended(good + "\n" + short_header + add_row)) == "[3: mm+][3: add]");
    const std::string open =
        short_rule + short_header + short_rule + mm_row + short_header + short_rule + add_row + short_rule;
    CHECK(outcome_of_tables(open) == "unclosed_table@5 missing_rule@5 [3: mm]");
    CHECK(outcome_of_tables(mended(open)) == "unclosed_table@5 [3: mm][3: add]");
    // The only rule of such a table begins no other one, as a row and the closing rule may follow it.
    CHECK(outcome_of_tables(short_header + short_rule + mm_row + short_rule + add_row) == "missing_rule@1 ");
    CHECK(outcome_of_tables(short_rule + short_header + mm_row + short_rule + mm_total) == "missing_rule@2 ");
    // Without a rule above the rows only their places tell them apart.
    CHECK(outcome_of_tables(mended(short_header + mm_row + "\n" + add_row + "\nprose\n")) == "[3: mm add]");
    CHECK(outcome_of_tables(mended(short_header + mm_row + "... 3 more lines\n" + add_row)) ==
          "row_mismatch@5 [3: mm add]");
    CHECK(outcome_of_tables(mended(short_header + mm_row + "It took long.\nToo long.\nx  y  z\n")) == "[3: mm]");
    // A table whose closing rule alone is gone keeps its totals.
    CHECK(outcome_of_tables(short_rule + short_header + short_rule + mm_row + mm_total) == "unclosed_table@5 [3: mm+]");
    // Prose, and the header of another program, make no table.
    for (const std::string none : {"Name  of the run\n  mm   1.000us\n", "Name  Self CPU\n  mm   1.000us  3\n",
                                   "Title  Self CPU\n  mm   1.000us\n", "Name Self CPU\nmm 1.000us\n"}) {
        CAPTURE(none);
        CHECK(table::read(none).error().kind == error_kind::no_records);
        CHECK(wlfmt::detect(none) == wlfmt::file_format::unknown);
    }
    // The same after a prefix.
    std::string quoted;
    for (const std::string& line : {short_header, short_rule, mm_row, short_rule}) quoted += "> " + line;
    CHECK(outcome_of_tables(quoted, "> ") == "missing_rule@1 ");
    CHECK(outcome_of_tables(quoted, wlfmt::any_prefix) == "missing_rule@1 ");
    CHECK(outcome_of_tables(mended(quoted), wlfmt::any_prefix) == "[3: mm]");
    CHECK(wlfmt::find_prefix(quoted) == "> ");
}

TEST_CASE("a table whose spaces are no-break spaces is the table with spaces") {
    const std::string text = names_with_memory;
    // A browser writes two spaces as a no-break space and a space.
    std::string pairs;
    std::string all;
    for (std::size_t n = 0; n != text.size(); ++n) {
        const bool odd = text[n] == ' ' && (n == 0 || text[n - 1] != ' ' || pairs.back() == ' ');
        pairs += odd ? std::string("\xC2\xA0") : std::string(1, text[n]);
        all += text[n] == ' ' ? std::string("\xC2\xA0") : std::string(1, text[n]);
    }
    const auto plain = read_clean(text);
    for (const std::string& changed : {pairs, all}) {
        const auto read = read_clean(changed);
        REQUIRE(read.tables.size() == 1);
        const table::profile& one = read.tables[0];
        for (std::size_t n = 0; n != 5; ++n) CHECK(one.columns[n].name == plain.tables[0].columns[n].name);
        CHECK(one.find_cell(0, "Self CPU").value() == 1.0);
        CHECK(one.find_cell(0, "CUDA Mem").value() == 3901.44);
        CHECK(one.find_cell(1, "# of Calls").value() == 11);
        REQUIRE(one.totals.size() == 1);
        CHECK(one.totals[0].name == "Self CPU time total");
        CHECK(one.totals[0].value.value() == 8.0);
        // And it is written.
        std::string out;
        CHECK_FALSE(table::write(out, read));
    }
}

TEST_CASE("a table that is not closed ends at a Markdown fence") {
    const std::string open = short_rule + short_header + short_rule + mm_row;
    for (const std::string end : {"```\n", "~~~\n", "```python\n", "  ```\n"})
        CHECK(outcome_of_tables(open + end + "Some prose here.\nMore  of it\n") == "unclosed_table@5 [3: mm]");
    CHECK(outcome_of_tables(open + "# c\n" + add_row + short_rule) == "row_mismatch@5 [3: mm add]");
    // A row that was cut, before a fence.
    CHECK(outcome_of_tables(open + " add   7.000us\n```\n") == "row_mismatch@5 [3: mm]");
    const std::string sources =
        "----  --------  ---------------\nName  Self CPU  Source Location\n----  --------  ---------------\n"
        "  mm   1.000us  a.py(1): f\n                b.py(2): g\n\n";
    CHECK(outcome_of_tables("```\n" + sources + "```\nSome prose.\nMore prose.\n") == "unclosed_table@8 [3: mm]");
    CHECK(outcome_of_tables(sources + "Some prose.\nMore prose, with  a gap.\n") ==
          "row_mismatch@7 row_mismatch@8 unclosed_table@9 [3: mm]");
    CHECK(outcome_of_tables(sources + "WARNING: slow\n\n add   2.000us  c.py(1): h\n\n----  ----\n") ==
          "row_mismatch@7 [3: mm add]");
}

TEST_CASE("a blank line between two rules is no header") {
    const std::string small = test::data("table/small.txt");
    const std::string rule = small.substr(0, small.find('\n') + 1);
    for (const std::string blank : {"\n", "   \r\n", "\n\n", "\xC2\xA0\n"}) {
        const std::string text = rule + blank + small;
        CHECK(difference(read_clean(text), document_of({small_table()})) == "");
        CHECK(wlfmt::detect(text) == wlfmt::file_format::table);
        const std::string alone = rule + blank + rule;
        CHECK(table::read(alone).error().kind == error_kind::no_records);
    }
    table::profile one = small_table();
    for (table::column& c : one.columns) c = table::column("");
    CHECK(table::problem_of(one).field == "columns");
}

TEST_CASE("what is left of a table without its header, its blanks or its rules is named") {
    const std::string small = test::data("table/small.txt");
    const std::string rows = small.substr(small.find("       aten::mm"));
    const std::string rule = small.substr(0, small.find('\n') + 1);
    const auto says = [](const std::string& text) {
        const auto read = table::read(text);
        CHECK(read.error().kind == error_kind::no_records);
        return wlfmt::message(read.error(), text);
    };
    const std::string piece =
        "the text holds no profiler table; it looks like a piece of a profiler table without its header";
    CHECK(says(rows) == piece);
    CHECK(says(rule + rows.substr(0, rows.find('\n') + 1)) == piece);
    CHECK(
        says("Self CPU time total: 13.981ms\nSelf CUDA time total: 2.000ms\n") ==
        "the text holds no profiler table; it looks like the totals of a profiler table alone; its rows are above them "
        "where it was printed");
    CHECK(says("Self CPU time total: 13.981ms\n" + rows) == piece);
    CHECK(says("Name Self CPU # of Calls\na 1.000us 3\n") ==
          "the text holds no profiler table; it looks like a profiler table whose blanks between the cells were "
          "collapsed");
    CHECK(says("| Name | Self CPU |\n") ==
          "the text holds no profiler table; it looks like a profiler table as Markdown, with `|` between its cells");
    CHECK(says("nothing of a table\n---  ---\n") == "the text holds no profiler table");
    CHECK(says(" Time (%)  Total Time (ns)  Instances   Avg (ns)\n --------  ---------------  ---------  --------\n") ==
          "the text holds no profiler table; it looks like a table of Nsight Systems (nsys stats); wlfmt reads "
          "PyTorch's");
    CHECK(says("            Type  Time(%)      Time     Calls       Avg  Name\n") ==
          "the text holds no profiler table; it looks like a table of nvprof; wlfmt reads PyTorch's");
    CHECK(says("| Time (%) | Total time | Calls | Time distribution | Name |\n") ==
          "the text holds no profiler table; it looks like a table of CUDA.jl; wlfmt reads PyTorch's");
    for (const auto& [header, profiler] :
         {std::pair<const char*, const char*>{"Time(%)  Total Time (ns)  Num Calls  Name",
                                              "Nsight Systems (nsys stats)"},
          {"Metric Name  Metric Unit  Metric Value", "Nsight Compute (ncu)"},
          {"Name  Calls  GPU Total / Avg / Max / Min / Ratio(%)", "Paddle's profiler"},
          {"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)", "Python's cProfile"},
          {"Line #      Hits         Time  Per Hit   % Time  Line Contents", "line_profiler"}})
        CHECK(says(std::string(header) + "\n") == "the text holds no profiler table; it looks like a table of " +
                                                      std::string(profiler) + "; wlfmt reads PyTorch's");
    for (const char* layer : {"a|-1|1659|NONE|0|1659|NONE|0|1277|ALLREDUCE|131072|100|DATA",
                              "| a | -1 | 7 | ALLREDUCE | 3 | 8 | ALLGATHER | 4 | 9 | ALLREDUCE | 5 | 100 |"})
        CHECK(says(std::string(layer) + "\n") ==
              "the text holds no profiler table; it looks like layers of a workload "
              "file as Markdown, with `|` between their fields");
    CHECK(
        says("{\n \"cells\": [\n  \"Self CPU time total: 1.000us\\n\"\n ]\n}\n") ==
        "the text holds no profiler table; it looks like a notebook; wlfmt.open() of Python reads what its cells have "
        "printed, and so does the command with simdjson");
    CHECK(
        says("'---  ---\\nName  Self CPU\\n---  ---\\n'\n") ==
        "the text holds no profiler table; it looks like a text in quotes, with \\n for its line ends; wlfmt.open() of "
        "Python reads it");
    CHECK(says("aten::mm  0.00%  0.000us  10\n") == piece);
    CHECK(says(std::string("\xFF\xFEN\0a\0m\0e\0", 10)) ==
          "the text holds no profiler table; it looks like UTF-16, which PowerShell writes; `iconv -f UTF-16 -t UTF-8` "
          "makes UTF-8 of it");
    std::string framed;
    std::string twice;
    for (const std::string_view line : test::lines_of(small)) {
        framed.append(line.substr(0, line.size() - 1)).append("\xE2\x94\x82\n");
        twice.append(line.substr(0, line.size() - 1)).append("  ").append(line);
    }
    CHECK(
        says(framed) ==
        "the text holds no profiler table; it looks like a profiler table in a frame or beside other text; it is read "
        "without these");
    // Two tables side by side are a table in which names repeat.
    const auto beside = table::read(twice);
    CHECK(beside.ok());
    CHECK(beside->tables.at(0).columns.size() == 6);
    std::string coloured;
    for (const std::string_view line : test::lines_of(small))
        coloured.append("\x1B[1G").append(line.substr(0, line.size() - 1)).append("\x1B[0m\n");
    CHECK(says(coloured) ==
          "the text holds no profiler table; it looks like a profiler table with a terminal's escape sequences; it is "
          "read without them");
    std::string doubled;
    for (const std::string_view line : test::lines_of(small)) doubled.append("a b ").append(line);
    const std::string_view unfit =
        "the text holds no profiler table; it looks like a profiler table with another text before each line, or with "
        "rows that do not fit its header";
    CHECK(says(doubled) == unfit);
    CHECK(says("Name  Self CPU\na  1.000us  3\n") == unfit);
    // Tables are not mentioned where another format was looked for.
    CHECK(wlfmt::message(wlfmt::oplog::read(rows).error(), rows).find("table") == std::string::npos);
}

TEST_CASE("a table that ends after whole rows without a closing rule is a problem of its own") {
    const std::string small = test::data("table/small.txt");
    const std::string rule = small.substr(0, small.find('\n') + 1);
    const std::size_t closing = small.rfind(rule);
    const std::string open = small.substr(0, closing);
    table::reader tables(open);
    REQUIRE(tables.next_table());
    for (int rows = 0; rows != 2; ++rows) CHECK(tables.next() != nullptr);
    CHECK(tables.ok());
    CHECK(tables.next() == nullptr);
    CHECK(tables.error().kind == error_kind::unclosed_table);
    CHECK(tables.error().offset == open.size());
    CHECK_FALSE(tables.skip());
    // After a bad last row, too; and right after the header.
    for (const std::string cell : {"0.250us", "  .25us"}) {
        const std::string text = changed("0.250us", cell, open);
        const auto got = read_tables(text);
        REQUIRE_FALSE(got.errors.empty());
        CHECK(got.errors.size() == (cell == "0.250us" ? 1 : 2));
        CHECK(got.errors.back().kind == error_kind::unclosed_table);
    }
    const std::string header = small.substr(0, small.find("       aten::mm"));
    CHECK(read_open(header).tables.at(0).size() == 0);
    // With stacks, in which blank lines end nothing.
    const std::string stacks = file("stack");
    const std::string open_stacks = stacks.substr(0, stacks.rfind("\n---") + 1) + "\n\n";
    CHECK(table::read(open_stacks).error().kind == error_kind::unclosed_table);
    // What follows is read.
    const std::string two = open + small;
    CHECK(read_open(two).tables.size() == 2);
    // Problems of a table that is passed over are not reported. Up to PyTorch 1.1, where the calls are `Calls`, there
    // is no rule.
    table::reader passing(open);
    CHECK(passing.next_table());
    CHECK_FALSE(passing.next_table());
    CHECK(passing.ok());
    const std::string old = changed("# of Calls", "     Calls", open);
    CHECK(read_clean(old).tables.at(0).size() == 2);
}

TEST_CASE("a character that a text cuts off is none, whatever follows the text") {
    for (const std::string_view whole : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
        const std::string text = "a" + std::string(whole);
        CHECK(wlfmt::utf8_size(text, 1) == whole.size());
        for (std::size_t size = 2; size != text.size(); ++size)
            CHECK(wlfmt::utf8_size(std::string_view(text).substr(0, size), 1) == 0);
    }
}

TEST_CASE("colours around the lines and the cells of a table take no place") {
    const std::string small = test::data("table/small.txt");
    const auto plain = table::read(small);
    std::string lines;
    std::string cells;
    for (const std::string_view line : test::lines_of(small)) {
        const std::string_view own = line.substr(0, line.size() - 1);
        lines.append("\x1B[1;32m").append(own).append("  \x1B[0m\n");
        for (std::size_t n = 0; n != own.size(); ++n) {
            const bool begins = own[n] != ' ' && (n == 0 || (n > 1 && own.substr(n - 2, 2) == "  "));
            if (begins) cells.append("\x1B[36m");
            cells += own[n];
            if (own[n] != ' ' && (n + 1 == own.size() || own.substr(n + 1, 2) == "  ")) cells.append("\x1B[0m");
        }
        cells += '\n';
    }
    CHECK(lines.find("\x1B[0m\n") != std::string::npos);
    for (const std::string& text : {lines, cells, lines.substr(0, lines.size() - 2)}) {
        const auto coloured = table::read(text);
        REQUIRE(coloured.ok());
        CHECK(difference(*coloured, *plain) == "");
        CHECK(wlfmt::find_prefixes(text) == std::vector<std::string_view>{""});
    }
    // Each line in another colour, after a prefix in colour.
    std::string log;
    for (const std::string_view line : test::lines_of(small))
        log.append("\x1B[36m[rank0]:\x1B[0m ").append(log.size() % 2 == 0 ? "\x1B[1m" : "\x1B[31m").append(line);
    REQUIRE(wlfmt::find_prefixes(log) == std::vector<std::string_view>{"\x1B[36m[rank0]:\x1B[0m "});
    wlfmt::options how;
    how.prefix = "\x1B[36m[rank0]:\x1B[0m ";
    const auto after_prefix = table::read(log, how);
    REQUIRE(after_prefix.ok());
    CHECK(difference(*after_prefix, *plain) == "");
}

TEST_CASE("rows right after a prefix belong to the table whose header has blanks there") {
    for (const std::string prefix : {"[rank0]:", "+", "#", ">"}) {
        const std::string text = prefix + "   Name  Self CPU  # of Calls\n" + prefix +
                                 "  a::b   1.000us           1\n" + prefix + "kernel   9.000us           2\n" + prefix +
                                 "Self CPU time total: 10.000us\n";
        CAPTURE(prefix);
        REQUIRE(wlfmt::find_prefixes(text) == std::vector<std::string_view>{prefix});
        CHECK(wlfmt::find_prefix(text) == prefix);
        wlfmt::options how;
        how.prefix = wlfmt::any_prefix;
        const std::string whole = mended(text);
        const auto read = table::read(whole, how);
        REQUIRE(read->tables.size() == 1);
        REQUIRE(read->tables[0].size() == 2);
        CHECK(read->tables[0].row(1).find("Self CPU").value() == 9.0);
        CHECK(read->tables[0].find_total("Self CPU time total").value() == 10.0);
    }
    // Where each line has the blank, it is the prefix's.
    const std::string text =
        "[rank0]:   Name  Self CPU  # of Calls\n[rank0]: kernel   9.000us           2\n[rank0]:\n"
        "[rank0]:other   9.000us           2\n";
    CHECK(wlfmt::find_prefixes(text) == std::vector<std::string_view>{"[rank0]: "});
}
