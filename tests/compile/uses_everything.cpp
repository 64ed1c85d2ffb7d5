// Uses every public function once, so that whatever compiles this file compiles the library: the three formats read,
// built by hand, edited and written, detection, problems explained, a file mapped, the interchange form.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <wlfmt/arrow.hpp>
#include <wlfmt/csv.hpp>
#include <wlfmt/edit.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/oplog/pieces.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/table/mend.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

// A sink of the program's own: any object with append(const char*, std::size_t).
struct counter {
    std::size_t bytes = 0;
    void append(const char*, std::size_t size) { bytes += size; }
};

// Reads records as long as the reader yields any, past bad lines too.
template <class Reader, class Use> void walk(Reader& reader, Use use) {
    do {
        while (const auto* record = reader.next()) use(*record);
    } while (!reader.ok() && reader.skip());
}

template <class... Records> std::size_t written(const Records&... records) {
    std::string out;
    counter count;
    ((out += wlfmt::name_of(write(out, records).kind)), ...);
    ((out += wlfmt::name_of(write(count, records).kind)), ...);
    (write_unchecked(out, records), ...);
    (write_unchecked(count, records), ...);
    (static_cast<void>(wlfmt::json::write(out, records)), ...);
    (static_cast<void>(wlfmt::json::write(count, records)), ...);
    return out.size() + count.bytes;
}

double oplog(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::oplog;
    double sum = 0;
    reader log(text, how);
    walk(log, [&sum](const operation& op) {
        sum += op.duration.value_or(0.0);
        sum += static_cast<double>(group_of(op.group_kind)) + static_cast<double>(pipeline_state_of(op.mg_state));
        for (const auto dim : op.input_shape) sum += static_cast<double>(dim);
        for (const auto& attribute : op.attributes) sum += static_cast<double>(attribute.key.size());
        for (const auto& sub : op.sub_operations)
            if (collective_of(sub.comm_func) == collective::allreduce) sum += sub.duration.value_or(0.0);
        for (const auto& sub : op.sub_operations.only<fields::duration | fields::comm_func>())
            sum += sub.duration.value_or(0.0);
    });
    sum += static_cast<double>(log.offset() + log.tolerated() + log.foreign_lines());
    for (const wlfmt::piece& one : pieces(text, 2)) sum += static_cast<double>(one.text.size());
    sum += static_cast<double>(piece_of(text, wlfmt::byte_range{0, 9}).offset);

    stream arriving(wlfmt::byte_range{0, 9}, how);
    arriving.feed(text);
    arriving.finish();
    kept_operations kept;
    while (const auto op = arriving.next()) kept.add(op);
    sum += static_cast<double>(arriving.offset() + arriving.lines() + arriving.line_at(0).number);
    sum += static_cast<double>(explain(arriving.error(), arriving, wlfmt::in_file("piped")).size() +
                               arriving.line_of(text).offset);
    sum += arriving.ok() && arriving.skip() && arriving.done() ? 1 : 0;
    sum += static_cast<double>(kept.operations().operations.size());

    sum += static_cast<double>(choose_files({"rank7.txt"}).chosen.size());
    sum += static_cast<double>(facts_of("rank7.txt").rank.value_or(0));

    if (auto doc = read(text, how)) {
        for (auto& op : doc->operations)
            for (auto& sub : op.sub_operations.edit()) sub.duration *= 2;
        sum += static_cast<double>(written(*doc));
    }
    operation op = operation::traced(0, "forward_step");
    op.duration = 8.3;
    sum += static_cast<double>(problem_of(op).offset + written(op));
    sum += op.find("duration").value_or(0.0) + static_cast<double>(where(op, "duration").size());
    sum += static_cast<double>(name_of(collective::allreduce).size() + name_of(group::embedding).size() +
                               name_of(pipeline_state::warmup).size() + name_of(origin::rank).size() +
                               name_of(fields::duration).size());
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
    for (const auto& n : {head.tensor_parallel(), head.expert_parallel(), head.pipeline_parallel(), head.vpp(),
                          head.gradient_accumulation(), head.all_gpus(), head.pipeline_bytes(),
                          head.dlrm_last_bottom_layer(), head.find("ga").number()})
        sum += n.as<std::int64_t>().value_or(0);
    walk(file, [&sum](const layer& one) {
        if (communication_of(one.forward.comm).group == group::expert_parallel)
            sum += one.forward.bytes.as<std::int64_t>().value_or(0);
    });
    sum += static_cast<std::int64_t>(file.offset() + file.tolerated());

    if (auto doc = read(text, how)) {
        for (auto& one : doc->layers) one.weight_grad.bytes *= 2;
        for (const auto word : words(doc->layers.empty() ? std::string_view() : doc->layers[0].further))
            sum += static_cast<std::int64_t>(word.size());
        doc->header.entries.edit().push_back({"key", "value", true});
        if (const auto* found = doc->find("embedding")) sum += found->dependency;
        sum += static_cast<std::int64_t>(written(*doc));
    }
    layer one;
    one.name = "embedding";
    sum += static_cast<std::int64_t>(where(one, "name").size() + where(head, "ga").size() +
                                     name_of(collective::broadcast).size() + name_of(group::by_phase).size());
    sum += static_cast<std::int64_t>(problem_of(one).offset + problem_of(head).offset);
    return sum + static_cast<std::int64_t>(written(head, one));
}

