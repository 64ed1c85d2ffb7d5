// Reading workload files.
//
// A layer is read on one of two paths with the same answers. The plain path (plain.hpp) reads a line of twelve
// well-formed fields with one tab between them; at anything else it gives up, and the general path reads the line field
// by field and says what is wrong with it.
#ifndef WLFMT_DETAIL_WORKLOAD_READ_HPP
#define WLFMT_DETAIL_WORKLOAD_READ_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "../../to_number.hpp"
#include "../../workload.hpp"
#include "../base/records.hpp"
#include "../base/scan.hpp"
#include "../base/walk.hpp"
#include "../number/decimal.hpp"
#include "plain.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The header line.

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

template <class Kernel = kernel>
inline bool is_dlrm(std::string_view policy) noexcept {
    return policy == "HYBRID_DLRM" || policy == "HYBRID_DLRM_ENHANCED";
}
template <class Kernel = kernel>
inline bool has_own_policies(std::string_view policy) noexcept {
    return policy == "HYBRID_CUSTOMIZED";
}
inline constexpr std::string_view last_bottom_layer = "DLRM_LAST_BOTTOM_LAYER";
inline constexpr std::string_view layer_count = "layer count";

// What the value of a header entry has to be.
enum class entry_type : std::uint8_t {
    word,
    index_list,
    number,
    size,  // a number that is odd below 0
};
// Header lines are walked whenever a key is looked up: most keys are recognised by their size and one comparison.
template <class Kernel = kernel>
inline entry_type type_of_entry(std::string_view key) noexcept {
    const auto type_if = [key](std::string_view known, entry_type type) {
        return key == known ? type : entry_type::word;
    };
    switch (key.size()) {
    case 2: return key == "pp" || key == "ep" || key == "ga" ? entry_type::size : entry_type::word;
    case 3: return type_if("vpp", entry_type::size);
    case 7: return type_if("pp_comm", entry_type::size);
    case 8: return type_if("all_gpus", entry_type::size);
    case 11: return type_if("checkpoints", entry_type::index_list);
    case 20: return type_if("checkpoint_initiates", entry_type::index_list);
    case 22: return type_if(last_bottom_layer, entry_type::number);
    case 24: return type_if("model_parallel_NPU_group", entry_type::size);
    case 25: return type_if("expert_parallel_npu_group", entry_type::size);
    default: return entry_type::word;
    }
}

// SimAI-Ascend binds a workload to a run: the header has five sha256 texts, and each layer repeats them.
inline constexpr std::size_t target_keys_count = 5;
inline constexpr std::string_view target_keys[target_keys_count] = {
    "target_model_sha256", "target_step_sha256", "target_routing_sha256", "target_memory_event_plan_sha256",
    "target_workload_sha256"};
// The position of the key among these; target_keys_count if it is not one of them.
template <class Kernel = kernel>
inline std::size_t target_position(std::string_view key) noexcept {
    std::size_t n = 0;
    if (key.size() < 18 || key.compare(0, 7, "target_") != 0) return target_keys_count;
    while (n != target_keys_count && target_keys[n] != key) ++n;
    return n;
}
inline constexpr std::string_view sha256_start = "sha256:";
template <class Kernel = kernel>
inline bool is_sha256(std::string_view v) noexcept {
    if (v.size() != sha256_start.size() + 64 || v.compare(0, sha256_start.size(), sha256_start) != 0) return false;
    for (const char c : v.substr(sha256_start.size()))
        if (!is_digit(c) && (c < 'a' || c > 'f')) return false;
    return true;
}

// Keeps the entry's value, if its key is the first one of that name.
template <class Kernel = kernel>
inline void see(target& t, const workload::entry& e) noexcept {
    const std::size_t n = target_position(e.key);
    if (n != target_keys_count && is_missing(t.values[n])) t.values[n] = e.value;
}
// The first key that is missing although another one is there; empty if all or none are there.
template <class Kernel = kernel>
inline std::string_view missing_key(const target& t) noexcept {
    std::size_t there = 0;
    std::string_view first;
    for (std::size_t n = 0; n != target_keys_count; ++n) {
        if (!is_missing(t.values[n]))
            ++there;
        else if (first.empty())
            first = target_keys[n];
    }
    return there == 0 ? std::string_view() : first;
}
// Whether all are there and well-formed, so that each layer repeats them.
template <class Kernel = kernel>
inline bool binds_layers(const target& t) noexcept {
    for (const std::string_view v : t.values)
        if (!is_sha256(v)) return false;
    return true;
}

