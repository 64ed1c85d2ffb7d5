// Writing workload files: documents built from the input's bytes, which no text ever held.
#include <wlfmt/workload.hpp>

#include "check.hpp"
#include "dump.hpp"

namespace {

namespace workload = wlfmt::workload;

constexpr std::string_view words[] = {"NONE",
                                      "ALLREDUCE",
                                      "ALLTOALL_EP",
                                      "embedding_layer",
                                      "8",
                                      "-1",
                                      "1.5",
                                      "2 2 11",
                                      "2 1",
                                      "a b",
                                      "key:",
                                      ":",
                                      "\t",
                                      "\n",
                                      "\v",
                                      "nan",
                                      "18446744073709551616",
                                      "x",
                                      "Layername",
                                      "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                                      "\xEF\xBB\xBF"};
constexpr std::string_view policies[] = {
    "DATA", "HYBRID_CUSTOMIZED", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_TRANSFORMER", "", "1", "a b"};
constexpr std::string_view keys[] = {
    "model_parallel_NPU_group", "ep",   "pp", "vpp", "ga", "all_gpus", "checkpoints", "checkpoint_initiates", "pp_comm",
    "DLRM_LAST_BOTTOM_LAYER",   "mode", "",   "a:",  "7"};
constexpr std::string_view target_keys[] = {"target_model_sha256", "target_step_sha256", "target_routing_sha256",
                                            "target_memory_event_plan_sha256", "target_workload_sha256"};
constexpr std::string_view sha = words[19];
constexpr std::string_view other_sha = "sha256:fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";

class builder {
public:
    explicit builder(fuzz::input& in) : in_(in) {}

    workload::document document() {
        workload::document doc;
        doc.header.policy = in_.text(policies);
        for (std::size_t n = in_.below(5); n > 0; --n)
            doc.header.entries.edit().push_back({in_.text(keys), in_.text(words), in_.below(4) != 0});
        // The five sha256 texts of SimAI-Ascend, which layers repeat; mostly all five.
        target_ = in_.below(4) == 0;
        for (const std::string_view key : target_keys)
            if (target_ && in_.below(64) != 63) doc.header.entries.edit().push_back({key, sha, in_.below(8) != 7});
        doc.header.declared_layers = in_.integer();
        while (!in_.empty()) doc.layers.push_back(layer());
        return doc;
    }

private:
    workload::layer layer() {
        workload::layer l;
        l.name = in_.text(words);
        if (in_.flag()) l.dependency = in_.integer();
        for (workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad}) {
            if (in_.flag()) p->compute = number();
            if (in_.flag()) p->comm = in_.text(words);
            if (in_.flag()) p->bytes = in_.integer();
        }
        if (in_.flag()) l.update = number();
        if (in_.below(4) == 0) l.policy = in_.text(policies);
        if (in_.below(8) == 7) l.further = in_.text(words);
        if (target_ && in_.below(8) != 7) l.further = repeated();
        return l;
    }
    std::string_view repeated() {
        std::string text;
        for (std::size_t n = 0; n != 5; ++n) {
            text.append(n == 0 ? "" : in_.below(16) == 15 ? " \t" : "\t");
            text.append(in_.below(64) == 63 ? other_sha : sha);
        }
        return in_.keep(text);
    }
    wlfmt::number number() {
        switch (in_.below(8)) {
        case 0: return {};
        case 1: return nullptr;
        case 2: return wlfmt::number(in_.text(words));
        case 3:
        case 4: return in_.decimal();
        default: return in_.integer();
        }
    }

    fuzz::input& in_;
    bool target_ = false;
};

constexpr std::string_view blanks = " \t\r\v\f\n";

// Whether lists of indices keep their form: blanks inside them are written as one, and those around them would be lost.
bool keeps_lists(const workload::header& head) {
    for (const workload::entry& e : head.entries) {
        if ((e.key != "checkpoints" && e.key != "checkpoint_initiates") || e.value.empty()) continue;
        const bool begins = blanks.find(e.value.front()) == blanks.npos;
        const bool ends = blanks.find(e.value.back()) == blanks.npos;
        if (!begins || !ends || e.value.find('\n') != e.value.npos) return false;
    }
    return true;
}

// The content of a document, except for the number of layers that its header declares.
std::vector<std::string> content_of(workload::document doc) {
    doc.header.declared_layers = static_cast<std::int64_t>(doc.layers.size());
    return fuzz::dump_all(doc);
}

// What is written is checked by reading it; what is refused, by writing it unchecked and reading that.
void check_document(const workload::document& doc) {
    std::string unchecked;
    workload::write_unchecked(unchecked, doc);
    const auto again = workload::read(unchecked);
    bool reads_back = again.ok() && fuzz::dump_all(*again) == content_of(doc);
    reads_back = reads_back && keeps_lists(doc.header);
    for (const workload::layer& l : doc.layers) reads_back = reads_back && l.further.find('\n') == l.further.npos;

    std::string written = "before";
    const wlfmt::problem refused = workload::write(written, doc);
    fuzz::check(static_cast<bool>(refused) == static_cast<bool>(problem_of(doc)),
                "write() refuses what problem_of() does", refused.field);
    if (refused) {
        fuzz::check_same(written, "before", "what is refused appends nothing");
        fuzz::check(!reads_back, "what is refused would not read back", unchecked);
    } else {
        fuzz::check_same(written, "before" + unchecked, "what is written checked is what is written unchecked");
        fuzz::check(again.ok(), "what has no problem can be read", unchecked);
        fuzz::check(reads_back, "what has no problem reads back", unchecked);
        fuzz::check_same(fuzz::dump_all(*again), content_of(doc), "what is written reads back equal");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    workload::document doc = builder(in).document();
    std::string written;
    workload::write_unchecked(written, doc);
    fuzz::check(!written.empty() && written.back() == '\n', "what is written ends its line", written);

    // A document is its header and its layers.
    std::string parts;
    doc.header.declared_layers = static_cast<std::int64_t>(doc.layers.size());
    workload::write_unchecked(parts, doc.header);
    for (const workload::layer& l : doc.layers) workload::write_unchecked(parts, l);
    fuzz::check_same(parts, written, "a document is its parts");

    check_document(doc);
    // The layers of a document that have no problem of their own make a document that can be written.
    workload::document better = doc;
    better.layers.clear();
    for (const workload::layer& l : doc.layers)
        if (!problem_of(l)) better.layers.push_back(l);
    check_document(better);
    return 0;
}
