// Every value from an op log stays as it was whatever happens to its source: the value is copied, moved, assigned,
// swapped, stored and returned, its source destroyed or advanced. To be tested under the address sanitizer, which sees
// a use of freed memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::operation;
using oplog::sub_operation;
using oplog::sub_operation_list;

namespace {

// Good records for each path through the reader, and lists with every problem that a list can have.
constexpr std::string_view texts[] = {
    "rank:7:forward_step(stage_id=1,batch_id=2,mg_state=steady,duration=8.3,description=a, b,group_kind=dp,"
    "input__shape=[3, 4],input__dtype=half,timestamp=3.5,sub_operations=['trace_src_func=f,duration=0.5,"
    "timestamp=6.5,input__shape=[8],input__dtype=int,group=tp,comm_func=allreduce', 'trace_src_func=g,duration=0.25,"
    "timestamp=7.5,input__shape=[9, 1],input__dtype=int,func_name=n,group=pp,comm_func=broadcast'])\n"
    "rank:7:optimizer_step(stage_id=3,duration=None)\n",
    "stage:1:x(uid=u, timestamp=4, sub_operations=['z=1,group=a', 'text', 'it\\'s', \"b='c'\"], last=l)\n"
    "rank:2:y(sub_operations=None)\n"
    "rank:3:z(sub_operations=[])\n",
    "rank:4:a(sub_operations=['duration=x', 'group=b', oops, 'group=c'])\n"
    "rank:5:b(sub_operations=['group=d,group=e,p=\\x1', 'timestamp=1e999', 'group=f' 'group=g'])\n"
    "rank:6:c(uid=1,sub_operations=[\"group=h\", 'never ends\"])\n"
    "rank:7:d(stage_id=2,batch_id=x)\n"
    "rank:8:e(duration=9,sub_operations=['group=i', 'duration=y'])\n",
};

std::string shown(std::string_view v) { return wlfmt::is_missing(v) ? "missing" : "<" + std::string(v) + ">"; }
std::string shown(const wlfmt::number& n) {
    std::string text = std::string(name_of(n.kind())) + " ";
    wlfmt::append_value(text, n);
    return text;
}
std::string shown(const wlfmt::value& v) {
    return v.is_missing() ? "missing" : shown(std::string(v.text())) + " " + shown(v.number());
}
std::string shown(const wlfmt::problem& e) {
    return std::string(name_of(e.kind)) + " " + shown(e.field) + " " + std::to_string(e.offset) + " " +
           std::to_string(e.length);
}
std::string shown(const oplog::attribute& a) { return shown(a.key) + "=" + shown(a.value); }

std::string shown(const sub_operation& s);

// What is left of an iteration, as one text.
template <class Iterator> std::string rest(Iterator i) {
    std::string all;
    for (; i != test::end_of_walk(); ++i) {
        if constexpr (std::is_same_v<typename Iterator::value_type, std::int64_t>) all += std::to_string(*i) + ", ";
        else all += shown(*i) + ", ";
    }
    return all;
}
std::string shown(const oplog::shape& s) {
    return shown(s.text()) + (s.is_list() ? " list " : " ") + std::to_string(s.size()) + " " + rest(s.begin());
}
std::string shown(const oplog::attribute_list& a) { return (a.empty() ? "empty " : "some ") + rest(a.begin()); }
std::string shown(const sub_operation& s) {
    std::string all = s.damaged ? "damaged" : "sub";
    for (const std::string_view v :
         std::initializer_list<std::string_view>{s.trace_src_func, s.input_dtype, s.func_name, s.group, s.comm_func,
                                                 s.text, s.source, where(s, "duration")})
        all += " " + shown(v);
    all += " " + shown(s.duration) + " " + shown(s.timestamp) + " " + shown(s.input_shape);
    return all + " " + shown(s.attributes) + " " + shown(s.find("group")) + " " + shown(problem_of(s));
}
template <oplog::fields Fields> std::string shown(const oplog::chosen_sub_operations<Fields>& list) {
    // Members that were not asked for have no value to rely on.
    std::string all = std::to_string(list.size());
    for (const sub_operation& s : list) all += " " + shown(s.duration) + " " + shown(s.text);
    return all;
}
std::string shown(const sub_operation_list& list) {
    std::string all = list.is_missing() ? "missing" : list.is_none() ? "None" : list.empty() ? "empty" : "list";
    return all + " " + std::to_string(list.size()) + " " + shown(list.text()) + " " + rest(list.begin());
}
std::string shown(const operation& op) {
    std::string all(name_of(op.origin));
    for (const std::string_view v :
         std::initializer_list<std::string_view>{op.op, op.mg_state, op.description, op.group_kind, op.input_dtype,
                                                 op.source, where(op, "duration"), where(op, "sub_operations")})
        all += " " + shown(v);
    for (const wlfmt::number& n : {op.stage_id, op.batch_id, op.duration, op.timestamp}) all += " " + shown(n);
    all += " " + shown(op.input_shape) + " " + shown(op.attributes) + " " + shown(op.sub_operations);
    all += " " + shown(op.find("uid")) + " " + shown(problem_of(op)) + " ";
    std::string checked;
    const wlfmt::problem e = write(checked, op);
    std::string unchecked;
    write_unchecked(unchecked, op);
    CHECK(checked == (e ? std::string() : unchecked));
    return all + unchecked;
}
std::string shown(const oplog::document& doc) {
    std::string all;
    for (const operation& op : doc.operations) all += shown(op);
    write_unchecked(all, doc);
    return all;
}
std::string shown(const wlfmt::result<oplog::document>& r) { return shown(r.error()) + " " + shown(*r); }
template <class Iterator, class = typename Iterator::iterator_category> std::string shown(const Iterator& i) {
    return rest(i);
}

template <class T> T returned(const T& v) {
    T local(v);
    return local;
}

// `make()` returns a T in a std::unique_ptr, whose own source may be gone. Whatever is done with it, each T shows what
// it showed; what was moved from shows something.
template <class Make> void check_life(Make&& make) {
    using type = std::remove_reference_t<decltype(*make())>;
    const auto original = make();
    const std::string expected = shown(*original);
    const auto check = [&](const type& v) { CHECK(shown(v) == expected); };
    check(returned(*original));
    {
        auto source = make();
        const type copy(*source);
        check(*source);
        source.reset();
        check(copy);
    }
    {
        auto source = make();
        const type moved(std::move(*source));
        static_cast<void>(shown(*source));
        *source = moved;
        check(*source);
        source.reset();
        check(moved);
    }
    {
        auto source = make();
        type assigned{type()};
        assigned = *source;
        const type& same = assigned;
        assigned = same;
        check(assigned);
        type second{type()};
        second = std::move(*source);
        source.reset();
        check(second);
        check(assigned);
        type& itself = second;
        second = std::move(itself);
        static_cast<void>(shown(second));
    }
    {
        auto a = make();
        auto b = std::make_unique<type>();
        const std::string nothing = shown(*b);
        using std::swap;
        swap(*a, *b);
        check(*b);
        CHECK(shown(*a) == nothing);
        a.reset();
        swap(*b, *b);
        check(*b);
    }
    {
        std::vector<type> many;
        for (int n = 0; n != 5; ++n) {
            auto source = make();
            many.push_back(*source);
            many.push_back(std::move(*source));
        }
        many.erase(many.begin() + 3);
        many.insert(many.begin(), many.back());
        std::rotate(many.begin(), many.begin() + 4, many.end());
        const std::vector<type> copies = many;
        many.clear();
        many.shrink_to_fit();
        CHECK(copies.size() == 10);
        for (const type& v : copies) check(v);
    }
    {
        std::optional<type> slot(*original);
        slot = std::nullopt;
        slot = *make();
        check(*slot);
        const auto later = [kept = *make()] { return shown(kept); };
        CHECK(later() == expected);
    }
}

// Calls visit(make) with ways to get the n-th record of a text: its reader stays, goes on, dies, or never existed.
template <class Visitor> void with_records(Visitor&& visit) {
    for (const std::string_view source : texts) {
        const test::exact_buffer buffer(source);
        const std::string_view text = buffer.view();
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            for (std::size_t n = 0; n != 5; ++n) {
                const auto seek = [n](oplog::reader& log) {
                    const operation* op = nullptr;
                    std::size_t at = 0;
                    do {
                        while ((op = log.next()) != nullptr)
                            if (at++ == n) return op;
                    } while (log.skip());
                    return op;
                };
                oplog::reader any(text, how);
                if (seek(any) == nullptr) continue;
                CAPTURE(text);
                CAPTURE(n);
                // From a reader that dies, from one that has gone on to another record, and from one at its end.
                visit([&](auto&& take) {
                    auto log = std::make_unique<oplog::reader>(text, how);
                    return take(*seek(*log));
                });
                auto log = std::make_unique<oplog::reader>(text, how);
                visit([&](auto&& take) {
                    log = std::make_unique<oplog::reader>(text, how);
                    auto taken = take(*seek(*log));
                    static_cast<void>(log->skip());
                    log->next();
                    const bool ok = log->ok();
                    static_cast<void>(shown(*taken));
                    // It reports nothing to a reader that has gone on.
                    CHECK(log->ok() == ok);
                    return taken;
                });
            }
        }
    }
}
template <class Take> void check_taken(Take&& take) {
    with_records([&](auto&& from) { check_life([&] { return from(take); }); });
}
template <class T> std::unique_ptr<T> kept(T v) { return std::make_unique<T>(std::move(v)); }

}  // namespace

