#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/threads/once.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/element_text.hpp"
#include "lib/tensor/sparse/files/scipy_arrays.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

struct Range {
    Extent begin = 0, end = 0;
};

/// What the boxes need of an axis: ranges that ascend and do not touch.
std::vector<Range> ranges_of(std::span<Box const> boxes, std::size_t axis) {
    std::vector<Range> all, out;
    for (Box const& box : boxes)
        if (element_count(box.length) > 0) all.push_back({box.begin[axis], box.end(axis)});
    std::sort(all.begin(), all.end(), [](Range const& a, Range const& b) { return a.begin < b.begin; });
    for (Range const& range : all) {
        if (out.empty() || range.begin > out.back().end)
            out.push_back(range);
        else
            out.back().end = std::max(out.back().end, range.end);
    }
    return out;
}

class ScipyStream final : public EntryStream {
public:
    ScipyStream(std::shared_ptr<FileStorage const> file, ScipyArrays arrays)
        : file_(std::move(file)), arrays_(std::move(arrays)) {}

    std::string const& name() const override { return file_->name(); }
    std::uint64_t bytes() const override { return file_->size(); }
    DType dtype() const override { return arrays_.data->dtype(); }

    void visit(std::span<Box const> boxes, Sink const& sink, Expect const&) const override {
        if (arrays_.format == SparseFormat::coo) return visit_coords(sink);
        if (arrays_.shape.size() == 1) return visit_rows({0, 1}, sink);
        for (Range const& range : ranges_of(boxes, major())) visit_rows(range, sink);
    }

    Survey const& survey() const override {
        surveyed_([&] {
            SurveyMaker maker(arrays_.shape, Mirrored::no, arrays_.entries());
            Box const whole = Box::whole(arrays_.shape);
            visit({&whole, 1}, [&](ListedElements const& batch) { maker.add(batch, batch, batch.count(dtype())); }, {});
            survey_ = maker.finish();
        });
        return survey_;
    }

    Extent entries(Box const& box) const override {
        Extent count = 0;
        visit({&box, 1}, [&](ListedElements const& batch) { count += count_inside(batch, dtype(), box); }, {});
        return count;
    }

    /// Of rows or columns that lie together.
    Box hull(Box const& box) const override {
        if (arrays_.format == SparseFormat::coo || arrays_.shape.size() == 1) return box;
        IndexSpan span(box.order());
        visit({&box, 1}, [&](ListedElements const& batch) { add_inside(batch, dtype(), box, span); }, {});
        return span.box(box.begin);
    }

private:
    std::size_t major() const { return arrays_.format == SparseFormat::csr ? 0 : 1; }

    void check_indices(std::vector<Extent> const& indices, std::size_t axis, NpzArray const& array,
                       Extent first) const {
        Extent const extent = arrays_.shape[axis];
        auto const wrong =
            std::find_if(indices.begin(), indices.end(), [&](Extent index) { return index < 0 || index >= extent; });
        if (wrong == indices.end()) return;
        array.fail("indices from 0 to " + std::to_string(extent - 1) + " along axis " + std::to_string(axis),
                   std::to_string(*wrong) + " at entry " + std::to_string(first + (wrong - indices.begin())));
    }

    void visit_coords(Sink const& sink) const {
        ListedElements batch;
        Extent const entries = arrays_.entries();
        for (Extent begin = 0; begin < entries; begin += tuning::listed_at_once) {
            Extent const count = std::min(tuning::listed_at_once, entries - begin);
            batch.coords.clear();
            for (std::size_t axis = 0; axis < arrays_.shape.size(); ++axis) {
                NpzArray const& array = arrays_.coords.size() == 1 ? arrays_.coords[0] : arrays_.coords[axis];
                batch.coords.push_back(array.shape().size() == 1
                                           ? array.integers(begin, count)
                                           : array.integers(Box{{static_cast<Extent>(axis), begin}, {1, count}}));
                check_indices(batch.coords.back(), axis, array, begin);
            }
            batch.values = arrays_.data->bytes(begin, count);
            sink(batch);
        }
    }

    /// Entries of rows (csr) or columns (csc).
    void visit_rows(Range range, Sink const& sink) const {
        for (Extent row = range.begin; row < range.end; row += tuning::listed_at_once) {
            Extent const rows = std::min(tuning::listed_at_once, range.end - row);
            std::vector<Extent> const offsets = arrays_.offsets->integers(row, rows + 1);
            check_offsets(offsets, row);
            for (Extent begin = offsets.front(); begin < offsets.back(); begin += tuning::listed_at_once)
                visit_entries(row, offsets, begin, std::min(begin + tuning::listed_at_once, offsets.back()), sink);
        }
    }

