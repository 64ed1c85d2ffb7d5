// Writing with std::ostream, as well as it can be done: one stream and its buffer used again and again, '\n' for line
// ends, and the digits that Python prints without a text in between.
#ifndef WLFMT_BENCHMARKS_PEERS_STREAM_HPP
#define WLFMT_BENCHMARKS_PEERS_STREAM_HPP

#include <cmath>
#include <functional>
#include <iomanip>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/number.hpp>

#include "../bench.hpp"

namespace bench::peers {

// Python's repr of a number of at most 15 digits and below 1e15; more digits would take a loop that tries one precision
// after the other.
inline void write_repr(std::ostream& to, double v) {
    to << v;  // the precision is 15
    if (v == std::floor(v)) to << ".0";
}

inline void write_number(std::ostream& to, const wlfmt::number& n) {
    if (n.is_decimal()) write_repr(to, n.value_or(0.0));
    else if (n.is_integer()) to << *n.as<std::int64_t>();
    else if (n.is_none()) to << "None";
}

// A stream that is written from its start each time.
class reused_stream {
public:
    reused_stream() { stream_ << std::setprecision(15); }
    std::ostream& begin() {
        stream_.seekp(0);
        return stream_;
    }
    std::size_t size() { return static_cast<std::size_t>(stream_.tellp()); }
    std::string text() { return stream_.str().substr(0, size()); }

private:
    std::ostringstream stream_;
};

// The texts of records that a program builds are mostly literals: each is in memory once, however many records have it.
// This does the same for the texts of records that were read.
class literals {
public:
    void replace(std::string_view& text) {
        if (text.data() != nullptr) text = *all_.insert(text).first;
    }

private:
    std::set<std::string_view> all_;
};

// A sink from which text cannot be removed again, like a stream: wlfmt checks all before it writes.
struct append_only {
    std::string& to;
    void append(const char* text, std::size_t size) { to.append(text, size); }
};

// What prepares a measurement in which each document that `read` makes of the input's files is written, with wlfmt or
// with a peer: the same bytes.
template <class Read, class Document>
std::function<job(const input&)> with_wlfmt(Read read, void (*write)(std::string&, const Document&)) {
    return [read, write](const input& in) -> job {
        const std::shared_ptr<const std::vector<Document>> files = read(in);
        const auto out = std::make_shared<std::string>();
        return [files, out, write] {
            answer a;
            for (const Document& file : *files) {
                out->clear();
                write(*out, file);
                ++a.records;
                a.text += out->size();
            }
            return a;
        };
    };
}
// `Output` is what the peer writes to, a class like reused_stream.
template <class Output, class Read, class Document, class Peer>
std::function<job(const input&)> with_peer(Read read, void (*write)(std::string&, const Document&), Peer peer) {
    return [read, write, peer](const input& in) -> job {
        const std::shared_ptr<const std::vector<Document>> files = read(in);
        const auto out = std::make_shared<Output>();
        for (const Document& file : *files) {
            peer(out->begin(), file);
            std::string expected;
            write(expected, file);
            if (out->text() != expected) fail("the text that a peer wrote is not wlfmt's");
        }
        return [files, out, peer] {
            answer a;
            for (const Document& file : *files) {
                peer(out->begin(), file);
                ++a.records;
                a.text += out->size();
            }
            return a;
        };
    };
}

}  // namespace bench::peers

#endif
