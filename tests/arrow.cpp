// Arrow streams: what they hand out, and that everything can be released in any order. python/tests compares the
// contents of the columns with those of other readers.
#include <wlfmt/arrow.hpp>
#include <wlfmt/csv.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support.hpp"

namespace {

using wlfmt::arrow::contents;

constexpr std::string_view log_text =
    "rank:3:forward_step(stage_id=1,mg_state=None,duration=8.5,input__shape=[2, 5],input__dtype=torch.float32,"
    "sub_operations=['comm_func=allreduce,duration=0.25', 'comm_func=broadcast,duration=None'])\n"
    "rank:4:send(stage_id=2,cmd_uid=u-7,sub_operations=None)\n"
    "rank:5:loss_func(duration=1)\n";

ArrowArrayStream stream_of(std::vector<wlfmt::arrow::input> from, const wlfmt::arrow::request& what = {}) {
    ArrowArrayStream stream;
    wlfmt::arrow::open(std::move(from), what, stream);
    return stream;
}
ArrowArrayStream log_stream(std::size_t rows_per_batch) {
    wlfmt::arrow::request what;
    what.rows_per_batch = rows_per_batch;
    what.columns = {"rank", "op", "input__shape", "duration_ms"};
    return stream_of({{"log", std::string(log_text)}}, what);
}
template <class Struct> bool is_released(const Struct& one) { return one.release == nullptr; }
template <class T> T item(const void* buffer, std::size_t n) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + n * sizeof(T), sizeof(T));
    return value;
}
std::string word(const ArrowArray& column, std::size_t row) {
    const auto n = static_cast<std::size_t>(item<std::int32_t>(column.buffers[1], row));
    const ArrowArray& words = *column.dictionary;
    const auto from = item<std::int32_t>(words.buffers[1], n);
    const auto to = item<std::int32_t>(words.buffers[1], n + 1);
    return std::string(static_cast<const char*>(words.buffers[2]) + from, static_cast<std::size_t>(to - from));
}

}  // namespace

TEST_CASE("arrow: each stream has a list of its columns, with units, and CSV calls them the same") {
    const auto names = [](contents of) {
        std::string all;
        for (const wlfmt::column_info& c : wlfmt::arrow::columns_of(of)) {
            CHECK_MESSAGE(!c.meaning.empty(), c.name);
            all.append(c.name).append(c.unit.empty() ? "" : "/").append(c.unit).append(" ");
        }
        return all;
    };
    CHECK(
        names(contents::operations) ==
        "file run record origin rank op stage_id batch_id mg_state duration_ms/ms description group_kind input__shape "
        "input__dtype bytes/bytes timestamp_ms/ms sub_operations none further keys copy ");
    CHECK(names(contents::sub_operations) ==
          "file run record index rank op stage_id batch_id trace_src_func sub_duration_ms/ms sub_timestamp_ms/ms "
          "sub_input__shape sub_input__dtype sub_bytes/bytes func_name group comm_func text none further keys ");
    CHECK(names(contents::layers) ==
          "file layer name dependency forward_compute/ticks forward_comm forward_bytes/bytes input_grad_compute/ticks "
          "input_grad_comm input_grad_bytes/bytes weight_grad_compute/ticks weight_grad_comm weight_grad_bytes/bytes "
          "update/ticks policy further ");
    CHECK(names(contents::headers) ==
          "file policy declared_layers layers tensor_parallel/ranks expert_parallel/ranks pipeline_parallel/stages "
          "virtual_pipeline gradient_accumulation/steps all_gpus/ranks pipeline_bytes/bytes checkpoints "
          "checkpoint_initiates header ");
    CHECK(names(contents::rows) == "file table row further ");

    // What CSV has besides these: the number of a tensor's dimensions.
    const auto csv_names = [](auto&& write) {
        std::string line;
        CHECK(!write(line));
        return "," + line.substr(0, line.size() - 2) + ",";
    };
    const auto lists = [](const std::string& line, contents of, const std::vector<std::string_view>& arrows_own) {
        for (const wlfmt::column_info& c : wlfmt::arrow::columns_of(of)) {
            const bool own = std::find(arrows_own.begin(), arrows_own.end(), c.name) != arrows_own.end();
            CHECK_MESSAGE((line.find("," + std::string(c.name) + ",") != std::string::npos) == !own, c.name);
        }
    };
    lists(csv_names([](auto& to) { return wlfmt::csv::write_operation_names(to, true); }), contents::operations,
          {"none", "run", "keys"});
    lists(csv_names([](auto& to) { return wlfmt::csv::write_sub_operation_names(to, true); }), contents::sub_operations,
          {"none", "run", "keys"});
    lists(csv_names([](auto& to) { return wlfmt::csv::write_layer_names(to, true); }), contents::layers, {});
}

