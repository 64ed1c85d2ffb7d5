#include "simulators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <wlfmt/error.hpp>
#include <wlfmt/number.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/workload.hpp>

#include "../chakra/chakra.hpp"
#include "rows.hpp"

#if (defined(__cpp_exceptions) || defined(_CPPUNWIND)) && __has_include(<protozero/pbf_writer.hpp>)
#define WLFMT_SIMULATORS_HAVE_TRACES 1
#else
#define WLFMT_SIMULATORS_HAVE_TRACES 0
#endif

namespace wlfmt::analysis {

recomputation recomputation_of(const std::vector<bool>& checkpoints, const std::vector<bool>& begins) {
    recomputation found;
    found.from.resize(begins.size());
    std::optional<std::size_t> from;
    for (std::size_t n = 0; n != begins.size(); ++n) {
        if (begins[n] && (!from || checkpoints[n])) {
            found.stray = n;
            return found;
        }
        if (begins[n]) found.from[n] = std::exchange(from, std::nullopt);
        else if (checkpoints[n]) from = n;
    }
    return found;
}

namespace simulators {
namespace {

using parallelism::group;
using workload::collective;

constexpr std::string_view blanks = " \t\v\f\r\n";
constexpr std::string_view fields_of_phases[][3] = {{"forward.compute", "forward.comm", "forward.bytes"},
                                                    {"input_grad.compute", "input_grad.comm", "input_grad.bytes"},
                                                    {"weight_grad.compute", "weight_grad.comm", "weight_grad.bytes"}};
constexpr std::string_view size_keys[] = {"model_parallel_NPU_group", "ep", "pp", "vpp", "ga", "all_gpus"};
constexpr std::string_view other_keys[] = {"checkpoints", "checkpoint_initiates", "pp_comm"};
constexpr std::string_view policy_of_aicb = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
constexpr double largest_int = (std::numeric_limits<std::int32_t>::max)();
constexpr std::int64_t ranks_of_server = 8;

// What sed makes of a layer to have its twelve fields alone.
constexpr std::string_view cut_after_fields = "s/\\(\\([^ \t]\\{1,\\}[ \t]\\{1,\\}\\)\\{11\\}[^ \t]\\{1,\\}\\).*/\\1/";

std::string quoted(std::string_view word) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./=:,@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string text = "'";
    for (const char c : word) c == '\'' ? text.append("'\\''") : text.append(1, c);
    return text + "'";
}
bool is_digits(std::string_view word) {
    if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}
// The value of the digits that a word begins with, as std::stoi takes them; NaN if there are none.
double leading_integer(std::string_view word) {
    std::size_t end = !word.empty() && (word[0] == '+' || word[0] == '-') ? 1 : 0;
    while (end != word.size() && word[end] >= '0' && word[end] <= '9') ++end;
    const std::string_view digits = word.substr(!word.empty() && word[0] == '+' ? 1 : 0, end);
    return is_digits(word.substr(0, end)) ? to_number(digits).value_or(0.0) : std::nan("");
}
std::string whole_number(double value) {
    constexpr double limit = 9e18;
    return std::to_string(static_cast<std::int64_t>(std::round((std::min)((std::max)(value, -limit), limit))));
}
bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

class examination {
public:
    examination(std::string_view text, std::string_view file, callback<void(const finding&)> report)
        : text_(text), file_(quoted(file)), report_(report) {
        options lenient;
        lenient.lenient = true;
        auto read = workload::read(text, lenient);
        is_read_ = !read->header.source.empty();
        doc_ = *std::move(read);
        const std::string_view source = doc_.header.source;
        line_ = source.substr(0, source.find_first_of("\r\n"));
        for (std::size_t at = line_.find_first_not_of(blanks); at < line_.size();) {
            const std::size_t end = (std::min)(line_.find_first_of(blanks, at), line_.size());
            tokens_.push_back(line_.substr(at, end - at));
            at = line_.find_first_not_of(blanks, end);
        }
    }

