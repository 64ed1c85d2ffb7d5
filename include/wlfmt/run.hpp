// wlfmt/run.hpp: which of the op-log files of a run belong together, from their names. Not included by wlfmt.hpp. Opens
// no file.
//
//     wd8_tp2_pp4_numl40_bs2_GPT2BPETokenizer_rank7_20240923205004.txt
//
// A file belongs to a rank, or to a pipeline stage that its rank represents. Several times of one rank are repeated
// runs, of which the newest counts. It is chosen for each rank alone, as tracers that run one rank after the other give
// each a time of its own. Where the facts come from: docs/formats.md, section 1.
#include "version.hpp"

#ifndef WLFMT_RUN_HPP
#define WLFMT_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detail/base/temporary.hpp"
#include "error.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {

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
    std::string_view time = {};               // 20240923205004: year to second; a view of the name
};
// Only the last component of a path counts.
[[nodiscard]] file_facts facts_of(std::string_view path) noexcept;
template <class S, detail::if_temporary_text<S> = 0>
file_facts facts_of(S&&) = delete;

struct rank_range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

// What the names of a run's files say when they are taken together. Positions are those in the paths.
struct run_files {
    std::vector<std::size_t> chosen;      // to be read: of each rank the newest file, and all without a rank
    std::vector<std::size_t> superseded;  // of earlier runs
    std::vector<std::size_t> repeated;    // paths that are in the list already
    // Ranks without a file: of those below the world size, or, where no name tells it, between the lowest and the
    // highest rank that there is.
    std::vector<rank_range> missing;
    // Sentences about names that contradict each other or themselves.
    std::vector<std::string> contradictions;
};
[[nodiscard]] run_files choose_files(const std::vector<std::string>& paths);
// Of any list with size() and operator[], whose items are, or are converted to, std::string_view. Each path is asked
// for as it is needed, so that a long list can be kept in a form of its own.
template <class Paths>
[[nodiscard]] run_files choose_files(const Paths& paths);

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/oplog/run.hpp"

#include "detail/base/config_end.hpp"
#endif
