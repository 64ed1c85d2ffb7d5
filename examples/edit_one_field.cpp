// Edits one field and keeps the rest: every other byte of the file stays, whatever its layout.
#include <iostream>
#include <string>
#include <string_view>

#include <wlfmt/edit.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    if (count != 4) return std::cerr << "usage: edit_one_field FILE LAYER BYTES\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;
    const auto bytes = wlfmt::to_number(std::string_view(arguments[3]));
    if (!bytes.is_integer()) return std::cerr << arguments[3] << " is no number of bytes\n", 2;

    const auto workload = wlfmt::workload::read(file.text());
    if (!workload) return std::cerr << wlfmt::explain(workload.error(), file.text(), wlfmt::in_file(arguments[1])), 1;
    const auto* layer = workload->find(arguments[2]);
    if (layer == nullptr) return std::cerr << "no layer is called " << arguments[2] << '\n', 1;

    std::string digits;
    wlfmt::append_value(digits, bytes);
    wlfmt::edits changes;
    changes.replace(where(*layer, "weight_grad.bytes"), digits);
    if (const auto e = changes.write(std::cout, file.text())) {
        std::cerr << wlfmt::explain(e, file.text(), wlfmt::in_file(arguments[1]));
        return 1;
    }
    return std::cout.flush() ? 0 : 1;  // the stream's own buffer may still fail
}
