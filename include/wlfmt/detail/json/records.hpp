// Reads the objects of a text of JSON Lines one by one, and their values.
#ifndef WLFMT_DETAIL_JSON_RECORDS_HPP
#define WLFMT_DETAIL_JSON_RECORDS_HPP

#include <algorithm>

#include <simdjson.h>

#include "../../characters.hpp"
#include "../../types/json.hpp"
#include "../base/escapes.hpp"
#include "../error/problems.hpp"
#include "../number/read.hpp"
#include "../number/write.hpp"
#include "../workload/schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Takes memory from json::texts for bytes and for arrays. Their items must own nothing, as no destructor is called.
struct texts_access {
    static char* take(json::texts& from, std::size_t size) {
        if (static_cast<std::size_t>(from.end_ - from.at_) < size) {
            const std::size_t larger = size > block ? size : block;
            from.blocks_.push_back(std::unique_ptr<char[]>(new char[larger]));
            // A large piece gets a block of its own, and what is left of the previous block stays in use.
            if (larger != block) return from.blocks_.back().get();
            from.at_ = from.blocks_.back().get();
            from.end_ = from.at_ + larger;
        }
        char* const piece = from.at_;
        from.at_ += size;
        return piece;
    }
    template <class T> static const T* keep(json::texts& from, const std::vector<T>& items) {
        char* at = take(from, items.size() * sizeof(T) + alignof(T));
        at += (alignof(T) - reinterpret_cast<std::uintptr_t>(at) % alignof(T)) % alignof(T);
        T* const copies = reinterpret_cast<T*>(at);
        std::uninitialized_copy(items.begin(), items.end(), copies);
        return copies;
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 16;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

namespace ondemand = simdjson::ondemand;

// What is wrong with a text that is not JSON. This is stored in problem::expected, and message() turns it into words.
enum class json_fault : std::int64_t { syntax, utf8, control_character, open_string, open_record, escape, not_object };

inline bool json_is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class json_records {
public:
    json_records(std::string_view text, json::texts& kept) noexcept : text_(text), kept_(kept) {
        if (text.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
#if defined(SIMDJSON_THREADS_ENABLED)
        parser_.threaded = false;
#endif
    }
    json_records(const json_records&) = delete;
    json_records& operator=(const json_records&) = delete;

    const problem& error() const noexcept { return error_; }
    std::uint64_t record_offset() const noexcept { return record_; }
    json::texts& kept() noexcept { return kept_; }

    // Gets the next object. Returns false at the end of the text and after an error.
    bool next(ondemand::object& object) {
        while (!error_) {
            path_.clear();
            if (open_) ++at_document_;
            else if (!open_batch()) return false;
            const bool any = at_document_ != documents_.end();
            if (!any) {
                close_batch();
                continue;
            }
            ondemand::document_reference document;
            const simdjson::error_code code = (*at_document_).get(document);
            if (code == simdjson::MEMALLOC) return no_memory();
            if (code != simdjson::SUCCESS) {
                retry_smaller();
                continue;
            }
            record_ = batch_offset_ + at_document_.current_index();
            any_in_batch_ = true;
            if (document.get_object().get(object) == simdjson::SUCCESS) return true;
            return not_json(json_fault::not_object, record_begin());
        }
        return false;
    }

    bool skip() {
        if (!error_) return false;
        // Continues at the next line that begins with `{`, so that only the object that was broken off is lost.
        const std::size_t line_end = text_.find("\n{", (std::max)(static_cast<std::size_t>(record_), at_));
        if (line_end == std::string_view::npos) return false;
        // The next batch is no longer than what has been read of this one, so that errors in every line take linear
        // time.
        goal_ = (std::min)(line_end + 1 - static_cast<std::size_t>(batch_offset_), batch_goal);
        go_on_at(line_end + 1);
        return true;
    }

    // Goes to the end of the text, after an error that reading cannot recover from.
    void end() noexcept { go_on_at(text_.size()); }

    // Functions that report an error return false, which their callers can return in turn. `at` points into the batch.
    bool fail(error_kind kind, const char* at, std::size_t length, std::int64_t found = 0, std::int64_t expected = 0) {
        if (error_) return false;
        error_.kind = kind;
        error_.offset = batch_offset_ + static_cast<std::uint64_t>(at - batch_);
        // simdjson may find the end of the text in the padding after it.
        if (error_.offset > text_.size()) error_.offset = text_.size();
        error_.length = length < text_.size() - error_.offset ? length : text_.size() - error_.offset;
        error_.field = keep(path_);
        error_.found = found;
        error_.expected = expected;
        return false;
    }
    // Reports an error of the whole record.
    bool fail_record(error_kind kind, std::string_view member) {
        const std::size_t before = push(member);
        fail(kind, record_begin(), 1);
        pop(before);
        return false;
    }
    // Reports that something is missing at the end of the text.
    bool fail_at_end(error_kind kind, std::int64_t found, std::int64_t expected) {
        error_ = {kind, text_.size(), 0, {}, found, expected};
        return false;
    }
    bool not_json(json_fault fault, const char* at, std::size_t length = 1) {
        // If another record begins on the next line, this one was broken off: the error is at the end of its line.
        const char* end = record_begin();
        while (end < at && *end != '\n') ++end;
        if (end < at && end + 1 == at && *at == '{')
            return fail(error_kind::not_json, end, 0, 0, static_cast<std::int64_t>(json_fault::open_record));
        return fail(error_kind::not_json, at, length, 0, static_cast<std::int64_t>(fault));
    }

    // Reports an error at the place where simdjson found that the record is not JSON.
    bool syntax_error() {
        const char* at = nullptr;
        ondemand::document_reference document;
        if (!any_in_batch_ || (*at_document_).get(document) != simdjson::SUCCESS ||
            document.current_location().get(at) != simdjson::SUCCESS || at < batch_ || at > batch_end())
            at = record_begin();
        return not_json(json_fault::syntax, at);
    }

    // Adds a member to the path of a value within its object. Returns the path's previous size, for pop().
    std::size_t push(std::string_view member) {
        const std::size_t before = path_.size();
        if (!path_.empty()) path_ += '.';
        path_ += member;
        return before;
    }
    std::size_t push(std::size_t index) {
        const std::size_t before = path_.size();
        path_ += '[';
        path_ += std::to_string(index);
        path_ += ']';
        return before;
    }
    void pop(std::size_t before) { path_.resize(before); }

    std::string_view keep(std::string_view text) {
        char* const copy = texts_access::take(kept_, text.size() + 1);
        if (!text.empty()) std::memcpy(copy, text.data(), text.size());
        return {copy, text.size()};
    }

    // Returns the text of the string whose opening quote is just before p; if an escape is invalid, reports that and
    // returns a view without data. simdjson has found the string's end and checked the UTF-8, but it does not decode
    // the string: it would refuse the lone surrogates that stand for stray bytes.
    std::string_view string_at(const char* p) {
        const char* end = p;
        while (*end != '"' && *end != '\\') ++end;
        return *end == '"' ? view(p, end) : unescape(p, end);
    }

    const char* batch_end() const noexcept { return batch_ + batch_size_; }
    bool has(std::string_view text) const noexcept { return is_view_of(text, {batch_, batch_size_}); }

private:
    static constexpr std::size_t batch_goal = std::size_t{1} << 18;

    const char* record_begin() const noexcept { return batch_ + (record_ - batch_offset_); }
    void go_on_at(std::size_t at) noexcept {
        at_ = at;
        open_ = grown_ = false;
        object_end_ = 0;
        error_ = {};
    }

    // Where the line that contains the byte at `at` ends, after its line end.
    std::size_t line_end(std::size_t at) const noexcept {
        const std::size_t end = text_.find('\n', at);
        return end == std::string_view::npos ? text_.size() : end + 1;
    }
    // Where the next batch ends: after as many whole lines as fit in goal_ bytes, and at least one; but after the line
    // that reaches goal_ bytes if an object did not fit in the last batch.
    std::size_t batch_end_in_text() const noexcept {
        if (object_end_ != 0) return object_end_;
        if (text_.size() - at_ <= goal_) return text_.size();
        if (grown_) return line_end(at_ + goal_);
        const std::size_t end = text_.rfind('\n', at_ + goal_ - 1);
        return end == std::string_view::npos || end < at_ ? line_end(at_) : end + 1;
    }

    // Passes the next lines to simdjson. Returns false at the end of the text and after an error.
    bool open_batch() {
        while (at_ != text_.size() && json_is_blank(text_[at_])) ++at_;
        if (at_ == text_.size()) return false;
        // A copy, as simdjson reads past the end of the text that it is given.
        batch_size_ = batch_end_in_text() - at_;
        char* const copy = texts_access::take(kept_, batch_size_ + simdjson::SIMDJSON_PADDING);
        std::memcpy(copy, text_.data() + at_, batch_size_);
        std::memset(copy + batch_size_, ' ', simdjson::SIMDJSON_PADDING);
        batch_ = copy;
        batch_offset_ = record_ = at_;
        any_in_batch_ = false;
        simdjson::error_code code = simdjson::SUCCESS;
        if (parser_.capacity() < batch_size_) code = parser_.allocate(batch_size_);
        if (code == simdjson::SUCCESS) code = parser_.iterate_many(batch_, batch_size_, batch_size_).get(documents_);
        if (code == simdjson::MEMALLOC) return no_memory();
        if (code != simdjson::SUCCESS) return not_json(json_fault::syntax, batch_);
        at_document_ = documents_.begin();
        open_ = true;
        return true;
    }

    // simdjson does not throw if it gets no memory. Asking the standard library for as much should throw; if it does
    // not, an error is reported.
    bool no_memory() {
        std::vector<char> asked;
        asked.reserve(batch_size_ * sizeof(std::uint64_t));
        return fail(error_kind::cannot_read, batch_, 0);
    }

    // Call it after the last object of a batch. The rest of the batch belongs to the next one.
    void close_batch() {
        open_ = false;
        const std::size_t left = (std::min)(std::size_t{documents_.truncated_bytes()}, batch_size_);
        at_ += batch_size_ - left;
        grown_ = false;
        const bool is_end = at_ + left == text_.size();
        if (left != 0) {
            record_ = at_;
            if (object_end_ != 0) return static_cast<void>(syntax_error());
            if (is_end || !any_in_batch_) {
                // simdjson does not find the end of an object that others without an end follow.
                const nested first = first_value(at_ + left);
                if (first.depth > max_depth) return too_deep(first.end);
                if (first.depth == 0) object_end_ = first.end;
                else if (is_end) return broken_off();
                // What is left may be an object over several lines that is longer than a batch.
                grown_ = first.depth != 0;
            }
        } else {
            object_end_ = 0;
        }
        // Batches after an error are small; they grow while there is none.
        goal_ = grown_ ? 2 * batch_size_ : (std::min)(2 * batch_size_, batch_goal);
    }

    // No record of a format is as deep. Without a limit, lines that each leave an object open would all be read to the
    // end of the text, in quadratic time.
    static constexpr std::size_t max_depth = 8;
    struct nested {
        std::size_t depth;
        std::size_t end;
    };
    // How many objects and arrays are open after the value at at_: none where it ends before `end`, and more than
    // max_depth where it is too deep. A string without an end ends with its line.
    nested first_value(std::size_t end) const noexcept {
        std::size_t depth = 0;
        for (std::size_t p = at_; p < end; ++p) {
            const char c = text_[p];
            if (c == '"') {
                while (++p < end && text_[p] != '"' && text_[p] != '\n') p += text_[p] == '\\';
            } else if (c == '{' || c == '[') {
                if (++depth > max_depth) return {depth, p};
            } else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
                return {0, p + 1};
            }
        }
        return {(std::max)(depth, std::size_t{1}), end};
    }
    // Reports the first line that begins an object within the one at at_, or the bracket of the innermost one.
    void too_deep(std::size_t bracket) {
        const std::size_t line_end = text_.find("\n{", at_);
        const bool is_cut = line_end < bracket;
        not_json(is_cut ? json_fault::open_record : json_fault::syntax,
                 batch_ + ((is_cut ? line_end + 1 : bracket) - batch_offset_));
    }

    // Reports that the text ends within an object or a string.
    void broken_off() {
        while (json_is_blank(text_[static_cast<std::size_t>(record_)])) ++record_;
        const char* end = batch_end();
        while (end != batch_ && json_is_blank(end[-1])) --end;
        if (!find_fault()) not_json(json_fault::open_record, end, 0);
    }

    // simdjson refuses a batch as a whole. Halving it finds the broken line, in linear time up to a logarithmic factor.
    void retry_smaller() {
        open_ = false;
        const bool one_line = line_end(at_) == at_ + batch_size_;
        if (!any_in_batch_ && !one_line && !grown_ && object_end_ == 0) goal_ = batch_size_ / 2;
        else if (!find_fault()) syntax_error();
    }

    // Looks, from the current record on, for a byte that JSON does not allow where it is, and for a string without an
    // end. Reports the first one, and returns whether there is one.
    bool find_fault() {
        const std::string_view batch(batch_, batch_size_);
        const char* quote = nullptr;
        for (std::size_t at = static_cast<std::size_t>(record_ - batch_offset_); at < batch.size();) {
            const std::size_t size = utf8_size(batch, at);
            const bool control = quote != nullptr && static_cast<unsigned char>(batch[at]) < 0x20;
            if (size == 0 || control)
                return !not_json(control ? json_fault::control_character : json_fault::utf8, &batch[at]);
            if (quote != nullptr && batch[at] == '\\') ++at;
            else if (batch[at] == '"') quote = quote == nullptr ? &batch[at] : nullptr;
            at += size;
        }
        return quote != nullptr && !not_json(json_fault::open_string, quote);
    }

    // Decodes the escape at p and moves p past it; false if JSON has no such escape. Python has all of JSON's but `\/`.
    bool read_escape(const char*& p, std::uint32_t& c) const noexcept {
        constexpr std::string_view letters = "\"\\/bfnrtu";
        if (letters.find(p[1]) == std::string_view::npos) return false;
        if (p[1] != '/') return escapes::read(p, batch_end(), c) == escape::character;
        c = '/';
        p += 2;
        return true;
    }
    // Decodes a character from one or two escapes. As in Python, a lone surrogate from U+DC80 to U+DCFF stands for a
    // byte that is not UTF-8.
    bool read_character(const char*& p, char*& out) const noexcept {
        std::uint32_t c = 0;
        if (!read_escape(p, c)) return false;
        const char* second = p;
        std::uint32_t low = 0;
        if (c >= 0xD800 && c < 0xDC00 && *p == '\\' && read_escape(second, low) && low >= 0xDC00 && low < 0xE000) {
            p = second;
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
        if (c >= 0xDC80 && c < 0xDD00) *out++ = static_cast<char>(static_cast<unsigned char>(c - 0xDC00));
        else out = escapes::write_utf8(out, c);
        return true;
    }

    // Decodes a string from p on; its first escape is at `backslash`. The decoded text is no longer than the string.
    // Bytes after the closing quote can be read, as the batch has padding.
    std::string_view unescape(const char* p, const char* backslash) {
        const char* end = backslash;
        while (*end != '"') end += *end == '\\' ? 2 : 1;
        char* const text = texts_access::take(kept_, static_cast<std::size_t>(end - p));
        char* out = text;
        while (p != end) {
            const char* const escape = p;
            if (*p != '\\') {
                *out++ = *p++;
            } else if (!read_character(p, out)) {
                not_json(json_fault::escape, escape, 2);
                return {};
            }
        }
        return view(text, out);
    }

    std::string_view text_;
    json::texts& kept_;
    ondemand::parser parser_;
    ondemand::document_stream documents_;
    ondemand::document_stream::iterator at_document_;
    const char* batch_ = nullptr;
    std::size_t batch_size_ = 0;
    std::uint64_t batch_offset_ = 0;
    std::uint64_t record_ = 0;
    std::size_t at_ = 0;             // where the open batch begins; without one, where the next begins
    std::size_t goal_ = batch_goal;  // the intended size of the next batch
    bool open_ = false;
    bool any_in_batch_ = false;
    std::size_t object_end_ = 0;  // where the next batch ends, if it is known
    bool grown_ = false;          // the next batch must be larger than the last one, which held no whole object
    problem error_;
    std::string path_;
};

inline bool json_is_number(std::string_view t) noexcept {
    const char* p = t.data();
    const char* const end = p + t.size();
    const auto digits = [&] {
        const char* const begin = p;
        while (p != end && is_digit(*p)) ++p;
        return p != begin;
    };
    if (p != end && *p == '-') ++p;
    if (p != end && *p == '0') ++p;
    else if (!digits()) return false;
    if (p != end && *p == '.' && (++p, !digits())) return false;
    if (p != end && (*p | 0x20) == 'e') {
        if (++p != end && (*p == '+' || *p == '-')) ++p;
        if (!digits()) return false;
    }
    return p == end;
}

// The kind of a value; a `broken` one is not JSON.
enum class json_kind : std::uint8_t { null, boolean, number, string, array, object, broken };

class json_value {
public:
    json_value(json_records& from, ondemand::value v)
        : from_(from), value_(v), token_(token_of(value_)), kind_(kind_of(token_)) {
        if (kind_ == json_kind::broken) from_.not_json(json_fault::syntax, token_.data());
    }

    json_kind kind() const noexcept { return kind_; }
    std::string_view token() const noexcept { return token_; }
    bool is_integer() const noexcept {
        return kind_ == json_kind::number && token_.find_first_of(".eE") == std::string_view::npos;
    }
    json_records& from() const noexcept { return from_; }

    // Gets a scalar as the formats write it: None, True, False, a number (1e3 as 1000.0, since 1e3 would be read as an
    // identifier), a string's characters. Anything else is an error.
    bool text(std::string_view& result) {
        switch (kind_) {
        case json_kind::null: result = "None"; return true;
        case json_kind::boolean: result = token_ == "true" ? "True" : "False"; return true;
        case json_kind::number: result = written_number(); return true;
        case json_kind::string: return string(result);
        default: return wrong_type(wanted::scalar);
        }
    }
    // Gets a string. Anything else is an error.
    bool string(std::string_view& result) {
        if (kind_ != json_kind::string) return wrong_type(wanted::string);
        result = from_.string_at(token_.data() + 1);
        return result.data() != nullptr;
    }
    std::string_view written_number() {
        const number n = numeral();
        char written[max_repr_chars];
        const std::string_view digits = n.is_text() ? token_ : view(written, write_number(written, n));
        return digits == token_ ? token_ : from_.keep(digits);
    }
    // Gets a scalar as text(), but a number as the size of a header (2.4-14): a decimal from 2^53 on is an integer, as
    // its double may be another one.
    bool size(std::string_view& result) {
        number n;
        if (kind_ != json_kind::number) return text(result);
        const error_kind wrong = workload_words::size_in(token_, token_.data() + token_.size(), n);
        if (wrong == error_kind::none && (!n.is_integer() || numeral().is_integer())) return text(result);
        // Writing refuses what is no size.
        result = wrong != error_kind::none ? token_ : from_.keep(std::to_string(number_access::integer(n)));
        return true;
    }
    // The number that the token is; if it does not fit in 64 bits, a text of its digits.
    number numeral() const noexcept { return numeral_of(token_); }
    static number numeral_of(std::string_view text) noexcept {
        number n;
        const char* p = text.data();
        const number_status status = read_number(p, text.data() + text.size(), n);
        return status == number_status::ok && p == text.data() + text.size() ? n : number(text);
    }
    // Gets an integer of 64 bits.
    template <class Integer> bool integer(Integer& result) {
        std::int64_t whole = 0;
        if (kind_ != json_kind::number) return wrong_type(wanted::number);
        const error_kind wrong = workload_words::integer_in(token_, token_.data() + token_.size(), whole);
        if (wrong != error_kind::none) return fail(wrong);
        result = whole;
        return true;
    }
    // Gets an integer or a decimal that fits in 64 bits.
    bool numeral(number& result) {
        if (kind_ != json_kind::number) return wrong_type(wanted::number);
        result = numeral();
        return !result.is_text() || fail(error_kind::number_overflow);
    }

    // The types that wrong_type() can report as expected.
    enum class wanted : std::int64_t { scalar, string, number, object, array, strings, integers, objects_or_strings };
    bool wrong_type(wanted expected) {
        if (kind_ == json_kind::broken) return false;
        return from_.fail(error_kind::wrong_type, token_.data(), token_.size(), static_cast<std::int64_t>(kind_),
                          static_cast<std::int64_t>(expected));
    }
    bool fail(error_kind kind) { return from_.fail(kind, token_.data(), token_.size()); }
    // Reports an error at the value's key, or at the value if the key had escapes and so is not a view of the JSON.
    bool fail_key(error_kind kind, std::string_view key) {
        return from_.has(key) ? from_.fail(kind, key.data(), key.size()) : fail(kind);
    }

    // Calls each(key, value) for each member of an object, or each(index, value) for each item of an array. Returns
    // false after an error: the value is not an object or array, the JSON is broken, or each() has returned false.
    template <class Each> bool members(Each&& each) {
        ondemand::object o;
        if (kind_ != json_kind::object) return wrong_type(wanted::object);
        return value_.get_object().get(o) == simdjson::SUCCESS ? members_of(from_, o, each) : from_.syntax_error();
    }
    template <class Each> bool items(wanted expected, Each&& each) {
        ondemand::array a;
        if (kind_ != json_kind::array) return wrong_type(expected);
        if (value_.get_array().get(a) != simdjson::SUCCESS) return from_.syntax_error();
        std::size_t index = 0;
        for (auto item : a) {
            ondemand::value v;
            if (std::move(item).get(v) != simdjson::SUCCESS) return from_.syntax_error();
            if (!visit(from_, index++, v, each)) return false;
        }
        return true;
    }
    // Calls each(index, text) for each item of an array of strings.
    template <class Each> bool strings(Each&& each) {
        return items(wanted::strings, [&](std::size_t index, json_value& item) {
            std::string_view text;
            return item.string(text) && each(index, text);
        });
    }
    template <class Each> static bool members_of(json_records& from, ondemand::object& o, Each&& each) {
        for (auto field : o) {
            ondemand::field f;
            if (std::move(field).get(f) != simdjson::SUCCESS) return from.syntax_error();
            const std::string_view key = from.string_at(f.key().raw());
            if (key.data() == nullptr || !visit(from, key, std::move(f).value(), each)) return false;
        }
        return true;
    }

private:
    // `place` is the key of the value, or its index.
    template <class Place, class Each>
    WLFMT_INLINE static bool visit(json_records& from, const Place& place, ondemand::value v, Each& each) {
        const std::size_t before = from.push(place);
        json_value value(from, v);
        if (value.kind_ == json_kind::broken || !each(place, value)) return false;
        from.pop(before);
        return true;
    }
    // simdjson's tokens include the blanks that follow them.
    static std::string_view token_of(ondemand::value& v) noexcept {
        std::string_view token = v.raw_json_token();
        while (!token.empty() && json_is_blank(token.back())) token.remove_suffix(1);
        return token;
    }
    static json_kind kind_of(std::string_view token) noexcept {
        if (token.empty()) return json_kind::broken;
        switch (token[0]) {
        case '{': return json_kind::object;
        case '[': return json_kind::array;
        case '"': return json_kind::string;
        case 'n': return token == "null" ? json_kind::null : json_kind::broken;
        case 't': return token == "true" ? json_kind::boolean : json_kind::broken;
        case 'f': return token == "false" ? json_kind::boolean : json_kind::broken;
        default: return json_is_number(token) ? json_kind::number : json_kind::broken;
        }
    }

    json_records& from_;
    ondemand::value value_;
    std::string_view token_;
    json_kind kind_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::SIMDJSON_BUILTIN_IMPLEMENTATION

#endif
