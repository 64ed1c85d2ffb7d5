// wlfmt/types/run.hpp: what the names of a run's files say. wlfmt/oplog/run.hpp reads them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_RUN_HPP
#define WLFMT_TYPES_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// What a file name says. Its parts are joined by `_` and come in any order; unknown parts are passed over.
struct file_facts {
    std::optional<std::int64_t> world_size;   // wd8: ranks of the run
    std::optional<std::int64_t> tensor;       // tp2: tensor parallel size
    std::optional<std::int64_t> pipeline;     // pp4: pipeline stages
    std::optional<std::int64_t> expert;       // exp8: expert parallel size
    std::optional<std::int64_t> experts;      // expNum16
    std::optional<std::int64_t> layers;       // numl40, l8
    std::optional<std::int64_t> micro_batch;  // bs2
    std::optional<std::int64_t> rank;         // rank7
    text_view time = {};                      // 20240923205004: year to second; a view of the name
};
struct rank_range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

// What the names of a run's files say when they are taken together. Files are given as positions in the list of paths.
struct run_files {
    std::vector<std::size_t> chosen;      // the files to read: the newest of each rank, and all without a rank
    std::vector<std::size_t> superseded;  // files of earlier runs
    std::vector<std::size_t> repeated;    // paths that occur twice in the list
    // Ranks without a file: below the world size, or, if no name has it, between the lowest and the highest rank.
    std::vector<rank_range> missing;
    // Sentences about names that contradict each other or themselves.
    std::vector<std::string> contradictions;
};

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
