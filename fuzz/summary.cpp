// Summaries. The first byte chooses what the rest is: the line of a summary, or an op log that is summed up in parts,
// as many as the second byte says; the first byte's next bit chooses a file name that tells the run's sizes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog/pieces.hpp>
#include "analysis/summary/summary.hpp"

#include "../tests/into.hpp"
#include "check.hpp"

namespace {

namespace analysis = wlfmt::analysis;
namespace oplog = wlfmt::oplog;
using analysis::dimension;
using analysis::summary;

std::string line_of(const summary& s) {
    std::string line;
    analysis::write(test::into(line), s);
    fuzz::check(line.find('\n') == line.size() - 1, "a summary is one line", line);
    return line;
}

void use(const summary& s) {
    double sum = 0;
    for (const dimension by : s.breakdowns())
        for (const analysis::tally_row& row : s.rows(by)) {
            const auto& d = row.tally.duration;
            sum += d.standard_deviation() + row.tally.computation() + row.tally.overlap();
            double before = d.least();
            for (const double part : {0.0, 0.1, 0.5, 0.99, 1.0}) {
                fuzz::check(d.quantile(part) >= before && d.quantile(part) <= d.greatest(), "quantiles are in order");
                before = d.quantile(part);
            }
        }
    for (const analysis::rank_total& r : s.ranks()) sum += r.idle().value_or(0) + r.computation();
    static_cast<void>(sum);
}

void check_line(std::string_view line) {
    const auto read = analysis::read_summary(line);
    if (!read) {
        fuzz::check_error(read.error(), line);
        return;
    }
    use(*read);
    const std::string written = line_of(*read);
    const auto again = analysis::read_summary(written);
    fuzz::check(again.ok(), "what is written reads back", written);
    fuzz::check_same(line_of(*again), written, "writing twice is writing once");
    summary twice = *read;
    fuzz::check(twice.merge(*read), "a summary can be merged with itself");
    fuzz::check(twice.operations() == 2 * read->operations(), "merging adds");
    use(twice);
}

summary empty_summary() {
    return summary({dimension::operation, dimension::collective | dimension::group, dimension::stage,
                    dimension::rank | dimension::state | dimension::operation},
                   summary::keep::calls);
}

void check_log(std::string_view text, std::size_t parts, const char* name) {
    wlfmt::options options;
    options.lenient = true;
    summary whole = empty_summary();
    whole.begin_text(name);
    oplog::reader log(text, options);
    while (const auto* op = log.next()) whole.add(*op);
    use(whole);
    const std::string expected = line_of(whole);
    check_line(expected);

    // Parts of an even size first, so that neighbours meet late.
    std::vector<wlfmt::piece> pieces = oplog::pieces(text, parts);
    std::stable_partition(pieces.begin(), pieces.end(), [&](const wlfmt::piece& p) { return p.text.size() % 2 == 0; });
    summary all = empty_summary();
    std::vector<summary> parts_read;
    for (const wlfmt::piece& p : pieces) {
        summary one = empty_summary();
        const std::uint64_t end = p.offset + p.text.size();
        one.begin_part(name, p.offset);
        options.piece_at = p.offset;
        oplog::reader part(p.text, options);
        while (const auto* op = part.next()) one.add(*op);
        one.end_part(end == text.size() ? wlfmt::byte_range().end : end);
        const auto again = analysis::read_summary(line_of(one));
        fuzz::check(again.ok() && all.merge(*again), "parts are merged");
        parts_read.push_back(std::move(one));
    }
    fuzz::check(all.open_parts() == 0, "parts that cover a text leave none open");
    fuzz::check_same(line_of(all), expected, "parts have the summary of the whole");

    // The same in reverse order, without writing and reading the lines, and two by two.
    summary backwards = empty_summary();
    for (std::size_t n = parts_read.size(); n-- != 0;)
        fuzz::check(backwards.merge(summary(parts_read[n])), "parts are merged backwards");
    fuzz::check_same(line_of(backwards), expected, "parts in another order have the summary of the whole");
    for (std::size_t step = 1; step < parts_read.size(); step *= 2)
        for (std::size_t n = 0; n + step < parts_read.size(); n += 2 * step)
            fuzz::check(parts_read[n].merge(std::move(parts_read[n + step])), "parts are merged two by two");
    if (!parts_read.empty()) fuzz::check_same(line_of(parts_read[0]), expected, "a tree of parts has the same summary");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const fuzz::block block({reinterpret_cast<const char*>(data) + 2, size - 2});
    if ((data[0] & 1) != 0) check_line(block.view());
    else check_log(block.view(), data[1], (data[0] & 2) != 0 ? "wd4_tp2_pp2_exp1_rank0_20250101000000.txt" : "log");
    return 0;
}
