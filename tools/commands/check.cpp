// check: what is wrong with files, each for itself and all of them together.
#include "../check.hpp"

#include <algorithm>

#include "../commands.hpp"
#include "../files.hpp"
#include "../messages.hpp"

namespace tool {

exit_status run_check(const settings& given) {
    settings s = given;
    s.lists_problems = true;
    messages sent;
    const exit_status worst =
        for_each_given(s, true, [&](input& from, report& r) { check(from, format_of(from, s, r), s, r, sent); });
    return sent.tell_unmatched(s) && s.strict ? (std::max)(worst, problems) : worst;
}

}  // namespace tool