    void run(simulator program) {
        if (!is_read_) return;
        if (program == simulator::simai) return examine_simai();
        examine_traces(program);
    }

private:
    // --- What is found, and the commands that mend it.
    void found(const condition& row, std::string_view place, std::string remedy, std::string detail = {}) {
        report_(
            {row, place.data() == nullptr ? line_.substr(line_.size()) : place, std::move(detail), std::move(remedy)});
    }
    std::string format() const { return "wlfmt format " + file_; }
    std::string set(std::string_view path, std::string_view value) const {
        return "wlfmt set " + file_ + change(path, value);
    }
    std::string set_entry(std::string_view key, double value) const {
        return set("header." + std::string(key), whole_number(value));
    }
    static std::string change(std::string_view path, std::string_view value) {
        return " " + quoted(std::string(path) + "=" + std::string(value));
    }
    std::string set_layer(std::size_t n, std::string_view field, std::string_view value) const {
        return set(path_of(n, field), value);
    }
    static std::string path_of(std::size_t n, std::string_view field) {
        return "layers." + std::to_string(n) + "." + std::string(field);
    }
    // Silences the phase.
    std::string set_nothing(std::size_t n, std::size_t phase) const {
        return set_layer(n, fields_of_phases[phase][1], "NONE") + change(path_of(n, fields_of_phases[phase][2]), "0");
    }
    // The number of a line, for programs that count from 1.
    std::size_t line_of(std::string_view place) const {
        return 1 + static_cast<std::size_t>(std::count(text_.data(), place.data(), '\n'));
    }
    std::string sed(std::string_view place, std::string_view command) const {
        return "sed " + quoted(std::to_string(line_of(place)).append(command)) + " " + file_;
    }

