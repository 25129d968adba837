#include "lib/schedule/memory/live_bytes.hpp"

#include <algorithm>
#include <map>

#include "lib/base/saturating.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/tensor/sparse/output/sparse_archive.hpp"

namespace ein::schedule {
namespace {

/// Moments [first, end) at which a box is live somewhere.
struct Life {
    std::size_t first, end;
    std::int64_t bytes;
};
using Lives = std::map<std::pair<TensorId, Box>, Life>;

constexpr std::size_t least_together = 256;  // ranks: starting threads takes longer than those of fewer

/// How many moments stand before a task, or right before it.
std::size_t moments_before(Section const& section, TaskId task) {
    return static_cast<std::size_t>(std::upper_bound(section.moments.begin(), section.moments.end(), task) -
                                    section.moments.begin());
}

/// Of a sparse block, of all that it has room for.
std::int64_t saved_bytes(Header const& header, Section const& section, Block const& block) {
    if (block.is_listed())
        return static_cast<std::int64_t>(
            tensor::list_bytes(header.tensors[block.tensor].shape, block.dtype, section.sparse(block).most));
    return section.box_of(block).elements() * static_cast<std::int64_t>(size_of(block.dtype));
}

/// Live wherever one of the two says.
void add(Lives& lives, Lives::key_type const& what, Life const& life) {
    auto const [found, is_new] = lives.try_emplace(what, life);
    if (is_new) return;
    found->second.first = std::min(found->second.first, life.first);
    found->second.end = std::max(found->second.end, life.end);
}

void add_lives(Header const& header, Section const& section, std::vector<bool> const& given, Lives& lives) {
    Table<BlockId, OptionalId<TaskId>> written(section.blocks.size()), read(section.blocks.size());
    for (TaskId t : section.tasks.ids()) {
        if (auto const result = section.tasks[t].result(); result && !written[*result]) written[*result] = t;
        for (BlockId block : section.reads(t)) read[block] = t;
    }
    for (BlockId id : section.blocks.ids()) {
        Block const& block = section.blocks[id];
        if (!(block.is_box() || block.is_listed()) || given[at(block.tensor)] || !written[id] || !read[id]) continue;
        std::size_t const first = moments_before(section, *written[id]), end = moments_before(section, *read[id]);
        if (first >= end) continue;
        add(lives, {block.tensor, section.box_of(block)}, {first, end, saved_bytes(header, section, block)});
    }
}

/// Of all ranks, some of them together by each thread.
Lives lives_of(Schedule const& schedule) {
    std::vector<bool> const given = given_tensors(schedule.header);
    std::size_t const ranks = schedule.sections.size(), together = std::max(least_together, (ranks + 15) / 16);
    Lives out;
    for (Lives const& some : for_each_in_parallel((ranks + together - 1) / together, [&](std::size_t k) {
             Lives lives;
             for (std::size_t rank = k * together; rank < std::min(ranks, (k + 1) * together); ++rank)
                 add_lives(schedule.header, schedule.sections.list()[rank], given, lives);
             return lives;
         })) {
        for (auto const& [what, life] : some) add(out, what, life);
    }
    return out;
}

/// Of moments as they are in sections: each round of what is repeated has as much more than the one before as the first
/// one ends with.
/// @param gone  before each moment, of what is the same in all rounds and goes with the last
Table<MomentId, std::int64_t> in_all_rounds(Table<MomentId, std::int64_t> const& once,
                                            std::vector<std::int64_t> const& gone, Repeat const& repeat) {
    Table<MomentId, std::int64_t> out;
    std::int64_t const grown = once.has(repeat.end_moment) ? once[repeat.end_moment] - once[repeat.first_moment] : 0;
    for (MomentId m{0}; m < repeat.end_moment; m = following(m)) out.add(once[m]);
    for (std::int64_t round = 1; round <= repeat.times; ++round)
        for (MomentId m = repeat.first_moment; m < repeat.end_moment; m = following(m))
            out.add(once[m] + round * grown);
    for (MomentId m = repeat.end_moment; m < once.end_id(); m = following(m)) out.add(once[m] + repeat.times * grown);
    std::int64_t all_gone = 0;
    for (MomentId m = repeat.first_moment; m < once.end_id(); m = following(m))
        out[MomentId{static_cast<std::int32_t>(m.value() + repeat.times * repeat.moments())}] -= all_gone +=
            gone[at(m)];
    return out;
}

}  // namespace

std::vector<bool> given_tensors(Header const& header) {
    std::vector<bool> out(header.tensors.size(), false);
    for (Input const& input : header.inputs) out[at(input.tensor)] = true;
    return out;
}

Table<MomentId, std::int64_t> live_bytes(Schedule const& schedule) {
    Lives const lives = lives_of(schedule);
    std::size_t const moments = schedule.sections.empty() ? 0 : schedule.sections[Rank{0}].moments.size();
    auto const& repeat = schedule.sections.empty() ? std::nullopt : schedule.sections[Rank{0}].repeat;
    auto const goes_with_last = [&](TensorId tensor, Life const& life) {
        return repeat && schedule.header.next.next(tensor) == tensor && at(repeat->first_moment) < life.end &&
               life.end <= at(repeat->end_moment);
    };
    std::vector<std::int64_t> change(moments + 1, 0), gone(moments + 1, 0);
    for (auto const& [what, life] : lives) {
        change[life.first] = saturating_sum(change[life.first], life.bytes);
        (goes_with_last(what.first, life) ? gone[life.end] += life.bytes : change[life.end] -= life.bytes);
    }
    Table<MomentId, std::int64_t> out;
    std::int64_t live = 0;
    for (std::size_t moment = 0; moment < moments; ++moment) out.add(live += change[moment]);
    return repeat ? in_all_rounds(out, gone, *repeat) : out;
}

}  // namespace ein::schedule
