#include "executor/io/input_reader.hpp"

#include <algorithm>

#include "executor/io/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {
namespace {

/// A box cut into parts whose elements follow one another: one index of its outer axes, a range of the next one, all of
/// the rest. Example: [3, 1000, 8] in 6 parts: [1, 500, 8] each.
class Parts {
public:
    Parts(Box const& box, std::int64_t wanted) : box_(box) {
        while (axis_ + 1 < box.order() && outer_ * box.length[axis_] < wanted) outer_ *= box.length[axis_++];
        Extent const ranges = std::clamp<Extent>(wanted / outer_, 1, box.length[axis_]);
        range_ = (box.length[axis_] + ranges - 1) / ranges;
        ranges_ = (box.length[axis_] + range_ - 1) / range_;
    }

    std::int64_t count() const { return outer_ * ranges_; }
    Box box(std::int64_t part) const {
        Box out = box_;
        Extent const at = part % ranges_ * range_;
        out.begin[axis_] += at;
        out.length[axis_] = std::min(range_, box_.length[axis_] - at);
        std::int64_t outer = part / ranges_;
        for (std::size_t axis = axis_; axis-- > 0; outer /= box_.length[axis]) {
            out.begin[axis] += outer % box_.length[axis];
            out.length[axis] = 1;
        }
        return out;
    }
    /// Elements of the box before it.
    Extent first_element(std::int64_t part) const {
        Extent row = 1;
        for (std::size_t axis = axis_ + 1; axis < box_.order(); ++axis) row *= box_.length[axis];
        return (part / ranges_ * box_.length[axis_] + part % ranges_ * range_) * row;
    }

private:
    Box const& box_;
    std::size_t axis_ = 0;                       // that is cut
    Extent outer_ = 1, range_ = 1, ranges_ = 1;  // indices before it; of a part; parts of it
};

}  // namespace

void InputReader::read_dense(Box const& box, std::span<std::byte> out, WorkerTeam& team) const {
    std::int64_t const wanted = std::min(static_cast<std::int64_t>(out.size() / tuning::least_loaded_bytes),
                                         team.width() * tuning::loaded_parts_a_thread);
    if (wanted < 2 || team.width() < 2 || !dense_->reads_in_parts()) return dense_->read(box, out);
    Parts const parts(box, wanted);
    std::size_t const element = out.size() / static_cast<std::size_t>(box.elements());
    team.run(parts.count(), [&](std::int64_t part) {
        Box const here = parts.box(part);
        dense_->read(here, out.subspan(static_cast<std::size_t>(parts.first_element(part)) * element,
                                       static_cast<std::size_t>(here.elements()) * element));
    });
}

void InputReader::read(schedule::Section const& section, schedule::Block const& block, std::span<std::byte> out,
                       WorkerTeam& team) const {
    promise(static_cast<bool>(*this), "an input of this rank was not opened");
    Box const box = section.box_of(block);
    if (dense_) return read_dense(box, out, team);
    schedule::SparseBlock const planned = section.sparse(block);
    Extent const listed = sparse_->listed(box);
    if (listed > planned.most)
        throw InputError(Fault{"", "tensor '" + name_ + "', elements " + to_string(box),
                               "at most " + std::to_string(planned.most) + " listed, as when the schedule was made",
                               std::to_string(listed), "plan again with this data: einplan"});
    sparse_->read(box, planned.layout(), out);
}

std::vector<std::byte> InputReader::elements(Box const& box, DType dtype) const {
    if (sparse_) return sparse_->elements(box).values;
    std::vector<std::byte> out(static_cast<std::size_t>(box.elements()) * size_of(dtype));
    dense_->read(box, out);
    return out;
}

}  // namespace ein::executor
