// Makes records of the three formats from JSON objects.
#ifndef WLFMT_DETAIL_JSON_FORMATS_HPP
#define WLFMT_DETAIL_JSON_FORMATS_HPP

#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../workload.hpp"
#include "../oplog/find.hpp"
#include "../table/cell.hpp"
#include "../table/print.hpp"
#include "records.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// A member that an object of some kind may have, and the function that turns its value into a part of a record.
template <class Record> struct json_member {
    std::string_view name;
    bool (*read)(json_value& v, Record& record);
    std::string_view older_name = name;
};

// Reads an object whose members have known names. The first `needed` of these must occur, and none may occur twice.
template <class Record, std::size_t Count> class json_member_reader {
public:
    json_member_reader(const json_member<Record> (&known)[Count], unsigned needed, Record& record) noexcept
        : known_(known), needed_(needed), record_(record) {}

    bool operator()(std::string_view key, json_value& v) {
        for (unsigned n = 0; n != Count; ++n) {
            if (key != known_[n].name && key != known_[n].older_name) continue;
            if ((met_ >> n & 1U) != 0) return v.fail_key(error_kind::duplicate_key, key);
            met_ |= 1U << n;
            return known_[n].read(v, record_);
        }
        return v.fail_key(error_kind::unknown_member, key);
    }
    // Call it after the last member.
    bool has_needed(json_records& from) const {
        for (unsigned n = 0; n != needed_; ++n)
            if ((met_ >> n & 1U) == 0) return from.fail_record(error_kind::missing_member, known_[n].name);
        return true;
    }

private:
    const json_member<Record> (&known_)[Count];
    unsigned needed_;
    Record& record_;
    unsigned met_ = 0;
};

// Collects a record's attributes in order. A record with only the tracer's keys, in the tracer's order, needs no list.
template <class Key> class json_attributes {
public:
    void start() {
        attributes_.clear();
        seen_ = next_ = 0;
        is_usual_ = true;
    }
    // Whether the key is a member's and occurs for the first time. `other_name`: the tracer spells the key differently.
    bool is_member(Key key, bool other_name) {
        const auto n = static_cast<unsigned>(key);
        is_usual_ = is_usual_ && key != Key::extra && !other_name && n >= next_;
        next_ = n + 1;
        if (key == Key::extra || (seen_ & (1U << n)) != 0) return false;
        seen_ |= 1U << n;
        return true;
    }
    void add(std::string_view key, std::string_view text) { attributes_.push_back({key, text}); }
    oplog::attribute_list list(json::texts& kept) const {
        return is_usual_ ? oplog::attribute_list()
                         : oplog::attribute_list(texts_access::keep(kept, attributes_), attributes_.size());
    }

private:
    std::vector<oplog::attribute> attributes_;
    unsigned seen_ = 0;
    unsigned next_ = 0;
    bool is_usual_ = true;
};

