// The C++20 module `wlfmt`: what wlfmt.hpp and the opt-in headers declare, but for those that need a library of their
// own, for `import wlfmt;`.
//
//     clang++ -std=c++20 -Iinclude --precompile include/wlfmt/wlfmt.cppm -o wlfmt.pcm
//     clang++ -std=c++20 -fmodule-file=wlfmt=wlfmt.pcm program.cpp wlfmt.pcm -o program
//
// The names are those of the headers: sources that import and sources that include make one program and can exchange
// records. A module exports no macros; version_major and its like tell the version.
module;
#include <wlfmt/arrow.hpp>
#include <wlfmt/characters.hpp>
#include <wlfmt/csv.hpp>
#include <wlfmt/edit.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/json/line.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/oplog/copies.hpp>
#include <wlfmt/oplog/nested.hpp>
#include <wlfmt/oplog/operations.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/table/mend.hpp>
#include <wlfmt/wlfmt.hpp>
#include <wlfmt/workload/policies.hpp>
export module wlfmt;

// The structs of the Arrow C data interface, which are in no namespace.
export using ::ArrowArray;
export using ::ArrowArrayStream;
export using ::ArrowSchema;

export namespace wlfmt {

using wlfmt::any_prefix;
using wlfmt::append_fixed;
using wlfmt::character_size;
using wlfmt::character_start;
using wlfmt::count_characters;
using wlfmt::is_printable;
using wlfmt::is_utf8;
using wlfmt::problem_at;
using wlfmt::utf8_size;
using wlfmt::append_value;
using wlfmt::at_place;
using wlfmt::byte_range;
using wlfmt::callback;
using wlfmt::column_info;
using wlfmt::detect;
using wlfmt::edits;
using wlfmt::problem;
using wlfmt::error_kind;
using wlfmt::error_kind_count;
using wlfmt::explain;
using wlfmt::file_format;
using wlfmt::find_prefix;
using wlfmt::find_prefixes;
using wlfmt::holds_table;
using wlfmt::in_file;
using wlfmt::is_missing;
using wlfmt::is_mixed_diff;
using wlfmt::is_none;
using wlfmt::is_text_reference;
using wlfmt::item_list;
using wlfmt::file_document;
using wlfmt::location;
using wlfmt::location_of;
using wlfmt::max_prefixes;
using wlfmt::message;
using wlfmt::name_of;
using wlfmt::nearest_word;
using wlfmt::number;
using wlfmt::number_kind;
using wlfmt::operator!=;
using wlfmt::operator<<;
using wlfmt::operator==;
using wlfmt::options;
using wlfmt::other_profiler;
using wlfmt::packed_by;
using wlfmt::path_place;
using wlfmt::piece;
using wlfmt::place_of;
using wlfmt::printable;
using wlfmt::read_file;
using wlfmt::result;
using wlfmt::severity;
using wlfmt::severity_of;
using wlfmt::text_file;
using wlfmt::text_view;
using wlfmt::to_number;
using wlfmt::total_order;
using wlfmt::value;
using wlfmt::value_text;
using wlfmt::version_major;
using wlfmt::version_minor;
using wlfmt::version_patch;
using wlfmt::with_message;

namespace oplog {
using wlfmt::oplog::copies;
using wlfmt::oplog::count_nested_operations;
using wlfmt::oplog::element_bytes;
using wlfmt::oplog::exchange_half;
using wlfmt::oplog::for_each_attribute;
using wlfmt::oplog::in_millionths;
using wlfmt::oplog::nested_operations;
using wlfmt::oplog::nested_operations_of;
using wlfmt::oplog::operation_facts;
using wlfmt::oplog::operation_kind;
using wlfmt::oplog::plain_text;
using wlfmt::oplog::runs_beside;
using wlfmt::oplog::tensor_bytes;
using wlfmt::oplog::tensor_bytes_of;
using wlfmt::oplog::timed_message;
using wlfmt::oplog::attribute;
using wlfmt::oplog::attribute_list;
using wlfmt::oplog::choose_files;
using wlfmt::oplog::chosen_sub_operations;
using wlfmt::oplog::collective;
using wlfmt::oplog::collective_of;
using wlfmt::oplog::document;
using wlfmt::oplog::facts_of;
using wlfmt::oplog::fields;
using wlfmt::oplog::file_facts;
using wlfmt::oplog::group;
using wlfmt::oplog::group_of;
using wlfmt::oplog::has;
using wlfmt::oplog::join_lost;
using wlfmt::oplog::kept_operations;
using wlfmt::oplog::lent_operation;
using wlfmt::oplog::name_of;
using wlfmt::oplog::operation;
using wlfmt::oplog::operator!=;
using wlfmt::oplog::operator<<;
using wlfmt::oplog::operator==;
using wlfmt::oplog::operator|;
using wlfmt::oplog::origin;
using wlfmt::oplog::piece_of;
using wlfmt::oplog::pieces;
using wlfmt::oplog::pipeline_state;
using wlfmt::oplog::pipeline_state_of;
using wlfmt::oplog::problem_of;
using wlfmt::oplog::rank_range;
using wlfmt::oplog::read;
using wlfmt::oplog::read_file;
using wlfmt::oplog::read_string;
using wlfmt::oplog::reader;
using wlfmt::oplog::run_files;
using wlfmt::oplog::run_name_of;
using wlfmt::oplog::shape;
using wlfmt::oplog::stream;
using wlfmt::oplog::stream_line;
using wlfmt::oplog::sub_operation;
using wlfmt::oplog::sub_operation_iterator;
using wlfmt::oplog::sub_operation_list;
using wlfmt::oplog::unescape;
using wlfmt::oplog::visit_keys;
using wlfmt::oplog::where;
using wlfmt::oplog::write;
using wlfmt::oplog::write_quoted;
using wlfmt::oplog::write_unchecked;
namespace operations {
using wlfmt::oplog::operations::embedding;
using wlfmt::oplog::operations::facts_of;
using wlfmt::oplog::operations::group_of_record;
using wlfmt::oplog::operations::is_in_stage;
using wlfmt::oplog::operations::model;
using wlfmt::oplog::operations::name_of;
using wlfmt::oplog::operations::row;
using wlfmt::oplog::operations::rows;
using wlfmt::oplog::operations::word_of;
}  // namespace operations
}  // namespace oplog

namespace workload {
using wlfmt::workload::last_bottom_layer;
using wlfmt::workload::phase_row;
using wlfmt::workload::phase_rows;
using wlfmt::workload::collective;
using wlfmt::workload::communication;
using wlfmt::workload::communication_of;
using wlfmt::workload::document;
using wlfmt::workload::entry;
using wlfmt::workload::entry_list;
using wlfmt::workload::field;
using wlfmt::workload::group;
using wlfmt::workload::header;
using wlfmt::workload::index_list;
using wlfmt::workload::layer;
using wlfmt::workload::name_of;
using wlfmt::workload::operator!=;
using wlfmt::workload::operator==;
using wlfmt::workload::phase;
using wlfmt::workload::problem_of;
using wlfmt::workload::read;
using wlfmt::workload::read_file;
using wlfmt::workload::read_string;
using wlfmt::workload::reader;
using wlfmt::workload::where;
using wlfmt::workload::words;
using wlfmt::workload::write;
using wlfmt::workload::write_unchecked;
namespace collectives {
using wlfmt::workload::collectives::bus_share;
using wlfmt::workload::collectives::count;
using wlfmt::workload::collectives::row;
using wlfmt::workload::collectives::rows;
using wlfmt::workload::collectives::suffix_count;
using wlfmt::workload::collectives::suffixes;
}  // namespace collectives
namespace policies {
using wlfmt::workload::policies::communicates;
using wlfmt::workload::policies::communicates_forward;
using wlfmt::workload::policies::communicates_input_grad;
using wlfmt::workload::policies::communicates_weight_grad;
using wlfmt::workload::policies::forward_alone;
using wlfmt::workload::policies::in_groups;
using wlfmt::workload::policies::number_follows;
using wlfmt::workload::policies::of;
using wlfmt::workload::policies::own_policies;
using wlfmt::workload::policies::recomputes;
using wlfmt::workload::policies::row;
using wlfmt::workload::policies::rows;
using wlfmt::workload::policies::trace_policy;
using wlfmt::workload::policies::trait;
using wlfmt::workload::policies::weight_grad_first;
}  // namespace policies
}  // namespace workload

namespace table {
using wlfmt::table::heading_of;
using wlfmt::table::is_missing_cell;
using wlfmt::table::canonical;
using wlfmt::table::cell;
using wlfmt::table::column;
using wlfmt::table::column_meaning;
using wlfmt::table::document;
using wlfmt::table::frame_list;
using wlfmt::table::max_columns;
using wlfmt::table::max_free_padding;
using wlfmt::table::max_lines_between;
using wlfmt::table::max_padding;
using wlfmt::table::max_titles;
using wlfmt::table::max_totals;
using wlfmt::table::meaning_of;
using wlfmt::table::message;
using wlfmt::table::name_of;
using wlfmt::table::operator!=;
using wlfmt::table::losses;
using wlfmt::table::operator<<;
using wlfmt::table::operator==;
using wlfmt::table::piece_of;
using wlfmt::table::pieces;
using wlfmt::table::problem_of;
using wlfmt::table::profile;
using wlfmt::table::quantity;
using wlfmt::table::read;
using wlfmt::table::read_file;
using wlfmt::table::read_string;
using wlfmt::table::reader;
using wlfmt::table::row;
using wlfmt::table::text_part;
using wlfmt::table::text_place;
using wlfmt::table::total;
using wlfmt::table::unit;
using wlfmt::table::unit_of;
using wlfmt::table::mend;
using wlfmt::table::mend_step;
using wlfmt::table::mended;
using wlfmt::table::mending;
using wlfmt::table::move_place;
using wlfmt::table::where;
using wlfmt::table::write;
using wlfmt::table::write_unchecked;
}  // namespace table

namespace json {
using wlfmt::json::line;
using wlfmt::json::write;
using wlfmt::json::write_object;
}  // namespace json

namespace parallelism {
using wlfmt::parallelism::bus_factor;
using wlfmt::parallelism::facts_of;
using wlfmt::parallelism::group;
using wlfmt::parallelism::group_count;
using wlfmt::parallelism::group_of;
using wlfmt::parallelism::layout;
using wlfmt::parallelism::name_of;
using wlfmt::parallelism::phase;
using wlfmt::parallelism::phase_count;
using wlfmt::parallelism::policy_facts;
using wlfmt::parallelism::rank_order;
using wlfmt::parallelism::simai_sizes;
using wlfmt::parallelism::sizes;
using wlfmt::parallelism::sizes_of;
using wlfmt::parallelism::tally;
using wlfmt::parallelism::traffic;
using wlfmt::parallelism::wire_bytes;
}  // namespace parallelism

namespace arrow {
using wlfmt::arrow::batch_memory;
using wlfmt::arrow::columns_of;
using wlfmt::arrow::contents;
using wlfmt::arrow::input;
using wlfmt::arrow::open;
using wlfmt::arrow::file_problem;
using wlfmt::arrow::request;
}  // namespace arrow

namespace lint {
using wlfmt::lint::nearest_collective;
using wlfmt::lint::examine;
using wlfmt::lint::limit_of;
}  // namespace lint

namespace csv {
using wlfmt::csv::add_columns;
using wlfmt::csv::row_writer;
using wlfmt::csv::origin;
using wlfmt::csv::options;
using wlfmt::csv::write;
using wlfmt::csv::write_layer_names;
using wlfmt::csv::write_operation_names;
using wlfmt::csv::write_row;
using wlfmt::csv::write_row_names;
using wlfmt::csv::write_rows;
using wlfmt::csv::write_sub_operation_names;
using wlfmt::csv::write_sub_operation_rows;
using wlfmt::csv::write_sub_operations;
}  // namespace csv





}  // namespace wlfmt
