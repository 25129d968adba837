#include "executor/device/index_error.hpp"

#include <numeric>

#include "lib/tensor/convert.hpp"

namespace ein::executor {

std::optional<WrongIndex> find_wrong_index(KernelShape const& shape, KernelCall const& call,
                                           scalar::PositionError const& error) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    for (auto const& [operand, extent] : scalar::indexed_operands(einsum.join)) {
        std::size_t const k = at(operand);
        DType const dtype = shape.operand_dtypes[k];
        bool const is_sparse = shape.sparse && shape.sparse->operands[k];
        if (extent != error.extent() || is_sparse || !is_integer(dtype)) continue;
        Shape lengths;
        for (int const label : einsum.inputs[k]) lengths.push_back(shape.lengths[at(label)]);
        auto const offset = [&](Shape const& index) {
            return std::inner_product(index.begin(), index.end(), shape.operand_strides[k].begin(), Extent{0});
        };
        auto const element = [&](Extent number) {
            std::int64_t index = 0;
            Extent const bytes = offset(index_at(lengths, number)) * static_cast<Extent>(size_of(dtype));
            tensor::convert(dtype, static_cast<std::byte const*>(call.operands[k]) + bytes, 1, DType::i64, &index, 1);
            return index;
        };
        auto const found = scalar::count_indices(element_count(lengths), extent, element);
        if (found.wrong == 0) continue;
        Shape const where = index_at(lengths, found.first_wrong);
        return WrongIndex{operand, where, offset(where), element(found.first_wrong)};
    }
    return std::nullopt;
}

}  // namespace ein::executor
