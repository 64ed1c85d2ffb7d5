// Reads op logs a second time, and checks that they have not changed.
#ifndef WLFMT_TOOLS_RUN_LOGS_AGAIN_HPP
#define WLFMT_TOOLS_RUN_LOGS_AGAIN_HPP

#include "../command_line/settings.hpp"
#include "../input/folder.hpp"
#include "../input/identity.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "analysis/callback.hpp"

namespace tool {

class logs_again {
public:
    logs_again(const path_list& paths, const settings& s) : paths_(paths), s_(s), read_(paths.size()) {}

    // Call these before and after the n-th file is read for the first time.
    void begin(std::size_t n, const input& from);
    void end(std::size_t n, const input& from) { read_[n].bytes = from.bytes(); }

    // Makes the second pass, which does not report again what is wrong in the files. Returns false, with a message, if
    // a file is no longer what the first pass read.
    bool for_each_operation_again(const callback<void(const wlfmt::oplog::operation&)>& each,
                                  const callback<void()>& after_file);

private:
    // A file as the first pass has read it.
    struct as_read {
        bool is_log = false;  // other files have been reported and are left out
        file_stamp stamp;
        std::uint64_t bytes = 0;
    };

    const path_list& paths_;
    const settings& s_;
    std::vector<as_read> read_;  // an item for each path
};

}  // namespace tool

#endif
