// Finds many values by their paths, each in constant time.
#ifndef WLFMT_TOOLS_INPUT_PLACES_HPP
#define WLFMT_TOOLS_INPUT_PLACES_HPP

#include <unordered_map>

#include <wlfmt/edit.hpp>

#include "../workload/entries.hpp"

namespace tool {

// place_of() looks through the header or the record for each path. What is long is looked through once here, and the
// values in it are kept by their keys. Documents and paths must live as long.
class place_finder {
public:
    wlfmt::path_place find(const wlfmt::workload::document& doc, std::string_view path) {
        const auto key = header_key(path);
        const wlfmt::workload::header& head = doc.header;
        if (!key || is_short(head.source)) return wlfmt::place_of(doc, path);
        const auto [at, is_new] = long_.try_emplace(head.source.data());
        if (is_new)
            for (const wlfmt::workload::entry& e : head.entries)
                if (!e.key.empty() && e.key != "policy") at->second.values.emplace(e.key, e.value);
        const auto found = at->second.values.find(*key);
        if (found == at->second.values.end() || found->second.empty()) return wlfmt::place_of(doc, path);
        return {wlfmt::text_view(found->second), {}};
    }
    wlfmt::path_place find(const wlfmt::oplog::document& doc, std::string_view path) {
        std::string_view rest = path;
        const auto n = take_position(rest, "operations.", doc.operations.size());
        if (!n || is_short(doc.operations[*n].source)) return wlfmt::place_of(doc, path);
        const wlfmt::oplog::operation& op = doc.operations[*n];
        long_record& record = index_of(op);
        if (record.nested.empty()) record.nested.assign(op.sub_operations.begin(), op.sub_operations.end());
        std::string_view place;
        if (const auto m = take_position(rest, nested_root, record.nested.size())) {
            const wlfmt::oplog::sub_operation& sub = record.nested[*m];
            place = is_short(sub.source) ? where(sub, rest) : place_in(sub, index_of(sub), rest);
        } else if (rest.find('.') == std::string_view::npos) {
            place = place_in(op, record, rest);
        }
        return place.data() == nullptr ? wlfmt::place_of(doc, path) : wlfmt::path_place{wlfmt::text_view(place), {}};
    }
    wlfmt::path_place find(const wlfmt::table::document& doc, std::string_view path) const {
        return wlfmt::place_of(doc, path);
    }

private:
    struct long_record {
        std::unordered_map<std::string_view, std::string_view> values;
        std::vector<wlfmt::oplog::sub_operation> nested;
    };
    static constexpr std::string_view nested_root = "sub_operations.";

    static bool is_short(std::string_view source) noexcept { return source.size() < 4096; }
    // Skips `root`, and the position of one of `count` items after it.
    static std::optional<std::size_t> take_position(std::string_view& path, std::string_view root, std::size_t count) {
        if (path.substr(0, root.size()) != root) return std::nullopt;
        const std::string_view digits = path.substr(root.size(), path.find('.', root.size()) - root.size());
        const auto n = wlfmt::to_number(digits).as<std::size_t>();
        const std::size_t taken = root.size() + digits.size() + 1;
        if (!n || *n >= count || digits != std::to_string(*n) || taken > path.size()) return std::nullopt;
        path.remove_prefix(taken);
        return n;
    }
    template <class Record> long_record& index_of(const Record& r) {
        const auto [at, is_new] = long_.try_emplace(r.source.data());
        if (is_new)
            for (const wlfmt::oplog::attribute& a : r.attributes)
                if (is_further(r, a.key)) at->second.values.emplace(a.key, a.value);
        return at->second;
    }
    // Whether a key has no member of its own. One that has may go by another name, too.
    template <class Record> static bool is_further(const Record& r, std::string_view key) {
        Record probe;
        if constexpr (std::is_same_v<Record, wlfmt::oplog::operation>) probe.origin = r.origin;
        if (key.substr(0, nested_root.size()) == nested_root) return false;
        return probe.set(wlfmt::text_view(key), "") && !probe.attributes.empty();
    }
    template <class Record>
    static std::string_view place_in(const Record& r, long_record& record, std::string_view key) {
        const auto found = record.values.find(key);
        if (found != record.values.end()) return found->second;
        const std::string_view place = where(r, key);
        if (place.data() != nullptr) record.values.emplace(key, place);
        return place;
    }

    std::unordered_map<const char*, long_record> long_;  // by where they begin
};

}  // namespace tool

#endif