    // --- SimAI's header: words, of which a key has a colon, and the word after it is the value.
    void examine_simai() {
        examine_lines();
        if (!examine_policy()) return;
        for (const std::string_view key : size_keys) examine_size(key);
        for (const std::string_view key : other_keys) examine_twice(key);
        examine_division();
        examine_messages();
        if (doc_.header.policy == policy_of_aicb) examine_checkpoints();
        for (std::size_t n = 0; n != doc_.layers.size(); ++n) examine_layer(n);
    }
    void examine_lines() {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") found(rows::byte_order_mark, text_.substr(0, 3), format());
        if (line_of(line_) != 1) found(rows::blank_first, line_, format());
        const std::string_view count = where(doc_.header, "layer count");
        if (count.data() == nullptr) return;
        if (line_of(count) != line_of(line_) + 1) found(rows::blank_second, count, format());
        const std::size_t layers = doc_.layers.size();
        const double declared = leading_integer(count);
        const auto declare = [&] { return set("header.layer count", std::to_string(layers)); };
        if (!(declared >= 1) || declared > largest_int)
            found(rows::no_layers, count, layers == 0 ? std::string() : declare());
        else if (declared < static_cast<double>(layers)) found(rows::fewer_layers, count, declare());
        else if (declared > static_cast<double>(layers)) found(rows::missing_layers, count, declare());
    }
    // Whether the policy is one of those with sizes.
    bool examine_policy() {
        const std::string_view policy = doc_.header.policy;
        if (policy == policy_of_aicb || policy == "HYBRID_TRANSFORMER") return true;
        const bool is_known = parallelism::facts_of(doc_.header.policy).is_simulated;
        const bool has_own = !doc_.layers.empty() && !doc_.layers[0].policy.empty();
        found(is_known ? rows::other_policy : rows::unknown_policy, where(doc_.header, "policy"),
              has_own ? set_policy_of_all() : set("header.policy", policy_of_aicb));
        return false;
    }
    // Under HYBRID_CUSTOMIZED each layer has a policy, too, which is the thirteenth field.
    std::string set_policy_of_all() const {
        const std::string line = std::to_string(line_of(line_));
        return "sed -e " + quoted(line + "s/HYBRID_CUSTOMIZED/" + std::string(policy_of_aicb) + "/") + " -e " +
               quoted(std::to_string(line_of(line_) + 1) + ",$" + std::string(cut_after_fields)) + " " + file_;
    }
    // The last value of a key as SimAI finds it; without data if it finds none.
    std::string_view value_of(std::string_view key) const {
        std::string_view value;
        for (std::size_t n = 1; n < tokens_.size(); ++n)
            if (is_key(tokens_[n], key) && n + 1 != tokens_.size()) value = tokens_[n + 1];
        return value;
    }
    static bool is_key(std::string_view token, std::string_view key) {
        return (token.size() == key.size() + 1 && token.back() == ':' && token.substr(0, key.size()) == key) ||
               (key == "pp_comm" && token == key);
    }
    std::int64_t size(std::string_view key, std::int64_t otherwise = 1) const {
        const double value = leading_integer(value_of(key));
        return value >= 1 && value <= largest_int ? static_cast<std::int64_t>(value) : otherwise;
    }
    double smallest_expert_group() const {
        const auto other = doc_.header.find("expert_parallel_npu_group").as<std::int64_t>();
        return other && *other > 0 && static_cast<double>(*other) <= largest_int ? static_cast<double>(*other) : 1;
    }
    // The smallest value that the key can have beside the other entries: what is proposed where its own is wrong.
    double smallest(std::string_view key) const {
        if (key == "ep") return smallest_expert_group();
        if (key != "all_gpus") return 1;
        const double experts =
            value_of("ep").data() == nullptr ? smallest_expert_group() : static_cast<double>(size("ep"));
        return static_cast<double>(size("model_parallel_NPU_group")) * static_cast<double>(size("pp")) * experts;
    }
    void examine_twice(std::string_view key) {
        const std::string_view value = where(doc_.header, key);
        const auto count =
            std::count_if(tokens_.begin(), tokens_.end(), [&](std::string_view t) { return is_key(t, key); });
        if (count > 1) found(rows::key_twice, value, set("header." + std::string(key), ""));
    }
    void examine_size(std::string_view key) {
        examine_twice(key);
        const std::string_view value = value_of(key);
        const std::string_view read = where(doc_.header, key);
        if (value.data() == nullptr) {
            // An entry that wlfmt reads and SimAI does not.
            if (!read.empty()) {
                const std::string name(key);
                return found(rows::no_colon, read,
                             sed(line_, "s/\\([ \t]\\)" + name + "[ \t:]\\{1,\\}/\\1" + name + ": /"));
            }
            const bool divides = key == "ga" || key == "vpp";
            const bool needed = key == "pp" || key == "model_parallel_NPU_group";
            return found(divides  ? rows::no_pipeline_divisor
                         : needed ? rows::no_sizes
                                  : rows::no_ranks,
                         read, set_entry(key, smallest(key)), "`" + std::string(key) + "` is missing");
        }
        examine_number(key, value, 1);
    }
    // Whether the entry is a number that SimAI reads as it is written, and at least `least`.
    bool examine_number(std::string_view key, std::string_view value, double least) {
        const double taken = leading_integer(value);
        const double written = to_number(value).value_or(std::nan(""));
        const double nearest = std::isnan(written) ? smallest(key) : (std::max)(least, written);
        if (!(std::abs(taken) <= largest_int) || !(std::abs(written) <= largest_int)) {
            if (key == "pp_comm" && written > 0) found(rows::large_messages, value, set_entry(key, largest_int));
            else found(rows::large_number, value, set_entry(key, smallest(key)));
        } else if (taken != written) found(rows::cut_number, value, set_entry(key, nearest));
        else if (taken < least && key == "pp_comm") found(rows::below_zero, value, set_entry(key, 0));
        else if (taken < least) found(rows::size_below_one, value, set_entry(key, smallest(key)));
        else return true;
        return false;
    }
    void examine_division() {
        tensor_ = size("model_parallel_NPU_group");
        stages_ = size("pp");
        experts_ = size("ep");
        ranks_ = size("all_gpus", 0);
        const auto vpp = size("vpp");
        if (2.0 * static_cast<double>(size("ga")) * static_cast<double>(vpp) > largest_int)
            found(rows::large_product, value_of("vpp"), set_entry("vpp", 1));
        if (ranks_ == 0) return;
        const std::int64_t in_model = tensor_ * stages_;
        const bool fits = in_model <= ranks_ && ranks_ % in_model == 0;
        data_ = fits ? ranks_ / in_model : 0;
        // Groups of experts may span stages, as SimAI's do.
        if (!fits || data_ * stages_ % experts_ != 0) {
            const double needed = smallest("all_gpus");
            return found(rows::undivided, value_of("all_gpus"),
                         needed <= largest_int ? set_entry("all_gpus", needed) : set_entry("pp", 1));
        }
        const std::int64_t same_experts = data_ % experts_ == 0 ? data_ / experts_ : data_ * stages_ / experts_;
        expert_data_ = same_experts;
        if (data_ % experts_ != 0 && same_experts > 1 && data_ / experts_ != same_experts)
            found(rows::undivided, value_of("ep"), set_entry("all_gpus", smallest("all_gpus")));
    }
    double bytes_of_largest_forward() const {
        double most = 1;
        for (const workload::layer& layer : doc_.layers)
            if (parallelism::group_of(parallelism::phase::forward, workload::communication_of(layer.forward.comm)))
                most = (std::max)(most, layer.forward.bytes.value_or(0.0));
        return (std::min)(most, largest_int);
    }
    void examine_messages() {
        const std::string_view value = value_of("pp_comm");
        if (value.data() != nullptr && !examine_number("pp_comm", value, 0)) return;
        const bool has_messages = value.data() != nullptr && leading_integer(value) > 0;
        if ((stages_ > 1) == has_messages || (value_of("pp").data() == nullptr)) return;
        found(rows::stages_and_messages, value, set_entry("pp_comm", stages_ > 1 ? bytes_of_largest_forward() : 0));
    }
    // SimAI takes the first layer of each list, as often as the list has layers.
    void examine_checkpoints() {
        const std::size_t count = doc_.layers.size();
        std::vector<bool> marked[2] = {std::vector<bool>(count), std::vector<bool>(count)};
        bool is_out = false;
        for (const bool second : {false, true}) {
            const std::string_view key = second ? "checkpoint_initiates" : "checkpoints";
            const workload::index_list list = second ? doc_.header.checkpoint_initiates() : doc_.header.checkpoints();
            const auto first = list.begin();
            if (first == list.end()) continue;
            const std::int64_t layer = *first;
            bool differ = false;
            for (const std::int64_t n : list) differ = differ || n != layer;
            if (differ)
                found(rows::first_checkpoint, where(doc_.header, key),
                      set("header." + std::string(key), "1 " + std::to_string(layer)));
            if (layer >= 0 && static_cast<std::size_t>(layer) < count)
                marked[second][static_cast<std::size_t>(layer)] = true;
            else {
                is_out = true;
                found(rows::checkpoint_range, where(doc_.header, key), set("header." + std::string(key), "0"));
            }
        }
        if (const auto stray = recomputation_of(marked[0], marked[1]).stray; stray && !is_out)
            found(rows::no_checkpoint, where(doc_.header, "checkpoint_initiates"),
                  set("header.checkpoint_initiates", "0"), "layer " + std::to_string(*stray));
    }

