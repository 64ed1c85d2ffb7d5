// wlfmt/sink.hpp: where writers put text.
//
// Every writer takes one of these:
//
//   std::string, or anything with append(const char*, std::size_t)   text is appended
//   std::ostream, or anything with write(const char*, n)             text is written; its state tells of failures
//   std::FILE*                                                       text is written
//
//     std::string text;  wlfmt::workload::write(text, doc);
//     wlfmt::workload::write(std::cout, doc);
//     wlfmt::workload::write(stdout, doc);
//
// A writer hands text over in pieces of up to 4 KiB, in order. Exceptions of the sink pass through.
#include "version.hpp"

#ifndef WLFMT_SINK_HPP
#define WLFMT_SINK_HPP

#include "detail/base/sinks.hpp"

#include "detail/base/config_end.hpp"
#endif
