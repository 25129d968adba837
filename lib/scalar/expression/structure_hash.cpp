#include "lib/scalar/expression/structure_hash.hpp"

#include <bit>
#include <cmath>

#include "lib/base/hash.hpp"
#include "lib/scalar/expression/node_map.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {

std::uint64_t structure_hash(Expr const& expr) {
    std::vector<Expr const*> const parts = arguments_first(expr);
    NodeMap<std::uint64_t> hashes(parts.size());
    for (Expr const* const part : parts) {
        Node const& node = part->node();
        double const value = node.value.real();
        std::uint64_t hash = node.args.size();
        auto const add = [&](std::uint64_t number) { hash = mix64(hash + 0x9e3779b97f4a7c15u + number); };
        add(static_cast<std::uint64_t>(node.op));
        add(static_cast<std::uint64_t>(node.slot));
        add(static_cast<std::uint64_t>(node.cast_to));
        add(node.integral ? 1 : 0);
        add(static_cast<std::uint64_t>(node.integer));
        add(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));  // any nan equals any other there
        add(hash_bytes({reinterpret_cast<std::uint8_t const*>(node.name.data()), node.name.size()}));
        for (Expr const& arg : node.args) add(hashes.at(&arg.node()));
        hashes.set(&node, hash);
    }
    return hashes.at(&expr.node());
}

}  // namespace ein::scalar
