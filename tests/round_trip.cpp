// Whatever write() accepts reads back equal, over its text and over JSON: records of all three formats in which every
// field is random. The texts are read back, and compared by ==, by what is written of them, and by their JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

namespace oplog = wlfmt::oplog;
namespace table = wlfmt::table;
namespace workload = wlfmt::workload;

using word = std::string_view;

// Random values, and the texts that records show.
class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) { wild_ = below(3) * 6; }

    std::uint64_t bits() {
        std::uint64_t v = state_ += 0x9E3779B97F4A7C15;
        v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9;
        v = (v ^ v >> 27) * 0x94D049BB133111EB;
        return v ^ v >> 31;
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    // Whether a field has a value that hardly fits: never in a third of the records, so that many are accepted.
    bool is_wild() { return wild_ != 0 && one_in(wild_); }
    template <std::size_t N> word of(const word (&words)[N]) { return words[below(N)]; }
    char byte() { return static_cast<char>(bits()); }

    std::int64_t integer() {
        static constexpr std::int64_t known[] = {0, 1, -1, 8, 9007199254740993, INT64_MAX, INT64_MIN};
        if (one_in(3)) return known[below(std::size(known))];
        const auto v = static_cast<std::int64_t>(bits() >> below(64));
        return one_in(4) ? -v : v;
    }
    double decimal() {
        static constexpr double known[] = {0.0, -0.0, 0.5, 8.3, 2621440.0, 1e16, 1.28e10, 1e-5, 5e-324, 1e300};
        static constexpr double scales[] = {1, 100, 1000, 1e6, 1e-6};
        if (one_in(3)) return known[below(std::size(known))];
        if (!one_in(4)) return static_cast<double>(integer() % 10000000000) / scales[below(std::size(scales))];
        const std::uint64_t random = bits();
        double v = 0;
        std::memcpy(&v, &random, sizeof v);
        return v;
    }
    word keep(std::string text) {
        kept_.push_back(std::move(text));
        return kept_.back();
    }
    // One of the words, or some of them and of random bytes joined.
    template <std::size_t N, std::size_t M> word text(const word (&usual)[N], const word (&odd)[M]) {
        if (!is_wild()) return of(usual);
        std::string t;
        for (std::size_t n = below(4); n != 0; --n) {
            if (one_in(8)) t += byte();
            else t += one_in(2) ? of(odd) : of(usual);
        }
        return keep(std::move(t));
    }
    template <std::size_t N, std::size_t M> wlfmt::number number(const word (&usual)[N], const word (&odd)[M]) {
        switch (is_wild() ? below(4) : 4 + below(4)) {
        case 0: return {};
        case 1: return nullptr;
        case 2: return wlfmt::number(wlfmt::text_view(text(usual, odd)));
        case 3: return one_in(2) ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
        case 4:
        case 5: return decimal();
        default: return integer();
        }
    }

private:
    std::uint64_t state_;
    std::size_t wild_ = 0;
    std::deque<std::string> kept_;
};

struct of_oplog {
    using document = oplog::document;
    static constexpr bool keeps_kinds = true;  // integers and decimals stay what they are

    static constexpr word words[] = {"None", "forward_step", "warmup", "tp",           "0",  "007",
                                     "1e3",  "True",         "8.0",    "[2048, 2]",    "[]", "torch.Size([8])",
                                     "a, b", "x y",          "",       "torch.float32"};
    static constexpr word odd[] = {",b=c",
                                   ", b=c",
                                   "a=1",
                                   "it's",
                                   "\"",
                                   "\\",
                                   "\\x2c",
                                   "\n",
                                   "\r",
                                   ")",
                                   "]",
                                   "']",
                                   "[1,",
                                   "[+1]",
                                   "nan",
                                   "inf",
                                   "None",
                                   "99999999999999999999",
                                   "1e999",
                                   "-0",
                                   " ",
                                   "Async operation, duration not measured",
                                   "\xC3\xA9",
                                   "\xFF",
                                   "\xED\xA0\x80",
                                   "\\ud800"};
    static constexpr word names[] = {"forward_step", "get_batch", "x", "a.b", "c:d-e"};
    static constexpr word keys[] = {"stage_id",  "mg_state",     "stage", "time_stamp", "duration",
                                    "cmd_uid",   "a.b",          "rank",  "op",         "sub_operations",
                                    "comm_func", "input__shape", "x",     "cmd_uid"};
    static constexpr word odd_names[] = {"", "1", "a b", "bad key", ":", "-", "(", "=", ",", "\n", "\xC3\xA9"};

