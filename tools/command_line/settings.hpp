// What the command line asks for.
#ifndef WLFMT_TOOLS_COMMAND_LINE_SETTINGS_HPP
#define WLFMT_TOOLS_COMMAND_LINE_SETTINGS_HPP

#include <optional>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/types/csv.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/simulators/simulators.hpp"
#include "analysis/summary/summary.hpp"

#include "../general/order.hpp"
#include "../output/output.hpp"

namespace tool {

// A set of ranks, such as `0-7,16`. If none is given, it contains all ranks.
class rank_set {
public:
    bool parse(std::string_view text);
    bool is_given() const noexcept { return !ranges_.empty(); }
    bool has(std::int64_t rank) const noexcept;
    // The greatest rank that is given; -1 if none is.
    std::int64_t last() const noexcept { return ranges_.empty() ? -1 : ranges_.back().second; }
    // How many of the ranks 0 to `ranks` - 1 are in the set.
    std::int64_t count_below(std::int64_t ranks) const noexcept;
    // The rank at a position of the set, counted from 0. Pass a position that the set has.
    std::int64_t nth(std::int64_t position) const noexcept;
    // The given ranks that are missing from `ranks`, a sorted list: `16, 20 to 23`.
    std::string missing_from(const std::vector<std::int64_t>& ranks) const;

private:
    using range = std::pair<std::int64_t, std::int64_t>;  // the first and the last rank
    std::vector<range> ranges_;                           // sorted, without overlaps
};

// `nobody_reads`: standard output was closed before everything was written, as by `| head`. The value is the one that a
// shell gives for a program that SIGPIPE ended. `grown`: a growth exceeds what diff --fail-above allows.
enum exit_status : int { clean = 0, problems = 1, unusable = 2, grown = 3, nobody_reads = 141 };

// A value that the command `set` changes: `PATH=VALUE`, or a row of --from.
struct assignment {
    std::string_view path;
    std::string_view value;
    std::uint64_t row = 0;  // counted from 1; 0: it is on the command line
};

// What diff --fail-above allows: `5%` or `3ms`.
struct growth_limit {
    std::string_view text;
    double share = 0;  // the part by which a time may grow; 0: see `time`
    double time = 0;   // microseconds by which a time may grow

    bool is_asked() const noexcept { return !text.empty(); }
    bool is_exceeded(double before, double after) const noexcept;
    // Whether a part of a total is so large that its growth counts.
    bool is_large(double part, double total) const noexcept { return share <= 0 || part >= share * total; }
};

// csv --of: the rows are records or nested operations of op logs, rows of tables, or what all op logs of a run together
// say about pairs of ranks (waits) or sizes of calls (bandwidth).
enum class rows_of { records, sub_operations, rows, waits, bandwidth };

struct option;

struct settings {
    std::string_view command;
    std::vector<const option*> given;  // the options of the command line
    bool help = false;                 // --help
    colour_choice colours = colour_choice::automatic;
    bool wide = false;            // --wide: lines may be wider than the terminal
    bool copies = false;          // json, format, csv: the output holds all that the input does
    bool lists_problems = false;  // check: reports every problem, and reads on after each
    wlfmt::file_format kind = wlfmt::file_format::unknown;
    std::optional<wlfmt::analysis::simulators::simulator> simulator;  // check: --for
    bool strict = false;
    bool lenient = false;
    bool any_prefix = true;        // --prefix=auto
    std::string_view prefix = {};  // --prefix=TEXT
    std::uint64_t limit = 100;
    std::string output;  // -o FILE, empty for standard output; chakra: -o PREFIX
    // chakra
    double tick = 1;
    std::int64_t passes = 1;
    std::int64_t active_chunks = 1;
    std::int64_t ranks = 0;     // --world-size; 0: what the file says
    rank_set only_ranks;        // --only-ranks
    std::string_view gathered;  // --all-gather; empty: as the header says
    std::int64_t splits = 4;
    std::string_view schedule;  // --schedule; empty: as the file lists the micro-batches
    std::int64_t chunks = 0;    // --vpp; 0: what the file says
    bool link = false;          // --link
    bool balance = false;       // --balance
    std::string network;        // --network: the run whose network is to be used
    bool check = false;         // --check: the files are the simulator's log, or traces
    bool show = false;          // --show: the files are traces
    std::int64_t tensor = 0;
    std::int64_t pipeline = 0;
    std::int64_t expert = 0;
    wlfmt::parallelism::rank_order order = {};
    rows_of csv_rows = rows_of::records;  // --of
    wlfmt::csv::options csv_style;        // csv: --no-formulas
    std::uint64_t table = 0;              // --table, counted from 1; 0: all
    bool canonical = false;               // csv, json: --canonical
    // summary, merge
    std::vector<wlfmt::analysis::dimension> by;  // --by
    bool per_file = false;
    bool json = false;  // also for diff
    bool markdown = false;
    bool partial = false;
    std::int64_t expected_ranks = 0;  // --expect; 0: what the names of the files say
    std::uint64_t share = 0;          // --share=N/M
    std::uint64_t shares = 1;
    unsigned threads = 0;    // -j; 0: one for each core
    std::string_view align;  // timeline: --align
    rank_set drawn;          // timeline, plot: --ranks
    std::size_t ranks_per_file = 0;
    double tolerance = 0;           // diff: --tolerance
    std::string_view compared;      // diff: --by
    std::string_view columns;       // diff: --columns
    std::string_view only;          // diff: --only
    std::uint64_t other_table = 0;  // diff: the second table of --table=A,B
    std::size_t top = 0;            // diff, summary: --top; 0: the command's default
    bool fold_names = false;        // diff: --fold-names
    growth_limit growth;            // diff: --fail-above
    std::vector<const char*> files;
    std::vector<assignment> assignments;
    std::string changes;  // set: --from
};

}  // namespace tool

#endif
