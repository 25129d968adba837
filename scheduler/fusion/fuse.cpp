#include "scheduler/fusion/fuse.hpp"

#include <algorithm>
#include <map>

#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "scheduler/fusion/group_spec.hpp"

namespace ein::scheduler {
namespace {

using schedule::FusionId;
using schedule::FusionSpec;
using schedule::Header;
using schedule::Section;

/// Groups of many ranks and blocks are mostly alike: each is in the header once.
class Fusions {
public:
    explicit Fusions(Header& header) : header_(header) {}

    FusionId id_of(FusionSpec const& spec) {
        auto const [at, is_new] = known_.try_emplace(key_of(spec), header_.fusions.end_id());
        if (is_new) header_.fusions.add(spec);
        return at->second;
    }

private:
    using Key = std::vector<std::int64_t>;
    static Key key_of(FusionSpec const& spec) {
        Key key;
        for (FusionSpec::Member const& member : spec.members) {
            key.insert(key.end(), {member.kernel.value(), member.tensor.value(), static_cast<int>(member.dtype),
                                   static_cast<std::int64_t>(member.operands.size())});
            for (FusionSpec::Operand const& operand : member.operands)
                key.insert(key.end(), {operand.is_inside ? 1 : 0, operand.place});
        }
        for (FusionSpec::Axis const& axis : spec.axes) {
            key.insert(key.end(), {axis.is_carried ? -2 : -1, axis.parts});
            key.insert(key.end(), axis.labels.begin(), axis.labels.end());
        }
        return key;
    }

    Header& header_;
    std::map<Key, FusionId> known_;
};

bool spans(FusedGroup const& group, TaskId before) { return group.tasks.front() < before && before <= group.last(); }

}  // namespace

std::vector<schedule::MomentId> fuse(Header& header, Table<Rank, Section>& sections, FusionLimits const& limits) {
    AlikeKernels const alike = alike_kernels(header.kernels);
    auto const groups = for_each_in_parallel(sections.size(), [&](std::size_t rank) {
        Section const& section = sections.list()[rank];
        schedule::Profile profile = schedule::replay(section);
        return find_fused_groups(header, section, limits, alike, profile);
    });
    Fusions fusions(header);
    std::vector<schedule::MomentId> spanned;
    std::vector<std::vector<schedule::Folding>> foldings(sections.size());
    for (Rank rank : sections.ids()) {
        Section const& section = sections[rank];
        for (FusedGroup const& group : groups[at(rank)]) {
            GroupSpec of = group_spec(section, group);
            foldings[at(rank)].push_back({fusions.id_of(of.spec), group.tasks, std::move(of.operands)});
            for (schedule::MomentId moment : section.moments.ids())
                if (spans(group, section.moments[moment])) spanned.push_back(moment);
        }
    }
    for_each_in_parallel(sections.size(), [&](std::size_t k) {
        Section& section = sections[Rank{static_cast<int>(k)}];
        if (!foldings[k].empty()) section = folded(section, foldings[k]);
        return 0;
    });
    return spanned;
}

}  // namespace ein::scheduler
