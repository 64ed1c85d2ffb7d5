// The table of what simulators do not take.
#ifndef WLFMT_ANALYSIS_SIMULATORS_ROWS_HPP
#define WLFMT_ANALYSIS_SIMULATORS_ROWS_HPP

#include <wlfmt/lint.hpp>

#include "simulators.hpp"

namespace wlfmt::analysis::simulators::rows {

inline constexpr std::string_view simai = "SimAI";
inline constexpr std::string_view analytical = "SimAI-Analytical";
inline constexpr std::string_view reader = "Workload.cc, initialize_workload()";
inline constexpr std::string_view price = "Layer.cc, compute_time()";
inline constexpr std::string_view write_plainly = "to have the file in its plain form";
inline constexpr std::string_view write_integer = "for the nearest whole number";
inline constexpr std::string_view smallest = "for the smallest size that fits the others";

// What `lint` warns of as well, in its words.
constexpr condition limit(std::size_t n, std::string_view advice) {
    const lint::simulator_limit& row = lint::simulator_limits[n];
    return {row.name, row.simulator, row.condition, row.result, row.source, advice};
}

// The text and the header.
inline constexpr condition byte_order_mark = {
    "byte_order_mark", simai, "a byte order mark before the policy", "it ends: it does not know the policy", reader,
    write_plainly};
inline constexpr condition blank_first = {"blank_first", simai,  "a blank line before the policy",
                                          "it crashes",  reader, write_plainly};
inline constexpr condition blank_second = {
    "blank_second", simai,        "a blank line before the number of layers", "it ends with an exception",
    reader,         write_plainly};
inline constexpr condition no_layers = {"no_layers",
                                        simai,
                                        "a number of layers that is not at least 1",
                                        "it ends with an assertion, or with an exception",
                                        "Workload.cc, initialize_workload() and the functions iterate_...()",
                                        "to declare the layers that there are"};
inline constexpr condition fewer_layers = {"fewer_layers",
                                           simai,
                                           "more layers than are declared",
                                           "it reads the first ones, as many as are declared",
                                           reader,
                                           "to declare all of them"};
inline constexpr condition missing_layers = {"missing_layers",
                                             simai,
                                             "fewer layers than are declared",
                                             "it reads garbage for the missing ones",
                                             reader,
                                             "to declare those that are there"};
inline constexpr condition unknown_policy = {"unknown_policy",
                                             simai,
                                             "a policy that it does not have",
                                             "it ends",
                                             "Workload.cc, decode_parallelsim()",
                                             "for the policy of AICB's files"};
inline constexpr condition other_policy = {"other_policy",
                                           simai,
                                           "a policy other than HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                           "it reads no sizes, and crashes when it divides by them",
                                           "Workload.cc, initialize_workload(); Layer.cc, report()",
                                           "for the policy of AICB's files"};
inline constexpr condition no_pipeline_divisor = limit(0, smallest);
inline constexpr condition no_sizes = limit(1, smallest);
inline constexpr condition no_ranks = {
    "no_ranks", simai,   "no `ep` or no `all_gpus`", "it computes with whatever is in its memory, and warns at best",
    reader,     smallest};
inline constexpr condition no_colon = {
    "no_colon",          simai, "an entry without the colon right after its key", "it does not read the entry", reader,
    "to write the colon"};
inline constexpr condition key_twice = {
    "key_twice",   simai,
    "a key twice", "it takes the last entry, wlfmt the first, and `wlfmt set` changes the first",
    reader,        "to remove the first entry"};
inline constexpr condition cut_number = {"cut_number",
                                         simai,
                                         "an entry that is not written as a whole number",
                                         "it takes the digits before the point or e",
                                         reader,
                                         write_integer};
inline constexpr condition large_number = {
    "large_number", simai,   "an entry that is no number, or is beyond 2147483647", "it ends with an exception",
    reader,         smallest};
inline constexpr condition size_below_one = {
    "size_below_one",     simai,   "a size below 1", "it divides by it: it crashes, or its total time is NaN",
    "Layer.cc, report()", smallest};
inline constexpr condition undivided = {"undivided",
                                        simai,
                                        "sizes that do not divide the number of ranks",
                                        "it takes groups of other sizes, or has none",
                                        "Layer.cc, report(); MockNcclGroup.cc",
                                        smallest};
inline constexpr condition large_product = {"large_product",
                                            simai,
                                            "twice the product of `ga` and `vpp` beyond 2147483647",
                                            "the product overflows, and the pipeline's times are wrong",
                                            "Layer.cc, report()",
                                            "to leave the division by vpp out"};
inline constexpr condition large_messages = limit(2, "for the greatest that it reads");
inline constexpr condition stages_and_messages = {"stages_and_messages",
                                                  simai,
                                                  "stages without `pp_comm`, or `pp_comm` without stages",
                                                  "it warns, and the time of messages is missing or too long",
                                                  reader,
                                                  "for none, or for the bytes of the largest forward collective"};
inline constexpr condition first_checkpoint = {"first_checkpoint",
                                               simai,
                                               "several layers in `checkpoints` or `checkpoint_initiates`",
                                               "it takes the first layer of the list for all of them",
                                               reader,
                                               "to say what it simulates"};
inline constexpr condition checkpoint_range = {"checkpoint_range",
                                               simai,
                                               "a layer that there is not in `checkpoints` or `checkpoint_initiates`",
                                               "it recomputes nothing, or crashes",
                                               "Workload.cc, iterate_hybrid_parallel_Transformer_fwd_in_bckwd()",
                                               "to recompute nothing"};
inline constexpr condition no_checkpoint = {"no_checkpoint",
                                            simai,
                                            "recomputation from a layer without an earlier checkpoint",
                                            "it crashes",
                                            "Workload.cc, iterate_hybrid_parallel_Transformer_fwd_in_bckwd()",
                                            "to recompute nothing"};

// The layers.
inline constexpr condition further_fields = {"further_fields",
                                             simai,
                                             "fields after the twelfth",
                                             "it reads them as the next layer",
                                             reader,
                                             "for the twelve fields alone"};
inline constexpr condition size_not_whole = {"size_not_whole",
                                             simai,
                                             "bytes that are not written as digits alone",
                                             "it reads the rest of the file as nothing",
                                             reader,
                                             write_integer};
inline constexpr condition time_not_whole = {"time_not_whole",
                                             simai,
                                             "a time that is not written as digits alone",
                                             "it reads the rest of the file as nothing, or does not end",
                                             reader,
                                             write_integer};
inline constexpr condition dependency_not_whole = {"dependency_not_whole",
                                                   simai,
                                                   "a dependency that is no whole number of 32 bits",
                                                   "it reads the rest of the file as nothing, and does not end",
                                                   reader,
                                                   "for no dependency"};
inline constexpr condition below_zero = {
    "below_zero", simai, "bytes or a time below 0", "it takes them for nearly 2^64", reader, "for nothing"};
inline constexpr condition long_computation = limit(4, "for the longest that ends");
inline constexpr condition long_update = {"long_update",
                                          "SimAI with ns-3",
                                          "an update of more than 2147483647 ticks after a collective",
                                          "the time is cut to an int, and below 0",
                                          "Layer.cc, call(); Sys.cc, register_event()",
                                          "for the longest that it takes"};
inline constexpr condition joint_collectives = {"joint_collectives",
                                                simai,
                                                "ALLREDUCEALLTOALL",
                                                "it takes it for an ALLREDUCE without a group, which takes no time",
                                                price,
                                                "for the all-reduce alone"};
inline constexpr condition unequal_all_to_all = {"unequal_all_to_all",
                                                 simai,
                                                 "ALLTOALLV",
                                                 "it takes it for an ALLTOALL without a group, which takes no time",
                                                 price,
                                                 "for an ALLTOALL of as many bytes"};
inline constexpr condition broadcasts = {"broadcasts", simai,
                                         "BROADCAST",  "it is no communication to it",
                                         reader,       "for an ALLGATHER, which sends nearly as much"};
inline constexpr condition data_suffix = {"data_suffix",
                                          simai,
                                          "a collective with the suffix _DP",
                                          "it gives it no group, and it takes no time",
                                          price,
                                          "for a suffix that it has"};
inline constexpr condition unknown_collectives = {
    "unknown_collectives",          simai,  "a collective that it does not know",
    "it is no communication to it", reader, "for the nearest one that it knows, or none"};
inline constexpr condition swapped_group = {"swapped_group",
                                            analytical,
                                            "_EP in a weight gradient, or _DP_EP in another phase",
                                            "it takes the number of ranks of another group",
                                            "Layer.cc, report()",
                                            "for the suffix of the phase"};
inline constexpr condition lone_rank = {"lone_rank",
                                        analytical,
                                        "a collective of tensor parallelism where that is 1",
                                        "it takes 9.2e15 us, with exit status 0",
                                        price,
                                        "for none, as no other rank takes part"};
inline constexpr condition free_collective = {
    "free_collective",
    analytical,
    "less than 1 MiB in a group of ranks whose number is no power of two from 2 to 128",
    "the collective takes no time",
    price,
    "for 1 MiB, from which on it computes the time"};
inline constexpr condition large_collective = {
    "large_collective",
    analytical,
    "more than 16 GiB in an ALLTOALL, or in an ALLGATHER or REDUCESCATTER of tensor parallelism",
    "it ends without a table, with exit status 0",
    "calbusbw.cc, getValue()",
    "for 16 GiB, the most of which it knows the bandwidth"};
inline constexpr condition odd_servers = {
    "odd_servers",
    analytical,
    "tensor parallelism over servers of 8 ranks, but not over 2, 4, 8, ... of them",
    "it takes the bandwidth of another number of servers",
    "Layer.cc, cal_ratio(); calbusbw.cc, getValue()",
    "for the next size that it has"};
inline constexpr condition no_expert_groups = limit(3, "for none");
inline constexpr condition small_collectives = limit(5, "for a byte for each rank");

// ASTRA-sim 2 and Chakra's traces.
inline constexpr condition untraceable = {"untraceable",
                                          "wlfmt chakra",
                                          "what no trace can be made of",
                                          "it refuses the file",
                                          "analysis/chakra/planner.hpp",
                                          "to have it traced"};
inline constexpr condition no_messages = {"no_messages",
                                          "ASTRA-sim 2",
                                          "stages without `pp_comm`",
                                          "they are simulated side by side, without messages",
                                          "docs/chakra.md",
                                          "for the bytes of the largest forward collective"};
inline constexpr condition raised_collective = {
    "raised_collective",
    "ASTRA-sim 2",
    "a collective of fewer bytes than there are ranks and pieces, or an ALLGATHER of fewer than pieces",
    "it takes it for as many bytes; of the ALLGATHER `wlfmt chakra` does so, as it would not end",
    "Sys.cc, determine_chunk_size()",
    "for the bytes that it simulates"};
inline constexpr condition one_rank = {"one_rank",
                                       "ASTRA-sim 2",
                                       "a single rank",
                                       "it has no network of one rank",
                                       "NetworkParser.cpp, check_validity()",
                                       "for two ranks"};

inline constexpr const condition* all[] = {&byte_order_mark,
                                           &blank_first,
                                           &blank_second,
                                           &no_layers,
                                           &fewer_layers,
                                           &missing_layers,
                                           &unknown_policy,
                                           &other_policy,
                                           &no_pipeline_divisor,
                                           &no_sizes,
                                           &no_ranks,
                                           &no_colon,
                                           &key_twice,
                                           &cut_number,
                                           &large_number,
                                           &size_below_one,
                                           &undivided,
                                           &large_product,
                                           &large_messages,
                                           &stages_and_messages,
                                           &first_checkpoint,
                                           &checkpoint_range,
                                           &no_checkpoint,
                                           &further_fields,
                                           &size_not_whole,
                                           &time_not_whole,
                                           &dependency_not_whole,
                                           &below_zero,
                                           &long_computation,
                                           &long_update,
                                           &joint_collectives,
                                           &unequal_all_to_all,
                                           &broadcasts,
                                           &data_suffix,
                                           &unknown_collectives,
                                           &swapped_group,
                                           &lone_rank,
                                           &free_collective,
                                           &large_collective,
                                           &odd_servers,
                                           &no_expert_groups,
                                           &small_collectives,
                                           &untraceable,
                                           &no_messages,
                                           &raised_collective,
                                           &one_rank};

}  // namespace wlfmt::analysis::simulators::rows

#endif
