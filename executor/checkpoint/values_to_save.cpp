#include "executor/checkpoint/values_to_save.hpp"

#include <algorithm>
#include <sstream>

#include "executor/startup/agreement.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/sparse/fill_value.hpp"

namespace ein::executor {

namespace {

/// What ranks have told, number by number.
class Told {
public:
    explicit Told(std::vector<std::string> const& by_rank) {
        for (std::string const& text : by_rank) texts_.emplace_back(text);
    }
    std::uint64_t next(Rank rank) {
        std::uint64_t number = 0;
        promise(static_cast<bool>(texts_[at(rank)] >> number), "a rank tells of each box that it saves");
        return number;
    }

private:
    std::vector<std::istringstream> texts_;
};

}  // namespace

ValuesToSave::ValuesToSave(Transport& transport, schedule::Header const& header, std::vector<LiveBox> live,
                           ReadLive read)
    : transport_(transport), header_(header), live_(std::move(live)), read_(std::move(read)) {
    std::vector<std::vector<LiveBox>> all;
    for (std::string const& text : transport_.all_gather(to_text(live_))) all.push_back(boxes_from(text));
    describe(boxes_to_save(all, [&](schedule::TensorId tensor) { return header_.tensors[tensor].fill.has_value(); }));
}

void ValuesToSave::describe(std::vector<BoxToSave> boxes) {
    OptionalId<schedule::TensorId> last;
    std::vector<std::string> names;
    for (BoxToSave& box : boxes) {
        schedule::Tensor const& tensor = header_.tensors[box.tensor];
        if (last != OptionalId(box.tensor)) {
            last = box.tensor;
            names.push_back(tensor.name);
            SavedValue& value = values_.emplace_back(SavedValue{tensor.name, "", tensor.dtype, tensor.shape, {}});
            if (tensor.fill) {
                value.frame = 0;
                tensor::FillValue const fill(tensor.dtype, *tensor.fill);
                value.fill.assign(fill.bytes().begin(), fill.bytes().end());
            }
        }
        values_.back().boxes.push_back({box.box, 0});
        items_.push_back({std::move(box), values_.size() - 1, values_.back().boxes.size() - 1});
    }
    std::vector<std::string> const files = file_names(names);
    for (std::size_t v = 0; v < values_.size(); ++v)
        values_[v].file = values_[v].is_sparse() ? sparse_file_name(files[v]) : files[v];
}

LiveBox const& ValuesToSave::live_of(Item const& item) const {
    auto const is_of = [&](LiveBox const& live) { return live.tensor == item.what.tensor; };
    auto found = std::find_if(live_.begin(), live_.end(),
                              [&](LiveBox const& live) { return is_of(live) && live.box == item.what.box; });
    if (found == live_.end())
        found = std::find_if(live_.begin(), live_.end(),
                             [&](LiveBox const& live) { return is_of(live) && live.box.contains(item.what.box); });
    promise(found != live_.end(), "a rank has what it saves");
    return *found;
}

tensor::SparseBlockView ValuesToSave::block_of(Item const& item, std::vector<std::byte>& buffer) const {
    LiveBox const& live = live_of(item);
    promise(live.layout.has_value(), "a sparse value has sparse blocks");
    return {read_(live, buffer), values_[item.value].dtype, live.box, *live.layout};
}

/// What boxes of sparse values list.
void ValuesToSave::count() {
    if (std::none_of(values_.begin(), values_.end(), [](SavedValue const& value) { return value.is_sparse(); })) return;
    std::string mine;
    agree(transport_, [&] {
        std::vector<std::byte> buffer;
        for (Item const& item : items_)
            if (is_mine(item) && values_[item.value].is_sparse())
                mine += std::to_string(tensor::listed_in(block_of(item, buffer), item.what.box)) + "\n";
    });
    Told told(transport_.all_gather(mine));
    for (Item const& item : items_)
        if (values_[item.value].is_sparse()) saved(item).listed = static_cast<Extent>(told.next(item.what.rank));
}

void ValuesToSave::write(NewCheckpoint& anew) {
    count();
    agree(transport_, [&] {
        if (transport_.rank() == Rank{0}) anew.create(values_);
    });
    std::string mine;
    agree(transport_, [&] {
        mine = write_mine(anew);
        anew.sync();
    });
    written_ = transport_.all_gather(mine);
}

std::string ValuesToSave::write_mine(NewCheckpoint& anew) {
    std::string out;
    std::vector<std::byte> buffer;
    for (Item const& item : items_) {
        if (!is_mine(item)) continue;
        SavedValue const& value = values_[item.value];
        if (!value.is_sparse()) {
            out += std::to_string(anew.write(value, item.what.box, read_(live_of(item), buffer))) + "\n";
            continue;
        }
        NewCheckpoint::WrittenList const list = anew.write_list(value, item.box, block_of(item, buffer));
        out += std::to_string(list.hash);
        for (std::uint32_t sum : list.sums) out += " " + std::to_string(sum);
        out += "\n";
    }
    return out;
}

std::int64_t ValuesToSave::bytes() const {
    std::int64_t out = 0;
    for (SavedValue const& value : values_) out += static_cast<std::int64_t>(saved_bytes(value));
    return out;
}

std::vector<SavedValue> ValuesToSave::complete(NewCheckpoint& anew) {
    Told told(written_);
    std::vector<tensor::SparseSums> sums(values_.size(), tensor::SparseSums{});
    for (Item const& item : items_) {
        saved(item).hash = told.next(item.what.rank);
        if (!values_[item.value].is_sparse()) continue;
        for (std::uint32_t& sum : sums[item.value]) sum ^= static_cast<std::uint32_t>(told.next(item.what.rank));
    }
    for (std::size_t v = 0; v < values_.size(); ++v)
        if (values_[v].is_sparse()) values_[v].frame = anew.finish_list(values_[v], sums[v]);
    return values_;
}

}  // namespace ein::executor
