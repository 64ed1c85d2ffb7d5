// Record batches as the structs of the Arrow C data interface.
//
// Every struct owns what it shows: an array keeps its batch alive with the other arrays of that batch, a schema holds
// its own texts. A struct that was moved out of its parent, whose `release` is null there, outlives the parent.
#ifndef WLFMT_DETAIL_ARROW_EXPORT_HPP
#define WLFMT_DETAIL_ARROW_EXPORT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../types/arrow.hpp"
#include "column.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The children and the dictionary of a schema or an array, each of which may have been moved away by the consumer.
template <class Struct>
struct arrow_family {
    std::vector<Struct> children;
    std::vector<Struct*> places;
    Struct dictionary = {};

    arrow_family() = default;
    arrow_family(const arrow_family&) = delete;
    arrow_family& operator=(const arrow_family&) = delete;
    ~arrow_family() {
        for (Struct& child : children) release(child);
        release(dictionary);
    }
    void show_in(Struct& to) {
        for (Struct& child : children) places.push_back(&child);
        to.n_children = static_cast<std::int64_t>(places.size());
        to.children = places.empty() ? nullptr : places.data();
        to.dictionary = dictionary.release != nullptr ? &dictionary : nullptr;
    }
    static void release(Struct& one) {
        if (one.release != nullptr) one.release(&one);
    }
};

struct arrow_schema_owner : arrow_family<ArrowSchema> {
    std::string name;
};

// `format` is a literal.
inline void make_arrow_schema(const char* format, std::string name, std::int64_t flags,
                              std::unique_ptr<arrow_schema_owner> own, ArrowSchema& to) {
    own->name = std::move(name);
    to = ArrowSchema();
    to.format = format;
    to.name = own->name.c_str();
    to.flags = flags;
    own->show_in(to);
    to.private_data = own.release();
    to.release = [](ArrowSchema* s) {
        delete static_cast<arrow_schema_owner*>(s->private_data);
        s->release = nullptr;
    };
}
inline void make_arrow_schema(const arrow_column& c, ArrowSchema& to) {
    auto own = std::make_unique<arrow_schema_owner>();
    const char* format = "l";
    switch (c.type()) {
    case arrow_type::integer: break;
    case arrow_type::decimal: format = "g"; break;
    case arrow_type::word:
        format = "i";
        make_arrow_schema("u", std::string(), ARROW_FLAG_NULLABLE, std::make_unique<arrow_schema_owner>(),
                          own->dictionary);
        break;
    case arrow_type::integers:
        format = "+l";
        own->children.resize(1);
        make_arrow_schema("l", "item", 0, std::make_unique<arrow_schema_owner>(), own->children[0]);
        break;
    }
    make_arrow_schema(format, c.name(), ARROW_FLAG_NULLABLE, std::move(own), to);
}
inline void make_arrow_schema(const std::vector<arrow_column>& columns, ArrowSchema& to) {
    auto own = std::make_unique<arrow_schema_owner>();
    own->children.resize(columns.size());
    for (std::size_t n = 0; n != columns.size(); ++n) make_arrow_schema(columns[n], own->children[n]);
    make_arrow_schema("+s", std::string(), 0, std::move(own), to);
}

struct arrow_array_owner : arrow_family<ArrowArray> {
    std::shared_ptr<const arrow_batch> batch;
    const void* buffers[3] = {};
};

inline std::unique_ptr<arrow_array_owner> arrow_owner(const std::shared_ptr<const arrow_batch>& batch) {
    auto own = std::make_unique<arrow_array_owner>();
    own->batch = batch;
    return own;
}
inline void make_arrow_array(std::int64_t length, std::int64_t nulls, std::int64_t buffers,
                             std::unique_ptr<arrow_array_owner> own, ArrowArray& to) {
    to = ArrowArray();
    to.length = length;
    to.null_count = nulls;
    to.n_buffers = buffers;
    to.buffers = own->buffers;
    own->show_in(to);
    to.private_data = own.release();
    to.release = [](ArrowArray* a) {
        delete static_cast<arrow_array_owner*>(a->private_data);
        a->release = nullptr;
    };
}
// A buffer of no bytes has an address all the same: some consumers look for one.
template <class T>
const void* arrow_buffer(const T* data) noexcept {
    static constexpr std::int64_t nothing = 0;
    return data != nullptr ? static_cast<const void*>(data) : &nothing;
}
inline void make_arrow_array(const std::shared_ptr<const arrow_batch>& batch, const arrow_column& c, ArrowArray& to) {
    auto own = arrow_owner(batch);
    own->buffers[0] = c.valid();
    switch (c.type()) {
    case arrow_type::integer: own->buffers[1] = arrow_buffer(c.integers().data()); break;
    case arrow_type::decimal: own->buffers[1] = arrow_buffer(c.decimals().data()); break;
    case arrow_type::word: {
        own->buffers[1] = arrow_buffer(c.indices().data());
        auto words = arrow_owner(batch);
        words->buffers[1] = c.words().offsets();
        words->buffers[2] = arrow_buffer(c.words().data());
        make_arrow_array(static_cast<std::int64_t>(c.words().size()), 0, 3, std::move(words), own->dictionary);
        break;
    }
    case arrow_type::integers: {
        own->buffers[1] = c.indices().data();
        auto items = arrow_owner(batch);
        items->buffers[1] = arrow_buffer(c.integers().data());
        own->children.resize(1);
        make_arrow_array(static_cast<std::int64_t>(c.integers().size()), 0, 2, std::move(items), own->children[0]);
        break;
    }
    }
    make_arrow_array(c.rows(), c.nulls(), 2, std::move(own), to);
}
inline void make_arrow_array(const std::shared_ptr<const arrow_batch>& batch, ArrowArray& to) {
    auto own = arrow_owner(batch);
    own->children.resize(batch->columns.size());
    for (std::size_t n = 0; n != batch->columns.size(); ++n)
        make_arrow_array(batch, batch->columns[n], own->children[n]);
    make_arrow_array(batch->rows, 0, 1, std::move(own), to);
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
