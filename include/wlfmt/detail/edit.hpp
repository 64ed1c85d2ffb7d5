// Replaces parts of a text, after sorting and checking the replacements, and finds the value that a path names.
#ifndef WLFMT_DETAIL_EDIT_HPP
#define WLFMT_DETAIL_EDIT_HPP

#include "../error.hpp"
#include "../oplog.hpp"
#include "../table.hpp"
#include "../workload.hpp"
#include "base/order.hpp"
#include "error/problems.hpp"
#include "oplog/find.hpp"
#include "workload/schema.hpp"

#include "base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct replacement {
    std::string_view place;
    std::string value;
};

// Sets `order` to the replacements' indices, sorted by place in the text. Returns the first problem with one of them.
inline problem sort_replacements(const std::vector<replacement>& replacements, std::string_view text,
                                 std::vector<std::size_t>& order) {
    for (std::size_t n = 0; n != replacements.size(); ++n)
        if (!is_view_of(replacements[n].place, text))
            return {error_kind::bad_edit, 0, 0, {}, static_cast<std::int64_t>(n), -1};
    order = sorted_positions(replacements.size(), &replacements, [](const void* list, std::size_t a, std::size_t b) {
        const auto& items = *static_cast<const std::vector<replacement>*>(list);
        const std::string_view first = items[a].place;
        const std::string_view second = items[b].place;
        // An insertion comes before a replacement at the same place.
        return first.data() != second.data() ? first.data() < second.data() : first.size() < second.size();
    });
    for (std::size_t n = 1; n < order.size(); ++n) {
        const std::string_view before = replacements[order[n - 1]].place;
        const std::string_view place = replacements[order[n]].place;
        const bool both_insert = before.empty() && place.empty();
        if (both_insert ? before.data() != place.data() : before.data() + before.size() <= place.data()) continue;
        return error_at(error_kind::bad_edit, place, text, {}, static_cast<std::int64_t>(order[n]),
                        static_cast<std::int64_t>(order[n - 1]));
    }
    return {};
}

template <class Sink>
problem write_replaced(Sink& sink, const std::vector<replacement>& replacements, std::string_view text) {
    std::vector<std::size_t> order;
    if (const problem e = sort_replacements(replacements, text, order)) return e;
    bool good = is_open(sink);
    // A sink that is the text's own string is refused: appending to it could move the text.
    if constexpr (std::is_same_v<Sink, std::string>) good = text.empty() || !is_view_of(text, sink);
    const auto put = [&](std::string_view piece) {
        if (!piece.empty()) good = good && append_to(sink, piece.data(), piece.size());
    };
    std::size_t at = 0;
    for (const std::size_t n : order) {
        const auto begin = static_cast<std::size_t>(replacements[n].place.data() - text.data());
        put(text.substr(at, begin - at));
        put(replacements[n].value);
        at = begin + replacements[n].place.size();
    }
    put(text.substr(at));
    return good ? problem() : sink_error();
}

// Follows a path part by part. If a part does not exist, message() says so.
class path_walk {
public:
    explicit path_walk(std::string_view path) noexcept : path_(path) {}
    std::string_view rest() const noexcept { return path_.substr((std::min)(at_, path_.size())); }
    // Skips the next part of the path if it is `name`.
    bool takes(std::string_view name) noexcept {
        if (part() != name) return false;
        at_ += name.size() + 1;
        return true;
    }
    // Skips the next part if it is the index of one of `count` items, and returns that index.
    std::optional<std::size_t> takes_position(std::size_t count) {
        const auto n = to_number(part()).as<std::size_t>();
        if (n && *n < count && part() == std::to_string(*n)) {
            at_ += part().size() + 1;
            return n;
        }
        begin_message(part());
        message_ += count == 0 ? ": it is empty" : ": it has " + std::to_string(count) + ", counted from 0";
        return std::nullopt;
    }
    // Returns `place`, where the rest of the path leads. If it is missing, message() suggests the nearest of `names`.
    template <class Names> std::string_view end(std::string_view place, const Names& names) {
        if (place.data() != nullptr) return place;
        nearest_word nearest(rest());
        for (const std::string_view name : names) nearest.offer(name);
        begin_message(rest());
        if (!nearest.found().empty() && nearest.found() != rest())
            message_.append("; did you mean `").append(nearest.found()).append("`?");
        return {};
    }
    // Sets message() to say which names a path may begin with.
    std::string_view report_unknown_root(std::initializer_list<std::string_view> names) {
        begin_message(rest());
        for (const std::string_view name : names)
            message_.append(name == *names.begin() ? "; the path begins with `" : " or `").append(name).append("`");
        return {};
    }
    std::string& message() noexcept { return message_; }

private:
    std::string_view part() const noexcept { return rest().substr(0, rest().find('.')); }
    void begin_message(std::string_view unknown) {
        const std::string known(path_.substr(0, at_ == 0 ? 0 : at_ - 1));
        if (at_ != 0 && unknown.empty()) message_ = "`" + known + "` is no single value";
        else message_.assign(at_ == 0 ? "there is no `" : "`" + known + "` has no `").append(unknown).append("`");
    }

    std::string_view path_;
    std::size_t at_ = 0;
    std::string message_;
};

template <class Record> std::string_view find_path(const Record& r, path_walk& path) {
    std::vector<std::string_view> names;
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (!is_missing(v)) names.push_back(key);
    });
    return path.end(where(r, path.rest()), names);
}
inline std::string_view find_path(const oplog::document& doc, path_walk& path) {
    if (!path.takes("operations")) return path.report_unknown_root({"operations"});
    const auto n = path.takes_position(doc.operations.size());
    if (!n) return {};
    const oplog::operation& op = doc.operations[*n];
    if (path.rest().find('.') == std::string_view::npos || !path.takes("sub_operations")) return find_path(op, path);
    const auto position = path.takes_position(op.sub_operations.size());
    std::size_t at = 0;
    for (const oplog::sub_operation& sub : op.sub_operations)
        if (position && at++ == *position) return find_path(sub, path);
    return {};
}
inline std::string_view find_path(const workload::document& doc, path_walk& path) {
    if (path.takes("header")) {
        std::vector<std::string_view> names{"policy", layer_count};
        for (const workload::entry& e : doc.header.entries) names.push_back(e.key);
        // A missing entry has an empty place: there is nothing to replace.
        const std::string_view place = where(doc.header, path.rest());
        return path.end(place.empty() ? std::string_view() : place, names);
    }
    if (!path.takes("layers")) return path.report_unknown_root({"header", "layers"});
    const auto n = path.takes_position(doc.layers.size());
    return n ? path.end(where(doc.layers[*n], path.rest()), layer_field_names) : std::string_view();
}
inline std::string_view find_path(const table::document& doc, path_walk& path) {
    if (!path.takes("tables")) return path.report_unknown_root({"tables"});
    const auto n = path.takes_position(doc.tables.size());
    if (!n) return {};
    const table::profile& profile = doc.tables[*n];
    const auto row = path.takes_position(profile.size());
    if (!row) return {};
    std::vector<std::string_view> names;
    for (const table::column& c : profile.columns) names.emplace_back(c.name);
    return path.end(where(profile.row(*row), path.rest()), names);
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
