// The interface between the sources of one program, each of which is compiled in another way: they exchange texts, as
// records cannot be passed between them.
#ifndef WLFMT_TESTS_LINK_UNIT_HPP
#define WLFMT_TESTS_LINK_UNIT_HPP

#include <string>
#include <wlfmt/types.hpp>

// unit.cpp, as WLFMT_UNIT: reads the three files of a folder, edits what they hold, and returns it written again.
// Empty if a step fails.
std::string plain(const std::string& folder);     // compiled as main.cpp is
std::string portable(const std::string& folder);  // no SIMD
std::string charconv(const std::string& folder);  // std::from_chars in place of fast_float, and -march=x86-64-v2
std::string inexact(const std::string& folder);   // -ffast-math, the newest standard there is
std::string older(const std::string& folder);     // for an older processor than newer(): check.sh
std::string newer(const std::string& folder);

struct documents {
    wlfmt::oplog::document oplog;
    wlfmt::workload::document workload;
    wlfmt::table::document table;
};
// types.cpp includes nothing but this file: records by hand, copied and stored, and what was stored added up.
documents documents_by_hand();
double total_by_hand(const documents& of);

#endif
