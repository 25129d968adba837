// What is known of blocks that fused tasks make (lib/schedule/fusion/known.hpp), and whether their elements are so:
// who makes a block looks at what it computed, who reads one that nobody has said anything of, as after a restart,
// looks at all of it. Example: of P, 0 above the diagonal, the runner fills what it leaves out and looks at the rest of
// each piece, so a product with P need not look.
#pragma once

#include <atomic>
#include <map>

#include "executor/device/device.hpp"
#include "executor/fusion/group_clip.hpp"
#include "executor/storage/block_storage.hpp"
#include "lib/schedule/fusion/known.hpp"

namespace ein::executor {

class KnownBlocks {
public:
    KnownBlocks(schedule::Header const& header, schedule::Section const& section);

    std::optional<schedule::Known> of(BlockId block) const;
    GroupClip::ZeroSigns zero_signs(BlockId block) const;
    /// Says of a block that was made whether its elements are so.
    void made(BlockId block, bool holds) const;
    /// Whether they are; looks where nobody has said.
    bool holds(BlockId block, BlockStorage& storage, WorkerTeam& team) const;

private:
    struct Entry {
        schedule::Known known;
        mutable std::atomic<std::int8_t> holds{0};  // 1: yes, -1: no, 0: nobody has looked
    };
    schedule::Section const& section_;
    std::map<BlockId, Entry> entries_;
    Table<BlockId, std::uint8_t> zero_signs_seen_;
};

/// Whether all elements of a part that lie outside the band are `known.outside`.
/// @param strides  in bytes  @param part  the axes' indices  @param data  of the part's first element
bool is_known(schedule::Known const& known, DType type, std::byte const* data, std::vector<Extent> const& strides,
              std::vector<scalar::IndexRange> const& part);

}  // namespace ein::executor