TEST_CASE("an operation outlives its reader") {
    check_taken([](const operation& op) { return kept(op); });
    check_life([] { return kept(operation::traced(3, "x")); });
}

TEST_CASE("a list of nested operations outlives its reader and its record") {
    check_taken([](const operation& op) { return kept(op.sub_operations); });
}

TEST_CASE("the iterators of a list outlive their list, its record and its reader, and go on") {
    check_taken([](const operation& op) { return kept(op.sub_operations.begin()); });
    check_taken([](const operation& op) {
        auto i = op.sub_operations.begin();
        if (i != op.sub_operations.end()) ++i;
        return kept(i);
    });
    check_taken([](const operation& op) {
        const auto copy = std::make_unique<operation>(op);
        return kept(copy->sub_operations.begin());
    });
}

TEST_CASE("a nested operation outlives the iterator that showed it") {
    check_taken([](const operation& op) {
        const auto i = op.sub_operations.begin();
        return kept(i != op.sub_operations.end() ? *i : sub_operation());
    });
    check_taken([](const operation& op) { return kept(sub_operation(*oplog::operation(op).sub_operations.begin())); });
}

TEST_CASE("what only() returned outlives the list") {
    using oplog::fields;
    check_taken([](const operation& op) { return kept(op.sub_operations.only<fields::duration>()); });
    check_taken([](const operation& op) {
        auto list = std::make_unique<sub_operation_list>(op.sub_operations);
        auto chosen = kept(list->only<fields::duration | fields::timestamp>());
        list.reset();
        return chosen;
    });
    check_taken([](const operation& op) { return kept(op.sub_operations.only<fields::duration>().begin()); });
    check_taken([](const operation& op) {
        auto list = std::make_unique<sub_operation_list>(op.sub_operations);
        list->edit();
        auto chosen = kept(list->only<fields::duration>());
        list.reset();
        return chosen;
    });
}

