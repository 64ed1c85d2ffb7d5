// Reading workload files: the operations of a reader on its state.
//
// A layer is read on one of two paths with the same answers. The plain path (plain.hpp) reads a line of twelve
// well-formed fields with one tab between them; at anything else it gives up, and the general path reads the line field
// by field and says what is wrong with it.
#ifndef WLFMT_DETAIL_WORKLOAD_READER_HPP
#define WLFMT_DETAIL_WORKLOAD_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/error.hpp"
#include "header.hpp"
#include "line.hpp"
#include "lists.hpp"
#include "plain.hpp"
#include "schema.hpp"
#include "state.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The reader's operations on its state.
template <class Way>
struct workload_reading {
    using state = workload_state;
    using words = workload_words<kernel>;
    using header = workload_header<kernel>;
    using lines = workload_line<kernel>;
    using layer_line = lines::layer_line;
    using layer_tail = lines::layer_tail;

    // Reports what even a lenient reader cannot read, and ends the reading.
    static void refuse(state& r, error_kind what, word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        r.part_ = state::part::nothing;
        r.problems_.refuse(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                           expected);
    }
    static bool report(state& r, error_kind what, word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        return r.problems_.report(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                                  expected);
    }
    static void warn(state& r, word where, std::string_view field) noexcept {
        r.problems_.warn(error_kind::negative_value, where.begin, static_cast<std::size_t>(where.end - where.begin),
                         field);
    }

    // Reads the header line. Returns true if the line with the count may follow.
    static bool read_header(state& r) noexcept {
        constexpr std::string_view mark = byte_order_mark;
        if (view(r.at_, r.end_).substr(0, mark.size()) == mark) r.at_ += mark.size();
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        if (p == r.end_) {
            refuse(r, error_kind::no_records, {p, p}, "layer");
            return false;
        }
        const char* const line_end = find_far(p, r.end_, '\n');
        const word policy = {p, words::word_end(p, line_end)};
        const std::string_view entries = trimmed(view(policy.end, line_end));
        const char* const last = entries.empty() ? policy.end : entries.data() + entries.size();
        r.at_ = line_end == r.end_ ? line_end : line_end + 1;
        r.header_.policy = policy.text();
        r.header_.entries = workload::entry_list(entries, r.header_.policy);
        r.header_.source = view(p, last);
        r.customized_ = has_own_policies(r.header_.policy);
        // Reports everything that is wrong. Unless the reader is lenient, it stops at the first problem.
        if (policy.text().substr(0, mark.size()) == mark)
            report(r, error_kind::header_value, {p, p + mark.size()}, "policy");
        else if (words::is_number(policy))
            report(r, error_kind::header_value, policy, "policy");
        bool number_first = is_dlrm(r.header_.policy);
        const char* next = policy.end;
        const char* detached = nullptr;  // a colon that was reported with the key before it
        while ((next = words::skip_blanks(next, last)) != last) {
            workload::entry e;
            entry_problem wrong;
            next = header::check_entry(next, last, number_first, e, wrong);
            number_first = false;
            header::record_target_key(r.target_, e);
            const std::string_view key = e.key.empty() && !e.colon ? last_bottom_layer : e.key;
            if (wrong.what == error_kind::negative_value)
                warn(r, wrong.where, key);
            else if (wrong.what != error_kind::none && wrong.where.begin != detached)
                report(r, wrong.what, wrong.where, key, wrong.found, wrong.expected);
            detached = wrong.what != error_kind::none && wrong.where.text() == ":" ? wrong.where.begin : nullptr;
        }
        const std::string_view missing = header::missing_key(r.target_);
        if (!missing.empty()) report(r, error_kind::header_value, {last, last}, missing, 0, -1);
        r.target_bound_ = header::binds_layers(r.target_);
        return r.problems_.ok();
    }

    // Reads the two header lines.
    static void start(state& r) noexcept {
        if (!read_header(r)) return;
        read_count(r);
        if (r.problems_.ok() && r.part_ == state::part::layers) start_plain_path(r);
    }

    // The line with the number of layers.
    static void read_count(state& r) noexcept {
        constexpr std::string_view field = layer_count;
        r.part_ = state::part::layers;
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        const layer_line line(p, r.end_);
        if (line.count == 0 || line.is_layer_sized()) {
            report(r, error_kind::missing_layer_count, {p, p}, field);
            if (line.count == 0) r.part_ = state::part::nothing;
            r.at_ = p;
            return;
        }
        r.at_ = line.next;
        const word count = line.fields[0];
        r.header_.source = view(r.header_.source.data(), count.end);
        const error_kind what = words::integer_in(count, r.end_, r.declared_);
        if (what == error_kind::none) r.header_.declared_layers = r.declared_;
        if (what != error_kind::none || r.declared_ < 0) {
            report(r, what != error_kind::none ? what : error_kind::negative_value, count, field);
            return;
        }
        r.count_ = count.text();
        if (line.count > 1) report(r, error_kind::text_after_count, {line.fields[1].begin, line.last}, field);
    }

