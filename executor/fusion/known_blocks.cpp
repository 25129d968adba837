#include "executor/fusion/known_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"
#include "lib/schedule/fusion/zero_signs.hpp"

namespace ein::executor {
namespace {

using scalar::IndexRange;
using schedule::Known;

template <class T>
bool all_equal(T value, std::byte const* data, Extent count, Extent stride) {
    unsigned others = 0;
    auto const look = [&](std::byte const* at) {
        T element;
        std::memcpy(&element, at, sizeof element);
        others |= static_cast<unsigned>(!(element == value));
    };
    constexpr auto size = static_cast<Extent>(sizeof(T));
    if (stride == size)  // a loop of its own, for vectors
        for (Extent i = 0; i < count; ++i) look(data + i * size);
    else
        for (Extent i = 0; i < count; ++i) look(data + i * stride);
    return others == 0;
}

bool are(double value, DType type, std::byte const* data, Extent count, Extent stride) {
    if (type == DType::f32) return all_equal(static_cast<float>(value), data, count, stride);
    if (type == DType::f64) return all_equal(value, data, count, stride);
    for (Extent i = 0; i < count; ++i) {
        scalar::Scalar const element = load_element(data + i * stride, type);
        if ((element.is_integer ? static_cast<double>(element.integer) : element.number) != value) return false;
    }
    return true;
}

}  // namespace

bool is_known(Known const& known, DType type, std::byte const* data, std::vector<Extent> const& strides,
              std::vector<IndexRange> const& part) {
    if (std::any_of(part.begin(), part.end(), [](IndexRange of) { return of.empty(); })) return true;
    std::size_t const row = ein::at(known.band.row), column = ein::at(known.band.column);
    std::vector<Extent> at;
    for (IndexRange const& range : part) at.push_back(range.begin);
    while (true) {
        std::byte const* from = data;
        for (std::size_t a = 0; a < at.size(); ++a) from += (at[a] - part[a].begin) * strides[a];
        IndexRange const all = part[column], alive = known.band.columns_of(at[row], all);
        for (IndexRange const left : {IndexRange{all.begin, alive.begin}, IndexRange{alive.end, all.end}})
            if (!left.empty() && !are(known.outside, type, from + (left.begin - all.begin) * strides[column],
                                      left.length(), strides[column]))
                return false;
        std::size_t a = at.size();
        while (a > 0 && (a - 1 == column || ++at[a - 1] == part[a - 1].end)) --a, at[a] = part[a].begin;
        if (a == 0) return true;
    }
}

KnownBlocks::KnownBlocks(schedule::Header const& header, schedule::Section const& section)
    : section_(section), zero_signs_seen_(schedule::zero_signs_seen(header, section)) {
    std::map<BlockId, Known> const known = schedule::known_blocks(header, section);
    if (known.empty()) return;
    for (schedule::Task const& task : section.tasks) {
        if (!task.is<schedule::Fused>()) continue;
        auto const fused = section.as<schedule::Fused>(task);
        auto const found = known.find(fused.result);
        auto const& axes = header.fusions[fused.fusion].axes;
        bool const carries = std::any_of(axes.begin(), axes.end(), [](auto const& axis) { return axis.is_carried; });
        if (found != known.end() && !carries) entries_[fused.result].known = found->second;
    }
}

std::optional<Known> KnownBlocks::of(BlockId block) const {
    auto const found = entries_.find(block);
    return found == entries_.end() ? std::nullopt : std::optional(found->second.known);
}

GroupClip::ZeroSigns KnownBlocks::zero_signs(BlockId block) const {
    return zero_signs_seen_[block] != 0 ? GroupClip::ZeroSigns::seen : GroupClip::ZeroSigns::unseen;
}

void KnownBlocks::made(BlockId block, bool holds) const {
    entries_.at(block).holds.store(holds ? 1 : -1, std::memory_order_release);
}

bool KnownBlocks::holds(BlockId id, BlockStorage& storage, WorkerTeam& team) const {
    Entry const& entry = entries_.at(id);
    if (std::int8_t const said = entry.holds.load(std::memory_order_acquire); said != 0) return said > 0;
    schedule::Block const& block = section_.blocks[id];
    BoxView const box = section_.view_of(block);
    std::vector<Extent> strides = row_major_strides(Shape(box.length.begin(), box.length.end()));
    for (Extent& stride : strides) stride *= static_cast<Extent>(size_of(block.dtype));
    std::vector<IndexRange> whole;
    for (std::size_t a = 0; a < box.begin.size(); ++a) whole.push_back({box.begin[a], box.begin[a] + box.length[a]});
    std::byte const* const data = storage.in_host(id, HostUse::read).data();
    auto const row = ein::at(entry.known.band.row);
    std::int64_t const parts = std::min<std::int64_t>(whole[row].length(), 8 * team.width());
    std::atomic<bool> all{true};
    team.run(parts, [&](std::int64_t part) {
        std::vector<IndexRange> of = whole;
        of[row] = {whole[row].begin + part_begin(whole[row].length(), parts, part),
                   whole[row].begin + part_begin(whole[row].length(), parts, part + 1)};
        std::byte const* const from = data + (of[row].begin - whole[row].begin) * strides[row];
        if (!is_known(entry.known, block.dtype, from, strides, of)) all.store(false, std::memory_order_relaxed);
    });
    made(id, all);
    return all;
}

}  // namespace ein::executor