TEST_CASE("shapes, attributes, numbers and values outlive their records") {
    check_taken([](const operation& op) { return kept(op.input_shape); });
    check_taken([](const operation& op) { return kept(op.input_shape.begin()); });
    check_taken([](const operation& op) { return kept(op.attributes); });
    check_taken([](const operation& op) { return kept(op.attributes.begin()); });
    check_taken([](const operation& op) { return kept(op.duration); });
    check_taken([](const operation& op) { return kept(op.find("uid")); });
    check_taken([](const operation& op) { return kept(op.find("sub_operations")); });
    check_taken([](const operation& op) { return kept(problem_of(op)); });
    check_taken([](const operation& op) {
        for (const sub_operation& s : op.sub_operations) return kept(problem_of(s));
        return kept(wlfmt::problem());
    });
    const auto own = std::make_unique<std::int64_t[]>(2);
    own[0] = 5;
    own[1] = 6;
    check_life([&] { return kept(oplog::shape(own.get(), 2)); });
    check_life([&] { return kept(oplog::shape(own.get(), 2).begin()); });
    check_life([&] { return kept(oplog::shape(nullptr, 0)); });
    const oplog::attribute attributes[] = {{"a", "1"}, {"b", "2"}};
    check_life([&] { return kept(oplog::attribute_list(attributes, 2)); });
    check_life([&] { return kept(oplog::attribute_list(attributes, 2).begin()); });
}

