// Writing rank op logs: operations built from the input's bytes, which no text ever held.
#include <deque>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "check.hpp"
#include "dump_oplog.hpp"

namespace {

namespace oplog = wlfmt::oplog;

constexpr std::string_view words[] = {"None",
                                      "forward_step",
                                      "warmup",
                                      "tp",
                                      "simulation",
                                      "[2048, 2]",
                                      "[]",
                                      "[1,",
                                      ", b=c",
                                      ",b=c",
                                      "it's",
                                      "\"",
                                      "\\",
                                      "\n",
                                      "\r",
                                      ")",
                                      "]",
                                      "']",
                                      "a=1",
                                      "8.3",
                                      "0",
                                      "nan",
                                      "torch.Size([8])",
                                      "Async operation, duration not measured",
                                      "\xC3\xA9",
                                      "\xFF"};
constexpr std::string_view keys[] = {"stage_id",
                                     "batch_id",
                                     "mg_state",
                                     "duration",
                                     "description",
                                     "group_kind",
                                     "input__shape",
                                     "timestamp",
                                     "input__dtype",
                                     "stage",
                                     "time_stamp",
                                     "cmd_uid",
                                     "a.b",
                                     "sub_operations",
                                     "trace_src_func",
                                     "func_name",
                                     "group",
                                     "comm_func",
                                     "x",
                                     "bad key",
                                     "",
                                     "1a"};
constexpr std::string_view names[] = {"forward_step", "get_batch", "x", "a.b", "", "1", "a b"};

// Records built from the input, and the texts that their views point into.
class builder {
public:
    explicit builder(fuzz::input& in) : in_(in) {}

    oplog::operation operation() {
        oplog::operation r;
        if (in_.flag()) r = oplog::operation::traced(in_.integer(), in_.text(names));
        r.origin = in_.flag() ? oplog::origin::rank : oplog::origin::stage;
        if (in_.flag()) r.rank = in_.flag() ? static_cast<std::int64_t>(in_.byte()) : in_.integer();
        r.op = in_.text(names);
        wlfmt::detail::for_each_key(r, [&](const auto&, auto& member) { set(member); });
        set(r.attributes);
        r.spaced = in_.flag();
        return r;
    }

private:
    oplog::sub_operation sub_operation() {
        oplog::sub_operation s;
        if (in_.below(4) == 0) s.text = in_.text(words);
        wlfmt::detail::for_each_key(s, [&](const auto&, auto& member) { set(member); });
        set(s.attributes);
        static constexpr char quotes[] = {0, 0, 0, '\'', '"', 'x'};
        s.quote = quotes[in_.below(6)];
        s.spaced = in_.flag();
        return s;
    }

    // These leave about half of the members as they are.
    void set(wlfmt::text_view& v) {
        if (in_.flag()) v = in_.text(words);
    }
    void set(wlfmt::number& v) {
        switch (in_.below(8)) {
        case 0: v = nullptr; break;
        case 1: v = in_.integer(); break;
        case 2: v = in_.decimal(); break;
        case 3: v = wlfmt::number(in_.text(words)); break;
        default: break;
        }
    }
    void set(oplog::shape& v) {
        switch (in_.below(6)) {
        case 0: v = oplog::shape(in_.text(words)); break;
        case 1: v = oplog::shape("[2048, 2]"); break;
        case 2:
            dims_.emplace_back();
            for (std::size_t n = in_.below(5); n > 0; --n) dims_.back().push_back(in_.integer());
            v = oplog::shape(dims_.back().data(), dims_.back().size());
            break;
        default: break;
        }
    }
    void set(oplog::sub_operation_list& v) {
        if (!in_.flag()) return;
        lists_.emplace_back();
        for (std::size_t n = in_.below(4); n > 0; --n) lists_.back().push_back(sub_operation());
        // The list refers to the caller's array, or owns its operations.
        if (lists_.back().size() % 2 == 0) v = {lists_.back().data(), lists_.back().size()};
        else v = lists_.back();
    }
    void set(oplog::attribute_list& v) {
        if (!in_.flag()) return;
        attributes_.emplace_back();
        for (std::size_t n = in_.below(6); n > 0; --n) {
            const std::string_view key = in_.text(keys);
            attributes_.back().push_back({key, in_.flag() ? in_.text(words) : std::string_view()});
        }
        v = oplog::attribute_list(attributes_.back().data(), attributes_.back().size());
    }

    fuzz::input& in_;
    std::deque<std::vector<oplog::sub_operation>> lists_;
    std::deque<std::vector<oplog::attribute>> attributes_;
    std::deque<std::vector<std::int64_t>> dims_;
};

// Whether a nested operation has a value that would be read as a list, whose end depends on what follows it. Such a
// value is refused, whether it reads back or not.
bool has_nested_list(const oplog::operation& r) {
    for (const auto& s : r.sub_operations) {
        const auto text = s.find("sub_operations").text();
        const std::string_view list = text;
        if (!list.empty() && list.front() == '[') return true;
        for (const auto& a : s.attributes)
            if (a.key == "sub_operations" && !a.value.empty() && a.value.front() == '[') return true;
    }
    return false;
}

// Whether the line reads back as the record.
bool reads_back(const std::string& line, const oplog::operation& r) {
    const auto again = oplog::read(line);
    return again.ok() && again->operations.size() == 1 && fuzz::dump(again->operations[0]) == fuzz::dump(r);
}

// Checks write() to a string, and to a stream.
template <class Record> wlfmt::problem check_write(const Record& r, const std::string& unchecked) {
    const wlfmt::problem problem = fuzz::check_write(r, unchecked);
    std::ostringstream stream;
    fuzz::check(write(stream, r).kind == problem.kind, "write() to a stream refuses the same", unchecked);
    fuzz::check_same(stream.str(), problem ? std::string() : unchecked, "write() to a stream writes all or nothing");
    return problem;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    builder build(in);
    oplog::document good;
    oplog::document all;
    std::string one_by_one;
    std::int64_t first_bad = -1;
    do {
        const oplog::operation r = build.operation();
        std::string line;
        oplog::write_unchecked(line, r);
        fuzz::check(!line.empty() && line.back() == '\n', "what is written ends its line", line);
        if (check_write(r, line)) {
            if (!reads_back(line, r)) {
                if (first_bad < 0) first_bad = static_cast<std::int64_t>(all.operations.size());
            } else {
                fuzz::check(has_nested_list(r), "what is refused does not read back", problem_of(r).field);
                continue;
            }
        } else {
            fuzz::check(reads_back(line, r), "what has no problem reads back", line);
            good.operations.push_back(r);
            one_by_one += line;
        }
        all.operations.push_back(r);
    } while (!in.empty());

    fuzz::check(!check_write(good, one_by_one), "a document of good records is good");
    std::string whole;
    oplog::write_unchecked(whole, all);
    const wlfmt::problem e = check_write(all, whole);
    fuzz::check(static_cast<bool>(e) == (first_bad >= 0), "a document is good where its records are");
    if (e) fuzz::check(e.found == first_bad && e.expected == 1, "a document's problem names its record");
    return 0;
}
