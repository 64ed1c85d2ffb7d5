// Each text read in three ways: as by default, by the portable kernel, and on the slow paths alone. The first byte
// chooses the options, the rest is the text: the seeds of the readers' own targets are seeds here, too.
#include "differential/reading.hpp"

#include "check.hpp"

namespace {

using fuzz::reading;

// What two ways of reading agree on, whatever paths they take.
void check_readings(const reading& a, const reading& b) {
    fuzz::check_same(a.format, b.format, "two ways of reading find the same format");
    fuzz::check_same(a.usual, b.usual, "two ways of reading find the same records and errors");
    fuzz::check_same(a.lenient, b.lenient, "two ways of lenient reading find the same records and errors");
    fuzz::check_same(a.written, b.written, "two ways of reading write the same documents");
    fuzz::check_same(a.chosen, b.chosen, "two ways of reading find the same chosen fields");
}

void check_text(std::string_view text, unsigned option_bits) {
    const reading by_default = fuzz::read_by_default(text, option_bits);
    check_readings(by_default, fuzz::read_on_slow_paths(text, option_bits));
    const reading portable = fuzz::read_portably(text, option_bits);
    check_readings(by_default, portable);
    fuzz::check_same(by_default.chosen_exactly, portable.chosen_exactly,
                     "two kernels find the same chosen fields, the same errors in them");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::check_with_options(data, size, check_text);
}
