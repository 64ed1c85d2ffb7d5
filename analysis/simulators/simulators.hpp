// What keeps a simulator from simulating a workload file as it is written, and commands that mend it.
//
//     wlfmt::analysis::simulators::examine(simulator::simai, text, "moe.txt", [](const finding& f) { ... });
//
// The conditions of SimAI are those of its sources (aliyun/SimAI cef83f9d, astra-sim-alibabacloud/astra-sim), which
// read the text without a check. docs/simulators.md has them as a table.
#ifndef WLFMT_ANALYSIS_SIMULATORS_SIMULATORS_HPP
#define WLFMT_ANALYSIS_SIMULATORS_SIMULATORS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/types/text.hpp>

#include "../callback.hpp"

namespace wlfmt::analysis {
namespace simulators {

// Where a workload file is to be simulated: in SimAI, which reads it, or in ASTRA-sim 2 by the traces that
// chakra::traces_of() makes of it. `chakra` is these traces alone, whatever simulates them.
enum class simulator : std::uint8_t { simai, astra_sim, chakra };

// Something in a workload file that a simulator does not take, or takes for something else.
struct condition {
    std::string_view name;       // the name of the fact in `summary --json`
    std::string_view simulator;  // the program
    std::string_view what;       // what of the file it cannot handle
    std::string_view result;     // what it does then
    std::string_view source;     // the source file and the function that show it
    std::string_view advice;     // what the command that mends it does
};

// The row of this name; a row without a name if there is none.
[[nodiscard]] const condition& condition_named(std::string_view name) noexcept;

struct finding {
    const condition& row;
    std::string_view place;  // a view of the text; empty, at the end of the header's line, for what is missing
    std::string detail;      // what the row does not say of this place; may be empty
    std::string remedy;      // a command that prints the text without this; may be empty
};
// Says the finding in one line, with its remedy.
[[nodiscard]] std::string words_of(const finding& f);

// Calls `report` for every condition that holds in the text of a workload file: those of the header, then those of each
// layer. `file` is how the remedies name it. A text that is not read as a workload file has none, and what the
// reader itself reports as an error is not among them.
void examine(simulator program, text_view text, std::string_view file, callback<void(const finding&)> report);

// Whether SimAI takes a number from the header's entry of this key, or a list.
[[nodiscard]] bool is_read_by_simai(std::string_view key) noexcept;

}  // namespace simulators

// Which layers begin a recomputation in the backward pass, and from which checkpoint.
struct recomputation {
    std::vector<std::optional<std::size_t>> from;  // the checkpoint of each layer that begins one
    std::optional<std::size_t> stray;              // the first layer that begins one and has no checkpoint
};
// A layer that begins a recomputation needs a checkpoint before it, without another such layer in between: SimAI leaves
// its array if there is none, and the layers between two of them out of the backward pass.
[[nodiscard]] recomputation recomputation_of(const std::vector<bool>& checkpoints, const std::vector<bool>& begins);

}  // namespace wlfmt::analysis

#endif