// What is wrong with a header entry, and where.
struct entry_problem {
    error_kind what = error_kind::none;
    word where = {nullptr, nullptr};
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

// Reads the count and the indices of a list that begins at p. The list ends before the first word that is not an
// integer.
template <class Kernel = kernel>
inline const char* read_indices(const char* p, const char* end, workload::entry& e, entry_problem& problem) noexcept {
    word w = {p, word_end(p, end)};
    std::int64_t count = 0;
    const number_status status = plain_integer(w, count);
    const char* last = w.end;
    if (status != number_status::ok || count < 0) {
        problem.what = status == number_status::overflow ? error_kind::number_overflow : error_kind::not_an_integer;
        problem.where = w;
        count = 0;
    }
    for (std::int64_t n = 0; n != count; ++n) {
        w.begin = skip_blanks(last, end);
        w.end = word_end(w.begin, end);
        std::int64_t index = 0;
        if (plain_integer(w, index) != number_status::ok) {
            if (w.begin == w.end) w = {last, last};
            problem = {error_kind::header_value, w, n, count};
            break;
        }
        last = w.end;
    }
    e.value = view(p, last);
    return last;
}

// Reads the entry that begins at p in a header line that ends at `end`, and returns where it ends. Whether the value of
// a numeric entry is a number is left to check_entry().
template <class Kernel = kernel>
inline const char* read_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                              entry_problem& problem) noexcept {
    const word first = {p, word_end(p, end)};
    std::int64_t bare = 0;
    if (number_first) {
        const number_status status = plain_integer(first, bare);
        if (status != number_status::invalid) {
            e = {{}, first.text(), false};
            if (status == number_status::overflow) problem = {error_kind::number_overflow, first, 0, 0};
            return first.end;
        }
    }
    const char* key_end = first.end;
    while (key_end != first.begin && key_end[-1] == ':') --key_end;
    e = {view(first.begin, key_end), view(first.end, first.end), key_end != first.end};

    const char* const value_begin = skip_blanks(first.end, end);
    const word value = {value_begin, word_end(value_begin, end)};
    const entry_type type = type_of_entry(e.key);
    // The next key is never the value of a known key.
    if (value.begin == value.end || (type != entry_type::word && value.end[-1] == ':')) {
        problem = {error_kind::header_value, {first.end, first.end}, 0, 0};
        return first.end;
    }
    if (type == entry_type::index_list) return read_indices(value.begin, end, e, problem);
    if (e.key.empty()) problem = {error_kind::header_value, first, 0, 0};
    e.value = value.text();
    return value.end;
}

// The same, with everything that is wrong with the entry.
template <class Kernel = kernel>
inline const char* check_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                               entry_problem& problem) noexcept {
    const char* const next = read_entry(p, end, number_first, e, problem);
    const entry_type type = type_of_entry(e.key);
    if (problem.what != error_kind::none || type == entry_type::word || type == entry_type::index_list) return next;
    number n;
    const word value = {e.value.data(), next};
    problem = {number_in(value, end, n), value, 0, 0};
    if (problem.what == error_kind::none && type == entry_type::size && is_negative(n))
        problem.what = error_kind::negative_value;
    return next;
}

// A header value as a number; a value that is not one stays a text.
template <class Kernel = kernel>
inline number header_number(const value& v) noexcept {
    const std::string_view text = value_access::given(v);
    if (is_missing(text)) return {};
    number n;
    const word whole = {text.data(), text.data() + text.size()};
    return number_in(whole, whole.end, n) == error_kind::none ? n : number(text);
}

}  // namespace WLFMT_IMPL

// Lists that are decoded as they are walked. Their iterators hold all that they need, so that they outlive the list,
// and hand out their items by value. At its end each of them equals one that was built by default.

template <class Kernel>
class entry_iterator : public value_iterator<entry_iterator<Kernel>, workload::entry> {
public:
    entry_iterator() noexcept = default;
    // Shares the entries of a list, so that they live as long as the iterator.
    explicit entry_iterator(const shared_items<workload::entry>& own) noexcept : own_(own) { take_item(0); }
    entry_iterator(std::string_view text, bool number_first) noexcept
        : end_(text.data() + text.size()), number_first_(number_first) {
        take_text(text.data());
    }

    // A list that is edited may be shorter than it was: the entry is then the last one that was shown.
    workload::entry current() const noexcept {
        return place_ != 0 && place_ <= own_.items().size() ? own_.items()[place_ - 1] : current_;
    }
    std::uintptr_t position() const noexcept { return place_ != 0 ? place_ : reinterpret_cast<std::uintptr_t>(at_); }
    void advance() noexcept {
        if (place_ != 0)
            take_item(place_);
        else if (at_ != nullptr)
            take_text(next_);
    }

private:
    void take_item(std::size_t n) noexcept {
        place_ = n < own_.items().size() ? n + 1 : 0;
        if (place_ != 0) current_ = own_.items()[n];
    }
    void take_text(const char* p) noexcept {
        at_ = skip_blank_lines(p, end_);
        entry_problem ignored;
        if (at_ == end_)
            at_ = nullptr;
        else
            next_ = read_entry(at_, end_, number_first_, current_, ignored);
        number_first_ = false;
    }

    workload::entry current_ = {};
    shared_items<workload::entry> own_;
    std::size_t place_ = 0;       // in the list's own entries, from 1
    const char* at_ = nullptr;    // in the text: where this entry begins
    const char* next_ = nullptr;  // and where it ends
    const char* end_ = nullptr;
    bool number_first_ = false;
};

