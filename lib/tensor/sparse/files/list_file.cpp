#include <algorithm>
#include <cstring>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/release_pages.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/base/threads/once.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/sparse/files/entry_stream.hpp"
#include "lib/tensor/sparse/files/gather.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

ListedElements unpacked(Gathered const& gathered) {
    Box const& box = gathered.box;
    ListedElements out;
    out.coords.resize(box.order());
    for (std::vector<Extent>& coords : out.coords) coords.resize(gathered.keys.size());
    for (std::size_t e = 0; e < gathered.keys.size(); ++e) {
        auto key = static_cast<Extent>(gathered.keys[e]);
        for (std::size_t axis = box.order(); axis-- > 0; key /= box.length[axis])
            out.coords[axis][e] = box.begin[axis] + key % box.length[axis];
    }
    out.values = gathered.values;
    return out;
}

class FileListing final : public SparseReader {
public:
    FileListing(std::unique_ptr<EntryStream> stream, SparseWanted const& wanted)
        : SparseReader(wanted.dtype, wanted.shape),
          stream_(std::move(stream)),
          tensor_(wanted.name),
          fill_(wanted.dtype, wanted.fill) {}

    void prepare(std::span<Box const> boxes) override {
        MutexLock const lock(mutex_);
        prepared_.clear();
        if (is_small()) return;  // is kept whole
        for (Box const& box : boxes) {
            check(box);
            ++prepared_[box].reads;
        }
        std::vector<Box> wanted;
        for (auto const& [box, unused] : prepared_) wanted.push_back(box);
        for (Gathered& gathered : gather(wanted, Keep::values)) {
            Prepared& prepared = prepared_.at(gathered.box);
            prepared.gathered = std::make_shared<Gathered>(std::move(gathered));
        }
    }

    Extent listed(Box const& box) const override {
        check(box);
        if (auto const found = kept(box)) return count(*found, box);
        if (stream_->lists_all()) return static_cast<Extent>(gather({&box, 1}, Keep::values).front().keys.size());
        if (stream_->survey().distinct) return stream_->entries(box);
        return static_cast<Extent>(gather({&box, 1}, Keep::places).front().keys.size());
    }

    ListedElements elements(Box const& box) const override {
        check(box);
        if (auto const found = kept(box)) return found->box == box ? unpacked(*found) : part(*found, box);
        return unpacked(gather({&box, 1}, Keep::values).front());
    }

    std::int64_t read(Box const& box, SparseLayout const& layout, std::span<std::byte> out) const override {
        check(box);
        Taken const taken = take(box);
        if (taken.gathered == nullptr) return SparseReader::read(box, layout, out);
        Gathered& found = *taken.gathered;
        if (found.box == box && std::is_sorted(layout.axes.begin(), layout.axes.end())) {
            std::size_t const size = size_of(dtype());
            std::function<void(std::size_t)> const release = [&](std::size_t count) {
                release_pages(std::as_writable_bytes(std::span(found.keys).first(count)));
                release_pages(std::span(found.values).first(count * size));
            };
            return write_sorted_block(found.keys, found.values, dtype(), box, layout.compressed, out,
                                      taken.alone ? release : nullptr);
        }
        if (!layout.axes.empty() && layout.axes.front() == 0)
            return read_in_slabs(box, layout, out, count(found, box),
                                 [&](Box const& slab) { return part(found, slab); });
        Extent const listed = write_sparse_block(part(found, box), dtype(), box, layout, out);
        return sparse_bytes(layout, box.length, dtype(), listed);
    }

    Histogram histogram() const override { return stream_->survey().histogram; }
    Box hull(Box const& box) const override {
        check(box);
        Box const roughly = stream_->survey().histogram.hull(shape(), box);
        if (roughly.empty() || roughly == box) return roughly;
        if (!is_small()) return stream_->hull(roughly);
        IndexSpan span(box.order());
        for_each_inside(*kept(roughly), roughly,
                        [&](std::size_t, std::vector<Extent> const& index) { span.add(index); });
        return span.box(box.begin);
    }

private:
    bool is_small() const { return stream_->bytes() <= tuning::kept_file_bytes; }

