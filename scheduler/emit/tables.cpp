#include "scheduler/emit/tables.hpp"

namespace ein::scheduler {
namespace {

template <class Entry>
std::int32_t append(std::vector<Entry>& table, Entry entry) {
    table.push_back(std::move(entry));
    return static_cast<std::int32_t>(table.size()) - 1;
}

}  // namespace

std::int32_t Tables::kernel(schedule::Kernel kernel) { return append(header_.kernels, std::move(kernel)); }
std::int32_t Tables::movement(schedule::Movement movement) { return append(header_.movements, std::move(movement)); }
std::int32_t Tables::reshape(schedule::ReshapeSpec spec) { return append(header_.reshapes, std::move(spec)); }
std::int32_t Tables::fill(schedule::Fill fill) { return append(header_.fills, std::move(fill)); }

std::int32_t Tables::identity_movement(std::string const& node, std::size_t order) {
    auto const [at, added] = identities_.try_emplace({node, order}, 0);
    if (added) at->second = movement({node, std::vector<graph::AxisMap>(order)});
    return at->second;
}

}  // namespace ein::scheduler