TEST_CASE("arrow: tables of different versions and devices under canonical names") {
    constexpr std::string_view rule = "----------  ----------  ----------  ------------\n";
    const auto table = [&](std::string_view head, std::string_view row) {
        return std::string(rule).append(head).append(rule).append(row).append(rule);
    };
    const std::string text = table("      Name   Self CUDA  # of Calls  Total MFLOPs\n",
                                   "  aten::mm     1.500ms           3         2.500\n") +
                             "\n" +
                             table("Name        Number of Calls  Self XPU  Total FLOPs\n",
                                   "aten::add            4     7.000us           9.000\n");
    wlfmt::arrow::request what;
    what.contents = contents::rows;
    what.canonical = true;
    ArrowArrayStream stream = stream_of({{"profile", text}}, what);
    ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    std::string columns;
    for (std::int64_t n = 0; n != schema.n_children; ++n)
        columns.append(schema.children[n]->name).append(":").append(schema.children[n]->format).append(" ");
    CHECK(columns == "file:i table:l row:l name:i self_device_time_us:g calls:l flops:g device:i further:i ");
    schema.release(&schema);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    REQUIRE(batch.length == 2);
    CHECK(word(*batch.children[3], 1) == "aten::add");
    CHECK(item<double>(batch.children[4]->buffers[1], 0) == 1500);
    CHECK(item<double>(batch.children[4]->buffers[1], 1) == 7);
    CHECK(item<std::int64_t>(batch.children[5]->buffers[1], 0) == 3);
    CHECK(item<std::int64_t>(batch.children[5]->buffers[1], 1) == 4);
    CHECK(item<double>(batch.children[6]->buffers[1], 0) == 2.5e6);
    CHECK(item<double>(batch.children[6]->buffers[1], 1) == 9);
    CHECK(word(*batch.children[7], 0) == "cuda");
    CHECK(word(*batch.children[7], 1) == "xpu");
    batch.release(&batch);
    stream.release(&stream);
}

TEST_CASE("arrow: cells tell what a column of an unknown unit holds") {
    const std::string text = test::data("table/unknown_columns.txt");
    wlfmt::arrow::request what;
    what.contents = contents::rows;
    what.columns = {"Kind", "Rank", "Ratio", "Load", "Took", "Size"};
    ArrowArrayStream stream = stream_of({{"a", text}}, what);
    ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    std::string formats;
    for (std::int64_t n = 0; n != schema.n_children; ++n) formats.append(schema.children[n]->format);
    CHECK(formats == "ilgggi");
    schema.release(&schema);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    REQUIRE(batch.length == 2);
    CHECK(item<std::int64_t>(batch.children[1]->buffers[1], 0) == 3);
    CHECK(batch.children[1]->null_count == 1);
    CHECK(item<double>(batch.children[2]->buffers[1], 1) == 0.001);
    CHECK(item<double>(batch.children[3]->buffers[1], 0) == 12.5);
    CHECK(item<double>(batch.children[4]->buffers[1], 0) == 3000);
    CHECK(item<double>(batch.children[4]->buffers[1], 1) == 2e6);
    CHECK(word(*batch.children[5], 0) == "4 Kb");
    batch.release(&batch);
    stream.release(&stream);
    // A text among the numbers makes texts of all, as CSV has them; `--` is none.
    const std::string mixed =
        "----  --------  --------  \nName      Took      Many  \n----  --------  --------  \n"
        "   a   3.000ms         1  \n   b      soon        --  \n   c        --       2.5  \n"
        "----  --------  --------  \n";
    what.columns = {"Took", "Many"};
    stream = stream_of({{"a", mixed}}, what);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    REQUIRE(batch.length == 3);
    CHECK(word(*batch.children[0], 0) == "3000.0");
    CHECK(word(*batch.children[0], 1) == "soon");
    CHECK(batch.children[0]->null_count == 1);
    CHECK(item<double>(batch.children[1]->buffers[1], 0) == 1);
    CHECK(item<double>(batch.children[1]->buffers[1], 2) == 2.5);
    CHECK(batch.children[1]->null_count == 1);
    batch.release(&batch);
    stream.release(&stream);
}

