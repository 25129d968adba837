// A map from the nodes of one expression, made for its size: one allocation, where a general map would make one a node.
// Example: NodeMap<int> place(2); place.set(&a.node(), 0); place.at(&a.node()) is 0.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

template <class T>
class NodeMap {
public:
    /// @param most  nodes that will be set
    explicit NodeMap(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

    void set(Node const* node, T value) { slots_[slot_of(node)] = {node, std::move(value)}; }

    T const& at(Node const* node) const {
        Slot const& slot = slots_[slot_of(node)];
        promise(slot.node == node, "a node of another expression");
        return slot.value;
    }

private:
    struct Slot {
        Node const* node = nullptr;
        T value{};
    };

    /// The node's slot, or the free one where it would go: half of the slots or more are free.
    std::size_t slot_of(Node const* node) const {
        std::size_t const mask = slots_.size() - 1;
        std::size_t slot = (reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15u >> 32) & mask;
        while (slots_[slot].node != nullptr && slots_[slot].node != node) slot = (slot + 1) & mask;
        return slot;
    }

    std::vector<Slot> slots_;
};

}  // namespace ein::scalar
