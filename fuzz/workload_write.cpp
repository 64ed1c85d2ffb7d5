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
                                      "\xEF\xBB\xBF"};
constexpr std::string_view policies[] = {
    "DATA", "HYBRID_CUSTOMIZED", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_TRANSFORMER", "", "1", "a b"};
constexpr std::string_view keys[] = {
    "model_parallel_NPU_group", "ep",   "pp", "vpp", "ga", "all_gpus", "checkpoints", "checkpoint_initiates", "pp_comm",
    "DLRM_LAST_BOTTOM_LAYER",   "mode", "",   "a:",  "7"};

class builder {
public:
    explicit builder(fuzz::input& in) : in_(in) {}

    workload::document document() {
        workload::document doc;
        doc.header().policy = in_.text(policies);
        for (std::size_t n = in_.below(5); n > 0; --n)
            doc.header().entries.edit().push_back({in_.text(keys), in_.text(words), in_.below(4) != 0});
        doc.header().declared_layers = in_.integer();
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
        if (in_.below(8) == 0) l.further = in_.text(words);
        return l;
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
};

// What a document says, whatever number of layers its header declares.
std::vector<std::string> said_by(workload::document doc) {
    doc.header().declared_layers = static_cast<std::int64_t>(doc.layers.size());
    return fuzz::dump_all(doc);
}

// Writing is checked by reading, and refusing by writing unchecked and reading: neither by the other.
void check_document(const workload::document& doc) {
    std::string unchecked;
    workload::write_unchecked(unchecked, doc);
    const auto again = workload::read(unchecked);
    const bool reads_back = again.ok() && fuzz::dump_all(*again) == said_by(doc);

    std::string written = "before";
    const wlfmt::error refused = workload::write(written, doc);
    fuzz::check(static_cast<bool>(refused) == static_cast<bool>(problem_of(doc)),
                "write() refuses what problem_of() does", refused.field);
    if (refused) {
        fuzz::check_same(written, "before", "what is refused appends nothing");
        fuzz::check(!reads_back, "what is refused would not read back", unchecked);
    } else {
        fuzz::check_same(written, "before" + unchecked, "what is written checked is what is written unchecked");
        fuzz::check(again.ok(), "what has no problem can be read", unchecked);
        fuzz::check_same(fuzz::dump_all(*again), said_by(doc), "what is written reads back equal");
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
    doc.header().declared_layers = static_cast<std::int64_t>(doc.layers.size());
    workload::write_unchecked(parts, doc.header());
    for (const workload::layer& l : doc.layers) workload::write_unchecked(parts, l);
    fuzz::check_same(parts, written, "a document is its parts");

    check_document(doc);
    // Of any document the layers without a problem make a better one.
    workload::document better = doc;
    better.layers.clear();
    for (const workload::layer& l : doc.layers)
        if (!problem_of(l)) better.layers.push_back(l);
    check_document(better);
    return 0;
}