TEST_CASE("arrow: the second record of an exchange is a copy") {
    const std::string text =
        "rank:0:send_forward(duration=4.5,timestamp=100.0)\nrank:1:f(duration=4.5,timestamp=100.0)\n"
        "rank:0:recv_backward(duration=4.5,timestamp=100.0)\nrank:0:recv_backward(duration=1.5,timestamp=100.0)\n";
    wlfmt::arrow::request what;
    what.columns = {"copy", "rank"};
    const auto marks = [&] {
        std::string all;
        ArrowArrayStream stream = stream_of({{"a", text}, {"b", text}}, what);
        ArrowArray batch;
        REQUIRE(stream.get_next(&stream, &batch) == 0);
        for (std::int64_t n = 0; n != batch.length; ++n)
            all += std::to_string(item<std::int64_t>(batch.children[0]->buffers[1], static_cast<std::size_t>(n)));
        batch.release(&batch);
        stream.release(&stream);
        return all;
    };
    CHECK(marks() == "00100010");
    what.ranks = {0};
    CHECK(marks() == "010010");
    what.is_copy = [](const wlfmt::oplog::operation& op) { return op.op == "recv_backward"; };
    CHECK(marks() == "011011");
}

TEST_CASE("arrow: integers among times and other keys than the tracer's are told") {
    const std::string text =
        "rank:0:f(duration=9007199254740993,timestamp=2.0,sub_operations=['duration=3,group=tp','k=v,duration=1.5'])\n"
        "rank:0:g(stage=warmup,cmd=x,duration=1.5,time_stamp=0)\nrank:0:h(timestamp=2.5,duration=0.0)\n";
    wlfmt::arrow::request what;
    const auto texts = [&](contents of) {
        what.contents = of;
        what.columns = {"further", "keys"};
        ArrowArrayStream stream = stream_of({{"a", text}}, what);
        ArrowArray batch;
        REQUIRE(stream.get_next(&stream, &batch) == 0);
        std::string all;
        for (std::int64_t row = 0; row != batch.length; ++row)
            for (std::int64_t n = 0; n != 2; ++n) {
                const ArrowArray& column = *batch.children[n];
                const auto* const valid = static_cast<const std::uint8_t*>(column.buffers[0]);
                const bool is_null = valid != nullptr && (valid[row / 8] >> (row % 8) & 1) == 0;
                all.append(is_null ? "null" : std::string(word(column, static_cast<std::size_t>(row)))).append("; ");
            }
        batch.release(&batch);
        stream.release(&stream);
        return all;
    };
    CHECK(texts(contents::operations) ==
          R"({"duration":9007199254740993}; null; {"timestamp":0,"cmd":"x"}; stage,cmd,duration,time_stamp; )"
          "null; timestamp,duration; ");
    CHECK(texts(contents::sub_operations) == R"({"duration":3}; null; {"k":"v"}; k,duration; )");
}