TEST_CASE("integers that a shape owns live as long as a copy of it, a walk or a value") {
    const std::vector<std::int64_t> two = {5, 6};
    check_life([&] { return kept(oplog::shape(two)); });
    check_life([&] { return kept(oplog::shape(two).begin()); });
    check_life([] { return kept(oplog::shape{7, 8, 9}); });
    check_life([] { return kept(oplog::shape(std::vector<std::int64_t>())); });
    check_life([&] {
        operation op = operation::traced(0, "f");
        op.input_shape = two;
        return kept(op.find("input__shape"));
    });
    check_life([&] {
        operation op = operation::traced(0, "f");
        sub_operation nested;
        op.input_shape = nested.input_shape = two;
        op.sub_operations.edit().assign(2, nested);
        op.attributes = {{"k", "v"}};
        return kept(op);
    });
    check_taken([](const operation& op) {
        auto other = kept(op);
        other->input_shape = std::vector<std::int64_t>{1, 2, 3};
        return other;
    });
    auto first = std::make_unique<oplog::shape>(two);
    const oplog::shape copy = *first;
    *first = {1};
    CHECK(copy.dims()[1] == 6);
    const operation op = [&] {
        operation made;
        made.input_shape = *first;
        first.reset();
        operation moved = std::move(made);
        made = moved;
        return made;
    }();
    CHECK(op.find("input__shape") == "[1]");
}

TEST_CASE("attributes that a record owns live as long as it and its walks, and a copy has its own") {
    const std::vector<oplog::attribute> two = {{"a", "1"}, {"b", "2"}};
    check_life([&] { return kept(oplog::attribute_list(two)); });
    check_life([&] { return kept(oplog::attribute_list(two).begin()); });
    check_life([&] { return kept(oplog::attribute_list(std::vector<oplog::attribute>())); });

    auto first = std::make_unique<operation>(operation::traced(0, "f"));
    CHECK(first->set("a", "1"));
    first->attributes.edit().push_back({"b", "2"});
    const operation copy = *first;
    CHECK(first->set("a", "9"));
    auto walk = first->attributes.begin();
    operation moved = std::move(*first);
    first.reset();
    CHECK(copy.find("a") == 1);
    CHECK(moved.find("a") == 9);
    moved.attributes = copy.attributes;
    CHECK(moved.find("a") == 1);
    const auto& self = moved;
    moved = self;
    CHECK(moved.find("b") == 2);
    // The first key of a traced record that was given another one.
    CHECK(walk->key == "stage_id");
    // While a list is edited, an iterator shows what is there, or ends.
    oplog::attribute_list list(two);
    auto at = list.begin();
    list.edit().clear();
    ++at;
    CHECK(at == list.end());
    sub_operation nested;
    CHECK(nested.set("x", "1"));
    std::vector<sub_operation> all(3, nested);
    all.insert(all.begin(), nested);
    CHECK(all[2].find("x") == 1);
}

TEST_CASE("an edited list owns what was edited, and so does each copy of it") {
    check_taken([](const operation& op) {
        auto edited = kept(op);
        sub_operation more;
        more.comm_func = "added";
        edited->sub_operations.edit().push_back(more);
        edited->sub_operations.edit().front().func_name = "named";
        return edited;
    });
    check_taken([](const operation& op) {
        operation edited = op;
        edited.sub_operations.edit().emplace_back();
        return kept(edited.sub_operations.begin());
    });
    check_life([] { return kept(sub_operation_list(std::vector<sub_operation>(3))); });

    // Copies do not share their operations.
    sub_operation_list first(std::vector<sub_operation>(2));
    sub_operation_list second = first;
    second.edit()[0].group = "second";
    sub_operation_list third;
    third = second;
    third.edit().clear();
    CHECK(first.edit()[0].group.empty());
    CHECK(second.edit()[0].group == "second");
    CHECK(second.size() == 2);
    CHECK(third.empty());
}

TEST_CASE("a list may be changed during an iteration") {
    sub_operation one;
    one.group = "a";
    const auto start = [&] { return std::make_unique<sub_operation_list>(std::vector<sub_operation>(3, one)); };
    std::size_t n = 0;
    auto list = start();
    for (auto i = list->begin(); i != list->end(); ++i, ++n) {
        if (n == 0) list->edit().insert(list->edit().end(), 1000, one);
        CHECK(i->group == "a");
    }
    CHECK(n == 1003);

    list = start();
    auto i = list->begin();
    ++i;
    ++i;
    list->edit().resize(1);
    static_cast<void>(shown(*i));
    ++i;
    CHECK(i == list->end());

    list = start();
    n = 0;
    for (auto at = list->begin(); at != test::end_of_walk(); ++at, ++n) {
        *list = sub_operation_list();
        CHECK(at->group == "a");
    }
    CHECK(n == 3);

    list = start();
    auto whole = list->begin();
    auto chosen = list->only<oplog::fields::group>();
    list->edit()[1].group = "b";
    list.reset();
    CHECK((++whole)->group == "b");
    n = 0;
    for (const sub_operation& s : chosen) n += s.group.size();
    CHECK(n == 3);
}

