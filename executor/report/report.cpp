#include "executor/report/report.hpp"

#include <algorithm>

#include "lib/base/json.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor {

namespace {

/// Bytes between the host and the memory of a device that has its own; null for other devices.
Json device_memory(RunResult const& result) {
    if (!result.device) return nullptr;
    auto const rounds = static_cast<std::int64_t>(std::max<std::size_t>(1, result.rounds.size()));
    schedule::DeviceTraffic const &moved = result.device->moved, &predicted = result.device->predicted;
    return {{"capacity", result.device->capacity},
            {"messages", result.device->direct_messages ? "direct" : "staged"},
            {"peak", moved.peak},
            {"copied_in", moved.copied_in / rounds},
            {"evicted", moved.evicted / rounds},
            {"sent_home", moved.sent_home / rounds},
            {"copied_in_predicted", predicted.copied_in},
            {"evicted_predicted", predicted.evicted},
            {"sent_home_predicted", predicted.sent_home}};
}

/// How much of the time with messages under way was hidden behind computing; the share is null where none were.
Json overlap(double under_way, double hidden) {
    return {{"under_way", under_way},
            {"hidden", hidden},
            {"hidden_share", under_way > 0 ? Json(hidden / under_way) : Json(nullptr)}};
}

/// Seconds of this rank's threads by where inputs come from. Texts are parsed when they are opened.
Json loads(schedule::Header const& header, RunResult const& result) {
    Json out;
    bool texts = false;
    for (schedule::Input const& input : header.inputs) texts = texts || comes_from(input.source) == InputFrom::texts;
    auto const opened = static_cast<std::size_t>(texts ? InputFrom::texts : InputFrom::files);
    for (std::size_t from = 0; from < input_from_names.size(); ++from) {
        double seconds = from == opened ? result.opened_seconds : 0;
        for (TaskTimes const& times : result.workers) seconds += times.loads[from];
        out[std::string(input_from_names[from])] = seconds;
    }
    return out;
}

/// One rank's part. Task times are sums over its threads; those of transfers run from start to end and overlap.
Json rank_report(Rank rank, schedule::Header const& header, RunFacts const& facts, RunResult const& result) {
    Json tasks = Json::object();
    for (std::size_t kind = 0; kind < schedule::task_kinds; ++kind) {
        KindTimes sum;
        for (TaskTimes const& times : result.workers) {
            sum.count += times.kinds[kind].count;
            sum.seconds += times.kinds[kind].seconds;
        }
        if (sum.count == 0) continue;
        tasks[std::string(schedule::task_traits[kind].name)] = {{"count", sum.count}, {"seconds", sum.seconds}};
    }
    CoreTimes cores;
    for (TaskTimes const& times : result.workers) cores += times.cores;
    return {{"rank", rank.value()},
            {"host", facts.host},
            {"device", facts.device_description},
            {"tf32", facts.tf32},
            {"threads", facts.threads},
            {"shared_cores", facts.shared_cores},
            {"seconds",
             {{"load", result.load_seconds},
              {"execute", result.execute_seconds},
              {"store", result.store_seconds},
              {"total", result.total_seconds},
              {"busy", result.times.busy},
              {"waiting", result.times.waiting},
              {"communicating", result.times.communicating}}},
            {"loads", loads(header, result)},
            {"cores", {{"in_kernels", cores.looked_at}, {"without", cores.without}}},
            {"overlap", overlap(result.times.under_way, result.times.hidden)},
            {"repeat", result.rounds},
            {"flops", result.flops},
            {"bytes_sent", result.transfers.bytes_sent},
            {"messages_sent", result.transfers.messages_sent},
            {"bytes_predicted", result.predicted.sent},
            {"turns", result.iterations.list()},
            {"ran_out", result.ran_out.list()},
            {"peak_block_bytes", result.blocks.peak_bytes()},
            {"peak_predicted", result.peak_predicted},
            {"spill",
             {{"blocks", result.spilled.blocks},
              {"bytes", result.spilled.written},
              {"fetched_bytes", result.spilled.read},
              {"peak_bytes", result.spilled.peak}}},
            {"device_memory", device_memory(result)},
            {"blocks",
             {{"created", result.blocks.created()},
              {"deleted", result.blocks.deleted()},
              {"live_at_end", result.blocks.live()},
              {"live_after_execute", result.live_after_execute}}},
            {"tasks", tasks}};
}

double largest(std::vector<Json> const& ranks, Json::json_pointer const& what) {
    double out = 0;
    for (Json const& rank : ranks) out = std::max(out, rank.at(what).get<double>());
    return out;
}

template <class Number>
Number sum(std::vector<Json> const& ranks, char const* what) {
    Number out = 0;
    for (Json const& rank : ranks) out += rank.at(Json::json_pointer(what)).get<Number>();
    return out;
}

/// How many iterations each loop took; a rank without tasks in it knows of none.
Json loops_of(std::vector<Json> const& ranks, schedule::Header const& header) {
    Json out = Json::array();
    for (schedule::LoopSpecId l : header.loops.ids()) {
        std::int64_t iterations = 0;
        for (Json const& rank : ranks) iterations = std::max(iterations, rank.at("turns")[at(l)].get<std::int64_t>());
        bool const ran_out =
            std::ranges::any_of(ranks, [&](Json const& rank) { return rank.at("ran_out")[at(l)].get<int>() != 0; });
        out.push_back({{"name", header.loops[l].name}, {"turns", iterations}});
        if (ran_out) out.back()["ran_out"] = true;
        schedule::LoopSpec const& loop = header.loops[l];
        if (loop.conditional && !loop.outer && loop.iterations > 1 && iterations == 1)
            out.back()["ended_at_once"] = true;
    }
    return out;
}

Json each(std::vector<Json> const& ranks, char const* what) {
    Json out = Json::array();
    for (Json const& rank : ranks) out.push_back(rank.at(what));
    return out;
}

/// Each round took as long as its slowest rank.
std::vector<double> rounds_of(std::vector<Json> const& ranks) {
    auto rounds = ranks.front().at("repeat").get<std::vector<double>>();
    for (Json const& rank : ranks)
        for (std::size_t i = 0; i < rounds.size(); ++i)
            rounds[i] = std::max(rounds[i], rank.at("repeat")[i].get<double>());
    return rounds;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    std::size_t const middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Json tasks_of(std::vector<Json> const& ranks) {
    Json out = Json::object();
    for (Json const& rank : ranks)
        for (auto const& [kind, times] : rank.at("tasks").items()) {
            Json& entry = out[kind];
            if (entry.is_null()) entry = {{"count", 0}, {"seconds", 0.0}};
            entry["count"] = entry["count"].get<std::int64_t>() + times["count"].get<std::int64_t>();
            entry["seconds"] = entry["seconds"].get<double>() + times["seconds"].get<double>();
        }
    return out;
}

/// Of those ranks whose device has memory of its own together; null where none has.
Json device_memory_of(std::vector<Json> const& ranks) {
    Json out;
    for (Json const& rank : ranks) {
        Json const& memory = rank.at("device_memory");
        if (memory.is_null()) continue;
        for (char const* what :
             {"copied_in", "copied_in_predicted", "evicted", "evicted_predicted", "sent_home", "sent_home_predicted"})
            out[what] = (out.contains(what) ? out[what].get<std::int64_t>() : 0) + memory.at(what).get<std::int64_t>();
    }
    return out;
}

Json whole_report(std::vector<Json> const& ranks, schedule::Header const& header, RunFacts const& facts) {
    std::vector<double> const rounds = rounds_of(ranks);
    double const execute = median(rounds);
    double const flops = sum<double>(ranks, "/flops");
    Json report;
    report["einrun"] = facts.version;
    report["graph"] = facts.graph;
    report["schedule"] = facts.schedule;
    report["schedule_hash"] = facts.schedule_hash;
    report["strategy"] = header.strategy;
    report["place"] = header.place;
    report["reproducible"] = header.reproducible;
    report["ranks"] = ranks.size();
    report["threads"] = facts.threads;
    report["device"] = facts.device;
    report["tf32"] = std::any_of(ranks.begin(), ranks.end(), [](Json const& rank) { return rank["tf32"].get<bool>(); });
    report["shared_cores"] =
        std::any_of(ranks.begin(), ranks.end(), [](Json const& rank) { return rank["shared_cores"].get<bool>(); });
    report["hosts"] = each(ranks, "host");
    report["seconds"] = {{"load", largest(ranks, Json::json_pointer("/seconds/load"))},
                         {"execute", execute},
                         {"store", largest(ranks, Json::json_pointer("/seconds/store"))},
                         {"total", largest(ranks, Json::json_pointer("/seconds/total"))}};
    report["repeat"] = rounds;
    report["repeat_median"] = execute;
    report["flops"] = flops;
    report["gflops_per_second"] = execute > 0 ? flops / execute * 1e-9 : 0.0;
    report["bytes_sent"] = sum<std::int64_t>(ranks, "/bytes_sent");
    report["messages_sent"] = sum<std::int64_t>(ranks, "/messages_sent");
    report["bytes_predicted"] = sum<std::int64_t>(ranks, "/bytes_predicted");
    report["peak_block_bytes"] = each(ranks, "peak_block_bytes");
    report["peak_predicted"] = each(ranks, "peak_predicted");
    for (char const* what : {"created", "deleted", "live_at_end", "live_after_execute"})
        report["blocks"][what] = sum<std::int64_t>(ranks, (std::string("/blocks/") + what).c_str());
    report["tasks"] = tasks_of(ranks);
    if (!header.loops.empty()) report["loops"] = loops_of(ranks, header);
    report["overlap"] = overlap(sum<double>(ranks, "/overlap/under_way"), sum<double>(ranks, "/overlap/hidden"));
    for (std::string_view const from : input_from_names)
        report["loads"][std::string(from)] = sum<double>(ranks, ("/loads/" + std::string(from)).c_str());
    for (char const* what : {"in_kernels", "without"})
        report["cores"][what] = sum<double>(ranks, (std::string("/cores/") + what).c_str());
    double const in_kernels = report["cores"]["in_kernels"], without = report["cores"]["without"];
    report["cores"]["share"] = in_kernels > 0 ? without / in_kernels : 0.0;
    report["ranks_detail"] = ranks;
    report["changed"] = facts.changed;
    report["verify"] = nullptr;
    for (char const* what : {"blocks", "bytes", "fetched_bytes"})
        report["spill"][what] = sum<std::int64_t>(ranks, (std::string("/spill/") + what).c_str());
    if (Json const memory = device_memory_of(ranks); !memory.is_null()) report["device_memory"] = memory;
    report["checkpoint"] = nullptr;
    return report;
}

/// What ranks did with their time, where they had messages to wait for: shares of the time of the rank that took
/// longest, for whose end the others wait.
std::string overlap_line(Json const& report) {
    Json const& share = report.at("overlap").at("hidden_share");
    if (share.is_null()) return "";
    double busy = 0, communicating = 0, longest = 0;
    for (Json const& rank : report.at("ranks_detail")) {
        Json const& seconds = rank.at("seconds");
        double const computed = seconds.at("busy"), communicated = seconds.at("communicating"),
                     waited = seconds.at("waiting");
        busy += computed, communicating += communicated;
        longest = std::max(longest, computed + communicated + waited);
    }
    double const whole = longest * static_cast<double>(report.at("ranks_detail").size());
    double const waiting = std::max(0.0, whole - busy - communicating), percent = 100 / std::max(1e-300, whole);
    char text[200];
    std::snprintf(text, sizeof text,
                  "  overlap    %.0f %% of communication behind computing; ranks compute %.0f %%, communicate %.0f %%, "
                  "wait %.0f %% of the time\n",
                  100 * share.get<double>(), percent * busy, percent * communicating, percent * waiting);
    return text;
}

/// "  loops      iterations of train/inner: 1200, train: 100"
std::string loops_line(Json const& report) {
    std::string out;
    for (Json const& loop : report.value("loops", Json::array()))
        out += (out.empty() ? "  loops      iterations of " : ", ") + loop.at("name").get<std::string>() + ": " +
               std::to_string(loop.at("turns").get<std::int64_t>());
    return out.empty() ? out : out + "\n";
}

/// What went to disk, where something did.
std::string device_line(Json const& report) {
    if (!report.contains("device_memory")) return "";
    Json const& memory = report.at("device_memory");
    auto const bytes = [&](char const* what) { return format_bytes(memory.at(what).get<double>()); };
    return "  device     " + bytes("copied_in") + " copied in, " + bytes("evicted") + " evicted (" +
           bytes("evicted_predicted") + " predicted), " + bytes("sent_home") + " copied out for the host\n";
}

/// Where kernels stood still for much of their time because somebody else had their cores.
std::string cores_line(Json const& report) {
    double const share = report.at("cores").at("share");
    if (share < much_without_core) return "";
    char text[200];
    std::snprintf(text, sizeof text, "  cores      kernels had none for %.0f %% of their time: %s\n", 100 * share,
                  report.at("shared_cores").get<bool>() ? "ranks share them" : "others use this machine too");
    return text;
}

std::string spill_line(Json const& spill) {
    if (spill.at("blocks").get<std::int64_t>() == 0) return "";
    return "  spilled    " + std::to_string(spill.at("blocks").get<std::int64_t>()) + " blocks, " +
           format_bytes(spill.at("bytes").get<double>()) + " written, " +
           format_bytes(spill.at("fetched_bytes").get<double>()) + " read back\n";
}

}  // namespace

Json gather_report(Transport& transport, schedule::Header const& header, RunFacts const& facts,
                   RunResult const& result) {
    std::vector<std::string> const texts =
        transport.all_gather(rank_report(transport.rank(), header, facts, result).dump());
    if (transport.rank() != Rank{0}) return nullptr;
    std::vector<Json> ranks;
    for (std::string const& text : texts) ranks.push_back(Json::parse(text));
    Json report = whole_report(ranks, header, facts);
    report["stopped"] = result.stopped;
    return report;
}

std::string report_summary(Json const& report) {
    auto number = [&](char const* where) { return report.at(Json::json_pointer(where)).get<double>(); };
    int const ranks = report.at("ranks"), threads = report.at("threads");
    char text[640];
    std::snprintf(
        text, sizeof text,
        "%s: %s%d %s x %d %s on %s\n"
        "  seconds    load %.3g, execute %.3g%s, store %.3g\n"
        "  speed      %s FLOP, %.3g GFLOP/s\n"
        "  moved      %s in %.0f messages (predicted %s)\n"
        "  peak       %s on the fullest rank (predicted %s)\n",
        report.at("graph").get<std::string>().substr(0, 200).c_str(),
        report.value("stopped", false) ? "stopped before its end, on " : "", ranks, ranks == 1 ? "rank" : "ranks",
        threads, threads == 1 ? "thread" : "threads", report.at("device").get<std::string>().c_str(),
        number("/seconds/load"), number("/seconds/execute"), report.at("repeat").size() > 1 ? " (median)" : "",
        number("/seconds/store"), format_count(number("/flops")).c_str(), number("/gflops_per_second"),
        format_bytes(number("/bytes_sent")).c_str(), number("/messages_sent"),
        format_bytes(number("/bytes_predicted")).c_str(),
        format_bytes(*std::max_element(report.at("peak_block_bytes").begin(), report.at("peak_block_bytes").end()))
            .c_str(),
        format_bytes(*std::max_element(report.at("peak_predicted").begin(), report.at("peak_predicted").end()))
            .c_str());
    return text + loops_line(report) + overlap_line(report) + cores_line(report) + device_line(report) +
           spill_line(report.at("spill"));
}

}  // namespace ein::executor