class json_operations {
public:
    const oplog::operation* next(json_records& from) {
        ondemand::object o;
        return from.next(o) && read_operation(from, o, record_) ? &record_ : nullptr;
    }
    const oplog::operation& record() const noexcept { return record_; }

private:
    bool read_operation(json_records& from, ondemand::object& o, oplog::operation& op) {
        op = {};
        order_.start();
        may_split_ = false;
        bool has_origin = false;
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            const bool is_rank = key == "rank";
            if (!has_origin && (is_rank || (key == "stage" && v.kind() == json_kind::number))) {
                has_origin = true;
                op.origin = is_rank ? oplog::origin::rank : oplog::origin::stage;
                return v.integer(op.rank) && (v.is_integer() || v.fail(error_kind::not_an_integer));
            }
            if (key == "op" && op.op.data() == nullptr) return v.string(op.op);
            return read_attribute(op, order_, key, v);
        });
        if (!whole) return false;
        if (!has_origin) return from.fail_record(error_kind::missing_member, "rank");
        if (op.op.data() == nullptr) return from.fail_record(error_kind::missing_member, "op");
        op.spaced = op.origin == oplog::origin::stage;
        op.attributes = order_.list(from.kept());
        if (may_split_) choose_separator(op.spaced, op);
        return true;
    }

    // A text with `,key=` or `, key=` in it would be split at one of the two separators, so its record gets the other.
    static void choose_separator(bool& spaced, const oplog::operation& op) noexcept {
        if (!oplog::problem_of(op)) return;
        spaced = !spaced;
        if (oplog::problem_of(op)) spaced = !spaced;
    }

    template <class Record, class Key>
    bool read_attribute(Record& r, json_attributes<Key>& order, std::string_view key, json_value& v) {
        const Key known = key_of(r, key);
        const bool is_member = order.is_member(known, known != Key::extra && key != row_of(r, known).name);
        std::string_view text = "";
        if (!is_member && !text_of(v, text)) return false;
        order.add(key, text);
        return !is_member || with_member(row_of(r, known), [&](auto member) { return read(v, r.*member); });
    }

    bool read(json_value& v, oplog::sub_operation_list& list) {
        if (v.kind() == json_kind::null) {
            oplog_access::set_none(list);
            return true;
        }
        subs_.clear();
        const bool whole = v.items(json_value::wanted::array, [&](std::size_t, json_value& item) {
            subs_.emplace_back();
            if (item.kind() == json_kind::string) return item.string(subs_.back().text);
            if (item.kind() != json_kind::object) return item.wrong_type(json_value::wanted::objects_or_strings);
            sub_order_.start();
            const bool outer_may_split = std::exchange(may_split_, false);
            oplog::sub_operation& sub = subs_.back();
            if (!item.members(
                    [&](std::string_view key, json_value& m) { return read_attribute(sub, sub_order_, key, m); }))
                return false;
            sub.attributes = sub_order_.list(v.from().kept());
            if (may_split_) {
                oplog::operation alone;
                alone.op = "f";
                alone.sub_operations = oplog::sub_operation_list(&sub, 1);
                choose_separator(sub.spaced, alone);
            }
            may_split_ = outer_may_split;
            return true;
        });
        if (whole) list = oplog::sub_operation_list(texts_access::keep(v.from().kept(), subs_), subs_.size());
        return whole;
    }

    bool read(json_value& v, number& value) {
        std::string_view text;
        if (!v.text(text)) return false;
        // A string is `nan`, `inf`, or the sentence that a tracer writes if it has measured nothing.
        value = v.kind() == json_kind::null ? number(nullptr) : json_value::numeral_of(text);
        return true;
    }
    // Gets the text of a scalar, or of a list of integers.
    bool text_of(json_value& v, std::string_view& text) {
        if (v.kind() != json_kind::array) {
            if (!v.text(text)) return false;
            may_split_ = may_split_ || text.find('=') != std::string_view::npos;
            return true;
        }
        list_text_ = "[";
        const bool whole = v.items(json_value::wanted::scalar, [&](std::size_t index, json_value& item) {
            if (!item.is_integer()) return item.wrong_type(json_value::wanted::integers);
            if (index != 0) list_text_ += ", ";
            list_text_ += item.token() == "-0" ? "0"sv : item.token();
            return true;
        });
        list_text_ += ']';
        if (whole) text = v.from().keep(list_text_);
        return whole;
    }
    // Reads a text or a shape.
    template <class Text> bool read(json_value& v, Text& member) {
        std::string_view text;
        if (!text_of(v, text)) return false;
        member = Text(text);
        return true;
    }

    oplog::operation record_;
    json_attributes<op_key> order_;
    json_attributes<sub_key> sub_order_;
    std::vector<oplog::sub_operation> subs_;
    std::string list_text_;
    bool may_split_ = false;  // a text of the record contains a `=`
};

// Reads the JSON Lines of a workload file: the header's object first, then an object for each layer.
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
        if (!from.error() && declared && *declared > layers_ && !std::exchange(is_short_, true))
            from.fail_at_end(error_kind::layer_count_mismatch, layers_, *declared);
        return nullptr;
    }
    const workload::layer& record() const noexcept { return record_; }

