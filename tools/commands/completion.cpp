// completion: what shells need.
#include "../completion.hpp"
#include "../commands.hpp"

namespace tool {

exit_status run_completion(const settings& s) { return print_completion(s); }

}  // namespace tool
