// Whatever a program copies, moves, stores, returns or lets outlive something else can safely be iterated over and
// written as long as the text lives. To be tested under the address sanitizer with use-after-scope.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/workload.hpp>

#include "support.hpp"
#include "workload_support.hpp"

namespace workload = wlfmt::workload;
using test::lenient;
using test::unchecked;

namespace {

std::string sha(char digit) { return "sha256:" + std::string(64, digit); }

// Good and malformed texts: every file of tests/data, and layers that repeat sha256 texts, rightly and wrongly.
std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const std::string& name : test::workload_files()) all.push_back(test::data(name));
    std::string target = "HYBRID_DLRM 4 : 5 pp: x ep: checkpoints: 3 1 2";
    std::string fields;
    for (const char* const key : {"model", "step", "routing", "memory_event_plan", "workload"}) {
        target.append(" target_").append(key).append("_sha256: ").append(sha(*key));
        fields.append("\t").append(sha(*key));
    }
    target.append("\n2\nx -1 -1 ALLTOALLV -2 3 17 4 5 NONE 6 7").append(fields).append("\n");
    target.append("y -1 1 NONE 0 1 NONE 0 1 NONE 0 1").append(fields.size(), ' ').append("\ncut -1 1\n");
    all.push_back(target);
    return all;
}

// Everything that can be asked of a record, in one text.
std::string walked(const workload::entry_list& entries) {
    std::string all;
    for (const workload::entry& e : entries) all.append(e.key).append(e.colon ? ":" : "=").append(e.value).append(";");
    return all + std::to_string(entries.size()) + std::string(entries.find("pp").text());
}
std::string walked(const workload::index_list& indices) {
    std::string all;
    for (const auto index : indices) all += std::to_string(index) + ";";
    return all;
}
std::string walked(const workload::words& words) {
    std::string all;
    for (const std::string_view w : words) all.append(w).append(";");
    return all;
}
std::string walked(const workload::header& head) {
    std::string all = unchecked(head) + walked(head.entries) + walked(head.checkpoints());
    all.append(workload::problem_of(head).field).append(where(head, "pp")).append(head.find("policy").text());
    return all + std::to_string(head.vpp().value_or(-1.0));
}
std::string walked(const workload::layer& one) {
    std::string all = unchecked(one) + walked(workload::words(one.further));
    all.append(workload::problem_of(one).field).append(where(one, "forward.comm")).append(one.source);
    return all;
}
std::string walked(const workload::document& doc) {
    std::string all = unchecked(doc) + walked(doc.header);
    for (const workload::layer& one : doc.layers) all += walked(one);
    all.append(workload::problem_of(doc).field);
    return all;
}

// Does with a value whatever programs do with values. The original is gone before each copy is iterated over.
template <class T> void survive(const T& original) {
    const std::string expected = walked(original);
    const auto returned = [](const T& from) {
        T copy = from;
        return copy;
    };
    CHECK(walked(returned(original)) == expected);

    auto source = std::make_unique<T>(original);
    std::vector<T> stored;
    for (int n = 0; n != 5; ++n) stored.push_back(*source);
    T assigned;
    assigned = *source;
    T moved(std::move(*source));
    source.reset();
    for (const T& one : stored) CHECK(walked(one) == expected);
    CHECK(walked(assigned) == expected);
    CHECK(walked(moved) == expected);

    T other;
    const std::string nothing = walked(other);
    std::swap(moved, other);
    CHECK(walked(moved) == nothing);
    CHECK(walked(other) == expected);
    assigned = std::move(other);
    CHECK(walked(assigned) == expected);
    T& itself = assigned;
    assigned = itself;
    CHECK(walked(assigned) == expected);
    std::optional<T> kept = stored.front();
    stored.clear();
    stored.shrink_to_fit();
    CHECK(walked(*kept) == expected);
    // A value that was moved from is empty or unchanged, and may be iterated over, written and assigned.
    static_cast<void>(walked(other));
    other = *kept;
    CHECK(walked(other) == expected);
}

}  // namespace

TEST_CASE("records, lists and documents outlive what they were copied from") {
    for (const std::string& text : texts()) {
        for (const bool edited : {false, true}) {
            std::optional<wlfmt::result<workload::document>> read = workload::read(text, lenient());
            if (edited) (*read)->header.entries.edit().push_back({"seed", "7"});
            const workload::document doc = **read;
            const wlfmt::result<workload::document> result = *read;
            read.reset();
            survive(doc);
            survive(doc.header);
            survive(doc.header.entries);
            survive(doc.header.checkpoints());
            for (const workload::layer& one : doc.layers) {
                survive(one);
                survive(workload::words(one.further));
            }
            CHECK(walked(*result) == walked(doc));
        }
    }
}

TEST_CASE("copies of what a reader shows outlive the reader and its next layers") {
    for (const std::string& text : texts()) {
        for (const wlfmt::options& how : {wlfmt::options(), lenient()}) {
            std::vector<workload::layer> layers;
            std::vector<std::string> expected;
            std::optional<workload::header> head;
            std::string head_expected;
            std::optional<wlfmt::problem> error;
            {
                workload::reader file(text, how);
                do {
                    while (const workload::layer* one = file.next()) {
                        layers.push_back(*one);
                        expected.push_back(walked(*one));
                    }
                    error = file.error();
                } while (file.skip());
                head = file.header();
                head_expected = walked(file.header());
            }
            for (std::size_t n = 0; n != layers.size(); ++n) CHECK(walked(layers[n]) == expected[n]);
            CHECK(walked(*head) == head_expected);
            static_cast<void>(wlfmt::explain(*error, text, wlfmt::in_file("kept")));
        }
    }
}