    // --- SimAI's layers: words, a number being the digits up to the first other letter.
    void examine_layer(std::size_t n) {
        const workload::layer& layer = doc_.layers[n];
        if (!layer.further.empty()) found(rows::further_fields, layer.further, sed(layer.source, cut_after_fields));
        const std::string_view dependency = where(layer, "dependency");
        if (!is_digits(dependency) || std::abs(leading_integer(dependency)) > largest_int)
            found(rows::dependency_not_whole, dependency, set_layer(n, "dependency", "-1"));
        bool communicates = false;
        for (std::size_t p = 0; p != parallelism::phase_count; ++p) {
            const workload::phase& phase = p == 0 ? layer.forward : p == 1 ? layer.input_grad : layer.weight_grad;
            examine_time(n, fields_of_phases[p][0], true);
            if (!examine_collective(n, p, phase)) continue;
            examine_bytes(n, p, phase);
            communicates = true;
        }
        examine_time(n, "update", false);
        if (communicates && layer.update.value_or(0.0) > largest_int)
            found(rows::long_update, where(layer, "update"), set_layer(n, "update", whole_number(largest_int)));
    }
    void examine_time(std::size_t n, std::string_view field, bool is_computation) {
        const std::string_view place = where(doc_.layers[n], field);
        const double time = to_number(place).value_or(0.0);
        if (time < 0) found(rows::below_zero, place, set_layer(n, field, "0"));
        else if (is_computation && time >= largest_int)
            found(rows::long_computation, place, set_layer(n, field, whole_number(largest_int - 1)));
        else if (!is_digits(place)) found(rows::time_not_whole, place, set_layer(n, field, whole_number(time)));
    }
    // Whether the phase has a collective, and SimAI takes it for one.
    bool examine_collective(std::size_t n, std::size_t p, const workload::phase& phase) {
        const workload::communication c = workload::communication_of(phase.comm);
        const std::string_view field = fields_of_phases[p][1];
        const std::string_view place = where(doc_.layers[n], field);
        const bool of_weights = p == 2;
        const std::string_view suffix = c.group == workload::group::expert_parallel        ? "_EP"
                                        : c.group == workload::group::expert_data_parallel ? "_DP_EP"
                                                                                           : "";
        const auto becomes = [&](const condition& row, std::string_view token) {
            found(row, place, set_layer(n, field, std::string(token).append(suffix)));
        };
        if (c.collective == collective::none) return examine_bytes_of_none(n, p), false;
        if (c.collective == collective::other) {
            // AICB writes Python's None where it has no token.
            if (phase.comm == "None") examine_bytes_of_none(n, p);
            else found(rows::unknown_collectives, place, set_nearest(n, p, phase.comm));
        } else if (c.collective == collective::allreduce_all_to_all) becomes(rows::joint_collectives, "ALLREDUCE");
        else if (c.collective == collective::all_to_all_v) becomes(rows::unequal_all_to_all, "ALLTOALL");
        else if (c.collective == collective::broadcast) becomes(rows::broadcasts, "ALLGATHER");
        else if (!row_of(c.collective).in_simai) found(rows::unknown_collectives, place, set_nearest(n, p, phase.comm));
        else if (c.group == workload::group::data_parallel) becomes(rows::data_suffix, row_of(c.collective).token);
        else if (of_weights ? c.group == workload::group::expert_parallel && experts_ != data_
                            : c.group == workload::group::expert_data_parallel && expert_data_ != tensor_)
            found(rows::swapped_group, place,
                  set_layer(n, field, std::string(row_of(c.collective).token) + (of_weights ? "_DP_EP" : "_EP")));
        else return true;
        return false;
    }
    // Of any collective but `other`.
    static const workload::collectives::row& row_of(collective c) {
        return workload::collectives::rows[static_cast<std::size_t>(c)];
    }
    std::string set_nearest(std::size_t n, std::size_t p, text_view comm) const {
        nearest_word nearest(comm);
        std::string known[workload::collectives::count][workload::collectives::suffix_count];
        for (std::size_t c = 0; c != workload::collectives::count; ++c)
            for (std::size_t g = 0; g != workload::collectives::suffix_count; ++g) {
                const workload::collectives::row& row = workload::collectives::rows[c];
                if (!row.in_simai || g == static_cast<std::size_t>(workload::group::data_parallel)) continue;
                nearest.offer(known[c][g] = std::string(row.token).append(workload::collectives::suffixes[g]));
            }
        return nearest.found().empty() ? set_nothing(n, p) : set_layer(n, fields_of_phases[p][1], nearest.found());
    }
    void examine_bytes_of_none(std::size_t n, std::size_t p) {
        const std::string_view place = where(doc_.layers[n], fields_of_phases[p][2]);
        examine_digits(n, p, place, to_number(place).value_or(0.0));
    }
    bool examine_digits(std::size_t n, std::size_t p, std::string_view place, double bytes) {
        const std::string_view field = fields_of_phases[p][2];
        if (bytes < 0) found(rows::below_zero, place, set_layer(n, field, "0"));
        else if (!is_digits(place)) found(rows::size_not_whole, place, set_layer(n, field, whole_number(bytes)));
        else return true;
        return false;
    }
    void examine_bytes(std::size_t n, std::size_t p, const workload::phase& phase) {
        const std::string_view field = fields_of_phases[p][2];
        const std::string_view place = where(doc_.layers[n], field);
        const double bytes = phase.bytes.value_or(0.0);
        if (!examine_digits(n, p, place, bytes)) return;
        const workload::communication c = workload::communication_of(phase.comm);
        const auto g = parallelism::group_of(static_cast<parallelism::phase>(p), c);
        const std::string_view comm = where(doc_.layers[n], fields_of_phases[p][1]);
        const std::int64_t members = *g == group::tensor_parallel        ? tensor_
                                     : *g == group::expert_parallel      ? experts_
                                     : *g == group::expert_data_parallel ? expert_data_
                                                                         : data_;
        constexpr double priced = 1048576;  // below, SimAI has a table of times
        if (*g == group::tensor_parallel && tensor_ == 1) {
            if (!(1 < bytes && bytes < priced)) found(rows::lone_rank, comm, set_nothing(n, p));
            return;
        }
        const bool is_of_experts = *g == group::expert_parallel || *g == group::expert_data_parallel;
        if (is_of_experts && tensor_ == 1 && members > 1) return found(rows::no_expert_groups, comm, set_nothing(n, p));
        if (members <= 1) return;
        if (1 < bytes && bytes < priced && !(is_power_of_two(members) && members <= 128))
            return found(rows::free_collective, place, set_layer(n, field, whole_number(priced)));
        // It looks the bandwidth up in a table, by the size as a float.
        constexpr float tabulated = 17179869184.0F;
        const bool is_looked_up = c.collective == collective::all_to_all
                                      ? *g == group::tensor_parallel || *g == group::expert_parallel
                                      : c.collective != collective::allreduce && *g == group::tensor_parallel;
        if (is_looked_up && static_cast<float>(bytes) > tabulated)
            found(rows::large_collective, place, set_layer(n, field, whole_number(static_cast<double>(tabulated))));
        if (*g == group::tensor_parallel && tensor_ > ranks_of_server && c.collective != collective::allreduce &&
            !(tensor_ % ranks_of_server == 0 && is_power_of_two(tensor_ / ranks_of_server) && tensor_ <= 1024))
            found(rows::odd_servers, comm, set_tensor());
        // A forward collective of fewer bytes than 4,096 is simulated as one of 4,096.
        const bool is_raised = p == 0 && doc_.header.policy == policy_of_aicb;
        if (c.collective == collective::allreduce && bytes > 0 && bytes < static_cast<double>(members) && !is_raised)
            found(rows::small_collectives, place, set_layer(n, field, std::to_string(members)));
    }
    // Sets the tensor parallelism to the next size that fills 2, 4, 8, ... servers, and the number of all ranks to what
    // that needs.
    std::string set_tensor() const {
        std::int64_t next = ranks_of_server;
        while (next < tensor_ && next < 1024) next *= 2;
        const std::int64_t all = next * stages_ * (std::max)(std::int64_t{1}, data_);
        return set_entry("model_parallel_NPU_group", static_cast<double>(next)) +
               change("header.all_gpus", std::to_string(all));
    }

