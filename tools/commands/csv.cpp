// csv: all files as one table.
#include "../csv.hpp"
#include "../commands.hpp"

namespace tool {

exit_status run_csv(const settings& given) {
    settings s = given;
    s.copies = true;
    return csv_command(s).run();
}

}  // namespace tool
