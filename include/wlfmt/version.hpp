// wlfmt/version.hpp: which version of wlfmt this is. The one place that says so: the build files read these lines.
// Every public header includes it before its own guard: a source with headers of two versions would otherwise get some
// of one and some of the other, as their guards have the same names.
#ifndef WLFMT_VERSION_HPP
#define WLFMT_VERSION_HPP

#define WLFMT_VERSION_MAJOR 1
#define WLFMT_VERSION_MINOR 0
#define WLFMT_VERSION_PATCH 0

#elif WLFMT_VERSION_MAJOR != 1 || WLFMT_VERSION_MINOR != 0 || WLFMT_VERSION_PATCH != 0
#error "This source includes two versions of wlfmt. A program may have several, each of its sources only one."
#endif
