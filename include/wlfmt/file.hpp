// wlfmt/file.hpp: files of all three formats, as documents or as texts. Not included by wlfmt.hpp.
//
//     const auto log = wlfmt::oplog::read_file("rank7.txt");    // also workload:: and table::
//     if (!log) std::cerr << wlfmt::explain(log.error(), log.text(), wlfmt::in_file("rank7.txt"));
//     for (const auto& op : log->operations) use(op);
//
// For one format alone: wlfmt/oplog/file.hpp, wlfmt/workload/file.hpp, wlfmt/table/file.hpp; for any text:
// wlfmt/text_file.hpp.
#include "version.hpp"

#ifndef WLFMT_FILE_HPP
#define WLFMT_FILE_HPP

#include "oplog/file.hpp"
#include "table/file.hpp"
#include "text_file.hpp"
#include "workload/file.hpp"

#endif