    /// What was gathered of a box or of more; nullptr where it was not.
    std::shared_ptr<Gathered> kept(Box const& box) const {
        {
            MutexLock const lock(mutex_);
            if (auto const found = prepared_.find(box); found != prepared_.end()) return found->second.gathered;
        }
        if (!is_small()) return nullptr;
        whole_once_([&] {
            Box const whole = Box::whole(shape());
            whole_ = std::make_shared<Gathered>(std::move(gather({&whole, 1}, Keep::values).front()));
        });
        return whole_;
    }

    struct Taken {
        std::shared_ptr<Gathered> gathered;
        bool alone = false;  // nobody else reads it, now or later
    };
    /// For a read. Nothing is kept beyond the last one that was announced.
    Taken take(Box const& box) const {
        {
            MutexLock const lock(mutex_);
            if (auto const found = prepared_.find(box); found != prepared_.end()) {
                if (--found->second.reads > 0) return {found->second.gathered};
                Taken last{std::move(found->second.gathered)};
                prepared_.erase(found);
                last.alone = last.gathered.use_count() == 1;
                return last;
            }
        }
        return {kept(box)};
    }

    /// Calls visit(its number, its index) for each element of `from` in the box.
    template <class Visit>
    static void for_each_inside(Gathered const& from, Box const& box, Visit&& visit) {
        std::vector<Extent> index(box.order());
        std::uint64_t first = 0, last = 0;  // keys of the box's corners: all others lie between
        for (std::size_t axis = 0; axis < box.order(); ++axis) {
            if (box.length[axis] == 0) return;
            auto const length = static_cast<std::uint64_t>(from.box.length[axis]);
            first = first * length + static_cast<std::uint64_t>(box.begin[axis] - from.box.begin[axis]);
            last = last * length + static_cast<std::uint64_t>(box.end(axis) - 1 - from.box.begin[axis]);
        }
        auto const begin = std::lower_bound(from.keys.begin(), from.keys.end(), first) - from.keys.begin();
        for (auto e = static_cast<std::size_t>(begin); e < from.keys.size() && from.keys[e] <= last; ++e) {
            auto key = static_cast<Extent>(from.keys[e]);
            bool inside = true;
            for (std::size_t axis = box.order(); axis-- > 0; key /= from.box.length[axis]) {
                index[axis] = from.box.begin[axis] + key % from.box.length[axis];
                inside = inside && index[axis] >= box.begin[axis] && index[axis] < box.end(axis);
            }
            if (inside) visit(e, static_cast<std::vector<Extent> const&>(index));
        }
    }

    static Extent count(Gathered const& from, Box const& box) {
        if (from.box == box) return static_cast<Extent>(from.keys.size());
        Extent count = 0;
        for_each_inside(from, box, [&](std::size_t, std::vector<Extent> const&) { ++count; });
        return count;
    }

    ListedElements part(Gathered const& from, Box const& box) const {
        ListedElements out;
        out.coords.resize(box.order());
        std::size_t const size = size_of(dtype());
        for_each_inside(from, box, [&](std::size_t e, std::vector<Extent> const& index) {
            for (std::size_t axis = 0; axis < index.size(); ++axis) out.coords[axis].push_back(index[axis]);
            std::byte const* const value = from.values.data() + e * size;
            out.values.insert(out.values.end(), value, value + size);
        });
        return out;
    }

    std::vector<Gathered> gather(std::span<Box const> boxes, Keep keep) const {
        Gatherer gatherer(boxes, stream_->dtype(), keep);
        stream_->visit(
            boxes, [&](ListedElements const& batch) { gatherer.add(batch); },
            [&](std::span<Extent const> most) { gatherer.expect(most); });
        std::vector<Gathered> out = gatherer.finish();
        if (keep == Keep::values)
            for (Gathered& gathered : out) finish(gathered);
        return out;
    }