TEST_CASE("arrow: the schema names the columns that were asked for, in that order") {
    ArrowArrayStream stream = log_stream(10);
    ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    stream.release(&stream);
    CHECK(is_released(stream));
    std::string columns;
    for (std::int64_t n = 0; n != schema.n_children; ++n)
        columns.append(schema.children[n]->name).append(":").append(schema.children[n]->format).append(" ");
    CHECK(columns == "rank:l op:i input__shape:+l duration_ms:g ");
    CHECK(std::string(schema.children[1]->dictionary->format) == "u");
    CHECK(std::string(schema.children[2]->children[0]->format) == "l");
    CHECK(schema.children[0]->flags == ARROW_FLAG_NULLABLE);
    schema.release(&schema);
}

TEST_CASE("arrow: a batch outlives its stream") {
    ArrowArrayStream stream = log_stream(10);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    stream.release(&stream);
    REQUIRE(batch.length == 3);
    const ArrowArray& rank = *batch.children[0];
    CHECK(item<std::int64_t>(rank.buffers[1], 0) == 3);
    CHECK(item<std::int64_t>(rank.buffers[1], 2) == 5);
    CHECK(rank.buffers[0] == nullptr);
    CHECK(word(*batch.children[1], 1) == "send");
    const ArrowArray& shape = *batch.children[2];
    CHECK(shape.null_count == 2);
    CHECK(item<std::uint8_t>(shape.buffers[0], 0) == 1);
    CHECK(item<std::int32_t>(shape.buffers[1], 1) == 2);
    CHECK(item<std::int64_t>(shape.children[0]->buffers[1], 1) == 5);
    CHECK(item<double>(batch.children[3]->buffers[1], 0) == 8.5);
    CHECK(item<std::uint8_t>(batch.children[3]->buffers[0], 0) == 5);
    batch.release(&batch);
}

TEST_CASE("arrow: children that were moved out live on, and are released in any order") {
    ArrowArrayStream stream = log_stream(2);
    ArrowArray first;
    ArrowArray second;
    REQUIRE(stream.get_next(&stream, &first) == 0);
    REQUIRE(stream.get_next(&stream, &second) == 0);
    ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    // A struct is moved by copying its bytes and marking the original as released.
    ArrowArray ops = *first.children[1];
    first.children[1]->release = nullptr;
    ArrowArray words = *second.children[1]->dictionary;
    second.children[1]->dictionary->release = nullptr;
    ArrowSchema shape = *schema.children[2];
    schema.children[2]->release = nullptr;
    stream.release(&stream);
    first.release(&first);
    schema.release(&schema);
    second.release(&second);
    CHECK(word(ops, 0) == "forward_step");
    CHECK(std::string(static_cast<const char*>(words.buffers[2]), 9) == "loss_func");
    CHECK(std::string(shape.name) == "input__shape");
    words.release(&words);
    shape.release(&shape);
    ops.release(&ops);
    CHECK(is_released(ops));
}

TEST_CASE("arrow: the bits of null rows are those of the rows, whatever the runs") {
    // 1 to 9 consecutive rows, null and not null in turn.
    std::string text;
    std::vector<bool> expected;
    for (int run = 1; run != 10; ++run)
        for (int n = 0; n != run; ++n) {
            expected.push_back(run % 2 == 0);
            text.append("rank:0:f(").append(expected.back() ? "duration=1,mg_state=a" : "x=1").append(")\n");
        }
    for (std::size_t cut = 0; cut != expected.size(); ++cut) {
        wlfmt::arrow::request what;
        what.columns = {"duration_ms", "mg_state", "rank"};
        what.rows_per_batch = cut + 1;
        ArrowArrayStream stream = stream_of({{"log", text}}, what);
        std::size_t row = 0;
        ArrowArray batch;
        while (stream.get_next(&stream, &batch) == 0 && !is_released(batch)) {
            for (const ArrowArray* column : {batch.children[0], batch.children[1]}) {
                std::int64_t nulls = 0;
                for (std::int64_t n = 0; n != batch.length; ++n) {
                    const auto at = static_cast<std::size_t>(n);
                    const auto* const bits = static_cast<const unsigned char*>(column->buffers[0]);
                    const bool valid = bits == nullptr || (bits[at / 8] >> at % 8 & 1) != 0;
                    CHECK(valid == expected[row + at]);
                    nulls += valid ? 0 : 1;
                }
                CHECK(column->null_count == nulls);
                CHECK((column->buffers[0] == nullptr) == (nulls == 0));
            }
            CHECK(batch.children[2]->buffers[0] == nullptr);
            row += static_cast<std::size_t>(batch.length);
            batch.release(&batch);
        }
        CHECK(row == expected.size());
        stream.release(&stream);
    }
}

