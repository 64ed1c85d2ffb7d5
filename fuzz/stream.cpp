// An op log that arrives in chunks. The first byte chooses the options, the second how the text is cut into chunks, the
// next two a byte range, the rest is the text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog/stream.hpp>

#include "check.hpp"
#include "dump_oplog.hpp"

namespace {

namespace oplog = wlfmt::oplog;

struct reading {
    std::vector<std::string> records;
    std::vector<std::string> errors;  // errors and tolerated problems, with their messages
    std::uint64_t foreign_lines = 0;
    std::uint64_t tolerated = 0;
    std::uint64_t offset = 0;
};

std::string shown(const wlfmt::problem& e) {
    return std::string(name_of(e.kind)) + " " + std::to_string(e.offset) + " " + std::to_string(e.length) + " " +
           std::string(e.field) + " " + std::to_string(e.found) + " " + std::to_string(e.expected);
}

wlfmt::options options_of(unsigned bits) {
    wlfmt::options options;
    options.strict = (bits & 1) != 0;
    options.lenient = (bits & 2) != 0;
    if ((bits & 4) != 0) options.prefix = wlfmt::any_prefix;
    if ((bits & 8) != 0) options.prefix = "[rank0]: ";
    return options;
}

// With what explain() prints; `from` is a whole text or a stream.
template <class From> std::string explained(const wlfmt::problem& e, const From& from) {
    return shown(e) + "\n" + wlfmt::explain(e, from, wlfmt::in_file("f"));
}

reading read_whole(std::string_view text, unsigned bits) {
    reading got;
    wlfmt::options options = options_of(bits);
    options.on_problem = [&](const wlfmt::problem& e) { got.errors.push_back(explained(e, text)); };
    oplog::reader log(text, options);
    do {
        while (const oplog::operation* op = log.next()) {
            std::string one = fuzz::dump(*op);
            if (!log.ok()) break;
            got.records.push_back(std::move(one));
        }
        if (!log.ok()) got.errors.push_back(explained(log.error(), text));
    } while (log.skip());
    got.foreign_lines = log.foreign_lines();
    got.tolerated = log.tolerated();
    got.offset = log.offset();
    return got;
}

// The size of the next chunk: always the same, or given by the text itself.
std::size_t chunk_size(unsigned way, std::string_view rest) {
    if (way < 128) return way + 1;
    const auto c = static_cast<unsigned char>(rest.front());
    return (c * (way - 127U)) % 200;  // may be 0
}

class streaming {
public:
    streaming(wlfmt::byte_range range, unsigned bits) : log_(range, options_for(bits)) {}

    reading& read(std::string_view text, std::uint64_t from, unsigned way, bool drain) {
        for (std::string_view rest = text.substr(from); !rest.empty() && !log_.done();) {
            std::size_t size = (std::min)(chunk_size(way, rest), rest.size());
            if (size == 0) log_.feed(std::string_view());
            size = size == 0 ? 1 : size;
            // Each chunk has its own memory, which is freed once next() is null: a sanitizer sees any later use of it.
            auto chunk = std::make_unique<fuzz::block>(rest.substr(0, size));
            rest.remove_prefix(size);
            chunks_.push_back(std::move(chunk));
            log_.feed(chunks_.back()->view());
            // A program may take one record of each chunk, and the others later.
            if (drain) pull();
            else pull_one();
        }
        log_.finish();
        pull();
        got_.foreign_lines = log_.foreign_lines();
        got_.tolerated = log_.tolerated();
        got_.offset = log_.offset();
        fuzz::check(!log_.next(), "the end is the end");
        const std::vector<std::string> kept = fuzz::dump_all(kept_.operations());
        fuzz::check_same(kept, got_.records, "what is kept is what was shown");
        read_old_views();
        return got_;
    }
    const oplog::stream& log() const { return log_; }

private:
    wlfmt::options options_for(unsigned bits) {
        wlfmt::options options = options_of(bits);
        options.on_problem = [this](const wlfmt::problem& e) { add_error(e); };
        return options;
    }
    void add_error(const wlfmt::problem& e) { got_.errors.push_back(explained(e, log_)); }
    void keep(const oplog::lent_operation& op) {
        std::string one = fuzz::dump(*op);
        if (!log_.ok()) return;
        const wlfmt::oplog::stream_line line = log_.line_of(op->source);
        fuzz::check(fuzz::is_inside(op->source, line.text), "a record is in its line");
        got_.records.push_back(std::move(one));
        kept_.add(op);
        bool in_chunk = false;
        for (const auto& chunk : chunks_) in_chunk = in_chunk || fuzz::is_inside(op->source, chunk->view());
        if (!in_chunk) lists_.push_back(op->sub_operations);
    }
    bool pull_one() {
        if (const auto op = log_.next()) {
            keep(op);
        } else if (log_.ok()) {
            chunks_.clear();
            return false;
        }
        if (log_.ok()) return true;
        add_error(log_.error());
        static_cast<void>(log_.next());
        chunks_.clear();
        fuzz::check(!log_.ok(), "an error stays until it is passed over");
        return log_.skip();
    }
    void pull() {
        while (pull_one()) continue;
    }
    // Views of the stream's own memory may show something else by now, but can still be read.
    void read_old_views() {
        for (const auto& list : lists_)
            for (const auto& sub : list) static_cast<void>(fuzz::dump(sub));
    }

