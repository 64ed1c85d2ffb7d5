// A reference to a callable, like std::function_ref: a function that takes one need not be a template.
#ifndef WLFMT_ANALYSIS_CALLBACK_HPP
#define WLFMT_ANALYSIS_CALLBACK_HPP

#include <type_traits>
#include <utility>

namespace wlfmt::analysis {

template <class Signature> class callback;

// The callable must outlive the callback: never bind a temporary to a callback that is kept.
template <class Result, class... Arguments> class callback<Result(Arguments...)> {
public:
    template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, callback>>>
    callback(const Function& called)  // NOLINT(google-explicit-constructor)
        : function_(&called), call_([](const void* function, Arguments... arguments) -> Result {
              return (*static_cast<const Function*>(function))(std::forward<Arguments>(arguments)...);
          }) {}
    Result operator()(Arguments... values) const { return call_(function_, std::forward<Arguments>(values)...); }

private:
    const void* function_;
    Result (*call_)(const void*, Arguments...);
};

}  // namespace wlfmt::analysis

#endif
