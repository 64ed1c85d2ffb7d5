// Uses every public function once, so that whatever compiles this file compiles the library: the three formats read,
// built by hand, edited and written, detection, problems explained, a file mapped, the interchange form.
#include <cstdint>
#include <string>
#include <string_view>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

// A sink of one's own: anything with append(const char*, size).
struct counter {
    std::size_t bytes = 0;
    void append(const char*, std::size_t size) { bytes += size; }
};

// Reads records as long as the reader yields any, past bad lines too.
template <class Reader, class Use>
void walk(Reader& reader, Use use) {
    do {
        while (const auto* record = reader.next()) use(*record);
    } while (!reader.ok() && reader.skip());
}

template <class... Records>
std::size_t written(const Records&... records) {
    std::string out;
    counter count;
    (write(out, records), ...);
    (write(count, records), ...);
    (wlfmt::json::write(out, records), ...);
    (wlfmt::json::write(count, records), ...);
    return out.size() + count.bytes;
}

double oplog(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::oplog;
    double sum = 0;
    reader log(text, how);
    walk(log, [&sum](const operation& op) {
        sum += op.duration.value_or(0);
        sum += static_cast<double>(group_of(op.group_kind)) + static_cast<double>(pipeline_state_of(op.mg_state));
        for (const auto dim : op.input_shape) sum += static_cast<double>(dim);
        for (const auto& attribute : op.attributes) sum += static_cast<double>(attribute.key.size());
        for (const auto& sub : op.sub_operations)
            if (collective_of(sub.comm_func) == collective::allreduce) sum += sub.duration.value_or(0);
        for (const auto& sub : op.sub_operations.only<field::duration | field::comm_func>())
            sum += sub.duration.value_or(0);
    });
    sum += static_cast<double>(log.offset() + log.tolerated() + log.foreign_lines());

    if (auto doc = read(text, how)) {
        for (auto& op : doc->operations)
            for (auto& sub : doc->edit(op)) sub.duration = 0.0;
        sum += static_cast<double>(written(*doc));
    }
    operation op = operation::traced(0, "forward_step");
    op.duration = 8.3;
    sum += static_cast<double>(problem_of(op).offset + written(op));
    char buffer[16];
    std::string quoted;
    write_quoted(quoted, unescape("it\\'s", buffer));
    return sum + static_cast<double>(quoted.size());
}

std::int64_t workload(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::workload;
    std::int64_t sum = 0;
    reader file(text, how);
    const header& head = file.header();
    for (const auto& entry : head.entries) sum += static_cast<std::int64_t>(entry.value.size());
    for (const auto index : head.checkpoints()) sum += index;
    for (const auto index : head.checkpoint_initiates()) sum += index;
    sum += head.model_parallel_npu_group().integer() + head.expert_parallel().integer() +
           head.pipeline_parallel().integer() + head.virtual_pipeline().integer() +
           head.gradient_accumulation().integer() + head.all_gpus().integer() + head.pipeline_bytes().integer() +
           head.dlrm_last_bottom_layer().integer();
    walk(file, [&sum](const layer& one) {
        if (communication_of(one.forward.comm).group == group::ep) sum += one.forward.bytes;
    });
    sum += static_cast<std::int64_t>(file.offset() + file.tolerated());

    if (auto doc = read(text, how)) {
        for (auto& one : doc->layers) one.weight_grad.bytes *= 2;
        sum += static_cast<std::int64_t>(written(*doc));
    }
    layer one;
    one.name = "embedding";
    sum += static_cast<std::int64_t>(problem_of(one).offset + problem_of(head).offset);
    return sum + static_cast<std::int64_t>(written(head, one));
}

std::size_t table(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::table;
    std::size_t sum = 0;
    reader tables(text, how);
    while (tables.next_table()) {
        for (const auto& column : tables.columns()) sum += static_cast<std::size_t>(unit_of(column.name));
        walk(tables, [&sum](const row& r) {
            for (const auto& cell : r.cells) sum += cell.text.size();
            for (const auto frame : r.frames) sum += frame.size();
        });
        for (const auto& total : tables.totals()) sum += total.name.size();
        for (const auto title : tables.titles()) sum += title.size();
    }
    sum += tables.offset() + tables.tolerated();

    if (auto doc = read(text, how)) {
        for (auto& one : doc->tables)
            for (std::size_t n = 0; n != one.size(); ++n) {
                sum += one.row(n).cells.size();
                one[n][0].text = "renamed";
            }
        sum += written(*doc) + problem_of(*doc).offset;
        for (const auto& one : doc->tables) sum += written(one);
    }
    summary built;
    built.columns.push_back({});
    return sum + problem_of(built).offset + written(built);
}

}  // namespace

std::string use_everything(const char* path);
std::string use_everything(const char* path) {
    const wlfmt::file mapped(path);
    std::string text(mapped.text());
    wlfmt::error problem = mapped.error();
    if (!mapped.ok()) problem = wlfmt::read_file(path, text);

    wlfmt::options how;
    how.lenient = true;
    how.context = &problem;
    how.on_problem = [](void* context, const wlfmt::error& e) { *static_cast<wlfmt::error*>(context) = e; };

    std::string out(wlfmt::name(wlfmt::detect(text)));
    out += std::to_string(static_cast<std::int64_t>(oplog(text, how)) + workload(text, how));
    out += std::to_string(table(text, how) + wlfmt::locate(text, problem.offset).line);
    out += wlfmt::explain(problem, text, path);
    return out.append(wlfmt::message(problem, text)).append(wlfmt::name(problem.what));
}