double meaning(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::parallelism;
    double sum = 0;
    const auto file = wlfmt::workload::read(text, how);
    const auto s = sizes_of(file->header, text, how);
    const layout ranks(s->known() ? simai_sizes(*s) : sizes(), rank_order::parse("tp-pp-dp").value_or(rank_order()));
    traffic moved(*s);
    sum += facts_of(file->header.policy).has_groups ? 1 : 0;
    sum += static_cast<double>(ranks.ranks_of_two_stages() ? wlfmt::printable(text).size() : 0);
    const auto add = [&sum](const wlfmt::problem& e) { sum += static_cast<double>(e.offset); };
    wlfmt::lint::examine(file->header, 0, text, add);
    for (const auto& one : file->layers) {
        moved.add(one);
        wlfmt::lint::examine(one, text, add);
    }
    moved.add_pipeline(file->header);
    for (const group g : {group::tensor_parallel, group::pipeline_parallel}) {
        sum += moved.job_wire(phase::forward, g) + static_cast<double>(ranks.ranks(g, 0).size());
        sum += static_cast<double>(ranks.index_of(g, 0).value_or(0) + ranks.position_of(g, 0).value_or(0) +
                                   ranks.count(g));
        sum += static_cast<double>(name_of(g).size() + name_of(phase::forward).size());
    }
    wlfmt::oplog::reader log(text, how);
    walk(log, [&](const wlfmt::oplog::operation& op) { wlfmt::lint::examine(op, text, add); });
    return sum;
}

std::size_t table(std::string_view text, const wlfmt::options& how) {
    using namespace wlfmt::table;
    std::size_t sum = 0;
    reader tables(text, how);
    while (tables.next_table()) {
        for (const auto& column : tables.columns()) sum += static_cast<std::size_t>(unit_of(column.name));
        walk(tables, [&sum](const row& r) {
            for (const auto& cell : r.cells) sum += cell.text().size();
            sum += r.find("Name").text().size() + where(r, "Name").size();
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
                if (auto* name = one.edit_cell(n, "Name")) *name = cell("renamed");
                if (auto* total = one.edit_total("Self CPU time total")) *total = 12.5;
            }
        sum += written(*doc) + problem_of(*doc).offset;
        for (const auto& one : doc->tables) sum += written(one);
    }
    profile built;
    built.columns.push_back({});
    sum += name_of(unit::percent).size();
    return sum + problem_of(built).offset + written(built);
}

// The exporters: each document in every other form.
std::size_t exits(std::string_view text) {
    std::string out;
    std::size_t errors = 0;
    const auto count = [&](const wlfmt::problem& e) { errors += e ? 1U : 0U; };
    const auto log = wlfmt::oplog::read(text);
    const auto layers = wlfmt::workload::read(text);
    const auto tables = wlfmt::table::read(text);
    errors += wlfmt::table::mend(text).done.size();
    wlfmt::table::losses lost(text);
    lost.read("");
    lost.report([&](const wlfmt::problem&) { ++errors; });
    for (const auto& one : tables->tables) {
        errors += one.columns.size();
    }
    count(wlfmt::csv::write(out, *log));
    count(wlfmt::csv::write_sub_operations(out, *log));
    count(wlfmt::csv::write(out, *layers));
    count(wlfmt::csv::write(out, *tables));
    ArrowArrayStream stream;
    wlfmt::arrow::request what;
    what.memory = std::make_shared<wlfmt::arrow::batch_memory>();
    wlfmt::arrow::open({{"a log", std::string(text)}}, what, stream);
    ArrowArray batch;
    if (stream.get_next(&stream, &batch) != 0) ++errors;
    if (batch.release != nullptr) batch.release(&batch);
    stream.release(&stream);
    return out.size() + errors;
}

}  // namespace

std::string use_everything(const char* path);
std::string use_everything(const char* path) {
    const wlfmt::text_file mapped(path);
    std::string text(mapped.text());
    wlfmt::problem problem = mapped.error();
    if (!mapped.ok()) problem = wlfmt::read_file(path, text);

    wlfmt::options how;
    how.lenient = true;
    how.on_problem = [&](const wlfmt::problem& e) { problem = e; };

    std::string out(wlfmt::name_of(wlfmt::detect(text)));
    out += wlfmt::find_prefix(text);
    out += wlfmt::is_mixed_diff(text) ? "a diff" : "no diff";
    out += wlfmt::other_profiler(text);
    out += std::to_string(static_cast<std::int64_t>(oplog(text, how)) + workload(text, how));
    out += std::to_string(static_cast<std::int64_t>(meaning(text, how)));
    out += std::to_string(table(text, how) + wlfmt::location_of(text, problem.offset).line);
    wlfmt::append_value(out, wlfmt::to_number("8.30"));
    wlfmt::edits changes;
    changes.replace(std::string_view(text).substr(0, 0), "first");
    problem = changes.write(out, text);
    out += std::to_string(exits(text));
    out += wlfmt::explain(wlfmt::at_place(text), wlfmt::with_message("is odd"), text, wlfmt::in_file(path));
    out += wlfmt::explain(problem, text, wlfmt::in_file(path));
    return out.append(wlfmt::message(problem, text)).append(wlfmt::name_of(problem.kind));
}
