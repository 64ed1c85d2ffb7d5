#if (defined(__cpp_exceptions) || defined(_CPPUNWIND)) && __has_include(<protozero/varint.hpp>)
#include "reader.hpp"

#include <algorithm>
#include <cstring>

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace wlfmt::analysis::chakra {

namespace {

enum class wire : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// Why a message cannot be read, and where.
struct malformed {
    const char* words;
    const char* at;
};

// The fields of a message, one after the other.
struct fields {
    explicit fields(std::string_view message) noexcept : at(message.data()), end(at + message.size()) {}

    bool next() {
        if (at == end) return false;
        begin = at;
        const std::uint64_t key = varint();
        constexpr std::uint64_t greatest = (std::uint64_t{1} << 29) - 1;
        if (key >> 3 == 0 || key >> 3 > greatest) throw malformed{"a field has a number that none can have", begin};
        number = static_cast<std::uint32_t>(key >> 3);
        type = static_cast<wire>(key & 7U);
        switch (type) {
        case wire::varint: bits = varint(); break;
        case wire::fixed64: bits = fixed(8); break;
        case wire::fixed32: bits = fixed(4); break;
        case wire::bytes: bytes = text(); break;
        default: throw malformed{"a field has a type that the schema does not use", begin};
        }
        return true;
    }
    bool is(std::uint32_t n, wire t) const noexcept { return number == n && type == t; }

    std::uint64_t varint() {
        try {
            return protozero::decode_varint(&at, end);
        } catch (const protozero::varint_too_long_exception&) {
            throw malformed{"a number has more than 64 bits", at};
        } catch (const protozero::end_of_buffer_exception&) {
            throw malformed{"a number goes beyond the end of its message", at};
        }
    }
    std::uint64_t fixed(std::size_t size) {
        std::uint64_t v = 0;
        if (size > static_cast<std::size_t>(end - at))
            throw malformed{"a number goes beyond the end of its message", at};
        for (std::size_t n = 0; n != size; ++n) v |= std::uint64_t{static_cast<unsigned char>(*at++)} << 8 * n;
        return v;
    }
    std::string_view text() {
        const char* const size_at = at;
        const std::uint64_t size = varint();
        if (size > static_cast<std::uint64_t>(end - at))
            throw malformed{"a field goes beyond the end of its message", size_at};
        const std::string_view all(at, static_cast<std::size_t>(size));
        at += size;
        return all;
    }

    const char* at;
    const char* end;
    const char* begin = nullptr;  // where the field begins
    std::uint32_t number = 0;
    wire type = wire::varint;
    std::uint64_t bits = 0;
    std::string_view bytes = {};
};

// The types of values, in the order of their fields: that of a value is 3 plus twice the type, and that of a list 1
// more.
enum value_type : std::uint32_t {
    double_value,
    float_value,
    int32_value,
    int64_value,
    uint32_value,
    uint64_value,
    sint32_value,
    sint64_value,
    fixed32_value,
    fixed64_value,
    sfixed32_value,
    sfixed64_value,
    bool_value,
    string_value,
    bytes_value,
    value_types
};
constexpr std::uint32_t first_value_field = 3;

value_type type_of(std::uint32_t field) noexcept { return static_cast<value_type>((field - first_value_field) / 2); }

wire wire_of(value_type type) noexcept {
    switch (type) {
    case double_value:
    case fixed64_value:
    case sfixed64_value: return wire::fixed64;
    case float_value:
    case fixed32_value:
    case sfixed32_value: return wire::fixed32;
    case string_value:
    case bytes_value: return wire::bytes;
    default: return wire::varint;
    }
}

template <class Float, class Bits> Float float_of(Bits bits) noexcept {
    Float v;
    static_assert(sizeof v == sizeof bits);
    std::memcpy(&v, &bits, sizeof v);
    return v;
}
scalar number_of(value_type type, std::uint64_t bits) noexcept {
    const auto low = static_cast<std::uint32_t>(bits);
    const auto whole = [](auto v) { return scalar(static_cast<std::int64_t>(v)); };
    switch (type) {
    case double_value: return float_of<double>(bits);
    case float_value: return static_cast<double>(float_of<float>(low));
    case int32_value:
    case sfixed32_value: return whole(static_cast<std::int32_t>(low));
    case int64_value:
    case sfixed64_value: return whole(bits);
    case sint32_value: return whole(protozero::decode_zigzag32(low));
    case sint64_value: return whole(protozero::decode_zigzag64(bits));
    case uint32_value:
    case fixed32_value: return std::uint64_t{low};
    case bool_value: return bits != 0;
    default: return bits;
    }
}

// A list is a message with one repeated field, whose numbers may be packed into one.
void read_list(value_type type, std::string_view message, std::vector<scalar>& values) {
    for (fields in(message); in.next();) {
        if (in.number != 1) continue;
        const wire own = wire_of(type);
        if (own == wire::bytes && in.type == own) values.emplace_back(in.bytes);
        else if (in.type == own) values.push_back(number_of(type, in.bits));
        else if (in.type == wire::bytes)
            for (fields packed(in.bytes); packed.at != packed.end;)
                values.push_back(number_of(
                    type, own == wire::varint ? packed.varint() : packed.fixed(own == wire::fixed64 ? 8 : 4)));
    }
}

void read_attribute(std::string_view message, attributes& into) {
    attribute& a = into.list.emplace_back();
    for (fields in(message); in.next();) {
        if (in.is(1, wire::bytes)) a.name = in.bytes;
        if (in.number < first_value_field || in.number >= first_value_field + 2 * value_types) continue;
        const value_type type = type_of(in.number);
        const bool is_list = in.number % 2 == 0;
        if (in.type != (is_list ? wire::bytes : wire_of(type))) continue;
        // The last value counts, but a list that comes in parts is all of them.
        if (!is_list || a.field != in.number) a.values.clear();
        a.field = in.number;
        if (is_list) read_list(type, in.bytes, a.values);
        else if (in.type == wire::bytes) a.values.emplace_back(in.bytes);
        else a.values.push_back(number_of(type, in.bits));
    }
}

void read(std::string_view message, trace_metadata& into) {
    for (fields in(message); in.next();) {
        if (in.is(1, wire::bytes)) into.version = in.bytes;
        if (in.is(2, wire::bytes)) read_attribute(in.bytes, into);
    }
}

void read(const fields& in, std::vector<std::uint64_t>& ids) {
    if (in.type == wire::varint) ids.push_back(in.bits);
    if (in.type != wire::bytes) return;
    for (fields packed(in.bytes); packed.at != packed.end;) ids.push_back(packed.varint());
}
void read(std::string_view message, std::optional<trace_node::tensors>& into) {
    if (!into) into.emplace();
    for (fields in(message); in.next();) {
        if (in.is(1, wire::bytes)) into->values = in.bytes;
        if (in.is(2, wire::bytes)) into->shapes = in.bytes;
        if (in.is(3, wire::bytes)) into->types = in.bytes;
    }
}
// What has another type than the schema says is passed over, as protobuf's own readers do.
void read(std::string_view message, trace_node& into) {
    for (fields in(message); in.next();) {
        if (in.number == 4) read(in, into.control_after);
        if (in.number == 5) read(in, into.data_after);
        if (in.is(1, wire::varint)) into.id = in.bits;
        if (in.is(2, wire::bytes)) into.name = in.bytes;
        if (in.is(3, wire::varint)) into.type = static_cast<std::int32_t>(static_cast<std::uint32_t>(in.bits));
        if (in.is(6, wire::varint)) into.start_micros = in.bits;
        if (in.is(7, wire::varint)) into.duration_micros = in.bits;
        if (in.is(8, wire::bytes)) read(in.bytes, into.inputs);
        if (in.is(9, wire::bytes)) read(in.bytes, into.outputs);
        if (in.is(10, wire::bytes)) read_attribute(in.bytes, into);
    }
}

}  // namespace

std::optional<std::int64_t> attribute::whole() const {
    if (is_list() || values.empty()) return std::nullopt;
    if (const auto* v = std::get_if<std::int64_t>(&values[0])) return *v;
    if (const auto* v = std::get_if<std::uint64_t>(&values[0])) return static_cast<std::int64_t>(*v);
    if (const auto* v = std::get_if<bool>(&values[0])) return *v ? 1 : 0;
    return std::nullopt;
}
std::optional<std::string_view> attribute::text() const {
    const auto* v = is_list() || values.empty() ? nullptr : std::get_if<std::string_view>(&values[0]);
    return v != nullptr ? std::optional(*v) : std::nullopt;
}
const attribute* attributes::find(std::string_view name) const {
    const auto found = std::find_if(list.begin(), list.end(), [&](const attribute& a) { return a.name == name; });
    return found != list.end() ? &*found : nullptr;
}
std::optional<std::int64_t> attributes::whole(std::string_view name) const {
    const attribute* const a = find(name);
    return a != nullptr ? a->whole() : std::nullopt;
}

std::string trace_problem::text() const {
    std::string where = node ? "node " + std::to_string(*node) : std::string("metadata");
    return where.append(", byte ").append(std::to_string(byte)).append(": ").append(words);
}

trace_reader::trace_reader(const callback<std::string_view()>& more) : more_(more) {
    if (!next_message()) {
        if (!error_) fail("this is no Chakra trace: it is empty", 0);
        return;
    }
    metadata_text_ = message_;
    message_ = metadata_text_;
    if (parse(metadata_)) position_ = 0;
}

const trace_node* trace_reader::next() {
    if (error_) return nullptr;
    const std::uint64_t byte = taken_;
    if (!next_message()) return nullptr;
    // What lists have allocated is kept for the next node.
    std::vector<std::uint64_t> control = std::move(node_.control_after);
    std::vector<std::uint64_t> data = std::move(node_.data_after);
    control.clear();
    data.clear();
    node_ = trace_node();
    node_.control_after = std::move(control);
    node_.data_after = std::move(data);
    node_.position = *position_;
    node_.byte = byte;
    if (!parse(node_)) return nullptr;
    ++*position_;
    return &node_;
}

template <class Message> bool trace_reader::parse(Message& message) {
    try {
        read(message_, message);
        return true;
    } catch (const malformed& e) {
        return fail(e.words, taken_ - message_.size() + static_cast<std::uint64_t>(e.at - message_.data()));
    }
}
bool trace_reader::fail(const char* words, std::uint64_t byte) {
    error_ = {words, position_, byte};
    return false;
}
bool trace_reader::fill() {
    if (chunk_.empty()) chunk_ = more_();
    return !chunk_.empty();
}
bool trace_reader::take_size(std::uint64_t& size) {
    const std::uint64_t byte = taken_;
    size = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (shift > 63) return fail("the size of a message has more than 64 bits: this is no Chakra trace", byte);
        if (!fill()) return shift != 0 && fail("the size of a message is cut off", byte);
        const auto digits = static_cast<unsigned char>(chunk_[0]);
        chunk_.remove_prefix(1);
        ++taken_;
        size |= std::uint64_t{digits & 0x7FU} << shift;
        if (digits < 0x80) return true;
    }
}
bool trace_reader::next_message() {
    const std::uint64_t byte = taken_;
    std::uint64_t size = 0;
    if (!take_size(size)) return false;
    if (size > 0x7FFFFFFF) return fail("a message is larger than protobuf allows: this is no Chakra trace", byte);
    const auto wanted = static_cast<std::size_t>(size);
    if (wanted <= chunk_.size()) {
        message_ = chunk_.substr(0, wanted);
        chunk_.remove_prefix(wanted);
    } else {
        kept_.clear();
        while (kept_.size() != wanted) {
            if (!fill()) return fail("a message goes beyond the end: this is no Chakra trace, or it was cut off", byte);
            const std::string_view part = chunk_.substr(0, wanted - kept_.size());
            kept_ += part;
            chunk_.remove_prefix(part.size());
        }
        message_ = kept_;
    }
    taken_ += size;
    return true;
}

