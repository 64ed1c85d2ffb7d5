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
#include <wlfmt/csv.hpp>
#include <wlfmt/diff.hpp>
#include <wlfmt/edit.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/oplog/answers.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/oplog/summary.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/plot.hpp>
#include <wlfmt/report.hpp>
#include <wlfmt/table/by_name.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/table/unwrap.hpp>
#include <wlfmt/timeline.hpp>
#include <wlfmt/wlfmt.hpp>
export module wlfmt;

// The structs of the Arrow C data interface, which are in no namespace.
export using ::ArrowArray;
export using ::ArrowArrayStream;
export using ::ArrowSchema;

export namespace wlfmt {

using wlfmt::any_prefix;
using wlfmt::append_value;
using wlfmt::at_place;
using wlfmt::byte_range;
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
using wlfmt::operator<<;
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
using wlfmt::oplog::answers_of;
using wlfmt::oplog::attribute;
using wlfmt::oplog::attribute_list;
using wlfmt::oplog::bandwidth_answer;
using wlfmt::oplog::bounded;
using wlfmt::oplog::call_member;
using wlfmt::oplog::choose_files;
using wlfmt::oplog::chosen_sub_operations;
using wlfmt::oplog::collective;
using wlfmt::oplog::collective_of;
using wlfmt::oplog::comes_before;
using wlfmt::oplog::dimension;
using wlfmt::oplog::document;
using wlfmt::oplog::doubtful_time;
using wlfmt::oplog::embedding_group;
using wlfmt::oplog::facts_of;
using wlfmt::oplog::fields;
using wlfmt::oplog::file_facts;
using wlfmt::oplog::greater_of;
using wlfmt::oplog::group;
using wlfmt::oplog::group_answer;
using wlfmt::oplog::group_call;
using wlfmt::oplog::group_of;
using wlfmt::oplog::group_of_ranks;
using wlfmt::oplog::has;
using wlfmt::oplog::headline;
using wlfmt::oplog::imbalance_answer;
using wlfmt::oplog::is_communication;
using wlfmt::oplog::iteration_answer;
using wlfmt::oplog::join_lost;
using wlfmt::oplog::kept_operations;
using wlfmt::oplog::leave_answer;
using wlfmt::oplog::lent_operation;
using wlfmt::oplog::limit;
using wlfmt::oplog::measure;
using wlfmt::oplog::measured_bucket;
using wlfmt::oplog::message;
using wlfmt::oplog::message_check;
using wlfmt::oplog::missing_call;
using wlfmt::oplog::model_group;
using wlfmt::oplog::name_of;
using wlfmt::oplog::of_both;
using wlfmt::oplog::of_difference;
using wlfmt::oplog::operation;
using wlfmt::oplog::operation_answer;
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
using wlfmt::oplog::program_step;
using wlfmt::oplog::rank_answer;
using wlfmt::oplog::rank_range;
using wlfmt::oplog::rank_total;
using wlfmt::oplog::read;
using wlfmt::oplog::read_file;
using wlfmt::oplog::read_string;
using wlfmt::oplog::read_summary;
using wlfmt::oplog::reader;
using wlfmt::oplog::remedy;
using wlfmt::oplog::replay_answer;
using wlfmt::oplog::run_answers;
using wlfmt::oplog::run_check;
using wlfmt::oplog::run_files;
using wlfmt::oplog::run_name_of;
using wlfmt::oplog::run_sizes;
using wlfmt::oplog::shape;
using wlfmt::oplog::sign_of;
using wlfmt::oplog::sizes_of;
using wlfmt::oplog::slow_rank;
using wlfmt::oplog::slow_stage;
using wlfmt::oplog::stage_answer;
using wlfmt::oplog::stream;
using wlfmt::oplog::stream_line;
using wlfmt::oplog::sub_operation;
using wlfmt::oplog::sub_operation_iterator;
using wlfmt::oplog::sub_operation_list;
using wlfmt::oplog::summary;
using wlfmt::oplog::tally;
using wlfmt::oplog::tally_row;
using wlfmt::oplog::text_source;
using wlfmt::oplog::time_account;
using wlfmt::oplog::unescape;
using wlfmt::oplog::unmatched_messages;
using wlfmt::oplog::visit_keys;
using wlfmt::oplog::wait_answer;
using wlfmt::oplog::where;
using wlfmt::oplog::write;
using wlfmt::oplog::write_quoted;
using wlfmt::oplog::write_unchecked;
}  // namespace oplog

namespace workload {
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
}  // namespace workload

namespace table {
using wlfmt::table::by_name;
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
using wlfmt::table::is_communication;
using wlfmt::table::meaning_of;
using wlfmt::table::message;
using wlfmt::table::name_of;
using wlfmt::table::named_rows;
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
using wlfmt::table::row_kind;
using wlfmt::table::total;
using wlfmt::table::unit;
using wlfmt::table::unit_of;
using wlfmt::table::unwrap;
using wlfmt::table::unwrapped;
using wlfmt::table::where;
using wlfmt::table::write;
using wlfmt::table::write_unchecked;
}  // namespace table

namespace json {
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
using wlfmt::arrow::problem;
using wlfmt::arrow::request;
}  // namespace arrow

namespace lint {
using wlfmt::lint::examine;
using wlfmt::lint::limit_of;
}  // namespace lint

namespace csv {
using wlfmt::csv::add_columns;
using wlfmt::csv::copies;
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

namespace timeline {
using wlfmt::timeline::alignment;
using wlfmt::timeline::collective_fit;
using wlfmt::timeline::message;
using wlfmt::timeline::name_of;
using wlfmt::timeline::rank_facts;
using wlfmt::timeline::run;
using wlfmt::timeline::write;
using wlfmt::timeline::writer;
}  // namespace timeline

namespace diff {
using wlfmt::diff::change;
using wlfmt::diff::compare;
using wlfmt::diff::difference;
using wlfmt::diff::log_sums;
using wlfmt::diff::name_of;
using wlfmt::diff::profile;
using wlfmt::diff::profile_difference;
using wlfmt::diff::profile_line;
using wlfmt::diff::profile_options;
using wlfmt::diff::profile_total;
using wlfmt::diff::write;
using wlfmt::diff::write_json;
}  // namespace diff

namespace plot {
using wlfmt::plot::max_lanes;
using wlfmt::plot::max_map_rows;
using wlfmt::plot::max_rows;
using wlfmt::plot::write;
}  // namespace plot

namespace report {
using wlfmt::report::options;
using wlfmt::report::write;
}  // namespace report

}  // namespace wlfmt