    /// To the tensor's dtype; without those that are the fill where the file has all.
    void finish(Gathered& gathered) const {
        if (stream_->dtype() == dtype() && !stream_->lists_all()) return;
        std::size_t const size = size_of(dtype()), count = gathered.keys.size();
        std::vector<std::byte> values(count * size);
        convert(stream_->dtype(), gathered.values.data(), 1, dtype(), values.data(), count);
        check_fit(gathered, values);
        if (stream_->lists_all()) {
            std::vector<Extent> others;
            fill_.others(values, others);
            for (std::size_t k = 0; k < others.size(); ++k) {
                auto const from = static_cast<std::size_t>(others[k]);
                gathered.keys[k] = gathered.keys[from];
                std::memmove(values.data() + k * size, values.data() + from * size, size);
            }
            gathered.keys.resize(others.size());
            values.resize(others.size() * size);
        }
        gathered.values = std::move(values);
    }

    /// @throws InputError where an integer dtype does not hold a whole number
    void check_fit(Gathered const& gathered, std::vector<std::byte> const& values) const {
        DType const from = stream_->dtype();
        if (!is_integer(dtype()) || !is_integer(from) || from == dtype()) return;
        std::vector<std::int64_t> written(gathered.keys.size()), held(written.size());
        convert(from, gathered.values.data(), 1, DType::i64, written.data(), written.size());
        convert(dtype(), values.data(), 1, DType::i64, held.data(), held.size());
        auto const differs = std::mismatch(held.begin(), held.end(), written.begin()).first - held.begin();
        auto const e = static_cast<std::size_t>(differs);
        if (e == held.size()) return;
        std::vector<Extent> index = index_at(gathered.box.length, static_cast<Extent>(gathered.keys[e]));
        for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] += gathered.box.begin[axis];
        throw InputError(Fault{stream_->name(), "tensor '" + tensor_ + "', element " + to_string(index),
                               "a whole number that " + std::string(ein::name(dtype())) + " holds",
                               std::to_string(written[e]), "declare a wider \"dtype\", or correct the file"});
    }

    std::unique_ptr<EntryStream> stream_;
    std::string tensor_;
    FillValue fill_;
    struct Prepared {
        std::shared_ptr<Gathered> gathered;
        std::int64_t reads = 0;  // to come
    };
    mutable Mutex mutex_;
    mutable std::map<Box, Prepared> prepared_ EIN_GUARDED_BY(mutex_);
    mutable Once whole_once_;
    mutable std::shared_ptr<Gathered> whole_;
};

}  // namespace

std::unique_ptr<SparseReader> list_file(std::unique_ptr<EntryStream> stream, SparseWanted const& wanted) {
    if (!checked_element_count(wanted.shape))
        throw InputError(Fault{stream->name(), "tensor '" + wanted.name + "'", "fewer than 2^63 places",
                               "shape " + to_string(wanted.shape), "correct the shape"});
    return std::make_unique<FileListing>(std::move(stream), wanted);
}

namespace {

bool is_inside(ListedElements const& batch, std::size_t e, Box const& box) {
    bool in = true;
    for (std::size_t axis = 0; axis < box.order() && in; ++axis)
        in = batch.coords[axis][e] >= box.begin[axis] && batch.coords[axis][e] < box.end(axis);
    return in;
}

}  // namespace

Extent count_inside(ListedElements const& batch, DType dtype, Box const& box) {
    auto const count = static_cast<std::size_t>(batch.count(dtype));
    Extent inside = 0;
    for (std::size_t e = 0; e < count; ++e) inside += is_inside(batch, e, box);
    return inside;
}

void add_inside(ListedElements const& batch, DType dtype, Box const& box, IndexSpan& span) {
    auto const count = static_cast<std::size_t>(batch.count(dtype));
    std::vector<Extent> index(box.order());
    for (std::size_t e = 0; e < count; ++e) {
        if (!is_inside(batch, e, box)) continue;
        for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] = batch.coords[axis][e];
        span.add(index);
    }
}

}  // namespace ein::tensor