private:
    // Turns an array of indices into a text that begins with their count: "2 2 11" for [2, 11].
    static bool index_text(json_value& v, std::string_view& indices) {
        std::string text;
        std::size_t count = 0;
        const bool whole = v.items(json_value::wanted::scalar, [&](std::size_t, json_value& item) {
            std::int64_t index = 0;
            if (!item.integer(index)) return false;
            text.append(" ").append(std::to_string(index));
            ++count;
            return true;
        });
        if (whole) indices = v.from().keep(std::to_string(count) + text);
        return whole;
    }
    static bool entries_of(json_value& v, std::vector<workload::entry>& entries) {
        return v.members([&](std::string_view key, json_value& value) {
            entries.push_back({key, {}, true});
            const entry_type type = type_of_entry(key);
            if (type == entry_type::index_list && value.kind() == json_kind::array)
                return index_text(value, entries.back().value);
            std::string_view& written = entries.back().value;
            const bool is_number = type == entry_type::number || type == entry_type::size;
            return is_number ? value.size(written) : value.text(written);
        });
    }
    static bool header_of(json_records& from, ondemand::object& o, workload::header& result) {
        using workload::header;
        static constexpr json_member<header> members[] = {
            {"policy", [](json_value& v, header& head) { return v.string(head.policy); }},
            {"header", [](json_value& v, header& head) { return entries_of(v, head.entries.edit()); }},
            {"declared_layers", [](json_value& v, header& head) { return v.integer(head.declared_layers); }}};
        constexpr unsigned needed = 2;
        json_member_reader reader(members, needed, result);
        const bool whole = json_value::members_of(from, o, reader) && reader.has_needed(from);
        auto& entries = result.entries.edit();
        if (!whole) entries.clear();
        // The number of the last bottom layer has no key if it is an integer and the only entry.
        std::int64_t number = 0;
        if (workload::policies::of(result.policy).has(workload::policies::number_follows) && entries.size() == 1 &&
            entries[0].key == last_bottom_layer &&
            workload_words::plain_integer(entries[0].value, number) == number_status::ok)
            entries[0] = {{}, entries[0].value, false};
        return whole;
    }

    template <std::size_t N> static bool phase_of(json_value& v, workload::layer& layer) {
        using workload::phase;
        static constexpr json_member<phase> members[] = {
            {phase_members[0], [](json_value& m, phase& p) { return m.numeral(p.compute); }},
            {phase_members[1], [](json_value& m, phase& p) { return m.string(p.comm); }},
            {phase_members[2], [](json_value& m, phase& p) { return m.integer(p.bytes); }, older_bytes}};
        constexpr unsigned needed = 3;
        json_member_reader reader(members, needed, layer.*workload::phase_rows[N].member);
        return v.members(reader) && reader.has_needed(v.from());
    }
    static bool words_of(json_value& v, std::string_view& further) {
        std::string words;
        const bool whole = v.strings([&](std::size_t index, std::string_view word) {
            words.append(index == 0 ? "" : "\t").append(word);
            return true;
        });
        if (whole) further = v.from().keep(words);
        return whole;
    }
    static bool layer_of(json_records& from, ondemand::object& o, workload::layer& result) {
        using workload::layer;
        static constexpr json_member<layer> members[] = {
            {"name", [](json_value& v, layer& layer) { return v.string(layer.name); }},
            {"dependency", [](json_value& v, layer& layer) { return v.integer(layer.dependency); }},
            {workload::phase_rows[0].name, phase_of<0>},
            {workload::phase_rows[1].name, phase_of<1>},
            {workload::phase_rows[2].name, phase_of<2>},
            {"update", [](json_value& v, layer& layer) { return v.numeral(layer.update); }},
            {"policy", [](json_value& v, layer& layer) { return v.string(layer.policy); }},
            {"further", [](json_value& v, layer& layer) { return words_of(v, layer.further); }}};
        constexpr unsigned needed = 6;
        json_member_reader reader(members, needed, result);
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            const bool is_header = key == "header" || key == "declared_layers";
            return is_header ? v.fail_key(error_kind::text_after_layers, key) : reader(key, v);
        });
        return whole && reader.has_needed(from);
    }

    workload::header header_;
    workload::layer record_;
    std::int64_t layers_ = 0;  // the number of layers that were read or had an error
    bool is_short_ = false;    // whether it has been reported that there are fewer than declared
};