    // --- Chakra's traces.
    void examine_traces(simulator program) {
#if WLFMT_SIMULATORS_HAVE_TRACES
        const auto traces = chakra::traces_of(doc_, text_);
        if (!traces) return refuse(traces.error());
        if (program == simulator::chakra) return;
        if (traces->notes().no_messages)
            found(rows::no_messages, where(doc_.header, "pp_comm"), set_entry("pp_comm", bytes_of_largest_forward()));
        for (const auto& raised : traces->notes().raised) {
            const std::string_view field = fields_of_phases[raised.phase][2];
            found(rows::raised_collective, where(doc_.layers[raised.layer], field),
                  set_layer(raised.layer, field, std::to_string(raised.bytes)));
        }
        if (traces->ranks() == 1) found(rows::one_rank, where(doc_.header, "all_gpus"), set_entry("all_gpus", 2));
#else
        static_cast<void>(program);
        found(rows::untraceable, line_, {}, "this build lacks protozero, or exceptions");
#endif
    }
    void refuse(const problem& e) {
        const std::string_view place =
            text_.substr(static_cast<std::size_t>((std::min<std::uint64_t>)(e.offset, text_.size())),
                         static_cast<std::size_t>(e.length));
        found(rows::untraceable, place, remedy_of(e, place), message<std::string>(e, text_));
    }
    std::string remedy_of(const problem& e, std::string_view place) const {
        for (std::size_t n = 0; n != doc_.layers.size(); ++n) {
            const std::string_view line = doc_.layers[n].source;
            if (place.data() < line.data() || place.data() > line.data() + line.size()) continue;
            for (std::size_t p = 0; p != parallelism::phase_count; ++p)
                if (e.field == fields_of_phases[p][1])
                    return e.kind == error_kind::unknown_collective ? set_nearest(n, p, text_view(place))
                                                                    : set_nothing(n, p);
            return set_layer(n, e.field, "0");
        }
        const std::string path = "header." + std::string(e.field);
        const bool in_groups = parallelism::facts_of(doc_.header.policy).has_groups;
        if (e.kind == error_kind::checkpoint_range || e.kind == error_kind::checkpoint_mismatch)
            return set("header.checkpoint_initiates", "0") +
                   (doc_.header.find("checkpoints").is_missing() ? "" : change("header.checkpoints", "0"));
        if (e.kind == error_kind::empty_trace && doc_.layers.empty()) return {};
        // Layers of the embedding are in the first stage alone.
        if (e.kind == error_kind::empty_trace && e.found > 0) return set("header.pp", "1");
        if (e.kind == error_kind::empty_trace)
            return doc_.header.policy == "MICRO" ? set_layer(0, fields_of_phases[2][1], "ALLREDUCE") +
                                                       change(path_of(0, fields_of_phases[2][2]), "1048576")
                                                 : set_layer(0, fields_of_phases[0][0], "1000");
        if (e.kind == error_kind::micro_batch_mismatch)
            return set_entry("ga", e.found > 0 ? static_cast<double>(e.found) : 1);
        if (e.kind == error_kind::not_divisible || e.field == "all_gpus")
            return set_entry("all_gpus", in_groups ? smallest("all_gpus") : 8);
        if (e.field == "policy") return set("header.policy", policy_of_aicb);
        return set(path, e.field == "pp_comm" ? "0" : "1");
    }

