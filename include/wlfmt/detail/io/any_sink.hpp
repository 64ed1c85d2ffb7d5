// Any sink (sink.hpp) as one type.
#ifndef WLFMT_DETAIL_IO_ANY_SINK_HPP
#define WLFMT_DETAIL_IO_ANY_SINK_HPP

#include "../../types/sink.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Code that writes to it is compiled once, not once for each kind of sink.
class any_sink {
public:
    template <class S, class = std::enable_if_t<!std::is_same_v<std::remove_const_t<S>, any_sink>>>
    explicit any_sink(S& sink) noexcept
        : sink_(const_cast<std::remove_const_t<S>*>(&sink)),
          append_([](void* target, const char* text, std::size_t size) {
              return append_to(*static_cast<S*>(target), text, size);
          }),
          failed_(!is_open(sink)) {}
    void write(const char* text, std::ptrdiff_t size) {
        failed_ = failed_ || !append_(sink_, text, static_cast<std::size_t>(size));
    }
    bool fail() const noexcept { return failed_; }

private:
    void* sink_;
    bool (*append_)(void*, const char*, std::size_t);
    bool failed_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
