#include "script.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <utility>

namespace bench::peers {

temporary_file::temporary_file(std::string_view content) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/wlfmt_bench_XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) fail("cannot make a file in " + path_);
    while (!content.empty()) {
        const ::ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written <= 0) fail("cannot write " + path_);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(descriptor);
}

temporary_file::~temporary_file() { ::unlink(path_.c_str()); }

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return text;
    char piece[512];
    while (::fgets(piece, sizeof piece, pipe) != nullptr) text += piece;
    return ::pclose(pipe) == 0 ? text : std::string();
}

way script_way(std::string name, std::string file_name) {
    way w;
    w.name = std::move(name);
    w.most = megabyte;
    w.own_time = true;
    w.prepare = [script = std::move(file_name)](const input& in) -> job {
        static const bool python = !output_of("python3 -c 'print(1)'").empty();
        if (!python || in.files.size() != 1) return {};
        const auto file = std::make_shared<temporary_file>(in.text);
        const std::string command = "python3 '" WLFMT_BENCH_PEERS "/" + script + "' " + file->path();
        return [file, command, script] {
            answer a;
            std::istringstream printed(output_of(command));
            printed >> a.records >> a.parts >> a.text >> a.integers >> a.decimals >> a.seconds;
            if (!printed) fail(script + " failed");
            return a;
        };
    };
    return w;
}

}  // namespace bench::peers
