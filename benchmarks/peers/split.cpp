#include "split.hpp"

#include <charconv>
#include <cstdint>

namespace bench::peers {
namespace {

// Takes the text up to the separator, and the separator; the whole text if there is no separator.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t size = text.find(separator);
    const std::string_view piece = text.substr(0, size);
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
    return piece;
}

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// Python's None is not a number and adds nothing.
std::int64_t to_integer(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}
double to_decimal(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Takes a value. A comma that a blank follows is part of it: `[2048, 2, 5120]`, or words of a description.
std::string_view take_value(std::string_view& fields) {
    std::size_t end = fields.find(',');
    while (end < fields.size() && fields.substr(end + 1, 1) == " ") end = fields.find(',', end + 1);
    const std::string_view value = fields.substr(0, end);
    fields.remove_prefix(end < fields.size() ? end + 1 : fields.size());
    return value;
}

// `[2048, 2, 5120]`, `torch.Size([8])` or None.
void add_shape(answer& a, std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return;
    text.remove_prefix(open + 1);
    while (!text.empty()) {
        a.add(to_integer(take(text, ',')));
        if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    }
}

void add_fields(answer& a, std::string_view fields) {
    while (!fields.empty()) {
        const std::string_view key = take(fields, '=');
        const std::string_view value = take_value(fields);
        if (key == "duration" || key == "timestamp") a.decimals += to_decimal(value);
        else if (key == "stage_id" || key == "batch_id") a.add(to_integer(value));
        else if (key == "input__shape") add_shape(a, value);
        else a.text += value.size();
    }
}

// Takes a cell and the blanks before it; two blanks end it.
std::string_view take_cell(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) {
        line = {};
        return {};
    }
    const std::size_t end = line.find("  ", begin);
    const std::string_view cell = line.substr(begin, end - begin);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    return cell;
}

double to_measure(std::string_view cell) {
    double value = 0;
    const char* const end = cell.data() + cell.size();
    const char* const number_end = std::from_chars(cell.data(), end, value).ptr;
    const std::string_view unit = cell.substr(static_cast<std::size_t>(number_end - cell.data()));
    if (unit == "ms") return value * 1e3;
    if (unit == "s") return value * 1e6;
    if (unit == " Kb") return value * 1024;
    if (unit == " Mb") return value * 1024 * 1024;
    if (unit == " Gb") return value * 1024 * 1024 * 1024;
    return value;  // us, %, b, a count
}

}  // namespace

answer split_oplog(std::string_view text) {
    constexpr std::string_view list = ",sub_operations=[";
    answer a;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        if (!begins(line, "rank:")) continue;
        ++a.records;
        take(line, ':');
        a.add(to_integer(take(line, ':')));
        a.text += take(line, '(').size();
        const std::size_t fields_end = line.find(list);
        if (fields_end == std::string_view::npos) fail("an operation without a list");
        add_fields(a, line.substr(0, fields_end));
        line.remove_prefix(fields_end + list.size());
        // Each string is between two quotes.
        while (!line.empty() && line.front() != ']') {
            take(line, '\'');
            add_fields(a, take(line, '\''));
            ++a.parts;
        }
    }
    return a;
}

answer split_workload(std::string_view text) {
    answer a;
    std::string_view header = take(text, '\n');
    a.text += take(header, ' ').size();
    while (!header.empty()) {
        const std::string_view key = take(header, ' ');
        const std::string_view value = take(header, ' ');
        if (!begins(key, "checkpoint")) a.add(to_integer(value));
    }
    a.add(to_integer(take(text, '\n')));
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        ++a.records;
        a.text += take(line, '\t').size();
        a.add(to_integer(take(line, '\t')));
        for (int phase = 0; phase != 3; ++phase) {
            a.add(to_integer(take(line, '\t')));
            a.text += take(line, '\t').size();
            a.add(to_integer(take(line, '\t')));
        }
        a.add(to_integer(line));
    }
    return a;
}

answer split_table(std::string_view text) {
    answer a;
    // A table has three rules: above its title, below it, and below its rows.
    int rules = 0;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        if (begins(line, "---")) {
            rules = rules % 3 + 1;
        } else if (rules == 1) {
            while (!line.empty()) a.text += take_cell(line).size();
        } else if (rules == 2) {
            ++a.records;
            ++a.parts;
            a.text += take_cell(line).size();
            for (std::string_view cell = take_cell(line); !cell.empty(); cell = take_cell(line)) {
                ++a.parts;
                a.decimals += to_measure(cell);
            }
        } else if (const std::size_t name = line.find(": "); name != std::string_view::npos) {
            a.decimals += to_measure(line.substr(name + 2));
        }
    }
    return a;
}

way split_way(answer (*split)(std::string_view)) {
    way w;
    w.name = "string_view::find, from_chars";
    w.prepare = [split](const input& in) -> job {
        return [&in, split] {
            answer a;
            for (const std::string_view file : in.files) a += split(file);
            return a;
        };
    };
    return w;
}

}  // namespace bench::peers
