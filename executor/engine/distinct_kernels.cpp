#include "executor/engine/distinct_kernels.hpp"

#include <bit>
#include <unordered_map>

#include "lib/base/hash.hpp"

namespace ein::executor {

using schedule::KernelId;

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return mix64(hash ^ (value + 0x9e3779b97f4a7c15u)); }

/// Looks a few levels deep: enough to tell most expressions apart, whatever their size.
std::uint64_t mix(std::uint64_t hash, scalar::Expr const& expr, int levels) {
    scalar::Node const& node = expr.node();
    hash = mix(hash, static_cast<std::uint64_t>(node.op) * 65536 + static_cast<std::uint64_t>(node.slot));
    hash = mix(hash, std::bit_cast<std::uint64_t>(node.value.real()) + static_cast<std::uint64_t>(node.integer));
    if (levels == 0) return hash;
    for (scalar::Expr const& argument : node.args) hash = mix(hash, argument, levels - 1);
    return hash;
}

std::uint64_t hash_of(schedule::Kernel const& kernel) {
    graph::EinSum const& einsum = kernel.einsum;
    std::uint64_t hash = static_cast<std::uint64_t>(einsum.agg) * 256 + static_cast<std::uint64_t>(kernel.compute);
    for (auto const& input : einsum.inputs) {
        hash = mix(hash, input.size());
        for (int label : input) hash = mix(hash, static_cast<std::uint64_t>(label));
    }
    for (int label : einsum.output) hash = mix(hash, static_cast<std::uint64_t>(label));
    for (Extent extent : einsum.extents) hash = mix(hash, static_cast<std::uint64_t>(extent));
    return einsum.join.empty() ? hash : mix(hash, einsum.join, 4);
}

}  // namespace

Table<KernelId, KernelId> distinct_kernels(Table<KernelId, schedule::Kernel> const& kernels) {
    std::unordered_multimap<std::uint64_t, KernelId> known;
    Table<KernelId, KernelId> first(kernels.size());
    for (KernelId id : kernels.ids()) {
        first[id] = id;
        std::uint64_t const hash = hash_of(kernels[id]);
        auto const [begin, end] = known.equal_range(hash);
        for (auto other = begin; other != end; ++other) {
            schedule::Kernel const& candidate = kernels[other->second];
            if (candidate.compute != kernels[id].compute || !(candidate.einsum == kernels[id].einsum)) continue;
            first[id] = other->second;
            break;
        }
        if (first[id] == id) known.emplace(hash, id);
    }
    return first;
}

}  // namespace ein::executor
