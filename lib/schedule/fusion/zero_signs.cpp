#include "lib/schedule/fusion/zero_signs.hpp"

#include <algorithm>

#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/fusion/members.hpp"

namespace ein::schedule {
namespace {

using scalar::Expr;
using scalar::Op;

/// Whether signs of operands' zeros change the signs of the result's zeros and nothing else.
bool keeps_signs_to_zeros(Expr const& join) {
    auto const parts = scalar::arguments_first(join);
    return std::all_of(parts.begin(), parts.end(), [](Expr const* part) {
        switch (part->op()) {
            case Op::operand:
            case Op::index:
            case Op::number:
            case Op::param:
            case Op::add:
            case Op::sub:
            case Op::mul:
            case Op::neg: return true;
            case Op::div: return scalar::operands_of(part->args()[1]).empty();
            default:
                return scalar::operands_of(*part).empty() ||
                       (part->op() == Op::where && scalar::operands_of(part->args()[0]).empty());
        }
    });
}

class Seen {
public:
    Seen(Header const& header, Section const& section)
        : header_(header), section_(section), blocks_(section.blocks.size()) {
        for (Kernel const& kernel : header.kernels) {
            graph::EinSum const& einsum = kernel.einsum;
            keeps_.push_back(keeps_signs_to_zeros(einsum.join));
            sums_.push_back(einsum.agg == scalar::Agg::sum && !einsum.aggregated().empty());
        }
        for (Loop const& loop : section.loops)
            for (Loop::Carry const& carry : loop.carries) blocks_[carry.inside] = blocks_[carry.next] = 1;
    }

    /// Readers first: they come after who writes, but in loops, whose carried blocks are seen.
    Table<BlockId, std::uint8_t> run() {
        for (std::size_t t = section_.tasks.size(); t-- > 0;) {
            Task const& task = section_.tasks.list()[t];
            if (task.is<Fused>())
                look_at(section_.as<Fused>(task));
            else if (!task.is<Apply>() || sees(section_.as<Apply>(task).kernel, blocks_[*task.result()] != 0))
                for (BlockId block : section_.reads(task)) blocks_[block] = 1;
        }
        return std::move(blocks_);
    }

private:
    bool sees(KernelId kernel, bool result_is_seen) const {
        return !keeps_[at(kernel)] || (result_is_seen && !sums_[at(kernel)]);
    }

    void look_at(Fused const& task) {
        auto const& members = header_.fusions[task.fusion].members;
        std::vector<std::uint8_t> inside(members.size());
        inside.back() = blocks_[task.result];
        for (std::size_t m = members.size(); m-- > 0;) {
            if (!sees(members[m].kernel, inside[m] != 0)) continue;
            for (auto const [is_inside, place] : members[m].operands) {
                auto const number = static_cast<std::size_t>(place);
                (is_inside ? inside[number] : blocks_[task.operands[number]]) = 1;
            }
        }
    }

    Header const& header_;
    Section const& section_;
    Table<BlockId, std::uint8_t> blocks_;
    std::vector<bool> keeps_, sums_;  // by kernel
};

}  // namespace

Table<BlockId, std::uint8_t> zero_signs_seen(Header const& header, Section const& section) {
    return Seen(header, section).run();
}

}  // namespace ein::schedule
