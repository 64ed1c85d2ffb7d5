// The commands that read files record by record: they convert, change and check them.
#include "check.hpp"
#include "csv.hpp"
#include "format.hpp"
#include "json.hpp"
#include "mend.hpp"
#include "set.hpp"
