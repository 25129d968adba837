#include "lib/tensor/sparse/sparse_reader.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/partition.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// A reader for each kind of source that lists elements; what all others differ from the fill in is listed.
struct SparseOpener {
    SparseWanted const wanted;

    std::unique_ptr<SparseReader> operator()(SparseRandomSource const& source) const {
        return list_random(source, wanted);
    }
    std::unique_ptr<SparseReader> operator()(FillSource const& source) const { return list_fill(source, wanted); }
    std::unique_ptr<SparseReader> operator()(MtxSource const& source) const { return list_mtx(source, wanted); }
    std::unique_ptr<SparseReader> operator()(TnsSource const& source) const { return list_tns(source, wanted); }
    std::unique_ptr<SparseReader> operator()(ScipySource const& source) const { return list_scipy(source, wanted); }
    template <class DenseSource>
    std::unique_ptr<SparseReader> operator()(DenseSource const& source) const {
        return list_dense(open(source, wanted.name, wanted.dtype, wanted.shape, wanted.folder), wanted);
    }
};

class ScatterReader final : public Reader {
public:
    ScatterReader(std::unique_ptr<SparseReader> reader, scalar::Scalar const& fill)
        : reader_(std::move(reader)), fill_(reader_->dtype(), fill) {}

    void read(Box const& box, std::span<std::byte> out) const override {
        std::size_t const size = size_of(reader_->dtype());
        promise(out.size() == static_cast<std::size_t>(box.elements()) * size, "a buffer of the box's size");
        fill_.fill(out);
        ListedElements const listed = reader_->elements(box);
        std::vector<Extent> const strides = row_major_strides(box.length);
        auto const count = static_cast<std::size_t>(listed.count(reader_->dtype()));
        for (std::size_t e = 0; e < count; ++e) {
            Extent at = 0;
            for (std::size_t axis = 0; axis < strides.size(); ++axis)
                at += (listed.coords[axis][e] - box.begin[axis]) * strides[axis];
            std::copy_n(listed.values.begin() + static_cast<std::ptrdiff_t>(e * size), size,
                        out.begin() + at * static_cast<Extent>(size));
        }
    }

private:
    std::unique_ptr<SparseReader> reader_;
    FillValue fill_;
};

}  // namespace

void SparseReader::prepare(std::span<Box const>) {}

std::int64_t SparseReader::read(Box const& box, SparseLayout const& layout, std::span<std::byte> out) const {
    Extent const listed = write_sparse_block(elements(box), dtype(), box, layout, out);
    return sparse_bytes(layout, box.length, dtype(), listed);
}

std::int64_t SparseReader::read_in_slabs(Box const& box, SparseLayout const& layout, std::span<std::byte> out,
                                         Extent listed,
                                         std::function<ListedElements(Box const&)> const& elements) const {
    SlabWriter writer(box, layout, dtype(), listed, out);
    std::size_t const axis = layout.axes.empty() ? 0 : static_cast<std::size_t>(layout.axes.front());
    Extent const length = layout.axes.empty() ? 1 : box.length[axis];
    Extent const slabs = std::clamp<Extent>(listed / tuning::listed_at_once, 1, std::max<Extent>(length, 1));
    Box slab = box;
    for (Extent k = 0; k < slabs; ++k) {
        Extent const begin = part_begin(length, slabs, k);
        if (slabs > 1) {
            slab.begin[axis] = box.begin[axis] + begin;
            slab.length[axis] = part_begin(length, slabs, k + 1) - begin;
        }
        writer.add(elements(slab), slab);
    }
    return writer.finish();
}

Box SparseReader::hull(Box const& box) const {
    check(box);
    return box;
}

void SparseReader::check(Box const& box) const {
    promise(box.order() == shape_.size() && Box::whole(shape_).contains(box), "a box inside its tensor is read");
}

std::unique_ptr<Reader> scatter(std::unique_ptr<SparseReader> reader, scalar::Scalar const& fill) {
    return std::make_unique<ScatterReader>(std::move(reader), fill);
}

std::unique_ptr<SparseReader> open_sparse(Source const& source, std::string const& name, DType dtype,
                                          Shape const& shape, std::filesystem::path const& folder,
                                          scalar::Scalar const& fill) {
    return std::visit(SparseOpener{{{{name, folder}, dtype, shape}, fill}}, source);
}

}  // namespace ein::tensor