TEST_CASE("arrow: the memory of a batch is used again when nothing of the batch is held any more") {
    std::string text;
    for (int n = 0; n != 6; ++n) text += "rank:" + std::to_string(n) + ":f(mg_state=s" + std::to_string(n) + ")\n";
    wlfmt::arrow::request what;
    what.columns = {"rank", "mg_state"};
    what.rows_per_batch = 1;
    ArrowArrayStream stream = stream_of({{"log", text}}, what);
    ArrowArray held;
    REQUIRE(stream.get_next(&stream, &held) == 0);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(item<std::int64_t>(held.children[0]->buffers[1], 0) == 0);
    CHECK(word(*held.children[1], 0) == "s0");
    // A child that was moved out holds the batch.
    ArrowArray ranks = *batch.children[0];
    batch.children[0]->release = nullptr;
    const void* const memory = ranks.buffers[1];
    batch.release(&batch);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(item<std::int64_t>(ranks.buffers[1], 0) == 1);
    CHECK(item<std::int64_t>(batch.children[0]->buffers[1], 0) == 2);
    CHECK(batch.children[0]->buffers[1] != memory);
    const void* const again = batch.children[0]->buffers[1];
    batch.release(&batch);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(batch.children[0]->buffers[1] == again);
    CHECK(item<std::int64_t>(batch.children[0]->buffers[1], 0) == 3);
    CHECK(word(*batch.children[1], 0) == "s3");
    stream.release(&stream);
    CHECK(word(*batch.children[1], 0) == "s3");
    CHECK(word(*held.children[1], 0) == "s0");
    batch.release(&batch);
    ranks.release(&ranks);
    held.release(&held);
}

TEST_CASE("arrow: streams that share memory use it again, but not for other columns") {
    const auto memory = std::make_shared<wlfmt::arrow::batch_memory>();
    const auto open = [&](const char* column, int rank) {
        wlfmt::arrow::request what;
        what.columns = {column};
        what.memory = memory;
        return stream_of({{"log", "rank:" + std::to_string(rank) + ":f(stage_id=9)\n"}}, what);
    };
    ArrowArray batch;
    ArrowArrayStream stream = open("rank", 4);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    stream.release(&stream);
    const void* const used = batch.children[0]->buffers[1];
    batch.release(&batch);
    // A stream of as many columns with other names must not show these.
    stream = open("stage_id", 5);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(item<std::int64_t>(batch.children[0]->buffers[1], 0) == 9);
    stream.release(&stream);
    batch.release(&batch);
    stream = open("stage_id", 6);
    ArrowArrayStream other = open("stage_id", 7);
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    ArrowArray second;
    REQUIRE(other.get_next(&other, &second) == 0);
    CHECK(batch.children[0]->buffers[1] != second.children[0]->buffers[1]);
    const void* const last = second.children[0]->buffers[1];
    second.release(&second);
    other.release(&other);
    other = open("stage_id", 8);
    REQUIRE(other.get_next(&other, &second) == 0);
    CHECK(second.children[0]->buffers[1] == last);
    CHECK(used != nullptr);
    for (ArrowArrayStream* s : {&stream, &other}) s->release(s);
    for (ArrowArray* a : {&batch, &second}) a->release(a);
    // More batches than the memory keeps are freed.
    std::vector<ArrowArray> many(40);
    for (ArrowArray& one : many) {
        stream = open("rank", 1);
        REQUIRE(stream.get_next(&stream, &one) == 0);
        stream.release(&stream);
    }
    for (ArrowArray& one : many) one.release(&one);
}

