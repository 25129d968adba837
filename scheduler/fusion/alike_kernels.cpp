#include "scheduler/fusion/alike_kernels.hpp"

#include <unordered_map>

#include "lib/base/hash.hpp"
#include "lib/scalar/expression/structure_hash.hpp"

namespace ein::scheduler {
namespace {

using schedule::Kernel;

std::uint64_t hash_of(Kernel const& kernel) {
    std::uint64_t hash = 0;
    auto const add = [&](std::uint64_t number) { hash = mix64(hash + 0x9e3779b97f4a7c15u + number); };
    auto const add_labels = [&](std::vector<int> const& labels) {
        add(labels.size());
        for (int label : labels) add(static_cast<std::uint64_t>(label));
    };
    graph::EinSum const& einsum = kernel.einsum;
    for (Extent extent : einsum.extents) add(static_cast<std::uint64_t>(extent));
    for (std::vector<int> const& input : einsum.inputs) add_labels(input);
    add_labels(einsum.output);
    add(static_cast<std::uint64_t>(einsum.agg));
    add(scalar::structure_hash(einsum.join));
    add(static_cast<std::uint64_t>(kernel.compute));
    return hash;
}

bool alike(Kernel const& a, Kernel const& b) {
    graph::EinSum const &one = a.einsum, &other = b.einsum;
    return a.compute == b.compute && one.extents == other.extents && one.inputs == other.inputs &&
           one.output == other.output && one.agg == other.agg && one.compute == other.compute && one.join == other.join;
}

}  // namespace

AlikeKernels alike_kernels(Table<schedule::KernelId, Kernel> const& kernels) {
    AlikeKernels out;
    out.reserve(kernels.size());
    std::unordered_multimap<std::uint64_t, schedule::KernelId> known;
    for (schedule::KernelId id : kernels.ids()) {
        std::uint64_t const hash = hash_of(kernels[id]);
        schedule::KernelId first = id;
        auto const [begin, end] = known.equal_range(hash);
        for (auto at = begin; at != end && first == id; ++at)
            if (alike(kernels[at->second], kernels[id])) first = at->second;
        if (first == id) known.emplace(hash, id);
        out.add(first);
    }
    return out;
}

}  // namespace ein::scheduler
