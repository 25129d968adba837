#include "executor/run/places.hpp"

#include <algorithm>

#include "executor/startup/core_sets.hpp"
#include "lib/base/text/counted.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t most_reported = 16;  // ranks

/// After '*' where the device has memory of its own, ' ' elsewhere.
std::string place_text(std::string const& host, RankDevice const& device) {
    std::string const name(device.device->name()), description = device.device->description();
    return (device.device->accelerator() != nullptr ? "*" : " ") + host + ": " + name +
           (description == name ? "" : ", " + description) + "; cores " + list_of_cores(device.cores);
}

void report_each(std::vector<std::string> const& places, Messages const& messages) {
    for (std::size_t rank = 0; rank < std::min(places.size(), most_reported); ++rank)
        messages.report("rank " + std::to_string(rank) + " on " + places[rank].substr(1));
    if (places.size() > most_reported) messages.report("and " + counted(places.size() - most_reported, "more rank"));
}

}  // namespace

void report_places(Transport& transport, std::string const& host, RankDevice const& device, RunSettings const& settings,
                   Messages const& messages) {
    std::vector<std::string> const places = transport.all_gather(place_text(host, device));
    if (transport.rank() != Rank{0}) return;
    bool const on_device =
        std::any_of(places.begin(), places.end(), [](std::string const& place) { return place.starts_with('*'); });
    if (!on_device && settings.device_memory)
        messages.warn("--device-memory says nothing to ranks that compute in their host's memory");
    if (on_device && !settings.quiet) report_each(places, messages);
}

void warn_of_spills_in_memory(Transport& transport, std::string const& host, bool in_memory,
                              std::filesystem::path const& spill_dir, Messages const& messages) {
    std::string const where = first_said(transport, in_memory ? host : "");
    if (transport.rank() != Rank{0} || where.empty()) return;
    messages.warn("--spill-dir " + spill_dir.string() + " is kept in memory on host " + where +
                  " (tmpfs): what spills there takes the memory that it should save; give a folder on a disk");
}

}  // namespace ein::executor
