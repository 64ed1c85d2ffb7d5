// The part of simdjson's interface that wlfmt/json/read.hpp uses, for the Python package, which needs no library so.
// The JSON is what Python's json.dumps has written: what is read stays within it whatever it holds, but all that it
// checks is what a reader trips over. Time is linear where no value is deeper than the records of the three formats
// are.
#ifndef WLFMT_PYTHON_JSON_SIMDJSON_H
#define WLFMT_PYTHON_JSON_SIMDJSON_H

#include <cstddef>
#include <string_view>

#define SIMDJSON_BUILTIN_IMPLEMENTATION plain

namespace simdjson {

constexpr std::size_t SIMDJSON_PADDING = 16;
enum error_code { SUCCESS, MEMALLOC, TAPE_ERROR };

template <class T>
class simdjson_result {
public:
    simdjson_result(T value) : value_(value), code_(SUCCESS) {}
    simdjson_result(error_code code) : value_(), code_(code) {}
    error_code get(T& to) const {
        if (code_ == SUCCESS) to = value_;
        return code_;
    }

private:
    T value_;
    error_code code_;
};

namespace ondemand {

// Functions over the bytes from p to the end. Those that find something return null where the JSON is broken.
struct text {
    static const char* skip_blanks(const char* p, const char* end) {
        while (p != end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) ++p;
        return p;
    }
    static const char* end_of_string(const char* p, const char* end) {
        for (++p; p != end; ++p) {
            if (*p == '"') return p + 1;
            if (*p == '\\' && ++p == end) break;
        }
        return nullptr;
    }
    static const char* end_of_scalar(const char* p, const char* end) {
        const char* const begin = p;
        while (p != end && std::string_view(" \n\t\r,:]}[{\"").find(*p) == std::string_view::npos) ++p;
        return p != begin ? p : nullptr;
    }
    // Without recursion, as what is nested may be nested deeply.
    static const char* end_of_value(const char* p, const char* end) {
        std::size_t depth = 0;
        do {
            p = skip_blanks(p, end);
            if (p == end) return nullptr;
            if (*p == '{' || *p == '[') {
                ++depth;
                ++p;
            } else if (*p == '}' || *p == ']') {
                if (depth == 0) return nullptr;
                --depth;
                ++p;
            } else if (*p == ',' || *p == ':') {
                if (depth == 0) return nullptr;
                ++p;
            } else {
                p = *p == '"' ? end_of_string(p, end) : end_of_scalar(p, end);
                if (p == nullptr) return nullptr;
            }
        } while (depth != 0);
        return p;
    }
};

class raw_json_string {
public:
    explicit raw_json_string(const char* p = nullptr) : p_(p) {}
    const char* raw() const { return p_; }

private:
    const char* p_;
};

class object;
class array;

class value {
public:
    value() = default;
    value(const char* p, const char* end) : p_(p), end_(end) {}
    // A scalar, or the bracket of an object or array.
    std::string_view raw_json_token() const {
        const char* to = p_ == end_ ? p_ : p_ + 1;
        if (p_ != end_ && *p_ == '"')
            to = text::end_of_string(p_, end_);
        else if (p_ != end_ && *p_ != '{' && *p_ != '[')
            to = text::end_of_scalar(p_, end_);
        return to != nullptr ? std::string_view(p_, static_cast<std::size_t>(to - p_)) : std::string_view();
    }
    simdjson_result<object> get_object() const;
    simdjson_result<array> get_array() const;

private:
    const char* p_ = nullptr;
    const char* end_ = nullptr;
};

class field {
public:
    field() = default;
    field(const char* key, ondemand::value of) : key_(key), value_(of) {}
    raw_json_string key() const { return raw_json_string(key_); }
    ondemand::value value() const { return value_; }

private:
    const char* key_ = nullptr;
    ondemand::value value_;
};

// The items of a list in brackets; Item::read(p, end) reads the one at p, and moves p to its value.
template <class Item>
class items {
public:
    items() = default;
    items(const char* p, const char* end) : p_(p), end_(end) {}

