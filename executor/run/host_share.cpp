#include "executor/run/host_share.hpp"

#include "executor/startup/agreement.hpp"
#include "executor/startup/host_memory.hpp"
#include "executor/startup/threads.hpp"

namespace ein::executor {

HostShare share_host(Transport& transport, std::vector<std::int64_t> const& peaks, std::optional<int> threads,
                     Environment const& environment, Messages const& messages) {
    Rank const self = transport.rank();
    std::vector<Seat> const seats = all_seats(transport);
    agree(transport, [&] { check_host_memory(seats, peaks, self, memory_of_this_host()); });
    ThreadChoice choice;
    agree(transport, [&] { choice = choose_threads(threads, environment, seats, self); });
    std::string const warning = first_said(transport, choice.warning);
    if (self == Rank{0} && !warning.empty()) messages.warn(warning);
    Seat const& mine = seats[static_cast<std::size_t>(self.value())];
    return {mine.host, mine.cores, choice.threads, choice.oversubscribed};
}

}  // namespace ein::executor
