// A file of a folder that this program keeps (open_kept of input_file.hpp), such as a checkpoint: opened never through
// a link, and let go when this ends. FileStorage keeps descriptors for later, so that the space of a file that is
// removed meanwhile is not free, and the folder of it on a network not empty.
// Example: HeldFile("ckpt/000003/W.npy").size()
#pragma once

#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

class HeldFile : public Storage {
public:
    /// @throws InputError when there is no such file
    explicit HeldFile(std::filesystem::path const& file);
    ~HeldFile() override;
    HeldFile(HeldFile const&) = delete;
    HeldFile& operator=(HeldFile const&) = delete;

    std::string const& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    std::string name_;
    std::uint64_t size_ = 0;
    int descriptor_ = -1;
};

}  // namespace ein::tensor
