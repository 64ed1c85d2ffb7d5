// Where a command writes that accepts `-o FILE`.
#ifndef WLFMT_TOOLS_TARGET_HPP
#define WLFMT_TOOLS_TARGET_HPP

#include <cstdio>
#include <optional>
#include <string>

#include "identity.hpp"
#include "output.hpp"
#include "output_file.hpp"

namespace tool {

// A file, or standard output if no name is given.
class target {
public:
    target(const std::string& name, input_files& inputs) {
        if (name.empty() || name == "-" || is_standard_output(name.c_str())) return;
        is_open_ = file_.open(name, inputs);
        own_.emplace(file_.file());
    }
    // A file that could not be opened has already been reported.
    bool is_open() const noexcept { return is_open_; }
    stream& sink() noexcept { return own_ ? *own_ : standard_output; }
    // Puts the finished file in its place. Without this call the file that was there before stays. Returns false,
    // with a message, if something could not be written.
    bool keep() {
        if (!own_) return true;
        if (!is_open_) return false;
        own_->flush();
        return file_.keep();
    }

private:
    output_file file_;
    std::optional<stream> own_;
    bool is_open_ = true;
};

}  // namespace tool

#endif
