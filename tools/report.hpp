// What is wrong with a file: printed as it comes up, counted, and weighed.
#ifndef WLFMT_TOOLS_REPORT_HPP
#define WLFMT_TOOLS_REPORT_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#include "output.hpp"
#include "settings.hpp"

namespace tool {

// Is a number of a workload file one that a layer or the second line needs? Without it there is no such record; the
// header's entries are kept whatever they are.
inline bool is_needed(std::string_view field) noexcept {
    const auto ends = [&](std::string_view end) {
        return field.size() > end.size() && field.substr(field.size() - end.size()) == end;
    };
    return field == "layer count" || field == "dependency" || field == "update" || ends(".compute") || ends(".bytes");
}

// Is a problem that lenient reading went past a loss: is something of the input in no record? Values of op logs and
// tables that cannot be read are kept as they are written, and a wrong number of layers is set right.
inline bool is_loss(const wlfmt::error& e, wlfmt::file_format kind) noexcept {
    switch (e.kind) {
    case wlfmt::error_kind::not_a_number:
    case wlfmt::error_kind::not_an_integer:
    case wlfmt::error_kind::number_overflow:
        return kind == wlfmt::file_format::workload ? is_needed(e.field) : e.field == "rank" || e.field == "stage";
    case wlfmt::error_kind::negative_value:  // the number of layers too: all layers are read
    case wlfmt::error_kind::duplicate_key:
    case wlfmt::error_kind::bad_escape:
    case wlfmt::error_kind::layer_count_mismatch:
    case wlfmt::error_kind::missing_layer_count:
    case wlfmt::error_kind::header_value:
    case wlfmt::error_kind::header_mismatch: return false;
    default: return true;
    }
}

class report {
public:
    report(std::string_view name, const settings& s) noexcept
        : name_(name), check_(s.command == "check"), lenient_(s.lenient), limit_(check_ ? s.limit : 0) {}

    void set_kind(wlfmt::file_format kind) noexcept { kind_ = kind; }
    // Prints nothing from now on: of what is read a second time.
    void silence() noexcept { silent_ = true; }
    // The text that the next problems are about, and the number of its first line in the file.
    void about(std::string_view text, std::uint64_t first_line = 1) noexcept {
        text_ = text;
        first_line_ = first_line;
        blamed_ = false;
    }
    // What ended the reading, or a record that is not in the output.
    void error(const wlfmt::error& e) {
        ++errors_;
        blamed_ = true;
        last_offset_ = e.offset;
        print(e, wlfmt::severity::error);
    }
    // What the command itself finds wrong; `place` is a view of the text, or has no data.
    void error(std::string_view place, std::string_view what) {
        ++errors_;
        standard_error.append(wlfmt::explain(place, what, text_, name_, wlfmt::severity::error, first_line_));
    }
    // What was read past.
    void tolerated(const wlfmt::error& e) {
        const bool odd = e.kind == wlfmt::error_kind::negative_value && e.field != "layer count";
        if (odd || !(check_ || (is_loss(e, kind_) && !lenient_))) {
            ++warnings_;
            return print(e, wlfmt::severity::warning);
        }
        error(e);
    }
    // Is the last error in this record? A reader tells what is wrong in a record before it shows it.
    bool blames(std::string_view source) const noexcept {
        const auto begin = static_cast<std::uint64_t>(source.data() - text_.data());
        return blamed_ && last_offset_ >= begin && last_offset_ <= begin + source.size();
    }
    static void tolerate(void* self, const wlfmt::error& e) { static_cast<report*>(self)->tolerated(e); }

    void close() {
        const std::uint64_t all = errors_ + warnings_;
        if (limit_ == 0 || all <= limit_) return;
        standard_error.append(name_);
        standard_error.append(": " + std::to_string(all - limit_) + " more problems, " + std::to_string(all) +
                              " in all\n");
    }
    std::uint64_t errors() const noexcept { return errors_; }
    std::uint64_t warnings() const noexcept { return warnings_; }

private:
    void print(const wlfmt::error& e, wlfmt::severity s) {
        if (silent_) return;
        if (limit_ != 0 && errors_ + warnings_ > limit_) return;
        standard_error.append(wlfmt::explain(e, text_, name_, s, first_line_));
    }
    std::string_view name_;
    wlfmt::file_format kind_ = wlfmt::file_format::unknown;
    bool check_;
    bool lenient_;
    bool silent_ = false;
    std::uint64_t limit_;
    std::string_view text_;
    std::uint64_t first_line_ = 1;
    bool blamed_ = false;
    std::uint64_t last_offset_ = 0;
    std::uint64_t errors_ = 0;
    std::uint64_t warnings_ = 0;
};

}  // namespace tool

#endif