TEST_CASE("a walk goes on while its reader shows the next record, fails or dies") {
    for (const std::string_view source : texts) {
        const test::exact_buffer buffer(source);
        for (int steps = 0; steps != 4; ++steps) {
            for (const int fate : {0, 1, 2}) {
                auto log = std::make_unique<oplog::reader>(buffer.view());
                const operation* op = log->next();
                REQUIRE(op != nullptr);
                const std::string expected = rest(operation(*op).sub_operations.begin());
                CHECK(log->ok());
                std::string walked;
                int step = 0;
                for (auto i = op->sub_operations.begin(); i != test::end_of_walk(); ++i, ++step) {
                    const auto second = i;
                    if (step == steps && log != nullptr) {
                        static_cast<void>(log->skip());
                        if (fate == 0) log.reset();
                        if (fate == 1) log->next();
                        if (fate == 2)
                            while (log->next() != nullptr || log->skip()) continue;
                    }
                    walked += shown(*second) + ", ";
                }
                CHECK(walked == expected);
            }
        }
    }
}

TEST_CASE("many walks of one record, begun and ended in any order, report to their own reader alone") {
    const test::exact_buffer buffer(texts[2]);
    auto log = std::make_unique<oplog::reader>(buffer.view());
    const operation* op = log->next();
    REQUIRE(op != nullptr);
    using iterator = decltype(op->sub_operations.begin());
    std::vector<std::unique_ptr<iterator>> walks;
    for (int n = 0; n != 6; ++n) walks.push_back(kept(op->sub_operations.begin()));
    auto chosen = kept(op->sub_operations.only<oplog::fields::group>());
    walks[2].reset();
    walks[5].reset();
    walks[0] = kept(*walks[1]);
    *walks[3] = *walks[4];
    CHECK(log->error().kind == wlfmt::error_kind::not_a_number);
    CHECK(log->skip());
    ++*walks[1];
    ++*walks[1];
    CHECK(log->error().kind == wlfmt::error_kind::bad_list);
    CHECK(log->skip());
    CHECK(log->next() != nullptr);
    ++*walks[3];
    ++*walks[3];
    CHECK((*walks[3])->damaged);
    CHECK(chosen->size() == 3);
    CHECK(log->ok());
    walks[3].reset();
    log.reset();
    CHECK_FALSE(rest(*walks[0]).empty());
    CHECK_FALSE(rest(*walks[4]).empty());
    CHECK(chosen->size() == 3);
    walks.clear();
}

TEST_CASE("a reader's iterators are at their end when it is gone") {
    const test::exact_buffer buffer(texts[0]);
    auto log = std::make_unique<oplog::reader>(buffer.view());
    auto i = log->begin();
    CHECK(i != log->end());
    CHECK(i->op == "forward_step");
    auto copy = kept(i);
    auto other = i;
    copy.reset();
    other = oplog::reader::iterator();
    CHECK(other == test::end_of_walk());
    other = i;
    std::swap(other, i);
    ++i;
    CHECK(other->op == "optimizer_step");
    log.reset();
    CHECK(i == test::end_of_walk());
    CHECK(other == test::end_of_walk());
    ++i;
    other++;
    CHECK(i == test::end_of_walk());
    CHECK(other == test::end_of_walk());
    // The iterator of a reader that ends at an error.
    log = std::make_unique<oplog::reader>(buffer.view().substr(0, 30));
    i = log->begin();
    CHECK(i == log->end());
    log.reset();
    ++i;
    CHECK(i == test::end_of_walk());
}

TEST_CASE("documents and results outlive what they were copied from") {
    for (const std::string_view source : texts) {
        const test::exact_buffer buffer(source);
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            check_life([&] { return kept(oplog::read(buffer.view(), how).partial()); });
            check_life([&] { return kept(*oplog::read(buffer.view(), how)); });
            check_life([&] {
                auto doc = kept(oplog::read(buffer.view(), how).partial());
                for (operation& op : doc->operations) {
                    op.sub_operations.edit().emplace_back();
                    op.sub_operations.edit().back().text = "added";
                }
                return doc;
            });
            check_life([&] {
                auto doc = std::make_unique<oplog::document>(oplog::read(buffer.view(), how).partial());
                return kept(doc->operations.empty() ? operation() : doc->operations.back());
            });
        }
        const auto read = [&] { return oplog::read(buffer.view()); };
        const std::string expected = shown(read());
        auto first = kept(read());
        const auto second = kept(*first);
        wlfmt::result<oplog::document> third = read();
        third = *first;
        first.reset();
        CHECK(shown(*second) == expected);
        CHECK(shown(third) == expected);
        std::swap(*second, third);
        CHECK(shown(*second) == expected);
        CHECK(shown(oplog::document(std::move(third).partial())) == shown(**second));
    }
}