    static bool is_counted(const state& r) noexcept { return !is_missing(r.count_); }
    static bool is_miscounted(const state& r) noexcept { return is_counted(r) && r.layers_ != r.declared_; }
    static bool is_past(const state& r) noexcept { return is_counted(r) && r.layers_ >= r.declared_; }
    static bool has_only_blanks_left(const state& r) noexcept {
        return words::skip_blank_lines(r.at_, r.end_) == r.end_;
    }

    // At the end of the text: are there as many layers as declared?
    static const workload::layer* finish(state& r) noexcept {
        r.part_ = state::part::nothing;
        if (is_miscounted(r)) {
            r.problems_.report(error_kind::layer_count_mismatch, r.count_.data(), r.count_.size(), layer_count,
                               r.layers_, r.declared_);
        }
        return nullptr;
    }

    // Reads the fields that a line has, at most twelve.
    struct field_check {
        error_kind what = error_kind::none;  // what is wrong with the first field that cannot be read
        std::size_t guilty = 0;              // the number of that field
        unsigned odd = 0;                    // a bit for each field that can be read and has something wrong with it
    };
    static field_check type_fields(const layer_line& line, const char* end, workload::layer& to) noexcept {
        field_check t;
        const std::size_t fields = line.count < layer_fields ? line.count : layer_fields;
        for (std::size_t field = 0; field != fields && t.what == error_kind::none; ++field) {
            t.guilty = field;
            const error_kind what = lines::read_field(field, line.fields[field], end, to);
            if (!lines::is_readable(what))
                t.what = what;
            else if (what != error_kind::none)
                t.odd |= 1U << field;
        }
        return t;
    }
    // Reports numbers in place of collectives, and values below 0. Returns true if the reader may go on.
    static bool report_odd_fields(state& r, const layer_line& line, unsigned odd, std::int64_t found,
                                  std::int64_t expected) noexcept {
        workload::layer again;
        for (std::size_t field = 0; field != layer_fields; ++field) {
            if ((odd >> field & 1U) == 0) continue;
            const word w = line.fields[field];
            const error_kind what = lines::read_field(field, w, r.end_, again);
            if (what == error_kind::negative_value) warn(r, w, layer_field_names[field]);
            if (what != error_kind::related_format) continue;
            if (!report(r, what, w, phase_rows[field / 3 - 1].numeric_comm, found, expected)) return false;
        }
        return true;
    }
    // Are the last five fields those of the header? Returns true if the reader may go on.
    static bool check_target(state& r, const layer_line& line) noexcept {
        const word* const fields = line.fields + line.count - target_keys_count;
        for (std::size_t n = 0; n != target_keys_count; ++n) {
            if (fields[n].text() == r.target_.values[n]) continue;
            if (!report(r, error_kind::header_mismatch, fields[n], target_keys[n])) return false;
        }
        return true;
    }

    // Reads any line. Returns true if the line is a layer that can be read. Otherwise its problem was reported, and the
    // line is to be passed over if the reader is still ok().
    static bool read_line(state& r, const layer_line& line) noexcept {
        const field_check t = type_fields(line, r.end_, r.record_);
        const bool typed = line.count >= layer_fields && t.what == error_kind::none;
        const std::size_t own = layer_fields + r.customized_;
        const layer_tail tail(line, r.target_bound_ ? own + target_keys_count : 0);
        const auto found = static_cast<std::int64_t>(line.count);
        const auto expected = static_cast<std::int64_t>(own + (tail.target || r.target_bound_ ? target_keys_count : 0));

        const bool past = is_past(r);
        const bool layer_sized = line.count >= layer_fields && tail.policies <= 1;
        if (past && !typed && !(layer_sized && t.guilty > 1)) {
            if (r.text_after_layers_) return false;
            r.text_after_layers_ = true;
            report(r, error_kind::text_after_layers, line.whole(), layer_count, r.layers_, r.declared_);
            return false;
        }
        if (r.layers_ == 0 && !past && !tail.target && !r.target_bound_) {
            const std::string_view relative = lines::related_format(line, typed);
            if (!relative.empty()) {
                refuse(r, error_kind::related_format, line.whole(), relative, found, expected);
                return false;
            }
        }
        ++r.layers_;
        r.record_.policy = tail.policy_of(line);
        r.record_.further = tail.further_of(line);
        r.record_.source = line.whole().text();
        if (found != expected) {
            const std::string_view field = line.count < layer_fields ? lines::missing_field(line) : "policy";
            if (!report(r, error_kind::field_count, line.whole(), field, found, expected) || !typed) return false;
        }
        if (!typed) {
            report(r, t.what, line.fields[t.guilty], layer_field_names[t.guilty]);
            return false;
        }
        if (t.odd != 0 && !report_odd_fields(r, line, t.odd, found, expected)) return false;
        return !tail.target || check_target(r, line);
    }