    void check_offsets(std::vector<Extent> const& offsets, Extent row) const {
        Extent before = row == 0 ? 0 : offsets.front();
        if (offsets.front() < 0 || (row == 0 && offsets.front() != 0))
            arrays_.offsets->fail("offsets that begin at 0", std::to_string(offsets.front()));
        for (Extent offset : offsets) {
            if (offset < before || offset > arrays_.entries())
                arrays_.offsets->fail("offsets that ascend from 0 to " + std::to_string(arrays_.entries()),
                                      std::to_string(before) + ", " + std::to_string(offset));
            before = offset;
        }
    }

    void visit_entries(Extent row, std::vector<Extent> const& offsets, Extent begin, Extent end,
                       Sink const& sink) const {
        std::size_t const minor = arrays_.shape.size() == 1 ? 0 : 1 - major();
        ListedElements batch;
        batch.coords.resize(arrays_.shape.size());
        batch.coords[minor] = arrays_.minor->integers(begin, end - begin);
        check_indices(batch.coords[minor], minor, *arrays_.minor, begin);
        if (arrays_.shape.size() == 2) {
            std::vector<Extent>& rows = batch.coords[major()];
            auto next = std::upper_bound(offsets.begin(), offsets.end(), begin);
            for (Extent entry = begin; entry < end; ++next) {
                Extent const stop = std::min(*next, end);
                rows.insert(rows.end(), static_cast<std::size_t>(stop - entry), row + (next - offsets.begin()) - 1);
                entry = stop;
            }
        }
        batch.values = arrays_.data->bytes(begin, end - begin);
        sink(batch);
    }

    std::shared_ptr<FileStorage const> file_;
    ScipyArrays arrays_;
    mutable Once surveyed_;
    mutable Survey survey_;
};

/// Refuses a file whose own fill is another than the tensor's.
void check_fill(ScipyArrays const& arrays, SparseWanted const& wanted) {
    if (!arrays.fill) return;
    std::vector<std::byte> const written = arrays.fill->bytes(Box::whole(arrays.fill->shape()));
    std::vector<std::byte> element(size_of(wanted.dtype));
    convert(arrays.fill->dtype(), written.data(), 1, wanted.dtype, element.data(), 1);
    if (FillValue(wanted.dtype, wanted.fill).count_others(element) == 0) return;
    HostTensor value(wanted.dtype, {});
    value.bytes() = element;
    std::string const text = element_text(value, 0);
    arrays.fill->fail("the fill of tensor '" + wanted.name + "'", text + " (declare \"fill\": " + text + ")");
}

}  // namespace

std::unique_ptr<SparseReader> list_scipy(ScipySource const& source, SparseWanted const& wanted) {
    return list_scipy(open_for(wanted, source.file), wanted);
}

std::unique_ptr<SparseReader> list_scipy(std::shared_ptr<FileStorage const> file, SparseWanted const& wanted) {
    ScipyArrays arrays = open_arrays(file);
    check_contents(file->name(), ScipySource{file->name()}, wanted, arrays.data->dtype(), arrays.shape);
    check_fill(arrays, wanted);
    return list_file(std::make_unique<ScipyStream>(std::move(file), std::move(arrays)), wanted);
}

bool is_sparse_archive(std::filesystem::path const& file, std::string const& name) {
    try {
        auto const archive = open_file(file);
        auto has = [&](std::string const& entry) { return npz_entry(archive, entry) != nullptr; };
        return !has(name) && has("data") && has("shape") && (has("format") || has("coords"));
    } catch (Error const&) {  // told when it is opened for its tensor
        return false;
    }
}

scalar::Scalar scipy_fill(ScipySource const& source, Asker const& asker) {
    ScipyArrays const arrays = open_arrays(open_for(asker, source.file));
    HostTensor fill(arrays.data->dtype(), {});
    if (!arrays.fill) return fill.at(0);
    std::vector<std::byte> const written = arrays.fill->bytes(Box::whole(arrays.fill->shape()));
    convert(arrays.fill->dtype(), written.data(), 1, fill.dtype(), fill.bytes().data(), 1);
    return fill.at(0);
}

FileContents scipy_contents(ScipySource const& source, Asker const& asker) {
    ScipyArrays const arrays = open_arrays(open_for(asker, source.file));
    return {arrays.data->dtype(), arrays.shape};
}

}  // namespace ein::tensor
