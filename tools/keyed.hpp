// Values by their keys, in the order of the keys.
#ifndef WLFMT_TOOLS_KEYED_HPP
#define WLFMT_TOOLS_KEYED_HPP

#include <cstddef>
#include <map>

namespace tool {

// What std::map is, in one std::map for each type of keys, whatever the values are: compiling one more takes an eighth
// of a second. References to values stay valid until clear().
template <class Key, class Value> class keyed {
    using map = std::map<Key, void*>;

    struct item {
        const Key& first;
        Value& second;
    };

public:
    class iterator {
    public:
        explicit iterator(typename map::const_iterator at) noexcept : at_(at) {}
        item operator*() const noexcept { return {at_->first, *static_cast<Value*>(at_->second)}; }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
        friend bool operator!=(iterator a, iterator b) noexcept { return a.at_ != b.at_; }

    private:
        typename map::const_iterator at_;
    };

    keyed() = default;
    keyed(const keyed&) = delete;
    keyed& operator=(const keyed&) = delete;
    ~keyed() { clear(); }

    // The value of a key; a new one if the key is new.
    Value& operator[](const Key& key) {
        void*& value = all_[key];
        if (value == nullptr) value = new Value();
        return *static_cast<Value*>(value);
    }
    bool has(const Key& key) const { return all_.count(key) != 0; }
    std::size_t size() const noexcept { return all_.size(); }
    bool empty() const noexcept { return all_.empty(); }
    iterator begin() const noexcept { return iterator(all_.begin()); }
    iterator end() const noexcept { return iterator(all_.end()); }
    void clear() noexcept {
        for (const auto& one : all_) delete static_cast<Value*>(one.second);
        all_.clear();
    }

private:
    map all_;
};

}  // namespace tool

#endif