    class iterator {
    public:
        iterator() = default;
        iterator(const char* p, const char* end) : p_(text::skip_blanks(p, end)), end_(end) { is_at_end_ = closes(); }
        simdjson_result<typename Item::type> operator*() {
            if (p_ == end_) return TAPE_ERROR;
            return Item::read(p_, end_);
        }
        // After what is broken, a reader asks for nothing more.
        iterator& operator++() {
            const char* const after = text::end_of_value(p_, end_);
            p_ = after != nullptr ? text::skip_blanks(after, end_) : end_;
            is_at_end_ = closes();
            if (is_at_end_) return *this;
            p_ = p_ != end_ && *p_ == ',' ? text::skip_blanks(p_ + 1, end_) : end_;
            return *this;
        }
        bool operator!=(const iterator&) const { return !is_at_end_; }

    private:
        bool closes() const { return p_ != end_ && (*p_ == ']' || *p_ == '}'); }
        const char* p_ = nullptr;
        const char* end_ = nullptr;
        bool is_at_end_ = true;
    };
    iterator begin() const { return {p_, end_}; }
    iterator end() const { return {}; }

private:
    const char* p_ = nullptr;
    const char* end_ = nullptr;
};

struct member {
    using type = field;
    static simdjson_result<field> read(const char*& p, const char* end) {
        if (p == end || *p != '"') return TAPE_ERROR;
        const char* const key = p + 1;
        const char* at = text::end_of_string(p, end);
        at = at != nullptr ? text::skip_blanks(at, end) : end;
        if (at == end || *at != ':') return TAPE_ERROR;
        p = text::skip_blanks(at + 1, end);
        return field(key, value(p, end));
    }
};
struct item {
    using type = value;
    static simdjson_result<value> read(const char*& p, const char* end) { return value(p, end); }
};
class object : public items<member> {
public:
    using items::items;
};
class array : public items<item> {
public:
    using items::items;
};

inline simdjson_result<object> value::get_object() const {
    if (p_ == end_ || *p_ != '{') return TAPE_ERROR;
    return object(p_ + 1, end_);
}
inline simdjson_result<array> value::get_array() const {
    if (p_ == end_ || *p_ != '[') return TAPE_ERROR;
    return array(p_ + 1, end_);
}

class document_reference {
public:
    document_reference() = default;
    document_reference(const char* p, const char* end) : p_(p), end_(end) {}
    simdjson_result<object> get_object() const { return value(p_, end_).get_object(); }
    simdjson_result<const char*> current_location() const { return p_; }

private:
    const char* p_ = nullptr;
    const char* end_ = nullptr;
};

// One value after the other.
class document_stream {
public:
    document_stream() = default;
    document_stream(const char* text, std::size_t size) : text_(text), size_(size) {}

    class iterator {
    public:
        iterator() = default;
        iterator(document_stream& of) : of_(&of) { find(); }
        simdjson_result<document_reference> operator*() const {
            return document_reference(p_, of_->text_ + of_->size_);
        }
        iterator& operator++() {
            of_->read_ = static_cast<std::size_t>(end_ - of_->text_);
            find();
            return *this;
        }
        bool operator!=(const iterator& other) const { return p_ != other.p_; }
        std::size_t current_index() const { return static_cast<std::size_t>(p_ - of_->text_); }

    private:
        // At the end, and before a value that is not whole, there is nothing.
        void find() {
            const char* const end = of_->text_ + of_->size_;
            p_ = ondemand::text::skip_blanks(of_->text_ + of_->read_, end);
            end_ = p_ != end ? ondemand::text::end_of_value(p_, end) : nullptr;
            if (p_ == end) of_->read_ = of_->size_;
            if (end_ == nullptr) p_ = nullptr;
        }
        document_stream* of_ = nullptr;
        const char* p_ = nullptr;
        const char* end_ = nullptr;
    };
    iterator begin() { return {*this}; }
    iterator end() { return {}; }
    std::size_t truncated_bytes() const { return size_ - read_; }

private:
    const char* text_ = nullptr;
    std::size_t size_ = 0;
    std::size_t read_ = 0;
};

class parser {
public:
    bool threaded = false;
    std::size_t capacity() const { return static_cast<std::size_t>(-1); }
    error_code allocate(std::size_t) { return SUCCESS; }
    simdjson_result<document_stream> iterate_many(const char* text, std::size_t size, std::size_t) {
        return document_stream(text, size);
    }
};

}  // namespace ondemand
}  // namespace simdjson

#endif