namespace {

void put(json::line& line, const scalar& v, bool is_bytes) {
    if (const auto* whole = std::get_if<std::int64_t>(&v)) return line.integer(*whole);
    if (const auto* natural = std::get_if<std::uint64_t>(&v)) return line.plain(std::to_string(*natural));
    if (const auto* decimal = std::get_if<double>(&v)) return line.decimal(*decimal);
    if (const auto* truth = std::get_if<bool>(&v)) return line.boolean(*truth);
    const std::string_view text = std::get<std::string_view>(v);
    if (!is_bytes) return line.string(text);
    std::string digits;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        digits += "0123456789abcdef"[byte >> 4U];
        digits += "0123456789abcdef"[byte & 15U];
    }
    line.string(digits);
}
void put(json::line& line, const attributes& all) {
    line.key("attr").open('{');
    for (const attribute& a : all.list) {
        line.key(a.name);
        const bool is_bytes = a.field != 0 && type_of(a.field) == bytes_value;
        if (a.is_list()) {
            line.open('[');
            for (const scalar& v : a.values) put(line, v, is_bytes);
            line.close(']');
        } else if (a.values.empty()) {
            line.null();
        } else {
            put(line, a.values[0], is_bytes);
        }
    }
    line.close('}');
}
void put(json::line& line, std::string_view key, const std::vector<std::uint64_t>& ids) {
    line.key(key).open('[');
    for (const std::uint64_t id : ids) line.plain(std::to_string(id));
    line.close(']');
}
void put(json::line& line, std::string_view key, const std::optional<trace_node::tensors>& info) {
    if (!info) return;
    line.key(key).open('{');
    line.key("values").string(info->values);
    line.key("shapes").string(info->shapes);
    line.key("types").string(info->types);
    line.close('}');
}

}  // namespace

void put_members(json::line& line, const trace_metadata& metadata) {
    line.key("version").string(metadata.version);
    put(line, metadata);
}
void put_members(json::line& line, const trace_node& node) {
    line.key("node").plain(std::to_string(node.position));
    line.key("byte").plain(std::to_string(node.byte));
    line.key("id").plain(std::to_string(node.id));
    line.key("name").string(node.name);
    line.key("type");
    const auto type = static_cast<std::uint32_t>(node.type);
    if (type < std::size(node_types)) line.string(node_types[type]);
    else line.integer(node.type);
    put(line, "ctrl_deps", node.control_after);
    put(line, "data_deps", node.data_after);
    line.key("start_time_micros").plain(std::to_string(node.start_micros));
    line.key("duration_micros").plain(std::to_string(node.duration_micros));
    put(line, "inputs", node.inputs);
    put(line, "outputs", node.outputs);
    put(line, node);
}

}  // namespace wlfmt::analysis::chakra

#endif
