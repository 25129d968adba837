#include "executor/io/input_reader.hpp"

#include "lib/base/error.hpp"

namespace ein::executor {

void InputReader::read(schedule::Section const& section, schedule::Block const& block, std::span<std::byte> out) const {
    promise(static_cast<bool>(*this), "an input of this rank was not opened");
    Box const box = section.box_of(block);
    if (dense_) return dense_->read(box, out);
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