class json_tables {
public:
    const table::profile* next(json_records& from) {
        ondemand::object o;
        if (!begun_) table_ = {};
        if (has_ahead_) begin();
        while (from.next(o)) {
            bool is_head = false;
            if (!read_part(from, o, is_head)) return nullptr;
            if (!is_head) continue;
            has_ahead_ = begun_;
            if (has_ahead_) break;
            begin();
        }
        if (from.error() || !begun_) return nullptr;
        begun_ = false;
        return finish();
    }
    const table::profile* unfinished() { return begun_ ? finish() : nullptr; }
    const table::profile& record() const noexcept { return table_; }

private:
    void begin() {
        table_ = std::move(ahead_);
        begun_ = true;
        has_ahead_ = false;
    }
    const table::profile* finish() {
        for (std::size_t n = 0; n != table_.columns.size(); ++n)
            table_.columns[n].width = width_for_long_texts(table_, n);
        return &table_;
    }

    static bool columns_of(json_value& v, table::profile& profile) {
        return v.items(json_value::wanted::strings, [&](std::size_t, json_value& item) {
            std::string_view name;
            if (!item.string(name)) return false;
            profile.columns.emplace_back(name);
            return profile.columns.size() <= table::max_columns || item.fail(error_kind::too_many_columns);
        });
    }
    static bool totals_of(json_value& v, table::profile& profile) {
        return v.members([&](std::string_view name, json_value& value) {
            profile.totals.push_back({name});
            table::cell& cell = profile.totals.back().value;
            if (value.kind() != json_kind::null) return read_value(value, table::unit::microseconds, cell);
            // A total is never empty: null stands for NaN.
            cell = table::cell(std::string_view("NaN"));
            return true;
        });
    }

    // The cell for a number: the number or, if printing would round it or change its type, a text with all its digits.
    static table::cell cell_of(json_records& from, number v, table::unit unit) {
        if (v.is_text()) return table::cell(v.text());
        // In these columns, every number but 0 is a decimal.
        const bool decimals =
            unit == table::unit::microseconds || unit == table::unit::percent || unit == table::unit::bytes;
        const number decimal = v.value_or(0.0);
        if (decimals && v.is_integer() && v != 0 && decimal.as<std::int64_t>() == v.as<std::int64_t>()) v = decimal;
        char printed[max_value_chars];
        number read;
        const auto holds = [&](std::string_view text) {
            return table_cells::read_any_cell(unit, text, read) == error_kind::none;
        };
        if (holds(view(printed, table_printing::write_value(printed, unit, v))) && read == v) return table::cell(v);
        // A string and not a view: GCC 12 warns that copying a view of an array reads beyond the array.
        const std::string digits(view(printed, table_printing::write_all_digits(printed, unit, v)));
        return holds(digits) ? table_cells::cell_in(unit, table::cell(from.keep(digits))) : table::cell(v);
    }

    static bool read_value(json_value& v, table::unit unit, table::cell& cell) {
        std::string_view text;
        if (unit == table::unit::text && v.kind() == json_kind::number) return v.wrong_type(json_value::wanted::string);
        switch (v.kind()) {
        case json_kind::null: cell = table::cell(row_of(unit).nothing); return true;
        case json_kind::number: cell = cell_of(v.from(), v.numeral(), unit); return true;
        case json_kind::string:
            if (!v.string(text)) return false;
            if (text.empty() && unit != table::unit::text) return v.fail(error_kind::unwritable);  // reads as missing
            // A string stays a text even among values: writing refuses a text that would be read back as a value.
            cell = holds_texts(unit) ? table::cell(text) : table::cell(number(text_view(text)));
            return true;
        default: return v.wrong_type(json_value::wanted::scalar);
        }
    }

