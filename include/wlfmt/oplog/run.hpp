// wlfmt/oplog/run.hpp: which op-log files belong together, by their names. Opens no file. Not included by wlfmt.hpp. A
// file, such as wd8_tp2_pp4_numl40_bs2_GPT2BPETokenizer_rank7_20240923205004.txt, belongs to a rank, or to a pipeline
// stage that its rank represents. If repeated runs left several files of a rank, the newest is chosen, rank by rank, as
// some tracers trace rank after rank. Where the facts come from: docs/formats.md, 7.2.
#include "../version.hpp"

#ifndef WLFMT_OPLOG_RUN_HPP
#define WLFMT_OPLOG_RUN_HPP

#include <string>
#include <string_view>
#include <vector>

#include "../detail/oplog/files.hpp"
#include "../types/run.hpp"
#include "../types/text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// What a file's name says. Only the last component of the path counts.
[[nodiscard]] inline file_facts facts_of(text_view path WLFMT_LIFETIMEBOUND) noexcept { return detail::facts_in(path); }

// What distinguishes one run's files from another's: the name without its rank and time.
[[nodiscard]] inline std::string run_name_of(std::string_view path) { return detail::run_name(path); }
template <class S, detail::if_null_literal<S> = 0> std::string run_name_of(S&&) = delete;

// Decides which of these files to read. `paths` is a list with size() and operator[], which may make the items on
// demand; an item converts to std::string_view.
template <class Paths> [[nodiscard]] run_files choose_files(const Paths& paths) {
    return detail::run_choice<Paths>(paths).choose();
}
[[nodiscard]] inline run_files choose_files(const std::vector<std::string>& paths) {
    return choose_files<std::vector<std::string>>(paths);
}

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
