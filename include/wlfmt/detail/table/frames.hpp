// The stack frames of a row, split from the lines that they are in.
#ifndef WLFMT_DETAIL_TABLE_FRAMES_HPP
#define WLFMT_DETAIL_TABLE_FRAMES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/table.hpp"
#include "../base/lines.hpp"
#include "../io/prefix.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Lets a reader set the lines of a list of frames.
struct frames_access {
    static void set(table::frame_list& l, std::string_view lines, std::string_view prefix) noexcept {
        l.lines_ = lines;
        l.prefix_ = prefix;
    }
};

}  // namespace detail

namespace table {

// A forward iterator. A frame is a view of the text, so that it outlives the list.
class frame_list::iterator : public detail::value_iterator<frame_list::iterator, std::string_view> {
public:
    iterator() noexcept = default;

    std::string_view current() const noexcept { return current_; }
    std::uintptr_t position() const noexcept { return position_; }
    // Goes to the next frame. (A template over the kernel, since what it calls is one.)
    template <class Kernel = detail::kernel>
    void advance() noexcept {
        if (own_) {
            position_ = position_ < own_.items().size() ? position_ + 1 : 0;
            if (position_ != 0) current_ = own_.items()[position_ - 1];
            return;
        }
        while (!rest_.empty()) {
            detail::line_cursor lines(rest_);
            const std::string_view line = lines.next();
            rest_ = detail::view(lines.at(), lines.end());
            const std::size_t prefix = detail::prefixes::size_of(line, prefix_);
            if (prefix == detail::no_prefix) continue;
            current_ = detail::without_blanks(line.substr(prefix));
            position_ = reinterpret_cast<std::uintptr_t>(current_.data());
            if (!current_.empty()) return;
        }
        position_ = 0;
    }

private:
    friend class frame_list;

    detail::shared_items<std::string_view> own_;
    std::string_view rest_ = {};
    std::string_view prefix_ = {};
    std::string_view current_ = {};
    std::uintptr_t position_ = 0;  // of a frame that the list owns: from 1; of a line: its address; 0 at the end
};

template <class Kernel>
bool frame_list::empty() const noexcept {
    return begin<Kernel>() == end();
}
template <class Kernel>
frame_list::iterator frame_list::end() const noexcept {
    return {};
}
template <class Kernel>
frame_list::iterator frame_list::begin() const noexcept {
    iterator i;
    i.own_ = own_.shared();
    i.rest_ = lines_;
    i.prefix_ = prefix_;
    i.template advance<Kernel>();
    return i;
}
template <class Kernel>
std::size_t frame_list::size() const noexcept {
    std::size_t n = 0;
    for (iterator i = begin<Kernel>(); i != end(); i.template advance<Kernel>()) ++n;
    return n;
}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