    std::string_view text_;
    std::string file_;
    callback<void(const finding&)> report_;
    bool is_read_ = false;
    workload::document doc_;
    std::string_view line_;
    std::vector<std::string_view> tokens_;
    std::int64_t tensor_ = 1;
    std::int64_t stages_ = 1;
    std::int64_t experts_ = 1;
    std::int64_t ranks_ = 0;
    std::int64_t data_ = 0;  // 0: unknown
    std::int64_t expert_data_ = 0;
};

}  // namespace

void examine(simulator program, text_view text, std::string_view file, callback<void(const finding&)> report) {
    examination(text, file, report).run(program);
}

const condition& condition_named(std::string_view name) noexcept {
    static constexpr condition none = {};
    for (const condition* const row : rows::all)
        if (row->name == name) return *row;
    return none;
}

std::string words_of(const finding& f) {
    std::string words(f.row.what);
    if (!f.detail.empty()) words.append(" (").append(f.detail).append(")");
    words.append("; ").append(f.row.simulator).append(": ").append(f.row.result);
    words.append(" (").append(f.row.source).append(")");
    if (!f.remedy.empty()) words.append("; ").append(f.row.advice).append(": `").append(f.remedy).append("`");
    return words;
}

bool is_read_by_simai(std::string_view key) noexcept {
    return std::find(std::begin(size_keys), std::end(size_keys), key) != std::end(size_keys) ||
           std::find(std::begin(other_keys), std::end(other_keys), key) != std::end(other_keys);
}

}  // namespace simulators
}  // namespace wlfmt::analysis
