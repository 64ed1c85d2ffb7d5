// A reference to a callable, as std::function_ref is: what takes one need not be a template.
#ifndef WLFMT_TOOLS_GENERAL_CALLBACK_HPP
#define WLFMT_TOOLS_GENERAL_CALLBACK_HPP

#include <type_traits>
#include <utility>

namespace tool {

template <class Signature> class callback;

// The callable has to outlive the call that it is passed to.
template <class Result, class... Arguments> class callback<Result(Arguments...)> {
public:
    template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, callback>>>
    callback(const Function& called)  // NOLINT(google-explicit-constructor)
        : of_(&called), call_([](const void* function, Arguments... arguments) -> Result {
              return (*static_cast<const Function*>(function))(std::forward<Arguments>(arguments)...);
          }) {}
    Result operator()(Arguments... all) const { return call_(of_, std::forward<Arguments>(all)...); }

private:
    const void* of_;
    Result (*call_)(const void*, Arguments...);
};

}  // namespace tool

#endif
