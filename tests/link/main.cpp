// Translation units that are compiled in different ways make one program and exchange records. usage: PROGRAM
// DATA_FOLDER
#include <cstdio>
#include <string>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

#include "unit.hpp"

namespace {

int failures = 0;

void check(bool holds, const char* what, const unit& a, const unit& b) {
    if (holds) return;
    std::printf("%s, %s: %s\n", a.name, b.name, what);
    ++failures;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : ".";
    const wlfmt::text_file oplog(folder + "/oplog_rank7_moe_simulation.txt");
    const wlfmt::text_file workload(folder + "/workload_dense_1024gpus.txt");
    const wlfmt::text_file table(folder + "/profiler_table_moe_train_step.txt");
    if (!oplog.ok() || !workload.ok() || !table.ok()) {
        std::printf("no samples in %s\n", folder.c_str());
        return 1;
    }
    // A record whose list breaks off: walking it finds the error.
    const std::string_view damaged = "rank:0:step(duration=1,sub_operations=['duration=2','dur)\n";

    const unit* const units[] = {
        &plain,
        &portable,
        &inexact,
#if defined(WLFMT_TEST_CHARCONV)
        &charconv
#endif
    };
    documents original = plain.read(oplog.text(), workload.text(), table.text());
    const std::string written = plain.write(original);
    const std::int64_t sum = plain.walk(original);
    plain.edit(original);
    const std::string edited = plain.write(original);
    check(written.find(workload.text()) != std::string::npos, "the workload is not written as it was read", plain,
          plain);
    check(edited != written && edited.find("renamed") != std::string::npos, "editing changes nothing", plain, plain);
    std::int64_t pulled = 0;
    check(plain.pull(oplog.text(), plain.add, pulled) && pulled != 0, "pulling shows nothing", plain, plain);

    for (const unit* reader : units) {
        const documents read = reader->read(oplog.text(), workload.text(), table.text());
        for (const unit* user : units) {
            check(user->walk(read) == sum, "walks to another sum", *reader, *user);
            check(user->write(read) == written, "writes another text", *reader, *user);
            documents copy = read;
            user->edit(copy);
            check(reader->write(copy) == edited, "writes another edited text", *reader, *user);
            std::int64_t shown = 0;
            check(reader->pull(oplog.text(), user->add, shown), "finds fault with a record", *reader, *user);
            check(shown == pulled, "shows other records", *reader, *user);
            check(!reader->pull(damaged, user->add, shown), "the reader is not told what the walk found", *reader,
                  *user);
        }
    }

    // Units that are compiled in the same way share one copy of a function; others have their own.
    const auto here =
        reinterpret_cast<any_function>(static_cast<wlfmt::file_format (*)(std::string_view)>(&wlfmt::detect));
    for (const unit* user : units)
        check((user->detect == here) == (user == &plain), "copies of functions", plain, *user);

    const documents by_hand = documents_by_hand();
    check(plain.write(by_hand) ==
              "rank:3:step(duration=1.5,sub_operations=['duration=0.25,comm_func=allreduce'])\n"
              "MICRO\n1\nlayer\t-1\t10\tALLREDUCE\t4096\t0\tNONE\t0\t0\tNONE\t0\t0\n"
              "--------  ------------  \n    Name    # of Calls  \n--------  ------------  \n"
              "    gemm             7  \n--------  ------------  \n",
          "records made with the types alone are written as something else", plain, plain);
    check(total_by_hand(by_hand) == 1.5 + 10 + 7, "the types alone add up to another sum", plain, plain);
    return failures == 0 ? 0 : 1;
}
