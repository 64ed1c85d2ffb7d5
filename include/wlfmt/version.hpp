// wlfmt/version.hpp: which version of wlfmt this is. The one place that says so: the build files read these lines.
#ifndef WLFMT_VERSION_HPP
#define WLFMT_VERSION_HPP

#define WLFMT_VERSION_MAJOR 0
#define WLFMT_VERSION_MINOR 3
#define WLFMT_VERSION_PATCH 0

#endif