TEST_CASE("arrow: the run of a file that the file's name tells is in each of its rows, and null for other files") {
    for (const contents of : {contents::operations, contents::sub_operations}) {
        wlfmt::arrow::request what;
        what.contents = of;
        what.columns = {"run", "file"};
        const std::string text = "rank:3:f(sub_operations=['group=tp'])\n";
        ArrowArrayStream stream = stream_of(
            {{"wd8_rank3_20250102030405.txt", text}, {"rank3.txt", text}, {"a/wd8_rank3_20250102030406.txt.gz", text}},
            what);
        ArrowArray batch;
        REQUIRE(stream.get_next(&stream, &batch) == 0);
        REQUIRE(batch.length == 3);
        CHECK(word(*batch.children[0], 0) == "20250102030405");
        CHECK(item<std::uint8_t>(batch.children[0]->buffers[0], 0) == 5);
        CHECK(word(*batch.children[0], 2) == "20250102030406");
        CHECK(word(*batch.children[1], 1) == "rank3.txt");
        batch.release(&batch);
        stream.release(&stream);
    }
}

TEST_CASE("arrow: what is None is told whatever columns are chosen") {
    wlfmt::arrow::request what;
    what.columns = {"none"};
    ArrowArrayStream stream =
        stream_of({{"log", "rank:3:f(stage_id=None,sub_operations=None)\nrank:3:g(sub_operations=[])\n"}}, what);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    REQUIRE(batch.length == 2);
    CHECK(word(*batch.children[0], 0) == "stage_id,sub_operations");
    CHECK(batch.children[0]->null_count == 1);
    batch.release(&batch);
    stream.release(&stream);
}

TEST_CASE("arrow: what the nested operations of an operation share is repeated for each of them") {
    const std::string text =
        "rank:3:f(stage_id=None,batch_id=soon,sub_operations=['duration=1.5,input__shape=[2, 3],input__dtype=int8', "
        "'duration=None,input__shape=[2, 3],input__dtype=int64', 'duration=3.5,input__shape=x'])\n"
        "rank:4:g(stage_id=7,sub_operations=['duration=4.5'])\n";
    wlfmt::arrow::request what;
    what.contents = contents::sub_operations;
    what.lenient = true;
    what.columns = {"rank", "stage_id", "none", "further", "sub_bytes", "op"};
    ArrowArrayStream stream = stream_of({{"log", text}}, what);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    REQUIRE(batch.length == 4);
    const auto valid = [&](std::size_t column) {
        const void* const bits = batch.children[column]->buffers[0];
        return bits == nullptr ? 15 : item<std::uint8_t>(bits, 0);
    };
    for (std::size_t row = 0; row != 4; ++row) {
        CHECK(item<std::int64_t>(batch.children[0]->buffers[1], row) == (row == 3 ? 4 : 3));
        CHECK(word(*batch.children[5], row) == (row == 3 ? "g" : "f"));
    }
    CHECK(valid(1) == 8);
    CHECK(item<std::int64_t>(batch.children[1]->buffers[1], 3) == 7);
    CHECK(valid(2) == 7);
    CHECK(word(*batch.children[2], 0) == "stage_id");
    CHECK(word(*batch.children[2], 1) == "stage_id,sub_duration_ms");
    CHECK(word(*batch.children[2], 2) == "stage_id");
    CHECK(valid(3) == 7);
    CHECK(word(*batch.children[3], 0) == R"({"batch_id":"soon"})");
    CHECK(word(*batch.children[3], 1) == R"({"batch_id":"soon"})");
    CHECK(word(*batch.children[3], 2) == R"({"batch_id":"soon","input__shape":"x"})");
    CHECK(valid(4) == 3);
    CHECK(item<std::int64_t>(batch.children[4]->buffers[1], 0) == 6);
    CHECK(item<std::int64_t>(batch.children[4]->buffers[1], 1) == 48);
    batch.release(&batch);
    stream.release(&stream);
}

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
TEST_CASE("arrow: a stream hands out whole batches until memory runs out, and stays ended then") {
    std::string text;
    for (int n = 0; n != 20; ++n) text.append(log_text);
    std::size_t n = 0;
    for (bool failed = true; failed; ++n) {
        ArrowArrayStream stream = stream_of({{"log", text}}, {});
        std::int64_t rows = 0;
        int code = 0;
        {
            test::failing_allocations from(n);
            ArrowArray batch;
            while ((code = stream.get_next(&stream, &batch)) == 0 && !is_released(batch)) {
                for (std::int64_t c = 0; c != batch.n_children; ++c) CHECK(batch.children[c]->length == batch.length);
                rows += batch.length;
                batch.release(&batch);
            }
            failed = from.failed();
        }
        CHECK(code == (failed ? ENOMEM : 0));
        CHECK((failed || rows == 60));
        if (failed) {
            ArrowArray batch;
            CHECK(stream.get_next(&stream, &batch) == ENOMEM);
            CHECK(is_released(batch));
            ArrowSchema schema;
            CHECK(stream.get_schema(&stream, &schema) == ENOMEM);
            CHECK(is_released(schema));
        }
        stream.release(&stream);
    }
    CHECK(n > 50);
}
#endif

