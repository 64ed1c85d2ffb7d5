// Reads any bytes as a Chakra trace: nodes begin where messages begin, each node is a line of JSON, and pieces of any
// size give the same; or an error that lies in the trace. The first byte chooses the size of the pieces.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <wlfmt/json.hpp>
#include "analysis/chakra/reader.hpp"

#include "../tests/chakra_support.hpp"
#include "check.hpp"

namespace {

struct shown_trace {
    std::vector<std::string> lines;
    std::vector<std::uint64_t> bytes;  // where each node begins
    std::string error;
};

shown_trace shown(std::string_view trace, std::size_t piece) {
    namespace chakra = wlfmt::analysis::chakra;
    shown_trace all;
    // Each piece is in memory of its own, which is freed when the next one comes.
    fuzz::block last({});
    std::size_t given = 0;
    const auto next_piece = [&] {
        const std::string_view next = trace.substr(given, piece);
        given += next.size();
        last = fuzz::block(next);
        return last.view();
    };
    const wlfmt::analysis::callback<std::string_view()> more(next_piece);
    chakra::trace_reader reader(more);
    const auto put = [&](const auto& part) {
        wlfmt::json::line line(all.lines.emplace_back());
        line.open('{');
        put_members(line, part);
        line.end_object();
        fuzz::check(!line.finish(), "a string takes a line", trace);
    };
    while (const chakra::trace_node* node = reader.next()) {
        fuzz::check(node->position == all.bytes.size(), "nodes are counted", trace);
        all.bytes.push_back(node->byte);
        for (const chakra::attribute& a : node->list) {
            const chakra::attribute* const first = node->find(a.name);
            fuzz::check(first != nullptr && first <= &a && first->name == a.name, "an attribute is found", trace);
            fuzz::check(!a.is_list() || (!a.whole() && !a.text()), "a list is no value", trace);
        }
        put(*node);
    }
    if (const chakra::trace_problem& e = reader.error()) {
        fuzz::check(e.byte <= trace.size(), "an error lies in the trace", trace);
        fuzz::check(e.node.value_or(0) == all.bytes.size(), "an error is in the node after those that were read",
                    trace);
        all.error = e.text();
    }
    // After the nodes, as the metadata has to outlive them.
    put(reader.metadata());
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view trace(reinterpret_cast<const char*>(data) + 1, size - 1);
    const shown_trace whole = shown(trace, size);
    const shown_trace pieces = shown(trace, 1U + data[0] % 64U);
    fuzz::check_same(whole.lines, pieces.lines, "pieces give the same nodes");
    fuzz::check_same(whole.error, pieces.error, "pieces give the same error");

    test::wire messages(trace);
    std::vector<std::uint64_t> begins;
    while (!messages.empty()) {
        const std::string_view message = messages.bytes();
        if (messages.bad()) break;
        std::uint64_t byte = static_cast<std::uint64_t>(message.data() - trace.data()) - 1;
        for (std::uint64_t n = message.size() >> 7; n != 0; n >>= 7) --byte;
        begins.push_back(byte);
    }
    // A size may be written with more digits than it needs, which are not counted above.
    for (std::size_t n = 0; n != whole.bytes.size(); ++n)
        fuzz::check(
            n + 1 < begins.size() && whole.bytes[n] <= begins[n + 1] && (n == 0 || whole.bytes[n] > whole.bytes[n - 1]),
            "a node begins where a message does", trace);
    fuzz::check(!whole.error.empty() || (!messages.bad() && begins.size() == whole.bytes.size() + 1),
                "every message is a node", trace);

    static simdjson::ondemand::parser parser;
    for (const std::string& line : whole.lines) {
        const simdjson::padded_string json(line);
        simdjson::ondemand::document doc;
        simdjson::ondemand::object object;
        fuzz::check(
            parser.iterate(json).get(doc) == simdjson::SUCCESS && doc.get_object().get(object) == simdjson::SUCCESS,
            "a node is a line of JSON", line);
        for (auto field : object) fuzz::check(field.error() == simdjson::SUCCESS, "a node is a line of JSON", line);
    }
    return 0;
}
