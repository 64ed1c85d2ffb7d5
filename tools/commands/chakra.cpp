// chakra: traces for ASTRA-sim 2.
#include "../chakra.hpp"
#include "../commands.hpp"

namespace tool {

exit_status run_chakra(const settings& s) { return chakra(s); }

}  // namespace tool