    static oplog::document build(dice& d) {
        oplog::document doc;
        for (std::size_t n = 1 + d.below(2); n != 0; --n) doc.operations.push_back(operation(d));
        return doc;
    }
    static auto read(word text) { return oplog::read(text); }
    // Quotes and escapes that a program chose are not kept where others will do.
    static bool is_canonical(const oplog::document& doc) {
        for (const oplog::operation& op : doc.operations)
            for (const oplog::sub_operation& s : op.sub_operations)
                if (s.quote != 0) return false;
        return true;
    }
    static auto from_json(word json, wlfmt::json::texts& kept) { return wlfmt::json::read_oplog(json, kept); }

private:
    static oplog::operation operation(dice& d) {
        oplog::operation r;
        r.origin = d.one_in(3) ? oplog::origin::stage : oplog::origin::rank;
        r.rank = d.is_wild() ? d.integer() : static_cast<std::int64_t>(d.below(100));
        r.op = d.text(names, odd_names);
        members(d, r);
        r.spaced = d.one_in(3);
        return r;
    }
    template <class Record> static void members(dice& d, Record& r) {
        wlfmt::detail::for_each_key(r, [&](const auto& row, auto& member) {
            if (!d.one_in(3)) set(d, member, row.holds);
        });
        if (!d.one_in(3)) return;
        std::vector<oplog::attribute> list;
        for (std::size_t n = d.below(6); n != 0; --n) {
            const word key = d.text(keys, odd_names);
            list.push_back({key, d.one_in(9) ? word() : d.text(words, odd)});
        }
        r.attributes = std::move(list);
    }
    static void set(dice& d, wlfmt::text_view& v, wlfmt::detail::numeric) { v = d.text(words, odd); }
    static void set(dice& d, wlfmt::number& v, wlfmt::detail::numeric holds) {
        v = holds == wlfmt::detail::numeric::index && !d.is_wild() ? d.integer() : d.number(words, odd);
    }
    static void set(dice& d, oplog::shape& v, wlfmt::detail::numeric) {
        if (d.one_in(2)) {
            v = oplog::shape(wlfmt::text_view(d.text(words, odd)));
            return;
        }
        std::vector<std::int64_t> dims;
        for (std::size_t n = d.below(5); n != 0; --n) dims.push_back(d.integer());
        v = dims;
    }
    static void set(dice& d, oplog::sub_operation_list& v, wlfmt::detail::numeric) {
        if (d.one_in(9)) {
            oplog::operation none;
            none.set("sub_operations", "None");
            v = none.sub_operations;
            return;
        }
        std::vector<oplog::sub_operation> list;
        for (std::size_t n = d.below(4); n != 0; --n) {
            oplog::sub_operation s;
            if (d.one_in(5)) s.text = d.text(words, odd);
            else members(d, s);
            static constexpr char quotes[] = {0, 0, 0, '\'', '"', 'x'};
            s.quote = d.is_wild() ? quotes[d.below(std::size(quotes))] : '\0';
            s.spaced = d.one_in(4);
            s.damaged = d.is_wild();
            list.push_back(s);
        }
        v = std::move(list);
    }
};

struct of_workload {
    using document = workload::document;
    static constexpr bool keeps_kinds = true;

