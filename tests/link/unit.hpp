// The interface between the translation units of one program. unit.cpp is compiled several times, each time with other
// options; every unit reads, walks, edits and writes what any other one has read.
#ifndef WLFMT_TESTS_LINK_UNIT_HPP
#define WLFMT_TESTS_LINK_UNIT_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <wlfmt/types.hpp>

struct documents {
    wlfmt::oplog::document oplog;
    wlfmt::workload::document workload;
    wlfmt::table::document table;
};

using any_function = void (*)();

struct unit {
    const char* name;
    documents (*read)(std::string_view oplog, std::string_view workload, std::string_view table);
    // A sum over everything that the documents hold.
    std::int64_t (*walk)(const documents& of);
    // Doubles the times of the op log and the bytes of the workload, renames the table's first row.
    void (*edit)(documents& of);
    std::string (*write)(const documents& of);
    // Shows the records of an op log as they are read. False where something was wrong with one.
    bool (*pull)(std::string_view oplog, void (*show)(std::int64_t& sum, const wlfmt::oplog::operation&),
                 std::int64_t& sum);
    // A sum over one record.
    void (*add)(std::int64_t& sum, const wlfmt::oplog::operation& op);
    // wlfmt::detect as this unit links it.
    any_function detect;
};

extern const unit plain;     // compiled as main.cpp is
extern const unit portable;  // no SIMD
extern const unit charconv;  // std::from_chars in place of fast_float, and -march=x86-64-v2
extern const unit inexact;   // -ffast-math, the newest standard there is

// types.cpp includes nothing but this file: records by hand, copied and stored, and what was stored added up.
documents documents_by_hand();
double total_by_hand(const documents& of);

#endif
