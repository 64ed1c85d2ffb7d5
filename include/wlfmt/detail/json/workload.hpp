// Headers and layers, made of objects.
#ifndef WLFMT_DETAIL_JSON_WORKLOAD_HPP
#define WLFMT_DETAIL_JSON_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../workload.hpp"
#include "value.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// The header of a workload file, then its layers.
class json_layers {
public:
    void begin(json_records& from) {
        ondemand::object o;
        if (from.next(o)) header_of(from, o, header_);
    }
    const workload::header& header() const noexcept { return header_; }
    const workload::layer* next(json_records& from) {
        ondemand::object o;
        const bool any = from.next(o);
        if (any || from.error()) ++layers_;
        if (any) {
            record_ = {};
            return layer_of(from, o, record_) ? &record_ : nullptr;
        }
        const auto declared = header_.declared_layers.as<std::int64_t>();
        if (!from.error() && declared && *declared > layers_)
            from.fail_at_end(error_kind::layer_count_mismatch, layers_, *declared);
        return nullptr;
    }

private:
    // A count and the indices: "2 2 11".
    static bool index_text(json_records& from, json_value& v, std::string_view& to) {
        std::string text;
        std::size_t count = 0;
        const bool whole = v.items(json_value::wanted::scalar, [&](std::size_t, json_value& item) {
            std::int64_t index = 0;
            if (!item.integer(index)) return false;
            text += ' ';
            text += std::to_string(index);
            ++count;
            return true;
        });
        if (whole) to = from.keep(std::to_string(count) + text);
        return whole;
    }

    static bool entries_of(json_records& from, json_value& v, std::vector<workload::entry>& to) {
        return v.members([&](std::string_view key, json_value& one) {
            workload::entry e;
            e.key = key;
            e.colon = true;
            to.push_back(e);
            const bool list = key == "checkpoints" || key == "checkpoint_initiates";
            if (list && one.kind() == json_kind::array) return index_text(from, one, to.back().value);
            return one.text(to.back().value);
        });
    }

    static bool header_of(json_records& from, ondemand::object& o, workload::header& head) {
        static constexpr std::string_view names[] = {"policy", "header", "declared_layers"};
        json_members_met met(from);
        std::vector<workload::entry> entries;
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            std::int64_t layers = 0;
            if (met.is(key, names[0], 0, v)) return v.string(head.policy);
            if (met.is(key, names[1], 1, v)) return entries_of(from, v, entries);
            if (!met.is(key, names[2], 2, v)) return v.fail_key(error_kind::unknown_member, key);
            if (!v.integer(layers)) return false;
            head.declared_layers = layers;
            return true;
        });
        if (!whole || !met.all(names, 2)) return false;
        // The number of the last bottom layer has no key where it is the only entry.
        if (is_dlrm(head.policy) && entries.size() == 1 && entries[0].key == last_bottom_layer)
            entries[0] = {{}, entries[0].value, false};
        head.entries = workload::entry_list(std::move(entries));
        return true;
    }

    static bool phase_of(json_records& from, json_value& v, workload::phase& p) {
        static constexpr std::string_view names[] = {"compute", "comm", "size"};
        json_members_met met(from);
        const bool whole = v.members([&](std::string_view key, json_value& m) {
            if (met.is(key, names[0], 0, m)) return m.numeral(p.compute);
            if (met.is(key, names[1], 1, m)) return m.string(p.comm);
            if (met.is(key, names[2], 2, m)) {
                std::int64_t bytes = 0;
                if (!m.integer(bytes)) return false;
                p.bytes = bytes;
                return true;
            }
            return m.fail_key(error_kind::unknown_member, key);
        });
        return whole && met.all(names, 3);
    }

    static bool layer_of(json_records& from, ondemand::object& o, workload::layer& one) {
        static constexpr std::string_view names[] = {
            "name",   "dependency", phase_rows[0].name, phase_rows[1].name, phase_rows[2].name,
            "update", "policy",     "further"};
        constexpr unsigned parts = sizeof phase_rows / sizeof *phase_rows;
        json_members_met met(from);
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            if (met.is(key, names[0], 0, v)) return v.string(one.name);
            if (met.is(key, names[1], 1, v)) return v.integer(one.dependency);
            for (unsigned n = 0; n != parts; ++n)
                if (met.is(key, names[2 + n], 2 + n, v)) return phase_of(from, v, one.*phase_rows[n].of);
            if (met.is(key, names[5], 5, v)) return v.numeral(one.update);
            if (met.is(key, names[6], 6, v)) return v.string(one.policy);
            const bool header = key == "header" || key == "declared_layers";
            if (header) return v.fail_key(error_kind::text_after_layers, key);
            if (!met.is(key, names[7], 7, v)) return v.fail_key(error_kind::unknown_member, key);
            std::string words;
            if (!v.items(json_value::wanted::strings, [&](std::size_t index, json_value& item) {
                    std::string_view word;
                    if (!item.string(word)) return false;
                    if (index != 0) words += '\t';
                    words += word;
                    return true;
                }))
                return false;
            one.further = from.keep(words);
            return true;
        });
        return whole && met.all(names, 6);
    }

    workload::header header_;
    workload::layer record_;
    std::int64_t layers_ = 0;  // the number of layers that were read or had an error
};

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
