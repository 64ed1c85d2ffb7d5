// Shows what the rows that check.sh adds to the headers do in a program. Prints what is wrong.
#include <cstdio>
#include <string>
#include <string_view>

#include <wlfmt/arrow.hpp>
#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/wlfmt.hpp>
#include "../into.hpp"
#include "analysis/plot/plot.hpp"

namespace {

int failed = 0;

void expect(const char* what, std::string_view got, std::string_view wanted) {
    if (got == wanted) return;
    ++failed;
    std::printf("%s: %.*s\n  expected: %.*s\n", what, static_cast<int>(got.size()), got.data(),
                static_cast<int>(wanted.size()), wanted.data());
}

std::string names_of_columns(wlfmt::arrow::contents of) {
    std::string names;
    for (const wlfmt::column_info& column : wlfmt::arrow::columns_of(of)) names.append(column.name).append(" ");
    return names;
}

void look_at_keys() {
    const std::string_view text =
        "rank:3:forward_step(stage_id=1,sub_operations=['comm_func=gather_all,algorithm=ring', "
        "'duration=2'],attempt=7)\n";
    const auto log = wlfmt::oplog::read(text);
    if (!log || log->operations.size() != 1) return expect("reading", "failed", "one record");
    const wlfmt::oplog::operation& op = log->operations.front();
    expect("the member of an operation", std::to_string(op.attempt.as<int>().value_or(0)), "7");
    expect("find", std::to_string(op.find("attempt").as<int>().value_or(0)), "7");
    std::string algorithms;
    for (const auto& one : op.sub_operations) algorithms.append(one.algorithm).append(";");
    expect("the member of a nested operation", algorithms, "ring;;");
    std::string chosen;
    for (const auto& one : op.sub_operations.only<wlfmt::oplog::fields::comm_func>())
        chosen.append(one.algorithm).append(";");
    expect("a walk of chosen members", chosen, "ring;;");

    std::string written;
    expect("writing", wlfmt::name_of(wlfmt::oplog::write(written, *log).kind), "none");
    expect("what was written", written, text);
    std::string json;
    expect("JSON", wlfmt::name_of(wlfmt::json::write(json, op).kind), "none");
    expect("the line of JSON", json,
           "{\"rank\":3,\"op\":\"forward_step\",\"stage_id\":1,\"sub_operations\":[{\"comm_func\":\"gather_all\","
           "\"algorithm\":\"ring\"},{\"duration\":2}],\"attempt\":7}\n");
    std::string rows;
    expect("CSV", wlfmt::name_of(wlfmt::csv::write(rows, *log).kind), "none");
    const std::size_t begin = rows.rfind('\n', rows.size() - 2) + 1;
    expect("a row of CSV", std::string_view(rows).substr(begin), "0,rank,3,forward_step,1,,,,,,,,,,,2,7,,0\r\n");
    rows.clear();
    expect("CSV of nested operations", wlfmt::name_of(wlfmt::csv::write_sub_operations(rows, *log).kind), "none");
    expect("rows of nested operations", rows,
           "record,rank,op,stage_id,batch_id,index,trace_src_func,sub_duration_ms,sub_timestamp_ms,sub_input__shape,"
           "sub_input__dtype,sub_bytes,sub_input_dimensions,func_name,group,comm_func,algorithm,text,further\r\n"
           "0,3,forward_step,1,,0,,,,,,,,,,gather_all,ring,,\r\n"
           "0,3,forward_step,1,,1,,2,,,,,,,,,,,\r\n");
    expect("columns of operations", names_of_columns(wlfmt::arrow::contents::operations),
           "file run record origin rank op stage_id batch_id mg_state duration_ms description group_kind input__shape "
           "input__dtype bytes timestamp_ms sub_operations attempt none further keys copy ");
    expect("columns of nested operations", names_of_columns(wlfmt::arrow::contents::sub_operations),
           "file run record index rank op stage_id batch_id trace_src_func sub_duration_ms sub_timestamp_ms "
           "sub_input__shape sub_input__dtype sub_bytes func_name group comm_func algorithm text none further keys ");

    const auto bad = wlfmt::oplog::read("rank:3:forward_step(attempt=second)\n");
    expect("the message of a value that is no number", bad ? "none" : bad.error().field, "attempt");
}

void look_at_words() {
    const auto found = wlfmt::oplog::collective_of("gather_all");
    expect("the name of a collective", found == wlfmt::oplog::collective::allgather ? "allgather" : "another",
           "allgather");
    const auto scattered = wlfmt::workload::communication_of("SCATTER_EP");
    expect("a collective of layers", wlfmt::workload::name_of(scattered.collective), "scatter");
    expect("a column", wlfmt::table::meaning_of("CUDA time max").name, "device_time_max_us");
    expect("the name of a message", wlfmt::name_of(wlfmt::error_kind::new_kind), "new_kind");

    std::string warnings;
    const std::string_view text = "NEW_POLICY\n1\na\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t8\t1\n";
    const auto w = wlfmt::workload::read(text);
    if (!w) return expect("reading a workload", wlfmt::name_of(w.error().kind), "none");
    wlfmt::lint::examine(w->header, 1, text,
                         [&](const wlfmt::problem& e) { warnings.append(wlfmt::name_of(e.kind)).append(" "); });
    expect("what check says of the policy", warnings, "");
}

// Cells in these units, as PyTorch prints them and in other forms.
void look_at_units() {
    const std::string_view usual =
        "----------------  ------------  ------------  ------------  \n"
        "            Name      Self CPU     CPU total       CPU Mem  \n"
        "----------------  ------------  ------------  ------------  \n"
        "             mul      1.500day      2.002day       0.25 PB  \n"
        "             add     512.250ns       7.500ns       2.00 GB  \n"
        "----------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 2.000day\n";
    const std::string_view odd =
        "----------------  ------------  ------------  ------------  \n"
        "            Name      Self CPU     CPU total       CPU Mem  \n"
        "----------------  ------------  ------------  ------------  \n"
        "             mul        1.5day     172972.8s        0.25pb  \n"
        "             add     0.51225us      7.5000ns      2.0000Gb  \n"
        "----------------  ------------  ------------  ------------  \n"
        "Self CPU time total: 2day\n";
    const std::string_view rows =
        "table,row,Name,Self CPU (us),CPU total (us),CPU Mem (bytes)\r\n"
        "0,0,mul,129600000000.0,172972800000.0,281474976710656.0\r\n"
        "0,1,add,0.51225,0.0075,2147483648.0\r\n";
    for (const std::string_view text : {usual, odd}) {
        auto read = wlfmt::table::read(text);
        if (!read) return expect("reading a table", wlfmt::name_of(read.error().kind), "none");
        std::string csv;
        expect("CSV of a table", wlfmt::name_of(wlfmt::csv::write(csv, *read).kind), "none");
        expect("values of cells", csv, rows);
        std::string again;
        expect("writing cells as read", wlfmt::name_of(wlfmt::table::write(again, *read).kind), "none");
        expect("cells as read", again, text);

        wlfmt::table::profile& one = read->tables.front();
        for (std::size_t row = 0; row != one.size(); ++row)
            for (std::size_t column = 1; column != one.columns.size(); ++column) {
                wlfmt::table::cell& c = *one.edit_cell_at(row, column);
                c = c.value_or(0.0);
            }
        one.totals.front().value = one.totals.front().value.value_or(0.0);
        expect("what is wrong with values", wlfmt::name_of(wlfmt::table::problem_of(one).kind), "none");
        std::string written;
        expect("writing values", wlfmt::name_of(wlfmt::table::write(written, one).kind), "none");
        expect("written values", written,
               "----------------  ------------  ------------  ------------  \n"
               "            Name      Self CPU     CPU total       CPU Mem  \n"
               "----------------  ------------  ------------  ------------  \n"
               "             mul   129600.000s   172972.800s  262144.00 GB  \n"
               "             add     512.250ns       7.500ns       2.00 GB  \n"
               "----------------  ------------  ------------  ------------  \n"
               "Self CPU time total: 172800.000s\n");
        std::string picture;
        wlfmt::analysis::plot::write(test::into(picture), one);
        for (const char* shown : {"129600.000 s", "self 0.512 us"})
            if (picture.find(shown) == std::string::npos) expect("a picture", "", shown);
    }
}

}  // namespace

int main() {
    look_at_keys();
    look_at_words();
    look_at_units();
    return failed;
}
