#include "apps/eintool/run/hosts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>

namespace ein::apps::tool {
namespace {

constexpr int most_nodes = 1 << 20;  // of one range: what is more is no list of hosts

std::optional<int> number_in(std::string_view text) {
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

void add(Hosts& hosts, std::string const& name, int slots) {
    auto const same = std::find_if(hosts.all.begin(), hosts.all.end(), [&](Host const& h) { return h.name == name; });
    if (same == hosts.all.end())
        hosts.all.push_back({name, slots});
    else
        same->slots += slots;
}

/// Cut at commas that are not in brackets.
std::vector<std::string> items_of(std::string_view list) {
    std::vector<std::string> out(1);
    int depth = 0;
    for (char const letter : list) {
        depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
        if (letter == ',' && depth == 0)
            out.emplace_back();
        else
            out.back() += letter;
    }
    std::erase(out, "");
    return out;
}

/// "07" to "11" as five texts of two digits.
std::vector<std::string> range_of(std::string const& text) {
    auto const dash = text.find('-');
    std::string const first = text.substr(0, dash), last = dash == std::string::npos ? first : text.substr(dash + 1);
    auto const from = number_in(first), to = number_in(last);
    if (!from || !to || *to < *from || *to - *from > most_nodes) return {text};
    std::vector<std::string> out;
    for (int number = *from; number <= *to; ++number) {
        std::string const digits = std::to_string(number);
        out.push_back(std::string(first.size() - std::min(first.size(), digits.size()), '0') + digits);
    }
    return out;
}

/// "n[1-2]x[3,4]" as n1x3, n1x4, n2x3, n2x4.
std::vector<std::string> expanded(std::string const& name) {
    auto const open = name.find('['), close = name.find(']', open);
    if (open == std::string::npos || close == std::string::npos) return {name};
    std::vector<std::string> out;
    for (std::string const& rest : expanded(name.substr(close + 1)))
        for (std::string const& item : items_of(name.substr(open + 1, close - open - 1)))
            for (std::string const& number : range_of(item)) out.push_back(name.substr(0, open) + number + rest);
    return out;
}

/// "4(x3),2" as 4, 4, 4, 2.
std::vector<int> repeated(std::string_view text) {
    std::vector<int> out;
    for (std::string const& item : items_of(text)) {
        auto const open = item.find("(x");
        int const times =
            open == std::string::npos ? 1 : number_in(item.substr(open + 2, item.find(')') - open - 2)).value_or(1);
        out.insert(out.end(), static_cast<std::size_t>(std::min(times, most_nodes)),
                   number_in(item.substr(0, open)).value_or(1));
    }
    return out;
}

std::int64_t slots_of(Hosts const& hosts) {
    std::int64_t out = 0;
    for (Host const& host : hosts.all) out += host.slots;
    return out;
}

}  // namespace

Hosts hosts_of_file(std::string_view text) {
    Hosts out;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find('#'));
        std::replace(line.begin(), line.end(), '=', ' ');
        std::istringstream words(line);
        std::string name;
        if (!(words >> name)) continue;
        std::optional<int> slots;
        for (std::string key, value; words >> key >> value;)
            if (key == "slots" || key == "cpus" || key == "count") slots = number_in(value);
        out.counted = out.counted && slots.has_value();
        add(out, name, slots.value_or(1));
    }
    return out;
}

Hosts hosts_of_list(std::string_view text) {
    Hosts out;
    for (std::string const& item : items_of(text)) {
        auto const colon = item.rfind(':');
        auto const slots = colon == std::string::npos ? std::nullopt : number_in(item.substr(colon + 1));
        add(out, slots ? item.substr(0, colon) : item, slots.value_or(1));
    }
    return out;
}

Hosts hosts_of_slurm(std::string_view nodes, std::string_view tasks_per_node) {
    Hosts out;
    std::vector<int> const tasks = repeated(tasks_per_node);
    for (std::string const& item : items_of(nodes))
        for (std::string const& name : expanded(item)) {
            std::size_t const at = out.all.size();
            out.counted = out.counted && at < tasks.size();
            out.all.push_back({name, at < tasks.size() ? tasks[at] : 1});
        }
    return out;
}

std::string hostfile_text(Hosts const& hosts) {
    std::string out;
    for (Host const& host : hosts.all)
        out += host.name + (hosts.counted ? " slots=" + std::to_string(host.slots) : "") + "\n";
    return out;
}

int ranks_on(Hosts const& left, Hosts const& whole, int ranks) {
    std::int64_t const now = slots_of(left), before = std::max<std::int64_t>(1, slots_of(whole));
    std::int64_t const fits =
        whole.counted && before >= ranks ? std::min<std::int64_t>(ranks, now) : ranks * now / before;
    return static_cast<int>(std::max<std::int64_t>(1, fits));
}

}  // namespace ein::apps::tool
