// wlfmt/types/json.hpp: the owner of the texts in records that are read from JSON. wlfmt/json/read.hpp reads them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_JSON_HPP
#define WLFMT_TYPES_JSON_HPP

#include <memory>
#include <vector>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {
struct texts_access;
}

namespace json {

// Owns the bytes that records read from JSON show: these records must not outlive it. Neither the JSON nor the reader
// has to live as long as the records. It grows by about the size of the JSON that is read, and never shrinks. Several
// readers may share one.
class texts {
public:
    texts() noexcept = default;
    texts(const texts&) = delete;
    texts& operator=(const texts&) = delete;

private:
    friend struct detail::texts_access;
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* at_ = nullptr;
    char* end_ = nullptr;
};

}  // namespace json
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
