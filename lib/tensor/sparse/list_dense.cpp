#include "lib/tensor/box_pieces.hpp"
#include "lib/tensor/made_reader.hpp"
#include "lib/tensor/sparse/sparse_openers.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// The elements of `box` with these numbers in C order.
ListedElements at_places(std::span<Extent const> places, Box const& box) {
    ListedElements out;
    out.coords.resize(box.order());
    for (std::vector<Extent>& coords : out.coords) coords.reserve(places.size());
    for (Extent place : places)
        for (std::size_t axis = box.order(); axis-- > 0; place /= box.length[axis])
            out.coords[axis].push_back(box.begin[axis] + place % box.length[axis]);
    return out;
}

void append(ListedElements& to, ListedElements const& from) {
    for (std::size_t axis = 0; axis < from.coords.size(); ++axis)
        to.coords[axis].insert(to.coords[axis].end(), from.coords[axis].begin(), from.coords[axis].end());
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
}

class DenseListing : public SparseReader {
public:
    DenseListing(std::unique_ptr<Reader> reader, SparseWanted const& wanted)
        : SparseReader(wanted.dtype, wanted.shape), reader_(std::move(reader)), fill_(wanted.dtype, wanted.fill) {}

    Extent listed(Box const& box) const override {
        check(box);
        Extent count = 0;
        for_each_read(box, [&](Box const&, std::span<std::byte const> bytes) { count += fill_.count_others(bytes); });
        return count;
    }

    ListedElements elements(Box const& box) const override {
        check(box);
        ListedElements out;
        out.coords.resize(box.order());
        for_each_read(box,
                      [&](Box const& piece, std::span<std::byte const> bytes) { append(out, others(piece, bytes)); });
        return out;
    }

    Histogram histogram() const override {
        HistogramCounter counter(shape(), tuning::histogram_cells);
        for_each_read(Box::whole(shape()), [&](Box const& piece, std::span<std::byte const> bytes) {
            std::vector<Extent> places;
            fill_.others(bytes, places);
            if (shape().empty())
                for (std::size_t k = 0; k < places.size(); ++k) counter.add(std::span<Extent const>());
            else
                counter.add(at_places(places, piece));
        });
        return counter.take();
    }

private:
    /// Calls visit(piece, its bytes) for pieces of the box.
    template <class Visit>
    void for_each_read(Box const& box, Visit&& visit) const {
        std::vector<std::byte> bytes;
        for_each_piece(box, tuning::listed_at_once, [&](Box const& piece) {
            bytes.resize(static_cast<std::size_t>(piece.elements()) * size_of(dtype()));
            reader_->read(piece, bytes);
            visit(piece, std::span<std::byte const>(bytes));
        });
    }

    ListedElements others(Box const& box, std::span<std::byte const> bytes) const {
        std::vector<Extent> places;
        fill_.others(bytes, places);
        ListedElements out = at_places(places, box);
        std::size_t const size = size_of(dtype());
        out.values.reserve(places.size() * size);
        for (Extent place : places) {
            auto const from = bytes.subspan(static_cast<std::size_t>(place) * size, size);
            out.values.insert(out.values.end(), from.begin(), from.end());
        }
        return out;
    }

    std::unique_ptr<Reader> reader_;
    FillValue fill_;
};

/// One value everywhere: no element needs to be looked at.
class AlikeListing final : public DenseListing {
public:
    AlikeListing(std::unique_ptr<Reader> reader, SparseWanted const& wanted, bool listed)
        : DenseListing(std::move(reader), wanted), listed_(listed) {}

    Extent listed(Box const& box) const override {
        check(box);
        return listed_ ? element_count(box.length) : 0;
    }
    ListedElements elements(Box const& box) const override {
        if (listed_) return DenseListing::elements(box);
        ListedElements none;
        none.coords.resize(box.order());
        return none;
    }
    Histogram histogram() const override {
        Histogram out = empty_histogram(shape(), tuning::histogram_cells);
        if (!listed_) return out;
        std::size_t cell = 0;
        for_each_index(out.cells, [&](std::vector<Extent> const& index) {
            out.counts[cell++] = element_count(block_box(shape(), out.cells, index).length);
        });
        return out;
    }

private:
    bool listed_;
};

}  // namespace

std::unique_ptr<SparseReader> list_dense(std::unique_ptr<Reader> reader, SparseWanted const& wanted) {
    return std::make_unique<DenseListing>(std::move(reader), wanted);
}

std::unique_ptr<SparseReader> list_fill(FillSource const& source, SparseWanted const& wanted) {
    Shape const scalar;
    std::vector<std::byte> value(size_of(wanted.dtype));
    open_fill(source, {{wanted.name, wanted.folder}, wanted.dtype, scalar})->read(Box::whole(scalar), value);
    bool const listed = FillValue(wanted.dtype, wanted.fill).count_others(value) > 0;
    return std::make_unique<AlikeListing>(open_fill(source, wanted), wanted, listed);
}

}  // namespace ein::tensor
