#include "scheduler/fusion/group_spec.hpp"

#include <map>

namespace ein::scheduler {

using schedule::FusionSpec;
using schedule::Section;

GroupSpec group_spec(Section const& section, FusedGroup const& group) {
    GroupSpec out;
    std::map<BlockId, std::int32_t> made, read;  // the member that makes it; the operand that it is
    for (TaskId id : group.tasks) {
        auto const call = section.as<schedule::Apply>(section.tasks[id]);
        schedule::Block const& result = section.blocks[call.result];
        FusionSpec::Member member{call.kernel, {}, result.tensor, result.dtype};
        for (BlockId operand : call.operands) {
            if (auto const inside = made.find(operand); inside != made.end()) {
                member.operands.push_back({true, inside->second});
                continue;
            }
            auto const [at, is_new] = read.try_emplace(operand, static_cast<std::int32_t>(read.size()));
            if (is_new) out.operands.push_back(operand);
            member.operands.push_back({false, at->second});
        }
        made.emplace(call.result, static_cast<std::int32_t>(out.spec.members.size()));
        out.spec.members.push_back(std::move(member));
    }
    for (FusedGroup::Axis const& axis : group.axes) {
        FusionSpec::Axis& cut = out.spec.axes.emplace_back();
        cut.parts = axis.parts;
        for (std::size_t label : axis.labels) cut.labels.push_back(static_cast<std::int32_t>(label));
    }
    if (group.carry) out.spec.axes.push_back({group.carry->labels, group.carry->parts, true});
    return out;
}

}  // namespace ein::scheduler