TEST_CASE("arrow: a stream of no files has a schema and no batch") {
    for (const contents of :
         {contents::operations, contents::sub_operations, contents::layers, contents::headers, contents::rows}) {
        wlfmt::arrow::request what;
        what.contents = of;
        ArrowArrayStream stream = stream_of({}, what);
        ArrowSchema schema;
        REQUIRE(stream.get_schema(&stream, &schema) == 0);
        CHECK(std::string(schema.children[0]->name) == "file");
        ArrowArray batch;
        CHECK(stream.get_next(&stream, &batch) == 0);
        CHECK(is_released(batch));
        CHECK(stream.get_last_error(&stream) == nullptr);
        stream.release(&stream);
        schema.release(&schema);
    }
}

TEST_CASE("arrow: the rows before an error come first, and the error stays") {
    wlfmt::arrow::request what;
    std::string told;
    what.on_error = [&](const wlfmt::arrow::file_problem& p) {
        told.append(p.in.name).append(wlfmt::name_of(p.error.kind));
    };
    ArrowArrayStream stream = stream_of({{"good", std::string(log_text)}, {"bad", "rank:0:f(a=1)\nrank:1:f(\n"}}, what);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(batch.length == 4);
    batch.release(&batch);
    for (int n = 0; n != 2; ++n) {
        CHECK(stream.get_next(&stream, &batch) == EINVAL);
        CHECK(is_released(batch));
        CHECK(std::string(stream.get_last_error(&stream)).substr(0, 37) == "bad:2:10: error: unterminated_record:");
    }
    CHECK(told == "badunterminated_record");
    stream.release(&stream);
}

TEST_CASE("arrow: a stream ends where the program wants it to") {
    constexpr std::size_t files = 12;
    const std::string rule = "----  ----------\n";
    const std::string table = rule + "Name  # of Calls\n" + rule + "   a           7\n" + rule;
    const struct {
        contents of;
        std::string_view text;
        std::int64_t rows;  // how many the text has
    } kinds[] = {
        {contents::operations, log_text, 3}, {contents::sub_operations, log_text, 2}, {contents::rows, table, 1}};
    for (const auto& kind : kinds)
        for (const int yes : {0, 1, 11, 12, 17}) {
            // The program is asked before each file; before those of a table twice, as their headers are read first.
            const int passes = kind.of == contents::rows ? 2 : 1;
            const bool ends = yes < passes * static_cast<int>(files);
            const int read =
                ends ? (std::max)(0, yes - (passes - 1) * static_cast<int>(files)) : static_cast<int>(files);
            int left = yes;
            wlfmt::arrow::request what;
            what.contents = kind.of;
            what.rows_per_batch = 1;
            what.go_on = [&]() { return --left >= 0; };
            ArrowArrayStream stream =
                stream_of(std::vector<wlfmt::arrow::input>(files, {"one", std::string(kind.text)}), what);
            ArrowArray batch;
            std::int64_t rows = 0;
            int code = 0;
            while ((code = stream.get_next(&stream, &batch)) == 0 && !is_released(batch)) {
                rows += batch.length;
                batch.release(&batch);
            }
            CHECK(code == (ends ? ECANCELED : 0));
            CHECK(rows == read * kind.rows);
            if (ends) {
                CHECK(std::string(stream.get_last_error(&stream)) == "cancelled");
                CHECK(stream.get_next(&stream, &batch) == ECANCELED);
                CHECK(left == -1);
            }
            stream.release(&stream);
        }
    // A file that has no rows for the stream ends, too.
    wlfmt::arrow::request what;
    what.ranks = {12345};
    int asked = 0;
    what.go_on = [&]() { return ++asked != 3; };
    std::string much;
    while (much.size() < 5 << 20) much.append(log_text);
    ArrowArrayStream stream = stream_of({{"much", std::move(much)}}, what);
    ArrowArray batch;
    CHECK(stream.get_next(&stream, &batch) == ECANCELED);
    stream.release(&stream);
}

