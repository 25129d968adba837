#include "executor/device/cpu/gemm/gate_matrix.hpp"

#include <cstring>
#include <iterator>

namespace ein::executor {

GateMatrix::GateMatrix(GateKinds const& kinds, GatePlan const& plan, std::size_t element, Extent tile_columns)
    : element_(element), tile_columns_(tile_columns) {
    auto const bytes_to = [&](GateLabels const& labels) {
        std::vector<GateIndex> places = places_of(labels, &GateLabel::small);
        for (GateIndex& place : places) place *= static_cast<GateIndex>(element);
        return places;
    };
    batch_at_ = bytes_to(kinds.batch);
    column_at_ = bytes_to(kinds.columns);
    Extent part = 0;
    for (GateIndex const at : bytes_to(plan.term_parts)) {
        part_begin_.push_back(term_at_.size());
        for (GateIndex const term : bytes_to(plan.terms_of(plan.is_last_of_terms(part++))))
            term_at_.push_back(at + term);
    }
    part_begin_.push_back(term_at_.size());
}

template <std::size_t Element>
void GateMatrix::pack_elements(std::byte const* from, std::byte* to) const {
    Extent const columns = std::ssize(column_at_), blocks = gate_blocks(columns, tile_columns_);
    for (std::size_t part = 0; part + 1 < part_begin_.size(); ++part)
        for (GateIndex const matrix : batch_at_)
            for (Extent block = 0; block < blocks; ++block) {
                GateIndex const* const first = column_at_.data() + gate_block(columns, blocks, block);
                GateIndex const* const last = column_at_.data() + gate_block(columns, blocks, block + 1);
                for (std::size_t t = part_begin_[part]; t < part_begin_[part + 1]; ++t) {
                    std::byte const* const term = from + matrix + term_at_[t];
                    for (GateIndex const* column = first; column < last; ++column, to += Element)
                        std::memcpy(to, term + *column, Element);
                }
            }
}

void GateMatrix::pack(std::byte const* from, std::byte* to) const {
    switch (element_) {
        case 4: return pack_elements<4>(from, to);
        case 8: return pack_elements<8>(from, to);
        default: return pack_elements<16>(from, to);
    }
}

}  // namespace ein::executor