    static constexpr word policies[] = {"DATA", "HYBRID_CUSTOMIZED", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "NEW"};
    static constexpr word keys[] = {"model_parallel_NPU_group",
                                    "ep",
                                    "expert_parallel_npu_group",
                                    "pp",
                                    "vpp",
                                    "ga",
                                    "all_gpus",
                                    "pp_comm",
                                    "DLRM_LAST_BOTTOM_LAYER",
                                    "checkpoints",
                                    "checkpoint_initiates",
                                    "mode",
                                    "7",
                                    "policy",
                                    "layer count"};
    static constexpr word values[] = {"8", "2621440.0", "1.28e10", "007", "0.50", "1e3", "word", "None", "-1"};
    static constexpr word lists[] = {"0", "2 2 11", "1 -3", "+1 007"};
    static constexpr word words[] = {"NONE", "ALLREDUCE", "ALLTOALL_EP", "embedding_layer", "mlp", "None", "a:"};
    static constexpr word odd[] = {"",
                                   " ",
                                   "  ",
                                   "\t",
                                   "\n",
                                   "\v",
                                   ":",
                                   "a:",
                                   "key:",
                                   "8",
                                   "-1",
                                   "1.5",
                                   "nan",
                                   "inf",
                                   "2 2 11",
                                   "2 2  11",
                                   "2 1",
                                   " 0",
                                   "0 ",
                                   "x y",
                                   "99999999999999999999",
                                   "1e999",
                                   "9007199254740993.0",
                                   "1e300",
                                   "\xEF\xBB\xBF",
                                   "\xFF",
                                   "\xED\xA0\x80",
                                   "Layername",
                                   "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};

    static workload::document build(dice& d) {
        workload::document doc;
        doc.header.policy = d.text(policies, odd);
        auto& entries = doc.header.entries.edit();
        if (d.one_in(3)) entries.push_back({{}, d.text(values, odd), d.is_wild()});
        for (std::size_t n = d.below(5); n != 0; --n) {
            const word key = d.text(keys, odd);
            const bool list = key.substr(0, 10) == "checkpoint";
            entries.push_back({key, list ? d.text(lists, odd) : d.text(values, odd), !d.one_in(4)});
        }
        if (d.one_in(4) || entries.empty()) entries.clear();
        const bool targets = d.one_in(4);
        if (targets)
            for (const word key : wlfmt::detail::target_keys)
                if (!d.is_wild()) entries.push_back({key, odd[std::size(odd) - 1], !d.one_in(4)});
        const bool customized = doc.header.policy == "HYBRID_CUSTOMIZED";
        for (std::size_t n = d.below(4); n != 0; --n) {
            workload::layer l;
            l.name = d.text(words, odd);
            if (d.one_in(2)) l.dependency = d.integer();
            for (workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad}) {
                if (d.one_in(2)) p->compute = d.number(values, odd);
                if (d.one_in(2)) p->comm = d.text(words, odd);
                if (d.one_in(2)) p->bytes = d.is_wild() ? d.number(values, odd) : wlfmt::number(d.integer());
            }
            if (d.one_in(2)) l.update = d.number(values, odd);
            if (customized != d.is_wild()) l.policy = d.text(policies, odd);
            if (targets != d.is_wild()) l.further = repeated(d);
            doc.layers.push_back(l);
        }
        doc.header.declared_layers = doc.layers.size();
        return doc;
    }
    static auto read(word text) { return workload::read(text); }
    static bool is_canonical(const workload::document&) { return true; }
    static auto from_json(word json, wlfmt::json::texts& kept) { return wlfmt::json::read_workload(json, kept); }

private:
    static word repeated(dice& d) {
        std::string text;
        for (std::size_t n = 0; n != 5; ++n) {
            if (n != 0) text += d.is_wild() ? " \t" : "\t";
            text += d.is_wild() ? d.text(words, odd) : odd[std::size(odd) - 1];
        }
        return d.keep(text);
    }
};

struct of_table {
    using document = table::document;
    static constexpr bool keeps_kinds = false;  // a column's name decides

    static constexpr word names[] = {
        "Name",         "Overload Name", "Self CPU %",   "Self CPU",        "CPU total %",     "CPU total",
        "CPU time avg", "Self CUDA",     "CUDA total",   "CPU Mem",         "Self CUDA Mem",   "# of Calls",
        "Calls",        "Node ID",       "Input Shapes", "Source Location", "Source Location", "Total FLOPs",
        "Total FLOPs",  "Total MFLOPs",  "Custom",       "columns",         "totals",          "x"};
    static constexpr word odd_names[] = {
        "",      "=",      "==",  "===",      "=====",    "-",      "---",   "a  b", " x",           "x ",
        "#",     "e",      "Nam", "CUDA",     "Se",       "Self C", "CPU t", "# o",  "# of Calls X", "Sour",
        "0.17%", "12.5ms", "\t",  "\xC2\xA0", "\xC3\xA9", "\n",     "1"};
    static constexpr word texts[] = {
        "aten::add", "train_step#1", "[[2, 3], []]", "[2, 3]", "x.py(3): f", "3",  "11.000",
        "a",         "Name",         "--",           "NaN",    "0",          "-1", "f(a, b)"};
    static constexpr word odd[] = {
        "",         " ",         "a  b",
        " x",       "x ",        "\n",
        "\t",       "=",         "=====",
        "---",      "# c",       "# ",
        "```",      "## x",      "Self CPU time total: 1.000s",
        "\xC3\xA9", "\xFF",      "\xC2\xA0",
        "\x1b[1m",  "CPU total", "...",
        "12.5us",   "0.17%",     "3.81 KB",
        "1e999",    "nan",       "- a",
        "+1",       "\r",        "a_name_that_is_longer_than_the_55_characters_that_a_column_of_names_has"};
    static constexpr word totals[] = {"Self CPU time total", "CUDA time total", "Self XPU time total"};