TEST_CASE("arrow: a missing file is ENOENT, an unknown column EINVAL") {
    for (const contents of : {contents::operations, contents::rows}) {
        wlfmt::arrow::request what;
        what.contents = of;
        ArrowArrayStream stream = stream_of({{test::data_path("no such file")}}, what);
        ArrowArray batch;
        CHECK(stream.get_next(&stream, &batch) == ENOENT);
        CHECK(std::string(stream.get_last_error(&stream)).find("no such file") != std::string::npos);
        stream.release(&stream);
    }
    wlfmt::arrow::request what;
    what.columns = {"rank", "rnak"};
    ArrowArrayStream stream = stream_of({}, what);
    ArrowSchema schema;
    CHECK(stream.get_schema(&stream, &schema) == EINVAL);
    CHECK(is_released(schema));
    CHECK(std::string(stream.get_last_error(&stream)).find("rnak") != std::string::npos);
    CHECK(stream.get_schema(&stream, &schema) == EINVAL);
    stream.release(&stream);
}

TEST_CASE("arrow: what lenient reading passes over is reported with the name of its file") {
    wlfmt::arrow::request what;
    what.lenient = true;
    std::vector<std::string> told;
    what.on_problem = [&](const wlfmt::arrow::file_problem& p) {
        told.push_back(wlfmt::explain(p.error, p.text, wlfmt::in_file(p.in.name)));
    };
    ArrowArrayStream stream = stream_of({{"one", "rank:0:f(duration=soon)\nrank:1:f(op_semantics=\xff)\n"}}, what);
    ArrowArray batch;
    REQUIRE(stream.get_next(&stream, &batch) == 0);
    CHECK(batch.length == 2);
    batch.release(&batch);
    stream.release(&stream);
    REQUIRE(told.size() == 1);
    CHECK(told[0].substr(0, 29) == "one:1:19: error: not_a_number");
}

TEST_CASE("arrow: the name of a column is a C string of UTF-8") {
    wlfmt::arrow::request what;
    what.contents = contents::rows;
    std::string table = "----  ------  \nName  a\xff@b c  \n----  ------  \n   n       1  \n----  ------  \n";
    table[table.find('@')] = '\0';
    ArrowArrayStream stream = stream_of({{"one", table}}, what);
    ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    CHECK(std::string(schema.children[4]->name) == "a\xEF\xBF\xBD?b c");
    schema.release(&schema);
    stream.release(&stream);
}

TEST_CASE("arrow: texts made to collide are found in a few steps") {
    // Texts that differ in their last bytes alone: multiplying moves these to the highest bits, which a table of slots
    // does not look at.
    wlfmt::detail::arrow_words words;
    bool replaced = false;
    for (std::uint32_t n = 0; n != 100000; ++n) {
        std::string text = "allr";
        for (int letter = 0; letter != 4; ++letter) text += static_cast<char>('0' + (n >> 6 * letter & 63));
        static_cast<void>(words.index_of(text, replaced));
    }
    CHECK(words.size() == 100000);
    CHECK(words.index_of("allr1000", replaced) == 1);
    CHECK(words.index_of("allr0100", replaced) == 64);
    CHECK_FALSE(replaced);
}
