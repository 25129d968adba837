#include "executor/startup/gpu_seats.hpp"

#include <map>
#include <optional>

#include "lib/base/json.hpp"

namespace ein::executor {

std::vector<GpuSeat> seats_on_gpus(std::vector<std::vector<std::string>> const& seen) {
    std::map<std::string, int> takers;
    std::vector<std::string> taken(seen.size());
    std::vector<GpuSeat> seats(seen.size());
    for (std::size_t rank = 0; rank < seen.size(); ++rank) {
        std::optional<std::size_t> best;
        for (std::size_t number = 0; number < seen[rank].size(); ++number) {
            if (seen[rank][number].empty()) continue;
            if (!best || takers[seen[rank][number]] < takers[seen[rank][*best]]) best = number;
        }
        if (!best) continue;
        seats[rank].number = static_cast<int>(*best);
        taken[rank] = seen[rank][*best];
        ++takers[taken[rank]];
    }
    for (std::size_t rank = 0; rank < seen.size(); ++rank)
        if (!taken[rank].empty()) seats[rank].sharers = takers[taken[rank]];
    return seats;
}

GpuSeat seat_on_gpu(Transport& transport, std::string const& host, DeviceChoice const& choice) {
    Json mine = Json::array();
    for (std::string const& gpu : visible_gpus(choice)) mine.push_back(gpu.empty() ? "" : host + " " + gpu);
    std::vector<std::vector<std::string>> seen;
    for (std::string const& text : transport.all_gather(mine.dump(-1, ' ', true, Json::error_handler_t::replace)))
        seen.push_back(Json::parse(text).get<std::vector<std::string>>());
    return seats_on_gpus(seen)[static_cast<std::size_t>(transport.rank().value())];
}

}  // namespace ein::executor