    static table::document build(dice& d) {
        table::document doc;
        for (std::size_t n = d.one_in(8) ? 2 : 1; n != 0; --n) doc.tables.push_back(profile(d));
        return doc;
    }
    static auto read(word text) { return table::read(text); }
    static bool is_canonical(const table::document&) { return true; }
    static auto from_json(word json, wlfmt::json::texts& kept) { return wlfmt::json::read_table(json, kept); }

private:
    static table::profile profile(dice& d) {
        table::profile one;
        for (std::size_t n = d.one_in(6) ? 1 + d.below(3) : 0; n != 0; --n) one.titles.push_back(d.text(texts, odd));
        if (!d.is_wild()) one.columns.emplace_back("Name");
        if (d.one_in(3)) {
            // PyTorch's own order, in which a reader looks for columns that were cut off.
            for (const auto& known : wlfmt::detail::column_order)
                if (known.printed.find_first_of("*+") == word::npos && !d.one_in(4))
                    one.columns.emplace_back(known.printed);
            one.columns.resize(1 + d.below(one.columns.size()));
        } else {
            for (std::size_t n = 1 + d.below(6); n != 0; --n) one.columns.push_back(column(d));
        }
        for (std::size_t n = d.below(5); n != 0; --n) {
            for (const table::column& c : one.columns) one.cells.push_back(cell(d, c.unit));
            if (d.one_in(one.find_column("Source Location") != one.columns.size() ? 2 : 99)) {
                one.frames.resize(one.size() - 1);
                std::vector<std::string_view> frames;
                for (std::size_t k = d.below(4); k != 0; --k) frames.push_back(d.text(texts, odd));
                one.frames.push_back(table::frame_list(std::move(frames)));
            }
        }
        for (std::size_t n = d.below(3); n != 0; --n)
            one.totals.push_back({d.text(totals, odd), cell(d, table::unit::microseconds)});
        return one;
    }
    static table::column column(dice& d) {
        table::column c(d.text(names, odd_names));
        if (d.one_in(6)) c.width = static_cast<std::uint32_t>(d.below(40));
        if (d.one_in(9)) c.left_aligned = !c.left_aligned;
        if (d.is_wild()) c.unit = static_cast<table::unit>(d.below(9));
        return c;
    }
    static table::cell cell(dice& d, table::unit unit) {
        if (d.one_in(7)) return {};
        if (d.is_wild()) {
            if (d.one_in(2)) return table::cell(d.number(texts, odd));
            return table::cell(wlfmt::text_view(d.text(texts, odd)));
        }
        if (wlfmt::detail::holds_texts(unit) || (unit == table::unit::other && d.one_in(2)))
            return table::cell(wlfmt::text_view(d.of(texts)));
        if (d.one_in(9)) return table::cell(nullptr);
        const bool integer = unit == table::unit::count || d.one_in(4);
        const wlfmt::number v = integer ? wlfmt::number(d.integer()) : wlfmt::number(d.decimal());
        if (d.one_in(2)) return table::cell(v);
        char buffer[wlfmt::detail::max_value_chars];
        return table::cell(wlfmt::text_view(
            d.keep(std::string(wlfmt::detail::table_printing::printed_cell(table::cell(v), unit, buffer)))));
    }
};

template <class Document> std::string json_of(const Document& doc) {
    std::string json;
    CHECK(!wlfmt::json::write(json, doc));
    return json;
}

// What became of a document.
struct outcome {
    bool accepted = false;
    bool lacks_form = false;  // its JSON cannot be written: the layout there is another
    std::string text;
};