TEST_CASE("records that were stored while reading are written after the reader is gone") {
    // The loop that every program has.
    for (const std::string_view source : texts) {
        const test::exact_buffer buffer(source);
        std::vector<operation> stored;
        std::vector<std::string> expected;
        {
            oplog::reader log(buffer.view());
            do {
                while (const operation* op = log.next()) {
                    expected.push_back(shown(operation(*op)));
                    stored.push_back(*op);
                }
            } while (log.skip());
        }
        REQUIRE(stored.size() == expected.size());
        for (std::size_t n = 0; n != stored.size(); ++n) CHECK(shown(stored[n]) == expected[n]);
        std::string all;
        write_unchecked(all, oplog::document{stored});
        CHECK(std::count(all.begin(), all.end(), '\n') == static_cast<std::ptrdiff_t>(stored.size()));
    }
}

TEST_CASE("an iterator at or after the end of a list shows an empty operation") {
    sub_operation first;
    first.comm_func = "allreduce";
    sub_operation second;
    second.group = "tp";
    // Of a size of its own on the heap, so that the address sanitizer sees a read after it.
    const std::vector<sub_operation> array = {first, second};
    const sub_operation_list borrowed(array.data(), array.size());
    const sub_operation_list owned(array);
    for (const sub_operation_list* list : {&borrowed, &owned}) {
        auto i = list->begin();
        const auto shared = i;
        ++i;
        CHECK(i->group == "tp");
        for (int n = 0; n != 3; ++n) {
            ++i;
            CHECK(i == list->end());
            CHECK(i->trace_src_func.empty());
            CHECK(shown(*i) == shown(sub_operation()));
        }
        CHECK(shared->comm_func == "allreduce");
    }
    CHECK(shown(*sub_operation_list(array.data(), 0).begin()) == shown(sub_operation()));

    const std::int64_t dims[] = {3, 5};
    const oplog::attribute items[] = {{"a", "1"}, {"b", "2"}};
    const oplog::shape shape(dims, 2);
    auto dim = shape.begin();
    for (int n = 0; n != 4; ++n) ++dim;
    CHECK(dim == shape.end());
    const oplog::attribute_list keys(items, 2);
    auto key = keys.begin();
    for (int n = 0; n != 4; ++n) ++key;
    CHECK(key == keys.end());
}

// What `->` shows of an item is in the iterator, however the list was made, and stays there while the iterator lives.
TEST_CASE("a member of an item that an iterator shows lives as long as the iterator") {
    const std::string text = "rank:0:f(k=a long value to be seen,sub_operations=['duration=0.5,group=tp'])\n";
    const auto doc = oplog::read(text);
    REQUIRE(doc.ok());
    const operation& op = doc->operations[0];
    const auto sub = op.sub_operations.begin();
    const wlfmt::number& duration = sub->duration;
    const auto key = op.attributes.begin();
    const wlfmt::text_view& value = key->value;
    const auto copy = key;
    const wlfmt::text_view& copied = copy->value;
    CHECK(duration == 0.5);
    CHECK(value == "a long value to be seen");
    CHECK(copied == value);
    CHECK(&copied != &value);
    const wlfmt::number& kept = (*op.sub_operations.begin()).duration;  // a copy, which lives as long as its name
    CHECK(kept == 0.5);
}

TEST_CASE("what the first iterator of a reader shows may be looked at where there is no record") {
    for (const std::string_view text : {"", "no record\n", "rank:0:f(duration=x)\n"}) {
        oplog::reader log(text);
        const auto first = log.begin();
        CHECK(first == log.end());
        CHECK(first->sub_operations.is_missing());
        CHECK((*first).attributes.empty());
    }
    oplog::reader log("rank:7:f()\n");
    auto i = log.begin();
    CHECK(i->rank == 7);
    CHECK(++i == log.end());
    CHECK(i->rank == 7);
    CHECK(++i == log.end());
}