    // Lets the plain path read the line at r.at_. It needs a window of text, and sixteen bytes before the line.
    static void start_plain_path(state& r) noexcept {
        const bool fits = r.end_ - r.at_ >= window_size && r.at_ - r.problems_.text >= 16;
        if (has_plain_paths && fits && !r.customized_ && !r.target_bound_)
            r.separators_ = {r.at_, separator_bits(r.at_), r.end_ - window_size};
    }

    // This function is small and calls the rest at its end, so that it saves no registers for a layer of the plain
    // path.
    static const workload::layer* next(state& r) noexcept {
        if (WLFMT_LIKELY(r.separators_.window != nullptr)) {
            const char* const line_end = workload_plain<kernel>::read_layer(r.at_, r.separators_, r.record_);
            if (WLFMT_LIKELY(line_end != nullptr)) {
                r.at_ = line_end + 1;
                ++r.layers_;
                return &r.record_;
            }
        }
        return next_of_general_path(r);
    }
    WLFMT_NOINLINE static const workload::layer* next_of_general_path(state& r) noexcept {
        r.separators_ = {};
        if (r.part_ != state::part::layers) return nullptr;
        while (r.problems_.ok()) {
            const char* const p = words::skip_blank_lines(r.at_, r.end_);
            if (p == r.end_) return finish(r);
            const layer_line line(p, r.end_);
            r.at_ = line.next;
            if (!read_line(r, line)) continue;
            start_plain_path(r);
            return &r.record_;
        }
        return nullptr;
    }

    static bool skip(state& r) noexcept {
        if (r.problems_.ok() || r.part_ == state::part::nothing) return false;
        // At the end, a wrong number of layers may still have to be reported.
        if (r.part_ == state::part::layers && has_only_blanks_left(r) && !is_miscounted(r)) return false;
        r.problems_.first = {};
        if (r.part_ == state::part::count) read_count(r);
        return true;
    }

    // How many layers to reserve room for: as many as declared, but no more than the rest of the text could hold if its
    // lines were as long as the first one.
    static std::size_t estimate(const state& r) noexcept {
        constexpr std::size_t shortest_line = 2 * layer_fields;  // fields of one byte, each with its separator
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        const char* const line_end = find_far(p, r.end_, '\n');
        const std::size_t line = static_cast<std::size_t>(line_end - p) + 1;
        if (line < shortest_line) return 0;
        const std::size_t lines = static_cast<std::size_t>(r.end_ - p) / line + 1;
        const bool fewer = r.declared_ > 0 && static_cast<std::uint64_t>(r.declared_) < lines;
        return fewer ? static_cast<std::size_t>(r.declared_) : lines;
    }
    // After an error that ended the reading of a document: were all layers read? Looks at the rest of the text without
    // reporting what it finds there.
    static bool has_read_all(state& r) noexcept {
        const error_kind what = r.problems_.first.kind;
        if (what == error_kind::layer_count_mismatch) return r.layers_ >= r.declared_;
        if (what != error_kind::text_after_layers) return false;
        r.problems_.how.on_problem = nullptr;
        if (!skip(r)) return true;
        return next(r) == nullptr && (r.problems_.ok() || r.problems_.first.kind == error_kind::layer_count_mismatch);
    }

    static result<workload::document> read_all(std::string_view text, const options& how) {
        state r(kernel(), text, how);
        start(r);
        workload::document doc;
        if (r.problems_.ok()) doc.layers.reserve(estimate(r));
        while (const workload::layer* l = next(r)) doc.layers.push_back(*l);
        doc.header() = r.header_;
        if (r.problems_.ok()) return doc;
        const error e = r.problems_.first;
        return {std::move(doc), e, has_read_all(r)};
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