TEST_CASE("iterators outlive what they iterate over") {
    const std::string text = "HYBRID_DLRM 4 pp: 2 checkpoints: 2 5 6\n1\nx -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    {
        std::optional<workload::reader> file;
        file.emplace(text);
        auto first = file->begin();
        const auto copy = first;
        CHECK(first->name == "x");
        file.reset();
        CHECK(first == test::end_of_walk());
        CHECK(copy == test::end_of_walk());
        CHECK(++first == test::end_of_walk());
        const auto of_temporary = [](std::string_view t) {
            workload::reader gone(t);
            auto walk = gone.begin();
            return walk;
        };
        CHECK(of_temporary(text) == test::end_of_walk());
    }
    std::optional<workload::entry_list> entries = workload::reader(text).header().entries;
    std::optional<workload::index_list> indices = workload::reader(text).header().checkpoints();
    auto e = entries->begin();
    auto i = indices->begin();
    auto w = workload::words(text).begin();
    entries.reset();
    indices.reset();
    CHECK((++e)->key == "pp");
    CHECK(*++i == 6);
    CHECK(*++w == "4");
    CHECK(++ ++e == test::end_of_walk());
    CHECK(++i == test::end_of_walk());
}

TEST_CASE("an iterator of an edited entry list outlives the list and its header") {
    const auto started = [](bool edited) {
        const std::string head = "DATA pp: 2 ep: 4\n0\n";
        static const std::string text = head;
        workload::header own = workload::reader(text).header();
        if (edited) own.entries.edit().push_back({"ga", "7"});
        return own.entries.begin();
    };
    for (const bool edited : {false, true}) {
        auto e = started(edited);
        const auto copy = e;
        CHECK(e->key == "pp");
        CHECK((++e)->value == "4");
        CHECK(copy->key == "pp");
        if (edited) CHECK((++e)->value == "7");
        CHECK(++e == test::end_of_walk());
    }

    auto list = std::make_unique<workload::entry_list>(std::vector<workload::entry>{{"pp", "2"}, {"ep", "4"}});
    auto shortened = list->begin();
    ++shortened;
    list->edit().resize(1);
    CHECK(shortened->key == "ep");
    CHECK(++shortened == list->end());
    std::size_t n = 0;
    for (auto e = list->begin(); e != list->end(); ++e, ++n)
        if (n == 0) list->edit().insert(list->edit().end(), 1000, {"x", "y"});
    CHECK(n == 1001);
    auto kept = list->begin();
    list->edit()[0].value = "3";
    CHECK(kept->value == "3");
    *list = workload::entry_list();
    CHECK(kept->key == "pp");
    // Copies do not share their entries.
    const workload::entry_list first(std::vector<workload::entry>{{"pp", "2"}});
    workload::entry_list second = first;
    second.edit()[0].value = "5";
    CHECK(walked(first) == "pp:2;12");
    CHECK(walked(second) == "pp:5;15");
}

TEST_CASE("digits that set() printed are there as long as anything that shows them") {
    workload::header header;
    header.set("pp", 1234567);
    const auto text = header.find("pp").text();
    header.set("pp", 7654321);
    header.set("ga", 1111111);  // takes the memory that the first digits had
    CHECK(text == "1234567");

    // An entry's own digits, given back as a text: to the same entry, and to another one.
    for (const workload::entry e : header.entries) {
        header.set(e.key, e.value);
        header.set("copy", e.value);
    }
    header.set("ga", 2222222);
    header.set("vpp", 3333333);
    CHECK(walked(header.entries) == "pp:7654321;ga:2222222;copy:1111111;vpp:3333333;47654321");
    {
        const auto printed = header.find("vpp").text();
        header.set("copy", printed);
    }
    header.set("vpp", 5);
    CHECK(header.find("copy").text() == "3333333");
}

TEST_CASE("a document on a temporary gives its own header") {
    const std::string text = test::data("workload/aicb.txt");
    const auto load = [&text] { return workload::read(text).partial(); };
    CHECK(load().header.policy == "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    std::string keys;
    for (const workload::entry& e : load().header.entries) keys.append(e.key).append(";");
    CHECK(keys.substr(0, 32) == "model_parallel_NPU_group;ep;pp;v");
    const workload::header& head = load().header;
    CHECK(head.expert_parallel().as<int>() == 4);
    const workload::header& of_reader = workload::reader(text).header();
    CHECK(of_reader.expert_parallel().as<int>() == 4);
}

TEST_CASE("an entry list that is assigned a list from its own entries") {
    workload::entry_list list = workload::entry_list::from_text("pp: 2 ep: 4", "DATA");
    list = std::vector<workload::entry>(list.begin(), list.end());
    CHECK(walked(list) == "pp:2;ep:4;22");
    list = workload::entry_list::from_text("ga: 1", "DATA");
    CHECK(walked(list) == "ga:1;1");
    list.edit()[0].value = "3";
    list.edit().push_back(list.edit()[0]);
    CHECK(walked(list) == "ga:3;ga:3;2");
    list = {};
    CHECK(list.empty());
}

TEST_CASE("what the first iterator of a reader shows may be looked at where there is no layer") {
    wlfmt::workload::reader file("MICRO\n0\n");
    const auto first = file.begin();
    CHECK(first == file.end());
    CHECK(first->name.empty());
    CHECK((*first).update == 0);
}
