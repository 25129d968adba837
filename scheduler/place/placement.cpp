#include "scheduler/place/placement.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"
#include "scheduler/place/assignment.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// Where pattern puts call `index`: the grid of calls in C order, cut evenly over all ranks.
int pattern_rank(std::size_t index, std::size_t calls, int ranks) {
    if (calls <= static_cast<std::size_t>(ranks)) return static_cast<int>(index);
    return static_cast<int>(index * static_cast<std::size_t>(ranks) / calls);
}

std::vector<Rank> place_pattern(PlaceQuery const& query) {
    std::vector<Rank> out;
    for (std::size_t call = 0; call < query.held.size(); ++call)
        out.emplace_back(pattern_rank(call, query.held.size(), query.ranks));
    return out;
}

std::vector<Rank> place_round_robin(PlaceQuery const& query) {
    std::vector<Rank> out;
    for (std::size_t call = 0; call < query.held.size(); ++call) out.emplace_back(static_cast<int>(call) % query.ranks);
    return out;
}

/// Calls that a rank gets at most.
std::size_t room_of_each(PlaceQuery const& query) {
    auto const ranks = static_cast<std::size_t>(query.ranks);
    return (query.held.size() + ranks - 1) / ranks;
}

/// As many columns as calls may go to: rank r is the columns r, r + ranks, ...; a little more for where pattern would
/// put a call.
std::vector<std::vector<double>> weights_of(PlaceQuery const& query, std::size_t room) {
    auto const ranks = static_cast<std::size_t>(query.ranks);
    std::size_t const calls = query.held.size();
    std::vector<std::vector<double>> weights(calls, std::vector<double>(ranks * room, 0));
    for (std::size_t call = 0; call < calls; ++call) {
        auto add = [&](int rank, double weight) {
            for (std::size_t k = 0; k < room; ++k) weights[call][static_cast<std::size_t>(rank) + k * ranks] += weight;
        };
        for (Held const& held : query.held[call]) add(held.rank.value(), held.bytes);
        add(pattern_rank(call, calls, query.ranks), 0.5 / static_cast<double>(calls));
    }
    return weights;
}

/// Takes the pairs (call, rank) by bytes that need not move, most first, while the rank has room; the rest go where
/// pattern would put them, or to the next rank with room.
std::vector<Rank> place_by_most_bytes(PlaceQuery const& query, std::size_t most) {
    std::size_t const calls = query.held.size();
    std::vector<std::size_t> room(static_cast<std::size_t>(query.ranks), most);
    struct Choice {  // there are many: of each call, and who has something for it
        std::uint32_t call;
        int rank;
    };
    struct Alike {  // of one number of bytes
        std::vector<Choice> on_pattern, off_pattern;
    };
    std::map<double, Alike, std::greater<>> choices;  // regular cuts have few numbers
    for (std::size_t call = 0; call < calls; ++call)
        for (Held const& held : query.held[call]) {
            if (held.bytes <= 0) continue;
            Alike& alike = choices[held.bytes];
            bool const on = held.rank.value() == pattern_rank(call, calls, query.ranks);
            (on ? alike.on_pattern : alike.off_pattern)
                .push_back({static_cast<std::uint32_t>(call), held.rank.value()});
        }
    std::vector<int> placed(calls, -1);
    auto take = [&](std::size_t call, int rank) {
        placed[call] = rank;
        --room[static_cast<std::size_t>(rank)];
    };
    for (auto const& [bytes, alike] : choices)
        for (auto const* list : {&alike.on_pattern, &alike.off_pattern})
            for (Choice const& choice : *list)
                if (placed[choice.call] < 0 && room[static_cast<std::size_t>(choice.rank)] > 0)
                    take(choice.call, choice.rank);
    for (std::size_t call = 0; call < calls; ++call) {
        int rank = pattern_rank(call, calls, query.ranks);
        while (placed[call] < 0) {
            if (room[static_cast<std::size_t>(rank)] > 0) take(call, rank);
            rank = (rank + 1) % query.ranks;
        }
    }
    std::vector<Rank> out;
    for (int rank : placed) out.emplace_back(rank);
    return out;
}

/// The assignment that leaves the most bytes where they are; exact where its cubic cost is small, else by most bytes
/// first.
std::vector<Rank> place_greedy(PlaceQuery const& query) {
    std::size_t const room = room_of_each(query);
    if (!is_placed_exactly(query)) return place_by_most_bytes(query, room);
    std::vector<Rank> out;
    for (int column : assign(weights_of(query, room))) out.emplace_back(column % query.ranks);
    return out;
}

}  // namespace

bool is_placed_exactly(PlaceQuery const& query) {
    std::size_t const calls = query.held.size();
    return calls * calls * static_cast<std::size_t>(query.ranks) * room_of_each(query) <= tuning::most_assigned;
}

double bytes_in_place(PlaceQuery const& query, std::vector<Rank> const& ranks) {
    double out = 0;
    for (std::size_t call = 0; call < query.held.size(); ++call)
        for (Held const& held : query.held[call])
            if (held.rank == ranks[call]) out += held.bytes;
    return out;
}

std::vector<std::string> const& placer_names() {
    static std::vector<std::string> const names{"best", "pattern", "ia", "greedy", "round-robin"};
    return names;
}

Placer placer(std::string const& name) {
    if (name == "pattern") return place_pattern;
    if (name == "greedy" || name == "ia") return place_greedy;  // ia: for nodes that the algebra does not have
    if (name == "round-robin") return place_round_robin;
    throw UsageError(Fault{"", "--place", one_of(placer_names()), "'" + name + "'", mend_name(name, placer_names())});
}

}  // namespace ein::scheduler
