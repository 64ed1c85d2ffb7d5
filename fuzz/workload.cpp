// Reading workload files. The first byte chooses the options, the rest is the text.
#include <wlfmt/workload.hpp>

#include "check.hpp"
#include "dump.hpp"

namespace {

namespace workload = wlfmt::workload;

struct reading {
    std::string header;
    std::vector<std::string> layers;
    std::vector<std::string_view> lines;    // each layer's line, from its name on
    std::vector<wlfmt::problem> errors;     // where the reader stopped
    std::vector<wlfmt::problem> tolerated;  // the problems that it tolerated
    std::size_t body = 0;                   // where the first layer's line begins
    bool gave_up = false;                   // the text is of another format, or ends too early
    std::string short_header;               // the part of the header line that decides which fields a layer has
};

void check_views(const workload::header& h, std::string_view text) {
    bool inside = fuzz::is_inside(h.policy, text);
    for (const auto& e : h.entries) inside = inside && fuzz::is_inside(e.key, text) && fuzz::is_inside(e.value, text);
    fuzz::check(inside, "every view of the header lies in the text");
}
void check_views(const workload::layer& l, std::string_view text) {
    for (const std::string_view v : std::initializer_list<std::string_view>{
             l.name, l.forward.comm, l.forward.compute.text(), l.input_grad.comm, l.input_grad.compute.text(),
             l.weight_grad.comm, l.weight_grad.compute.text(), l.update.text(), l.policy})
        fuzz::check(fuzz::is_inside(v, text), "every view of a layer lies in the text", v);
}

// The slow path reads what the fast path reads.
void check_paths(const workload::layer& l, std::string_view text) {
    const char* const end = text.data() + text.size();
    const wlfmt::detail::workload_line::layer_line line(l.name.data(), end);
    fuzz::check(line.count >= wlfmt::detail::layer_fields, "a layer has its fields");
    workload::layer slow;
    for (std::size_t n = 0; n < wlfmt::detail::layer_fields; ++n)
        wlfmt::detail::workload_line::read_field(n, line.fields[n], end, slow);
    fuzz::check(l.source == line.whole(), "a layer knows its line", l.source);
    for (std::size_t n = 0; n < wlfmt::detail::layer_fields; ++n)
        fuzz::check(where(l, wlfmt::detail::layer_field_names[n]).data() == line.fields[n].data(),
                    "a field is found in its place", l.source);
    fuzz::check(where(l, "policy").data() == l.policy.data(), "the policy is found in its place", l.source);
    fuzz::check(where(l, "further").data() == l.further.data(), "the further fields are found in their place",
                l.source);
    slow.policy = where(l, "policy");
    slow.further = where(l, "further");
    fuzz::check_same(fuzz::dump(slow), fuzz::dump(l), "the two paths agree on a layer");
}

reading read_on(std::string_view text, unsigned option_bits, bool checks_records = false) {
    reading got;
    workload::reader file(text, fuzz::options_of(option_bits, got.tolerated));
    const std::size_t most = fuzz::lines_of(text).size() + 4;
    got.header = fuzz::dump(file.header());
    got.short_header = file.header().policy == "HYBRID_CUSTOMIZED" ? "HYBRID_CUSTOMIZED" : "DATA";
    wlfmt::detail::target target;
    for (const auto& e : file.header().entries) wlfmt::detail::workload_header::record_target_key(target, e);
    for (std::size_t n = 0;
         n != wlfmt::detail::target_keys_count && wlfmt::detail::workload_header::binds_layers(target); ++n)
        got.short_header.append(" ").append(wlfmt::detail::target_keys[n]).append(" ").append(target.values[n]);
    check_views(file.header(), text);
    got.body = static_cast<std::size_t>(file.offset());
    if (!file.ok()) {
        got.errors.push_back(file.error());
        got.gave_up = !file.skip();
        got.body = static_cast<std::size_t>(file.offset());
    }
    while (!got.gave_up) {
        while (const workload::layer* l = file.next()) {
            got.layers.push_back(fuzz::dump(*l));
            const auto at = static_cast<std::size_t>(l->name.data() - text.data());
            got.lines.push_back(text.substr(at, text.find('\n', at) - at));
            if (!checks_records) continue;
            check_views(*l, text);
            check_paths(*l, text);
        }
        if (file.ok()) break;
        got.errors.push_back(file.error());
        fuzz::check(got.errors.size() <= most, "errors come to an end");
        if (!file.skip()) {
            const auto at = static_cast<std::size_t>(file.offset());
            got.gave_up = text.find_first_not_of(" \t\r\v\f\n", at) != std::string_view::npos;
            break;
        }
    }
    fuzz::check(file.next() == nullptr, "the end is the end");
    return got;
}

// The document holds what the pull reader yields up to its first error.
void check_document(std::string_view text, unsigned option_bits, const reading& pulled) {
    std::vector<wlfmt::problem> tolerated;
    const auto doc = workload::read(text, fuzz::options_of(option_bits, tolerated));
    fuzz::check(doc.ok() == pulled.errors.empty(), "document and pull reader agree that there is an error");
    std::vector<std::string> all = fuzz::dump_all(*doc);
    fuzz::check_same(all[0], pulled.header, "the document's header equals the pull reader's");
    fuzz::check(all.size() <= pulled.layers.size() + 1, "the document holds no more than the pull reader");
    fuzz::check_same(std::vector<std::string>(all.begin() + 1, all.end()),
                     std::vector<std::string>(pulled.layers.begin(),
                                              pulled.layers.begin() + static_cast<std::ptrdiff_t>(all.size() - 1)),
                     "the document equals the pull reader");
    if (doc.ok()) {
        fuzz::check(all.size() == pulled.layers.size() + 1, "the document holds as much as the pull reader");
    } else {
        fuzz::check(doc.error().kind == pulled.errors[0].kind && doc.error().offset == pulled.errors[0].offset,
                    "document and pull reader agree on the error");
    }
    const bool plain = doc.ok() && (option_bits & 2) == 0;
    if (plain) {
        fuzz::check(doc->header.declared_layers == wlfmt::number(static_cast<std::int64_t>(doc->layers.size())),
                    "a good count is right");
        fuzz::check(!problem_of(*doc), "what was read has no problem", problem_of(*doc).field);
    }
    std::string written;
    if (workload::write(written, *doc)) {
        fuzz::check(written.empty(), "what is refused appends nothing", written);
        return;
    }
    const auto again = workload::read(written);
    fuzz::check(again.ok(), "what was read is written so that it can be read", written);
    fuzz::check_same(fuzz::dump_all(*again), all, "what is written reads back equal");
    std::string twice;
    fuzz::check(!workload::write(twice, *again), "what was read from what was written has no problem");
    fuzz::check_same(twice, written, "writing twice is writing once");
}

// Reads each line alone, under the same header. Returns the layers of those that are good.
std::vector<std::string> read_lines(const std::vector<std::string_view>& lines, const std::string& header) {
    std::vector<std::string> layers;
    for (const std::string_view line : lines) {
        const std::string alone = std::string(header).append("\n1\n").append(line);
        const reading one = read_on(alone, 0);
        if (one.errors.empty()) layers.insert(layers.end(), one.layers.begin(), one.layers.end());
    }
    return layers;
}

void check_text(std::string_view text, unsigned option_bits) {
    const reading got = read_on(text, option_bits, true);
    fuzz::check_errors(got.errors, text);
    fuzz::check_errors(got.tolerated, text);
    check_document(text, option_bits, got);

    const reading usual = read_on(text, 0);
    const reading lenient = read_on(text, 2);
    fuzz::check_errors(usual.errors, text);
    fuzz::check_errors(lenient.errors, text);
    fuzz::check_errors(lenient.tolerated, text);
    fuzz::check_subsequence(usual.layers, lenient.layers, "lenient reads a superset");
    if (usual.errors.empty()) {
        // Of a good file, a lenient reader reports only what any reader warns of.
        fuzz::check(lenient.errors.empty(), "lenient reading has no error of its own");
        fuzz::check(lenient.tolerated.size() == usual.tolerated.size(), "both warn of the same");
        for (const wlfmt::problem& e : lenient.tolerated)
            fuzz::check(e.kind == wlfmt::error_kind::negative_value, "what is no error is at most a negative value");
        fuzz::check_same(usual.layers, lenient.layers, "lenient reads a good file as it is");
    }

    // Skipping a bad line loses no good one.
    if (usual.gave_up) return;
    fuzz::check_same(read_lines(fuzz::lines_of(text.substr(usual.body)), usual.short_header), usual.layers,
                     "skipping loses no good line");
    fuzz::check_same(read_lines(usual.lines, usual.short_header), usual.layers, "a layer is the same alone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::check_with_options(data, size, check_text);
}