// What is not as it should be; empty if nothing is.
template <class Format> std::string fault(const typename Format::document& doc, outcome& is) {
    std::string& text = is.text;
    const wlfmt::problem refused = problem_of(doc);
    const wlfmt::problem e = write(text, doc);
    is.accepted = !e;
    if (e.kind != refused.kind || e.field != refused.field)
        return "write() and problem_of() differ: " + std::string(e.field) + ", " + std::string(refused.field);
    if (e) return !text.empty() ? "what is refused is written" : e.field.empty() ? "refused without a field" : "";

    const auto back = Format::read(text);
    if (!back.ok())
        return "what is written is no valid text: " + wlfmt::explain(back.error(), text, wlfmt::in_file("t"));
    if (!(*back == doc)) return "the text reads back as something else:\n" + json_of(doc) + json_of(*back);
    std::string again;
    if (write(again, *back) || (Format::is_canonical(doc) && again != text))
        return "what is read is written as something else: " + again;
    const std::string json = json_of(*back);
    if (const std::string other = json_of(doc); Format::keeps_kinds && other != json)
        return "the JSON of what is read differs:\n" + json + other;

    wlfmt::json::texts kept;
    const auto over = Format::from_json(json, kept);
    if (!over.ok()) return "the JSON cannot be read: " + wlfmt::explain(over.error(), json, wlfmt::in_file("j"));
    if (!(*over == doc)) return "the JSON reads back as something else:\n" + json;
    // A surrogate that a Python escape names becomes its three bytes.
    if (const std::string other = json_of(*over); other != json && json.find("\\ud8") == json.npos)
        return "the JSON of what was JSON differs:\n" + json + other;
    std::string from_json;
    if (const wlfmt::problem wrong = write(from_json, *over)) {
        is.lacks_form = true;
        return wrong.field.empty() ? "refused without a field" : "";
    }
    const auto last = Format::read(from_json);
    if (!last.ok() || !(*last == doc)) return "what was JSON is written as something else:\n" + json + from_json;
    return {};
}

// As many documents as WLFMT_TEST_RUNS says, or else so few that they take a second. `least`: how many of a thousand
// must be accepted, so that the test says something.
template <class Format> void check_many(std::size_t least) {
    const char* const wanted = std::getenv("WLFMT_TEST_RUNS");
    const std::size_t documents = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 3000 / test::stride;
    std::size_t accepted = 0;
    std::size_t lacking = 0;
    std::size_t faults = 0;
    for (std::size_t seed = 0; seed != documents && faults != 5; ++seed) {
        dice d(seed);
        outcome is;
        const std::string wrong = fault<Format>(Format::build(d), is);
        accepted += is.accepted ? 1U : 0U;
        lacking += is.lacks_form ? 1U : 0U;
        faults += wrong.empty() ? 0U : 1U;
        CHECK_MESSAGE(wrong.empty(), "document " << seed << ": " << wrong << "\n" << is.text);
    }
    CHECK(accepted * 1000 >= documents * least);
    CHECK(lacking * 20 <= accepted);
}

}  // namespace

TEST_CASE("any op log is refused, or reads back equal from its text and from its JSON") { check_many<of_oplog>(400); }
TEST_CASE("any workload file is refused, or reads back equal from its text and from its JSON") {
    check_many<of_workload>(250);
}
TEST_CASE("any tables are refused, or read back equal from their text and from their JSON") {
    check_many<of_table>(100);
}

TEST_CASE("a value shows the text that it was read from, and one that was assigned what is written") {
    const std::string text =
        "DATA ep: 007\n+1.0\n"
        "conv\t-1.0\t5.50\tNONE\t+7\t5\tALLREDUCE\t2621440.0\t5\tALLREDUCE\t1.28e10\t5e0\n";
    auto file = workload::read(text);
    REQUIRE(file.ok());
    workload::layer& layer = file->layers[0];
    for (const word field : {"name", "dependency", "forward.compute", "forward.comm", "forward.bytes",
                             "input_grad.compute", "input_grad.bytes", "weight_grad.bytes", "update"}) {
        CHECK(layer.find(field).text() == where(layer, field));
        CHECK(layer.find(field) == where(layer, field));
    }
    for (const word field : {"policy", "ep", "layer count"})
        CHECK(file->header.find(field).text() == where(file->header, field));
    CHECK(layer.find("weight_grad.bytes").as<std::int64_t>() == 12800000000);
    layer.input_grad.bytes = 4096.0;
    layer.weight_grad.bytes *= 2;
    CHECK(layer.find("input_grad.bytes") == "4096");
    CHECK(layer.find("weight_grad.bytes").text() == "25600000000");
}