template <class Kernel>
class index_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::int64_t*;
    using reference = std::int64_t;

    index_iterator() noexcept = default;
    explicit index_iterator(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {
        ++*this;  // to the count
        ++*this;
    }

    reference operator*() const noexcept { return current_; }
    pointer operator->() const noexcept { return &current_; }
    index_iterator& operator++() noexcept {
        if (at_ == nullptr) return *this;
        const char* const begin = skip_blanks(at_, end_);
        const word w = {begin, word_end(begin, end_)};
        at_ = plain_integer(w, current_) == number_status::ok ? w.end : nullptr;
        return *this;
    }
    index_iterator operator++(int) noexcept {
        index_iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const index_iterator& a, const index_iterator& b) noexcept { return a.at_ == b.at_; }
    friend bool operator!=(const index_iterator& a, const index_iterator& b) noexcept { return a.at_ != b.at_; }

private:
    std::int64_t current_ = 0;
    const char* at_ = nullptr;  // after this index
    const char* end_ = nullptr;
};

template <class Kernel>
class word_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    word_iterator() noexcept = default;
    explicit word_iterator(std::string_view text) noexcept : end_(text.data() + text.size()) { take(text.data()); }

    reference operator*() const noexcept { return current_; }
    pointer operator->() const noexcept { return &current_; }
    word_iterator& operator++() noexcept {
        if (!at_end()) take(current_.data() + current_.size());
        return *this;
    }
    word_iterator operator++(int) noexcept {
        word_iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const word_iterator& a, const word_iterator& b) noexcept {
        return a.current_.data() == b.current_.data();
    }
    friend bool operator!=(const word_iterator& a, const word_iterator& b) noexcept { return !(a == b); }

private:
    bool at_end() const noexcept { return current_.data() == nullptr; }
    void take(const char* p) noexcept {
        p = skip_blank_lines(p, end_);
        current_ = p == end_ ? std::string_view() : view(p, word_end(p, end_));
    }

    std::string_view current_ = {};
    const char* end_ = nullptr;
};

}  // namespace detail

