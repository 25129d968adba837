// What entries of the header's tables become in the next round of tasks that are done again (Section::repeat): the
// weights, values and kernels of one layer those of the next.
// Example: of<TensorId>() = {0, 2, 3, 3}: tensor 1 becomes tensor 2, and that tensor 3; tensors 0 and 3 stay.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/schedule/model/ids.hpp"
#include "lib/schedule/model/kind_list.hpp"

namespace ein::schedule {

/// The tables that tasks and blocks name entries of, in the order of schedule files: new ones come last.
using NamedTables =
    KindList<TensorId, InputId, OutputId, KernelId, MovementId, ReshapeId, FillId, FusionId, LoopSpecId>;

class Succession {
public:
    /// By id; empty: each stays what it is.
    using List = std::vector<std::int32_t>;

    template <class IdType>
    List const& of() const {
        return lists_[detail::place_in<IdType>(NamedTables())];
    }
    template <class IdType>
    List& of() {
        return lists_[detail::place_in<IdType>(NamedTables())];
    }
    template <class IdType>
    IdType next(IdType id) const {
        List const& list = of<IdType>();
        return list.empty() ? id : IdType{list[static_cast<std::size_t>(id.value())]};
    }
    static constexpr std::size_t tables = []<class... IdType>(KindList<IdType...>) {
        return sizeof...(IdType);
    }(NamedTables());
    std::array<List, tables> const& all() const { return lists_; }
    std::array<List, tables>& all() { return lists_; }

private:
    std::array<List, tables> lists_;
};

}  // namespace ein::schedule
