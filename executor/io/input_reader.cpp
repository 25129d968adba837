#include "executor/io/input_reader.hpp"

#include <algorithm>
#include <vector>

#include "executor/io/tuning.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/box_pieces.hpp"

namespace ein::executor {

void InputReader::read_dense(Box const& box, std::span<std::byte> out, WorkerTeam& team) const {
    std::int64_t const wanted = std::min(static_cast<std::int64_t>(out.size() / tuning::least_loaded_bytes),
                                         team.width() * tuning::loaded_parts_a_thread);
    if (wanted < 2 || team.width() < 2 || !dense_->reads_in_parts()) return dense_->read(box, out);
    std::vector<Box> parts;
    std::vector<std::size_t> begins{0};  // in bytes
    std::size_t const element = out.size() / static_cast<std::size_t>(box.elements());
    tensor::for_each_piece(box, (box.elements() + wanted - 1) / wanted, [&](Box const& part) {
        parts.push_back(part);
        begins.push_back(begins.back() + static_cast<std::size_t>(part.elements()) * element);
    });
    team.run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
        std::size_t const at = static_cast<std::size_t>(part);
        dense_->read(parts[at], out.subspan(begins[at], begins[at + 1] - begins[at]));
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
        throw InputError(
            Fault{"", "tensor '" + name_ + "', elements " + to_string(box),
                  "at most " + std::to_string(planned.most) + " listed, as when the schedule was made",
                  std::to_string(listed),
                  "plan again with this data: einplan; where the graph says \"listed\", with a larger number"});
    sparse_->read(box, planned.layout(), out);
}

std::vector<std::byte> InputReader::elements(Box const& box, DType dtype) const {
    if (sparse_) return sparse_->elements(box).values;
    std::vector<std::byte> out(static_cast<std::size_t>(box.elements()) * size_of(dtype));
    dense_->read(box, out);
    return out;
}

}  // namespace ein::executor
