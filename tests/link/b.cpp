#include "other.hpp"

#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

std::size_t layers_in_b(std::string_view text) { return wlfmt::workload::read(text).value().layers.size(); }

function explain_in_b() { return reinterpret_cast<function>(&wlfmt::explain); }