    // Several columns of sources have one stack, but for the first frame of each.
    static bool frames_of(json_value& v, table::cell& first, table::frame_list& further, bool& any) {
        std::vector<std::string_view> frames;
        const bool whole = v.strings([&](std::size_t index, std::string_view frame) {
            if (index == 0) first = table::cell(frame);
            else frames.push_back(frame);
            return true;
        });
        if (!whole) return false;
        if (any && !std::equal(frames.begin(), frames.end(), further.begin(), further.end()))
            return v.fail(error_kind::unwritable);
        any = true;
        if (!frames.empty()) further = table::frame_list(std::move(frames));
        return true;
    }

    // Reads a row of the current table, or the head of the next one into ahead_. It is a head if `columns` is an array
    // or `totals` an object: the only array that a row can have is Source Location.
    bool read_part(json_records& from, ondemand::object& o, bool& is_head) {
        static constexpr json_member<table::profile> members[] = {{"columns", columns_of}, {"totals", totals_of}};
        const std::vector<table::column>& columns = table_.columns;
        const std::size_t count = begun_ ? columns.size() : 0;
        ahead_ = {};
        constexpr unsigned needed = 1;
        json_member_reader head_reader(members, needed, ahead_);
        std::vector<table::cell> cells(count);
        std::vector<bool> filled(count);
        table::frame_list frames;
        bool any_frames = false;
        bool in_order = true;
        std::size_t next = 0;
        std::string_view before_head;  // a member of a row that turns out to be a head
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            const bool begins_head = (key == members[0].name && v.kind() == json_kind::array) ||
                                     (key == members[1].name && v.kind() == json_kind::object);
            is_head = is_head || begins_head || count == 0;
            if (is_head) return head_reader(key, v);
            // Members usually come in the order of the columns. Those of one name are its columns in their order.
            std::size_t c = next;
            in_order = in_order && c != count && columns[c].name == key;
            if (!in_order)
                for (c = 0; c != count && (columns[c].name != key || filled[c]);) ++c;
            if (c == count)
                return v.fail_key(
                    table_.find_column(key) == count ? error_kind::unknown_member : error_kind::duplicate_key, key);
            filled[c] = true;
            next = c + 1;
            before_head = key;
            const table::unit unit = columns[c].unit;
            return unit == table::unit::source ? frames_of(v, cells[c], frames, any_frames)
                                               : read_value(v, unit, cells[c]);
        });
        if (!whole) return false;
        if (is_head && before_head.data() != nullptr) return from.fail_record(error_kind::unknown_member, before_head);
        if (is_head || count == 0) return head_reader.has_needed(from);
        for (std::size_t c = 0; c != count; ++c)
            if (!filled[c] && filled[table_.find_column(columns[c].name)])
                return from.fail_record(error_kind::missing_member, columns[c].name);
        table_.cells.insert(table_.cells.end(), cells.begin(), cells.end());
        table_.frames.push_back(std::move(frames));
        return true;
    }

    // The width of a column: 0 for PyTorch's own or, if that would cut a text, one that fits the longest text.
    static std::uint32_t width_for_long_texts(table::profile& profile, std::size_t n) {
        constexpr std::size_t max_characters = std::size_t{1} << 20;
        profile.columns[n].width = 0;
        const column_limit limit = table_printing::limit_of(profile.columns[n], n == 0);
        if (limit.longer == column_limit::cut::none) return 0;
        const std::size_t longest = table_layout::longest_text(profile, n);
        return longest <= limit.size || longest > max_characters ? 0
                                                                 : static_cast<std::uint32_t>(longest + text_padding);
    }

    table::profile table_;
    table::profile ahead_;  // a head that was found in place of a row
    bool begun_ = false;
    bool has_ahead_ = false;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::SIMDJSON_BUILTIN_IMPLEMENTATION

#endif