namespace workload {

template <class Kernel>
detail::word_iterator<Kernel> words::begin() const noexcept {
    return detail::word_iterator<Kernel>(text_);
}
template <class Kernel>
detail::word_iterator<Kernel> words::end() const noexcept {
    return {};
}
template <class Kernel>
bool words::empty() const noexcept {
    return begin<Kernel>() == end<Kernel>();
}
template <class Kernel>
std::size_t words::size() const noexcept {
    return detail::count_items(begin<Kernel>(), end<Kernel>());
}

template <class Kernel>
detail::entry_iterator<Kernel> entry_list::begin() const noexcept {
    if (own_) return detail::entry_iterator<Kernel>(own_.shared());
    return detail::entry_iterator<Kernel>(text_, detail::is_dlrm(policy_));
}
template <class Kernel>
detail::entry_iterator<Kernel> entry_list::end() const noexcept {
    return {};
}
template <class Kernel>
bool entry_list::empty() const noexcept {
    return begin<Kernel>() == end<Kernel>();
}
template <class Kernel>
std::size_t entry_list::size() const noexcept {
    return detail::count_items(begin<Kernel>(), end<Kernel>());
}
template <class Kernel>
value entry_list::find(std::string_view key) const noexcept {
    for (auto e = begin<Kernel>(); e != end<Kernel>(); ++e)
        if (e->key == key) return detail::value_of(e->value);
    return {};
}
template <class Kernel>
std::vector<entry>& entry_list::edit() & {
    if (!own_) {
        std::vector<entry> all;
        for (auto e = begin<Kernel>(); e != end<Kernel>(); ++e) all.push_back(*e);
        own_ = detail::own_items<entry>(std::move(all));
        text_ = {};  // so that a list that was moved from is empty
    }
    return own_.items();
}

template <class Kernel>
detail::index_iterator<Kernel> index_list::begin() const noexcept {
    return detail::index_iterator<Kernel>(text_);
}
template <class Kernel>
detail::index_iterator<Kernel> index_list::end() const noexcept {
    return {};
}
template <class Kernel>
bool index_list::empty() const noexcept {
    return begin<Kernel>() == end<Kernel>();
}
template <class Kernel>
std::size_t index_list::size() const noexcept {
    return detail::count_items(begin<Kernel>(), end<Kernel>());
}

template <class Kernel>
number header::tensor_parallel() const noexcept {
    return detail::header_number(entries.find<Kernel>("model_parallel_NPU_group"));
}
template <class Kernel>
number header::expert_parallel() const noexcept {
    const value ep = entries.find<Kernel>("ep");
    return detail::header_number(ep ? ep : entries.find<Kernel>("expert_parallel_npu_group"));
}
template <class Kernel>
number header::pipeline_parallel() const noexcept {
    return detail::header_number(entries.find<Kernel>("pp"));
}
template <class Kernel>
number header::virtual_pipeline() const noexcept {
    return detail::header_number(entries.find<Kernel>("vpp"));
}
template <class Kernel>
number header::gradient_accumulation() const noexcept {
    return detail::header_number(entries.find<Kernel>("ga"));
}
template <class Kernel>
number header::all_gpus() const noexcept {
    return detail::header_number(entries.find<Kernel>("all_gpus"));
}
template <class Kernel>
number header::pipeline_bytes() const noexcept {
    return detail::header_number(entries.find<Kernel>("pp_comm"));
}
template <class Kernel>
number header::dlrm_last_bottom_layer() const noexcept {
    return detail::header_number(find<Kernel>(detail::last_bottom_layer));
}
template <class Kernel>
index_list header::checkpoints() const noexcept {
    return index_list(detail::value_access::given(entries.find<Kernel>("checkpoints")));
}
template <class Kernel>
index_list header::checkpoint_initiates() const noexcept {
    return index_list(detail::value_access::given(entries.find<Kernel>("checkpoint_initiates")));
}
template <class Kernel>
value header::find(std::string_view key) const noexcept {
    for (auto e = entries.begin<Kernel>(); e != entries.end<Kernel>(); ++e) {
        const bool bare = e->key.empty() && !e->colon;
        if (bare ? key == detail::last_bottom_layer : e->key == key) return detail::value_of(e->value);
    }
    if (key == "policy") return detail::value_of(policy);
    if (key == detail::layer_count) return detail::value_of(declared_layers, where(*this, detail::layer_count));
    return {};
}

template <class Kernel>
layer* document::find(std::string_view name) & noexcept {
    for (layer& one : layers)
        if (one.name == name) return &one;
    return nullptr;
}
template <class Kernel>
const layer* document::find(std::string_view name) const& noexcept {
    for (const layer& one : layers)
        if (one.name == name) return &one;
    return nullptr;
}

template <class Kernel>
constexpr communication communication_of(std::string_view comm) noexcept {
    communication what;
    constexpr std::pair<std::string_view, group> suffixes[] = {
        {"_DP_EP", group::expert_data_parallel}, {"_EP", group::expert_parallel}, {"_DP", group::data_parallel}};
    for (const auto& [suffix, value] : suffixes) {
        if (comm.size() < suffix.size() || comm.substr(comm.size() - suffix.size()) != suffix) continue;
        comm.remove_suffix(suffix.size());
        what.group = value;
        break;
    }
    // Whole names are compared: ALLREDUCEALLTOALL is not ALLREDUCE.
    constexpr std::pair<std::string_view, collective> names[] = {
        {"NONE", collective::none},
        {"ALLREDUCE", collective::allreduce},
        {"ALLGATHER", collective::allgather},
        {"REDUCESCATTER", collective::reduce_scatter},
        {"ALLTOALL", collective::all_to_all},
        {"ALLTOALLV", collective::all_to_all_v},
        {"ALLREDUCEALLTOALL", collective::allreduce_all_to_all},
        {"BROADCAST", collective::broadcast}};
    what.collective = collective::other;
    for (const auto& [name, value] : names)
        if (name == comm) what.collective = value;
    return what;
}

inline std::string_view name_of(collective c) noexcept {
    constexpr std::string_view names[] = {
        "none",      "allreduce", "allgather", "reduce_scatter", "all_to_all", "all_to_all_v", "allreduce_all_to_all",
        "broadcast", "other"};
    const auto n = static_cast<std::size_t>(c);
    return n < sizeof names / sizeof *names ? names[n] : "unknown";
}
inline std::string_view name_of(group g) noexcept {
    constexpr std::string_view names[] = {"by_phase", "expert_parallel", "data_parallel", "expert_data_parallel"};
    const auto n = static_cast<std::size_t>(g);
    return n < sizeof names / sizeof *names ? names[n] : "unknown";
}

}  // namespace workload

