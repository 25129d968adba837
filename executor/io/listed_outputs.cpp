#include "executor/io/listed_outputs.hpp"

#include <cstring>
#include <span>

#include "lib/base/error.hpp"

namespace ein::executor {
namespace {

/// Numbers as bytes, since blocks that have not all columns tell of each of their rows.
void put(std::string& out, std::span<Extent const> numbers) {
    out.append(reinterpret_cast<char const*>(numbers.data()), numbers.size_bytes());
}

class Numbers {
public:
    explicit Numbers(std::string const& text) : text_(text) {}
    bool at_end() const { return next_ == text_.size(); }
    Extent one() { return several(1)[0]; }
    std::vector<Extent> several(Extent count) {
        std::vector<Extent> out(static_cast<std::size_t>(count));
        std::size_t const bytes = out.size() * sizeof(Extent);
        promise(count >= 0 && bytes <= text_.size() - next_, "counts of sparse outputs are whole");
        if (bytes > 0) std::memcpy(out.data(), text_.data() + next_, bytes);
        next_ += bytes;
        return out;
    }

private:
    std::string const& text_;
    std::size_t next_ = 0;
};

}  // namespace

void ListedOutputs::add(schedule::OutputId output, tensor::SparseBlockView const& block) {
    auto const bytes = static_cast<std::size_t>(
        tensor::sparse_bytes(block.layout, block.box.length, block.dtype, tensor::listed_in(block.bytes)));
    Kept kept{block.box,
              block.layout,
              block.dtype,
              {block.bytes.begin(), block.bytes.begin() + static_cast<std::ptrdiff_t>(bytes)}};
    MutexLock const lock(mutex_);
    kept_[output].push_back(std::move(kept));
}

std::string ListedOutputs::counts() const {
    std::string out;
    MutexLock const lock(mutex_);
    for (auto const& [output, blocks] : kept_)
        for (Kept const& kept : blocks) {
            tensor::BlockCounts const counts =
                tensor::counts_of(kept.bytes, kept.dtype, kept.box, kept.layout, shape(output));
            Extent const head[] = {output.value(), counts.listed, static_cast<Extent>(counts.rows.size())};
            put(out, head);
            put(out, kept.box.begin);
            put(out, kept.box.length);
            put(out, counts.rows);
        }
    return out;
}

void ListedOutputs::place(std::vector<std::string> const& by_rank, std::vector<std::filesystem::path> const& files) {
    std::map<schedule::OutputId, std::vector<tensor::BlockCounts>> counts;
    for (std::string const& text : by_rank)
        for (Numbers numbers(text); !numbers.at_end();) {
            schedule::OutputId const output{static_cast<std::int32_t>(numbers.one())};
            tensor::BlockCounts& block = counts[output].emplace_back();
            block.listed = numbers.one();
            Extent const rows = numbers.one();
            auto const order = static_cast<Extent>(shape(output).size());
            block.box.begin = numbers.several(order);
            block.box.length = numbers.several(order);
            block.rows = numbers.several(rows);
        }
    files_.clear();
    for (auto& [output, blocks] : counts) {
        schedule::Tensor const& tensor = header_.tensors[header_.outputs[output].tensor];
        tensor::SparsePlaces places(tensor.shape, std::move(blocks));
        tensor::SparseOutput const written{tensor.dtype, tensor.shape, tensor.fill.value(), places.listed()};
        files_.emplace(output, File{std::move(places), tensor::SparseWriter(files[at(output)], written)});
    }
}

void ListedOutputs::make() {
    for (auto& [output, file] : files_) {
        file.writer.make();
        file.writer.close();
    }
}

void ListedOutputs::write() {
    MutexLock const lock(mutex_);
    for (auto& [output, file] : files_) {
        file.writer.open_made();
        for (Kept const& kept : kept_[output]) file.writer.write(kept.bytes, kept.box, kept.layout, file.places);
    }
    kept_.clear();
}

std::string ListedOutputs::sums() const {
    std::string out;
    for (auto const& [output, file] : files_)
        for (std::uint32_t const sum : file.writer.sums()) {
            Extent const number = sum;
            put(out, {&number, 1});
        }
    return out;
}

void ListedOutputs::finish(std::vector<std::string> const& by_rank) {
    std::map<schedule::OutputId, tensor::SparseSums> all;
    for (std::string const& text : by_rank) {
        Numbers numbers(text);
        for (auto const& [output, file] : files_)
            for (std::uint32_t& sum : all.try_emplace(output).first->second)
                sum ^= static_cast<std::uint32_t>(numbers.one());
    }
    for (auto& [output, file] : files_) file.writer.finish(all[output]), file.writer.close();
}

}  // namespace ein::executor
