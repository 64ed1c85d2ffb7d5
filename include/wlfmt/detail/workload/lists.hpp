// The lists of a header and of a layer, which are decoded as they are walked, and lookups in them.
#ifndef WLFMT_DETAIL_WORKLOAD_LISTS_HPP
#define WLFMT_DETAIL_WORKLOAD_LISTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/workload.hpp"
#include "../base/collectives.hpp"
#include "../base/walk.hpp"
#include "header.hpp"
#include "schema.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Lists that are decoded as they are walked. Their iterators hold all that they need, so that they outlive the list,
// and hand out their items by value. At the end of its list, each equals a default-constructed iterator.

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
        at_ = workload_words<kernel>::skip_blank_lines(p, end_);
        entry_problem ignored;
        if (at_ == end_)
            at_ = nullptr;
        else
            next_ = workload_header<kernel>::read_entry(at_, end_, number_first_, current_, ignored);
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
        const char* const begin = workload_words<kernel>::skip_blanks(at_, end_);
        const word w = {begin, workload_words<kernel>::word_end(begin, end_)};
        at_ = workload_words<kernel>::plain_integer(w, current_) == number_status::ok ? w.end : nullptr;
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
        p = workload_words<kernel>::skip_blank_lines(p, end_);
        current_ = p == end_ ? std::string_view() : view(p, workload_words<kernel>::word_end(p, end_));
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
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("model_parallel_NPU_group"));
}
template <class Kernel>
number header::expert_parallel() const noexcept {
    const value ep = entries.find<Kernel>("ep");
    return detail::workload_header<Kernel>::header_number(ep ? ep : entries.find<Kernel>("expert_parallel_npu_group"));
}
template <class Kernel>
number header::pipeline_parallel() const noexcept {
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("pp"));
}
template <class Kernel>
number header::virtual_pipeline() const noexcept {
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("vpp"));
}
template <class Kernel>
number header::gradient_accumulation() const noexcept {
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("ga"));
}
template <class Kernel>
number header::all_gpus() const noexcept {
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("all_gpus"));
}
template <class Kernel>
number header::pipeline_bytes() const noexcept {
    return detail::workload_header<Kernel>::header_number(entries.find<Kernel>("pp_comm"));
}
template <class Kernel>
number header::dlrm_last_bottom_layer() const noexcept {
    return detail::workload_header<Kernel>::header_number(find<Kernel>(detail::last_bottom_layer));
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
    if (key == detail::layer_count)
        return detail::value_of(declared_layers, detail::workload_header<Kernel>::count_of(source));
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
    // The longest suffix first: _DP_EP ends in _EP.
    for (std::size_t n = detail::group_suffix_count; --n != 0;) {
        const std::string_view suffix = detail::collective_table<detail::kernel>::suffixes[n];
        if (comm.size() < suffix.size() || comm.substr(comm.size() - suffix.size()) != suffix) continue;
        comm.remove_suffix(suffix.size());
        what.group = static_cast<workload::group>(n);
        break;
    }
    // Whole names are compared: ALLREDUCEALLTOALL is not ALLREDUCE.
    what.collective = collective::other;
    for (std::size_t n = 0; n != detail::collective_row_count; ++n)
        if (detail::collective_table<detail::kernel>::rows[n].token == comm)
            what.collective = static_cast<workload::collective>(n);
    return what;
}

inline std::string_view name_of(collective c) noexcept {
    const auto n = static_cast<std::size_t>(c);
    if (c == collective::other) return "other";
    return n < detail::collective_row_count ? detail::collective_table<detail::kernel>::rows[n].name : "unknown";
}
inline std::string_view name_of(field f) noexcept {
    const auto n = static_cast<std::size_t>(f);
    return n <= detail::policy_field ? detail::layer_field_names[n] : "unknown";
}
inline std::string_view name_of(group g) noexcept {
    constexpr std::string_view names[] = {"by_phase", "expert_parallel", "data_parallel", "expert_data_parallel"};
    const auto n = static_cast<std::size_t>(g);
    return n < sizeof names / sizeof *names ? names[n] : "unknown";
}

}  // namespace workload

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
