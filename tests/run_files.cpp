// Which files belong to a run, by their names.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog/run.hpp>

#include "support.hpp"

namespace oplog = wlfmt::oplog;

TEST_CASE("a file name's facts") {
    const std::string_view name = "runs/x_rank1/wd16_tp1_pp2_exp8_expNum16_l8_bs1_GPT2_rank12_20250818114558.txt";
    const auto f = oplog::facts_of(name);
    CHECK(f.world_size == 16);
    CHECK(f.tensor == 1);
    CHECK(f.pipeline == 2);
    CHECK(f.expert == 8);
    CHECK(f.experts == 16);
    CHECK(f.layers == 8);
    CHECK(f.micro_batch == 1);
    CHECK(f.rank == 12);
    CHECK(f.time == "20250818114558");
    CHECK(oplog::facts_of("wd8_numl40_rank0.log").layers == 40);
    CHECK(oplog::facts_of("wd8_rank3_20250818114558.txt.zst").time == "20250818114558");
    CHECK(oplog::choose_files({"wd2_rank0.txt", "wd2_rank1.txt.gz"}).contradictions.empty());
    for (const std::string_view other : {"", "trace.txt", "rank.txt", "wdx_rankx", "rank1234567890", "ranks7", "_",
                                         "a/b/", "2024092320500_rank", "trank7"}) {
        CAPTURE(other);
        const auto none = oplog::facts_of(other);
        CHECK_FALSE(none.rank);
        CHECK_FALSE(none.world_size);
        CHECK(none.time.empty());
    }
}

TEST_CASE("the newest file of each rank is chosen, and what is missing is named") {
    const std::vector<std::string> paths = {"wd16_tp1_rank0_20250101000000.txt", "wd16_tp1_rank0_20250102000000.txt",
                                            "wd16_tp1_rank3_20250101000009.txt", "notes.txt",
                                            "wd16_tp1_rank1_20250101000000.txt", "wd16_tp1_rank0_20250101000000.txt",
                                            "wd16_tp1_rank9_20250101000000.txt"};
    const auto run = oplog::choose_files(paths);
    CHECK(run.chosen == std::vector<std::size_t>{1, 2, 3, 4, 6});
    CHECK(run.superseded == std::vector<std::size_t>{0});
    CHECK(run.repeated == std::vector<std::size_t>{5});
    REQUIRE(run.missing.size() == 3);
    CHECK(run.missing[0].first == 2);
    CHECK(run.missing[0].last == 2);
    CHECK(run.missing[1].first == 4);
    CHECK(run.missing[1].last == 8);
    CHECK(run.missing[2].first == 10);
    CHECK(run.missing[2].last == 15);
    CHECK(run.contradictions.empty());
    // Without a world size, the ranks that exist set the limits.
    const auto some = oplog::choose_files({"rank3.txt", "rank5.txt"});
    REQUIRE(some.missing.size() == 1);
    CHECK(some.missing[0].first == 4);
    CHECK(some.missing[0].last == 4);
    CHECK(oplog::choose_files({}).chosen.empty());
    CHECK(oplog::choose_files({"a", "b"}).chosen.size() == 2);
}

TEST_CASE("names that contradict each other or themselves") {
    CHECK(oplog::choose_files({"wd8_rank8.txt"}).contradictions ==
          std::vector<std::string>{"wd8_rank8.txt: the rank is not below the world size"});
    CHECK(oplog::choose_files({"wd8_tp3_rank0.txt"}).contradictions ==
          std::vector<std::string>{
              "wd8_tp3_rank0.txt: the world size is not a multiple of the tensor and pipeline parallel sizes"});
    CHECK(oplog::choose_files({"wd8_tp0_rank0.txt"}).contradictions.size() == 1);
    const auto copied = oplog::choose_files({"a/wd2_rank1.txt", "b/wd2_rank1.txt", "a/wd2_rank0.txt"});
    CHECK(copied.contradictions ==
          std::vector<std::string>{"a/wd2_rank1.txt and b/wd2_rank1.txt are files of one rank and one time"});
    CHECK(copied.chosen == std::vector<std::size_t>{0, 2});
    CHECK(copied.superseded == std::vector<std::size_t>{1});
    const auto two = oplog::choose_files({"wd2_tp1_rank0.txt", "wd2_tp2_rank0.txt", "wd2_tp2_rank1.txt"});
    CHECK(two.contradictions == std::vector<std::string>{"files of 2 runs: wd2_tp1 (1 file) wd2_tp2 (2 files)"});
    CHECK(two.chosen.size() == 3);
    CHECK(two.missing.empty());
    // A run was repeated, and this time rank 1 has no file.
    std::vector<std::string> again = {"wd4_rank0_20250101000000.txt", "wd4_rank1_20250101000001.txt",
                                      "wd4_rank2_20250101000002.txt", "wd4_rank0_20250102000000.txt",
                                      "wd4_rank2_20250102000002.txt", "wd4_rank3_20250102000001.txt"};
    CHECK(oplog::choose_files(again).contradictions ==
          std::vector<std::string>{"rank 1 has no file of the newest run, and that of an earlier one is taken"});
    again.push_back("wd4_rank1_20250102000000.txt");
    CHECK(oplog::choose_files(again).contradictions.empty());
}