    reading got_;
    std::vector<std::unique_ptr<fuzz::block>> chunks_;  // those that the stream may be using
    std::vector<oplog::sub_operation_list> lists_;
    oplog::kept_operations kept_;
    oplog::stream log_;
};

void check_whole(std::string_view text, unsigned bits, unsigned way, bool drain) {
    const reading whole = read_whole(text, bits);
    streaming stream({}, bits);
    const reading& got = stream.read(text, 0, way, drain);
    fuzz::check_same(got.records, whole.records, "a stream has the records of the whole");
    fuzz::check_same(got.errors, whole.errors, "a stream has the errors of the whole");
    fuzz::check(got.foreign_lines == whole.foreign_lines, "a stream has the foreign lines of the whole");
    fuzz::check(got.tolerated == whole.tolerated, "a stream tolerates what the whole tolerates");
    fuzz::check(got.offset == text.size(), "a stream ends where the text ends");
}

// Only the first line of what explain() prints is compared: a range does not know the number of its first line. That
// there are no records is reported for a whole text, not for a range.
void put_first_lines(std::vector<std::string>& to, const std::vector<std::string>& errors) {
    for (const std::string& e : errors)
        if (e.substr(0, 10) != "no_records") to.push_back(e.substr(0, e.find('\n')));
}

// Checks that the ranges between two cuts have the records and errors of the whole.
void check_ranges(std::string_view text, unsigned bits, unsigned way, std::uint64_t a, std::uint64_t b) {
    if (a > b) std::swap(a, b);
    reading all;
    std::uint64_t lines = 0;
    for (const wlfmt::byte_range range :
         {wlfmt::byte_range{0, a}, wlfmt::byte_range{a, b}, wlfmt::byte_range{b, wlfmt::byte_range().end}}) {
        streaming stream(range, bits & ~16U);
        const std::uint64_t from = (std::min<std::uint64_t>)(oplog::stream::first_byte(range), text.size());
        const reading& one = stream.read(text, from, way, true);
        all.records.insert(all.records.end(), one.records.begin(), one.records.end());
        put_first_lines(all.errors, one.errors);
        all.foreign_lines += one.foreign_lines;
        lines += stream.log().lines();
    }
    const reading whole = read_whole(text, bits);
    std::vector<std::string> errors;
    put_first_lines(errors, whole.errors);
    fuzz::check_same(all.records, whole.records, "ranges have the records of the whole");
    fuzz::check_same(all.errors, errors, "ranges have the errors of the whole");
    fuzz::check(all.foreign_lines == whole.foreign_lines, "ranges have the foreign lines of the whole");
    fuzz::check(lines == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')),
                "ranges have the lines of the whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const unsigned bits = data[0];
    const unsigned way = data[1];
    const fuzz::block block({reinterpret_cast<const char*>(data) + 4, size - 4});
    const std::string_view text = block.view();
    const std::uint64_t a = data[2] * (text.size() + 2) / 256;
    const std::uint64_t b = data[3] * (text.size() + 2) / 256;
    check_whole(text, bits, way, true);
    check_whole(text, bits, way, false);
    check_ranges(text, bits, way, a, b);
    return 0;
}