namespace detail {
inline namespace WLFMT_IMPL {

// A layer's line.

inline constexpr std::size_t layer_fields = 12;  // and a policy as the thirteenth
inline constexpr std::size_t policy_field = 12;
inline constexpr std::size_t most_layer_fields = layer_fields + 1 + target_keys_count;
inline constexpr std::string_view layer_field_names[] = {"name",
                                                         "dependency",
                                                         "forward.compute",
                                                         "forward.comm",
                                                         "forward.bytes",
                                                         "input_grad.compute",
                                                         "input_grad.comm",
                                                         "input_grad.bytes",
                                                         "weight_grad.compute",
                                                         "weight_grad.comm",
                                                         "weight_grad.bytes",
                                                         "update",
                                                         "policy"};
inline constexpr std::string_view further_field = "further";

inline constexpr std::string_view numeric_comm_names[] = {"a number as forward.comm", "a number as input_grad.comm",
                                                          "a number as weight_grad.comm"};

// What a field of a layer has to be.
enum class field_type : std::uint8_t { name, integer, number, collective };
template <class Kernel = kernel>
inline field_type type_of_field(std::size_t field) noexcept {
    if (field == 0) return field_type::name;
    constexpr field_type types[] = {field_type::number, field_type::collective, field_type::integer};
    return types[(field + 1) % 3];
}

// A line split into words. As many words as a layer may have are kept; all of them are counted.
template <class Kernel>
struct basic_layer_line {
    word fields[most_layer_fields];
    std::size_t count = 0;
    const char* last = nullptr;  // the end of the last word
    const char* next = nullptr;  // where the next line begins

    // The first word begins at p.
    basic_layer_line(const char* p, const char* end) noexcept {
        while (p != end && *p != '\n') {
            last = word_end(p, end);
            if (count < most_layer_fields) fields[count] = {p, last};
            ++count;
            p = skip_blanks(last, end);
        }
        next = p == end ? end : p + 1;
    }

    word whole() const noexcept { return {fields[0].begin, last}; }
    // Are the last five of 17 or 18 fields sha256 texts?
    bool has_target() const noexcept {
        if (count != most_layer_fields && count != most_layer_fields - 1) return false;
        for (std::size_t n = count - target_keys_count; n != count; ++n)
            if (!is_sha256(fields[n].text())) return false;
        return true;
    }
    // Has the line as many fields as a layer, of whatever dialect?
    bool is_layer_sized() const noexcept {
        const std::size_t own = has_target() ? count - target_keys_count : count;
        return own == layer_fields || own == layer_fields + 1;
    }
};
using layer_line = basic_layer_line<kernel>;

// What a layer has after its twelve fields.
template <class Kernel>
struct basic_layer_tail {
    std::size_t policies = 0;  // fields between the twelfth and the five sha256 texts, at most one of them a policy
    bool target = false;       // the five sha256 texts

    // `target_size`: with how many fields the last five are sha256 texts, well-formed or not; 0 if they never are.
    basic_layer_tail(const layer_line& line, std::size_t target_size) noexcept {
        target = line.count == target_size || line.has_target();
        const std::size_t own = line.count - (target ? target_keys_count : 0);
        policies = own > layer_fields ? own - layer_fields : 0;
    }
    std::string_view policy_of(const layer_line& line) const noexcept {
        return policies != 0 ? line.fields[policy_field].text() : std::string_view();
    }
    std::string_view further_of(const layer_line& line) const noexcept {
        return target ? view(line.fields[line.count - target_keys_count].begin, line.last) : std::string_view();
    }
};
using layer_tail = basic_layer_tail<kernel>;

template <class Kernel = kernel>
inline workload::phase& phase_of_field(workload::layer& l, std::size_t field) noexcept {
    return field < 5 ? l.forward : field < 8 ? l.input_grad : l.weight_grad;
}

// Reads one of the twelve fields. With two kinds of problems it is read all the same: error_kind::related_format, a
// number in place of a collective, and error_kind::negative_value, a time or a size below 0.
template <class Kernel = kernel>
inline error_kind read_field(std::size_t field, word w, const char* end, workload::layer& to) noexcept {
    const auto unless_negative = [](error_kind what, bool negative) {
        return what == error_kind::none && negative ? error_kind::negative_value : what;
    };
    workload::phase& p = phase_of_field(to, field);
    switch (type_of_field(field)) {
    case field_type::name: to.name = w.text(); return error_kind::none;
    case field_type::number: {
        number& time = field + 1 == layer_fields ? to.update : p.compute;
        const error_kind what = number_in(w, end, time);
        return unless_negative(what, is_negative(time));
    }
    case field_type::integer: {
        if (field == 1) return integer_in(w, end, to.dependency);
        const error_kind what = integer_in(w, end, p.bytes);
        return unless_negative(what, p.bytes < 0);
    }
    default: p.comm = w.text(); return is_number(w) ? error_kind::related_format : error_kind::none;
    }
}
template <class Kernel = kernel>
inline bool is_readable(error_kind what) noexcept {
    return what == error_kind::none || what == error_kind::related_format || what == error_kind::negative_value;
}

// Guesses which field a line with too few fields lacks: the first place at which there is a word in place of a number
// or the reverse, or the end of the line. Of two neighbouring numbers the first may be the missing one.
template <class Kernel = kernel>
inline std::string_view missing_field(const layer_line& line) noexcept {
    for (std::size_t field = 1; field < layer_fields; ++field) {
        if (field >= line.count) return layer_field_names[field];
        const bool number_wanted = type_of_field(field) != field_type::collective;
        if (is_number(line.fields[field]) == number_wanted) continue;
        const bool second = number_wanted && type_of_field(field) == field_type::number;
        return layer_field_names[second ? field - 1 : field];
    }
    return layer_field_names[policy_field];
}

// Recognises a closely related format by its first layer line: returns what shows it, or nothing. `typed`: the line
// reads as a layer, with or without further fields.
template <class Kernel = kernel>
inline std::string_view related_format(const layer_line& line, bool typed) noexcept {
    switch (line.count) {
    case 17:
        for (std::size_t n = line.count - target_keys_count; n != line.count; ++n)
            if (line.fields[n].text().substr(0, sha256_start.size()) == sha256_start)
                return "17 fields, the last five of which are not all `sha256:` and 64 digits";
        return "roofline or multi-collective layers (17 fields)";
    case 21: return "roofline or multi-collective layers (21 fields)";
    case 24: return "roofline or multi-collective layers (24 fields)";
    default: break;
    }
    if (typed) return {};
    if (line.fields[0].text() == "Layername") return "LLMServingSim column titles";
    if (line.count < layer_fields - 1) return {};
    for (std::size_t field = 0; field < line.count && field < layer_fields; ++field)
        if (is_number(line.fields[field])) return {};
    return "column titles";
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace workload {
inline namespace WLFMT_IMPL {

// What the reader's contract promises, as functions of the reader's state.
template <class Kernel>
struct basic_reading {
    using state = detail::workload_state;

    // Reports what even a lenient reader cannot read, and ends the reading.
    static void refuse(state& r, error_kind what, detail::word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        r.part_ = state::part::nothing;
        r.problems_.refuse(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                           expected);
    }
    static bool report(state& r, error_kind what, detail::word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        return r.problems_.report(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                                  expected);
    }
    static void warn(state& r, detail::word where, std::string_view field) noexcept {
        r.problems_.warn(error_kind::negative_value, where.begin, static_cast<std::size_t>(where.end - where.begin),
                         field);
    }

    // Reads the header line. Returns true if the line with the count may follow.
    static bool read_header(state& r) noexcept {
        constexpr std::string_view mark = detail::byte_order_mark;
        if (detail::view(r.at_, r.end_).substr(0, mark.size()) == mark) r.at_ += mark.size();
        const char* const p = detail::skip_blank_lines(r.at_, r.end_);
        if (p == r.end_) {
            refuse(r, error_kind::no_records, {p, p}, "layer");
            return false;
        }
        const char* const line_end = detail::find_far(p, r.end_, '\n');
        const detail::word policy = {p, detail::word_end(p, line_end)};
        const std::string_view entries = detail::trimmed(detail::view(policy.end, line_end));
        const char* const last = entries.empty() ? policy.end : entries.data() + entries.size();
        r.at_ = line_end == r.end_ ? line_end : line_end + 1;
        r.header_.policy = policy.text();
        r.header_.entries = entry_list(entries, r.header_.policy);
        r.header_.source = detail::view(p, last);
        r.customized_ = detail::has_own_policies(r.header_.policy);
        // Everything that is wrong is reported; unless the reader is lenient, it stops at the first problem.
        if (policy.text().substr(0, mark.size()) == mark)
            report(r, error_kind::header_value, {p, p + mark.size()}, "policy");
        else if (detail::is_number(policy))
            report(r, error_kind::header_value, policy, "policy");
        bool number_first = detail::is_dlrm(r.header_.policy);
        const char* next = policy.end;
        while ((next = detail::skip_blanks(next, last)) != last) {
            entry e;
            detail::entry_problem wrong;
            next = detail::check_entry(next, last, number_first, e, wrong);
            number_first = false;
            detail::see(r.target_, e);
            const std::string_view key = e.key.empty() && !e.colon ? detail::last_bottom_layer : e.key;
            if (wrong.what == error_kind::negative_value)
                warn(r, wrong.where, key);
            else if (wrong.what != error_kind::none)
                report(r, wrong.what, wrong.where, key, wrong.found, wrong.expected);
        }
        const std::string_view missing = detail::missing_key(r.target_);
        if (!missing.empty()) report(r, error_kind::header_value, {last, last}, missing);
        r.target_bound_ = detail::binds_layers(r.target_);
        return r.problems_.ok();
    }

    // The line with the number of layers.
    static void read_count(state& r) noexcept {
        constexpr std::string_view field = detail::layer_count;
        r.part_ = state::part::layers;
        const char* const p = detail::skip_blank_lines(r.at_, r.end_);
        const detail::layer_line line(p, r.end_);
        if (line.count == 0 || line.is_layer_sized()) {
            report(r, error_kind::missing_layer_count, {p, p}, field);
            if (line.count == 0) r.part_ = state::part::nothing;
            r.at_ = p;
            return;
        }
        r.at_ = line.next;
        const detail::word count = line.fields[0];
        r.header_.source = detail::view(r.header_.source.data(), count.end);
        const error_kind what = detail::integer_in(count, r.end_, r.declared_);
        if (what == error_kind::none) r.header_.declared_layers = r.declared_;
        if (what != error_kind::none || r.declared_ < 0) {
            report(r, what != error_kind::none ? what : error_kind::negative_value, count, field);
            return;
        }
        r.count_ = count.text();
        if (line.count > 1) report(r, error_kind::text_after_count, {line.fields[1].begin, line.last}, field);
    }

    static bool is_counted(const state& r) noexcept { return !is_missing(r.count_); }
    static bool is_miscounted(const state& r) noexcept { return is_counted(r) && r.layers_ != r.declared_; }
    static bool is_past(const state& r) noexcept { return is_counted(r) && r.layers_ >= r.declared_; }
    static bool has_only_blanks_left(const state& r) noexcept {
        return detail::skip_blank_lines(r.at_, r.end_) == r.end_;
    }

    // At the end of the text: are there as many layers as declared?
    static const layer* finish(state& r) noexcept {
        r.part_ = state::part::nothing;
        if (is_miscounted(r)) {
            r.problems_.report(error_kind::layer_count_mismatch, r.count_.data(), r.count_.size(), detail::layer_count,
                               r.layers_, r.declared_);
        }
        return nullptr;
    }

    // Reads the fields that a line has, at most twelve.
    struct typing {
        error_kind what = error_kind::none;  // what is wrong with the first field that cannot be read
        std::size_t guilty = 0;              // which one that is
        bool odd = false;                    // a field can be read, but something is wrong with it
    };
    static typing type_fields(const detail::layer_line& line, const char* end, layer& to) noexcept {
        typing t;
        const std::size_t fields = line.count < detail::layer_fields ? line.count : detail::layer_fields;
        for (std::size_t field = 0; field != fields && t.what == error_kind::none; ++field) {
            t.guilty = field;
            const error_kind what = detail::read_field(field, line.fields[field], end, to);
            if (!detail::is_readable(what))
                t.what = what;
            else
                t.odd = t.odd || what != error_kind::none;
        }
        return t;
    }
    // Reports numbers in place of collectives, and values below 0. Returns true if the reader may go on.
    static bool report_odd_fields(state& r, const detail::layer_line& line, std::int64_t found,
                                  std::int64_t expected) noexcept {
        layer again;
        for (std::size_t field = 0; field != detail::layer_fields; ++field) {
            const detail::word w = line.fields[field];
            const error_kind what = detail::read_field(field, w, r.end_, again);
            if (what == error_kind::negative_value) warn(r, w, detail::layer_field_names[field]);
            if (what != error_kind::related_format) continue;
            if (!report(r, what, w, detail::numeric_comm_names[field / 3 - 1], found, expected)) return false;
        }
        return true;
    }
    // Are the last five fields those of the header? Returns true if the reader may go on.
    static bool check_target(state& r, const detail::layer_line& line) noexcept {
        const detail::word* const fields = line.fields + line.count - detail::target_keys_count;
        for (std::size_t n = 0; n != detail::target_keys_count; ++n) {
            if (fields[n].text() == r.target_.values[n]) continue;
            if (!report(r, error_kind::header_mismatch, fields[n], detail::target_keys[n])) return false;
        }
        return true;
    }

    // Reads any line. Returns true if it is a layer that can be read. Otherwise it was reported, and if the reader is
    // still ok(), it is to be passed over.
    static bool read_line(state& r, const detail::layer_line& line) noexcept {
        using detail::layer_fields;
        using detail::target_keys_count;
        const typing t = type_fields(line, r.end_, r.record_);
        const bool typed = line.count >= layer_fields && t.what == error_kind::none;
        const std::size_t own = layer_fields + r.customized_;
        const detail::layer_tail tail(line, r.target_bound_ ? own + target_keys_count : 0);
        const auto found = static_cast<std::int64_t>(line.count);
        const auto expected = static_cast<std::int64_t>(own + (tail.target || r.target_bound_ ? target_keys_count : 0));

        const bool past = is_past(r);
        const bool layer_sized = line.count >= layer_fields && tail.policies <= 1;
        if (past && !typed && !(layer_sized && t.guilty > 1)) {
            if (r.text_after_layers_) return false;
            r.text_after_layers_ = true;
            report(r, error_kind::text_after_layers, line.whole(), detail::layer_count, r.layers_, r.declared_);
            return false;
        }
        if (r.layers_ == 0 && !past && !tail.target && !r.target_bound_) {
            const std::string_view relative = detail::related_format(line, typed);
            if (!relative.empty()) {
                refuse(r, error_kind::related_format, line.whole(), relative, found, expected);
                return false;
            }
        }
        ++r.layers_;
        r.record_.policy = tail.policy_of(line);
        r.record_.further = tail.further_of(line);
        r.record_.source = line.whole().text();
        if (found != expected) {
            const std::string_view field = line.count < layer_fields ? detail::missing_field(line) : "policy";
            if (!report(r, error_kind::field_count, line.whole(), field, found, expected) || !typed) return false;
        }
        if (!typed) {
            report(r, t.what, line.fields[t.guilty], detail::layer_field_names[t.guilty]);
            return false;
        }
        if (t.odd && !report_odd_fields(r, line, found, expected)) return false;
        return !tail.target || check_target(r, line);
    }

    // Lets the plain path read the line at r.at_. It needs a window of text, and sixteen bytes before the line.
    static void start_plain_path(state& r) noexcept {
        const bool fits = r.end_ - r.at_ >= detail::window_size && r.at_ - r.problems_.text >= 16;
        if (detail::has_plain_paths && fits && !r.customized_ && !r.target_bound_)
            r.separators_ = {r.at_, detail::separator_bits(r.at_), r.end_ - detail::window_size};
    }

    // Small, and the rest called at its end: nothing needs to be saved for a layer of the plain path.
    static const layer* next(state& r) noexcept {
        if (WLFMT_LIKELY(r.separators_.window != nullptr)) {
            const char* const line_end = detail::workload_plain<Kernel>::read_layer(r.at_, r.separators_, r.record_);
            if (WLFMT_LIKELY(line_end != nullptr)) {
                r.at_ = line_end + 1;
                ++r.layers_;
                return &r.record_;
            }
        }
        return next_of_general_path(r);
    }
    WLFMT_NOINLINE static const layer* next_of_general_path(state& r) noexcept {
        r.separators_ = {};
        if (r.part_ != state::part::layers) return nullptr;
        while (r.problems_.ok()) {
            const char* const p = detail::skip_blank_lines(r.at_, r.end_);
            if (p == r.end_) return finish(r);
            const detail::layer_line line(p, r.end_);
            r.at_ = line.next;
            if (!read_line(r, line)) continue;
            start_plain_path(r);
            return &r.record_;
        }
        return nullptr;
    }

    static bool skip(state& r) noexcept {
        if (r.problems_.ok() || r.part_ == state::part::nothing) return false;
        // At the end, a wrong number of layers may still have to be reported.
        if (r.part_ == state::part::layers && has_only_blanks_left(r) && !is_miscounted(r)) return false;
        r.problems_.first = {};
        if (r.part_ == state::part::count) read_count(r);
        return true;
    }

    // How many layers to reserve room for: as many as declared, but no more than the rest of the text could hold if its
    // lines were as long as the first one.
    static std::size_t estimate(const state& r) noexcept {
        constexpr std::size_t shortest_line = 2 * detail::layer_fields;  // fields of one byte, each with what ends it
        const char* const p = detail::skip_blank_lines(r.at_, r.end_);
        const char* const line_end = detail::find_far(p, r.end_, '\n');
        const std::size_t line = static_cast<std::size_t>(line_end - p) + 1;
        if (line < shortest_line) return 0;
        const std::size_t lines = static_cast<std::size_t>(r.end_ - p) / line + 1;
        const bool fewer = r.declared_ > 0 && static_cast<std::uint64_t>(r.declared_) < lines;
        return fewer ? static_cast<std::size_t>(r.declared_) : lines;
    }
    // After an error that ended the reading of a document: were all layers read? Looks at the rest of the text without
    // reporting what it finds there.
    static bool has_read_all(state& r) noexcept {
        const error_kind what = r.problems_.first.kind;
        if (what != error_kind::text_after_layers) return what == error_kind::layer_count_mismatch;
        r.problems_.how.on_problem = nullptr;
        if (!skip(r)) return true;
        return next(r) == nullptr && (r.problems_.ok() || r.problems_.first.kind == error_kind::layer_count_mismatch);
    }
};
using reading = basic_reading<detail::kernel>;

template <class Kernel>
inline reader::reader(std::string_view text, const options& how) noexcept : workload_state(Kernel(), text, how) {
    if (!reading::read_header(*this)) return;
    reading::read_count(*this);
    if (problems_.ok() && part_ == part::layers) reading::start_plain_path(*this);
}

template <class Kernel>
inline const layer* reader::next() & noexcept {
    return reading::next(*this);
}

template <class Kernel>
inline bool reader::skip() noexcept {
    return reading::skip(*this);
}

inline std::uint64_t reader::offset() const noexcept { return problems_.offset_of(at_); }

template <class Kernel>
inline result<document> read(std::string_view text, const options& how) {
    reader file(text, how);
    auto& state = detail::reader_access::state_of<detail::workload_state>(file);
    document doc;
    if (file.ok()) doc.layers.reserve(reading::estimate(state));
    while (const layer* l = file.next()) doc.layers.push_back(*l);
    doc.header() = file.header();
    if (file.ok()) return doc;
    const struct error e = file.error();
    return {std::move(doc), e, reading::has_read_all(state)};
}

template <class Kernel>
inline std::string_view where(const layer& one, std::string_view field) noexcept {
    using namespace detail;
    if (is_missing(one.source)) return {};
    const layer_line line(one.source.data(), one.source.data() + one.source.size());
    // Malformed sha256 texts, which a lenient reader keeps, are recognised by where the record's further fields begin.
    const bool target_sized = line.count == most_layer_fields || line.count == most_layer_fields - 1;
    const bool kept = target_sized && one.further.data() == line.fields[line.count - target_keys_count].begin;
    const layer_tail tail(line, kept ? line.count : 0);
    constexpr std::string_view numeric = "a number as ";
    if (field.substr(0, numeric.size()) == numeric) field.remove_prefix(numeric.size());
    for (std::size_t n = 0; n != policy_field; ++n)
        if (field == layer_field_names[n]) return n < line.count ? line.fields[n].text() : std::string_view();
    if (field == layer_field_names[policy_field]) return tail.policy_of(line);
    if (field == further_field) return tail.further_of(line);
    const std::size_t key = target_position(field);
    if (key == target_keys_count || !tail.target) return {};
    return line.fields[line.count - target_keys_count + key].text();
}

template <class Kernel>
inline std::string_view where(const header& head, std::string_view field) noexcept {
    if (is_missing(head.source)) return {};
    const char* const end = head.source.data() + head.source.size();
    const char* const policy_end = detail::word_end(head.source.data(), end);
    const char* const line_end = detail::find_far(policy_end, end, '\n');
    const std::string_view policy = detail::view(head.source.data(), policy_end);
    const header as_read = {policy, entry_list(detail::view(policy_end, line_end), policy), {}, {}};
    const std::string_view entry = detail::value_access::given(as_read.find(field));
    if (!is_missing(entry)) return entry;
    if (field != detail::layer_count) return {};
    const words count(detail::view(line_end, end));
    return count.empty() ? std::string_view() : *count.begin();
}

}  // namespace WLFMT_IMPL
}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
