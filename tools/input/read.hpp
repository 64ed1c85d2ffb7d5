// Reads op logs chunk by chunk, and the tables of a text prefix by prefix.
#ifndef WLFMT_TOOLS_INPUT_READ_HPP
#define WLFMT_TOOLS_INPUT_READ_HPP

#include <wlfmt/table/lost.hpp>

#include "../command_line/settings.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "analysis/callback.hpp"
#include "folder.hpp"
#include "input.hpp"

namespace tool {

inline std::string_view prefix_for(const settings& s) noexcept { return s.any_prefix ? wlfmt::any_prefix : s.prefix; }

// Reading is lenient, so that one problem hides no other and what can be read is written, unless --strict asks for
// the opposite. `check` lists all problems in either case.
wlfmt::options options_for(const settings& s, report& r);
// Options for a text that is only looked at, whatever problems it has.
wlfmt::options lenient_options(std::string_view prefix = {});

// The format of a text that is read with these settings.
wlfmt::file_format kind_of(std::string_view beginning, const settings& s);

// What the cells of a notebook have printed, as one text; empty for any other text, and in a build without simdjson
// (json/read.hpp).
std::string text_of_notebook(std::string_view json, std::vector<notebook_cell>& cells);
// The text of a quoted string, as Python or JSON writes it with \n for line ends; empty for any other text, and for a
// string with escapes other than those of white space, quotes and slashes.
std::string unquoted(std::string_view text);

// Whether a file is worth searching to its end: it is not packed and, unlike a model, begins without zero bytes.
bool is_text(std::string_view beginning) noexcept;

// The format of a file. Reads no more of the file than this takes.
wlfmt::file_format kind_of(input& from, const settings& s);

// Reports the lines that hold a record after other text, of a text that a reader of documents or of another format has
// read. Returns whether there are any. `holds_records`, if not null, is set to whether other lines are records.
bool report_lost_records(std::string_view text, const settings& s, report& r, bool* holds_records = nullptr);

using operation_reader = callback<void(const wlfmt::oplog::operation&, const wlfmt::oplog::stream&)>;
struct lines_read {
    std::uint64_t count = 0;
    std::uint64_t foreign = 0;  // lines that are not blank and hold no record
    // Whether the text also holds a table, which is reported once the text has been read to its end.
    bool has_table = false;
    wlfmt::problem lost;  // the lines that hold a record after other text
};
void report_table_in_log(report& r, const settings& s);
// Calls each(operation, stream) for every record of an op log, or of a range of it. Goes on after errors if the command
// lists all problems.
lines_read for_each_operation(input& from, const settings& s, report& r, wlfmt::byte_range range,
                              const operation_reader& each);
void for_each_operation(input& from, const settings& s, report& r, const operation_reader& each);

class ranks_of_log {
public:
    void add(const wlfmt::oplog::operation& op);
    // Call this after the last operation. Adds the number of unread records to the sums of each rank of the log, as any
    // of the ranks may lack them.
    void add_unread(wlfmt::analysis::summary& run, const report& r) const;
    const keyed<std::int64_t, bool>& all() const noexcept { return ranks_; }

private:
    std::int64_t last_ = -1;
    keyed<std::int64_t, bool> ranks_;
};

// The prefixes with which the tables of a text are to be read, one after the other.
std::vector<std::string_view> table_prefixes(std::string_view text, const settings& s);

// Calls each(options, losses) for each of these prefixes. `each` adds to the losses what it reads, and returns the
// error that ended the reading, if there is one. A prefix without a table is an error only if no prefix has a table.
void for_each_prefix(std::string_view text, const settings& s, report& r,
                     const callback<wlfmt::problem(const wlfmt::options&, wlfmt::table::losses&)>& each);

// Returns whether the file lacks the table that --table names, and reports it.
bool report_missing_table(const wlfmt::table::document& tables, const settings& s, report& r);
// Removes all tables but the one that --table names. Returns whether any is left.
bool keep_chosen_table(wlfmt::table::document& tables, const settings& s, report& r);
inline constexpr const char* has_no_tables = "only files of tables have tables; leave --table out";
// Returns whether --table is given for a file that has no tables, and reports it.
bool refuse_table(const settings& s, report& r);
// The offset in the text at which a table begins, or one soon after it.
std::uint64_t offset_of(const wlfmt::table::profile& table, std::string_view text) noexcept;
wlfmt::table::document read_tables(std::string_view text, const settings& s, report& r);

}  // namespace tool

#endif
