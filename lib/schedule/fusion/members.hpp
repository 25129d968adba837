// The kernels of a fused task one by one, without making anything of them: for who counts what they do.
// Example: for_each_member(header, task, [&](FusionSpec::Member const& member, BoxView region) { ... }).
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Calls visit(member, region) for each member in order; `region` has an interval for each label of its kernel.
template <class Visit>
void for_each_member(Header const& header, Fused const& task, Visit const& visit) {
    std::size_t first = 0;
    for (FusionSpec::Member const& member : header.fusions[task.fusion].members) {
        std::size_t const labels = header.kernels[member.kernel].einsum.labels.size();
        visit(member, BoxView{task.regions.begin.subspan(first, labels), task.regions.length.subspan(first, labels)});
        first += labels;
    }
}

/// The nodes of a fused task's members, in order.
std::vector<std::string> nodes_of(Header const& header, Fused const& task);

}  // namespace ein::schedule
