#include "oplog_simdjson.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench::peers {
namespace {

namespace ondemand = simdjson::ondemand;

[[noreturn]] void fail(simdjson::error_code e) {
    std::fprintf(stderr, "benchmarks: simdjson: %s\n", simdjson::error_message(e));
    std::exit(EXIT_FAILURE);
}
template <class T> T get(simdjson::simdjson_result<T> r) {
    T value;
    if (const simdjson::error_code e = std::move(r).get(value)) fail(e);
    return value;
}

// What each key's value is.
enum class type { integer, decimal, text, shape, list };
struct key {
    const char* name;
    peers::type type;
};
constexpr key operation_keys[] = {
    {"rank", type::integer},      {"op", type::text},           {"stage_id", type::integer},
    {"batch_id", type::integer},  {"mg_state", type::text},     {"duration", type::decimal},
    {"description", type::text},  {"group_kind", type::text},   {"input__shape", type::shape},
    {"input__dtype", type::text}, {"timestamp", type::decimal}, {"sub_operations", type::list}};
constexpr key sub_operation_keys[] = {{"trace_src_func", type::text}, {"duration", type::decimal},
                                      {"timestamp", type::decimal},   {"input__shape", type::shape},
                                      {"input__dtype", type::text},   {"func_name", type::text},
                                      {"group", type::text},          {"comm_func", type::text}};

template <std::size_t N> void read_object(ondemand::object object, const key (&keys)[N], answer& a);

void read_value(ondemand::value value, type t, answer& a) {
    // A number is far more frequent than None.
    switch (t) {
    case type::integer: {
        std::int64_t v = 0;
        if (value.get_int64().get(v) == simdjson::SUCCESS) a.add(v);
        return;
    }
    case type::decimal: {
        double v = 0;
        if (value.get_double().get(v) == simdjson::SUCCESS) a.decimals += v;
        return;
    }
    case type::text: {
        // A view of the text as it is written, as wlfmt's are: get_string() would copy it. A token may be followed by
        // blanks.
        constexpr std::string_view none = "None";
        const std::string_view token = value.raw_json_token();
        a.text += token.front() == '"' ? token.rfind('"') - 1 : none.size();
        return;
    }
    case type::shape: {
        ondemand::array dims;
        if (value.get_array().get(dims) != simdjson::SUCCESS) return;
        for (auto dim : dims) a.add(get(dim.get_int64()));
        return;
    }
    case type::list:
        for (auto s : get(value.get_array())) {
            ++a.parts;
            read_object(get(s.get_object()), sub_operation_keys, a);
        }
        return;
    }
}

// Guesses that the keys come in their order, as wlfmt does.
template <std::size_t N> void read_object(ondemand::object object, const key (&keys)[N], answer& a) {
    std::size_t expected = 0;
    for (auto field : object) {
        const ondemand::raw_json_string name = get(field.key());
        std::size_t n = expected;
        while (n != N && !name.unsafe_is_equal(keys[n].name)) ++n;
        if (n == N)
            for (n = 0; n != expected && !name.unsafe_is_equal(keys[n].name);) ++n;
        else expected = n + 1;
        if (n != N) read_value(get(simdjson::simdjson_result<ondemand::value>(field.value())), keys[n].type, a);
    }
}

}  // namespace

struct json_lines::state {
    std::string text;
    struct piece {
        std::size_t begin;
        std::size_t size;
    };
    std::vector<piece> files;
    ondemand::parser parser;
};

std::string simdjson_name() {
    std::string version = SIMDJSON_STRINGIFY(SIMDJSON_VERSION);
    // Since simdjson 4.0 it is a text.
    version.erase(std::remove(version.begin(), version.end(), '"'), version.end());
    return "simdjson " + version + " (" SIMDJSON_STRINGIFY(SIMDJSON_BUILTIN_IMPLEMENTATION) ")";
}

bool simdjson_runs() {
    const std::string_view kernel = SIMDJSON_STRINGIFY(SIMDJSON_BUILTIN_IMPLEMENTATION);
    for (const simdjson::implementation* one : simdjson::get_available_implementations())
        if (one->name() == kernel) return one->supported_by_runtime_system();
    return false;
}

json_lines::json_lines(const std::vector<std::string>& files) : state_(std::make_unique<state>()) {
    for (const std::string& file : files) {
        state_->files.push_back({state_->text.size(), file.size()});
        state_->text += file;
    }
    state_->text.append(simdjson::SIMDJSON_PADDING, '\0');
#ifdef SIMDJSON_THREADS_ENABLED
    // Every peer has one core.
    state_->parser.threaded = false;
#endif
}

json_lines::~json_lines() = default;

answer json_lines::read() {
    // Larger than any record, smaller than the cache.
    constexpr std::size_t batch = 256 * 1024;
    answer a;
    for (const state::piece& file : state_->files) {
        auto lines = get(state_->parser.iterate_many(state_->text.data() + file.begin, file.size, batch));
        for (auto line : lines) {
            ++a.records;
            read_object(get(line.get_object()), operation_keys, a);
        }
    }
    return a;
}

}  // namespace bench::peers
