#include <cmath>

#include "lib/base/error.hpp"
#include "lib/tensor/random.hpp"
#include "lib/tensor/sparse/random_places.hpp"
#include "lib/tensor/sparse/sparse_openers.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

__extension__ using Wide = unsigned __int128;

class RandomListing final : public SparseReader {
public:
    RandomListing(SparseRandomSource const& source, SparseWanted const& wanted)
        : SparseReader(wanted.dtype, wanted.shape),
          source_(source.random),
          density_(source.density),
          places_(wanted.shape, source.random.seed, source.density) {}

    Extent listed(Box const& box) const override {
        check(box);
        return places_.count(box);
    }

    ListedElements elements(Box const& box) const override {
        check(box);
        ListedElements out;
        out.coords.resize(box.order());
        std::vector<std::uint64_t> numbers;
        places_.visit(box, [&](std::vector<Extent> const& index) {
            std::uint64_t number = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis) {
                out.coords[axis].push_back(index[axis]);
                number = number * static_cast<std::uint64_t>(shape()[axis]) + static_cast<std::uint64_t>(index[axis]);
            }
            numbers.push_back(number);
        });
        out.values.resize(numbers.size() * size_of(dtype()));
        fill_random_at(source_, dtype(), numbers, out.values.data());
        return out;
    }

    std::int64_t read(Box const& box, SparseLayout const& layout, std::span<std::byte> out) const override {
        bool const few = density_ * static_cast<double>(box.elements()) < 2.0 * tuning::listed_at_once;
        if (few) return SparseReader::read(box, layout, out);
        return read_in_slabs(box, layout, out, listed(box), [&](Box const& slab) { return elements(slab); });
    }

    /// They lie evenly: each cell has its share of the total.
    Histogram histogram() const override {
        Histogram out = empty_histogram(shape(), tuning::histogram_cells);
        auto const total = static_cast<Wide>(listed(Box::whole(shape())));
        Wide whole = 0, before = 0;
        auto for_each_cell = [&](auto&& visit) {
            for_each_index(out.cells, [&](std::vector<Extent> const& index) {
                visit(static_cast<Wide>(element_count(block_box(shape(), out.cells, index).length)));
            });
        };
        for_each_cell([&](Wide places) { whole += places; });
        std::size_t cell = 0;
        for_each_cell([&](Wide places) {
            Wide const from = whole == 0 ? 0 : before * total / whole;
            before += places;
            out.counts[cell++] = whole == 0 ? 0 : static_cast<Extent>(before * total / whole - from);
        });
        return out;
    }

private:
    RandomSource source_;
    double density_;
    RandomPlaces places_;
};

}  // namespace

std::unique_ptr<SparseReader> list_random(SparseRandomSource const& source, SparseWanted const& wanted) {
    check_random(source.random, wanted.name, wanted.dtype);
    if (!(source.density >= 0 && source.density <= 1))
        throw InputError(Fault{"", "random tensor '" + wanted.name + "'", "a density from 0 to 1",
                               std::to_string(source.density),
                               "write how many elements are listed over how many there are"});
    return std::make_unique<RandomListing>(source, wanted);
}

}  // namespace ein::tensor
