// Bytes that can be read from any place: a file, a piece of one, memory, or a deflated piece of a file. The formats
// (npy, npz, safetensors, raw) are read through this, so each works on all of them. All are safe to call from many
// threads.
// Example: open_file("A.npy")->read_at(128, out) fills `out` with the bytes from 128 on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {

/// A file that cannot be opened here and now: it may be there when it is needed.
class UnopenedFile : public InputError {
public:
    using InputError::InputError;
};

class Storage {
public:
    virtual ~Storage() = default;
    virtual std::string const& name() const = 0;  // the file, for messages
    virtual std::uint64_t size() const = 0;       // bytes

    /// Fills `out` with the bytes from `offset` on.
    /// @throws InputError when they are not there, RunError when the system cannot read them
    virtual void read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
    /// Whether bytes anywhere are read without going through others.
    virtual bool reads_anywhere() const { return false; }

    /// How to read many small pieces: pieces with at most `gap` bytes between them are read as one, up to `window`
    /// bytes.
    struct Habit {
        std::size_t gap = tuning::read_gap;
        std::size_t window = tuning::read_window;
    };
    virtual Habit habit() const { return {}; }
};

using StoragePtr = std::shared_ptr<Storage const>;

/// Which file this is: equal for two opens of a file that was not changed between them.
struct FileIdentity {
    std::string path;
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified = 0;  // nanoseconds
    friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// A file of others is data from outside, which --inputs-below may keep to a folder (input_file.hpp); one that this run
/// has written is read back wherever it is.
enum class WrittenBy : std::uint8_t { others, this_run };

/// A file on disk. Few descriptors are kept open at a time, however many files a graph names.
class FileStorage : public Storage {
public:
    /// @throws UnopenedFile when it cannot be opened, InputError for what is no file
    explicit FileStorage(std::filesystem::path const& file, WrittenBy writer = WrittenBy::others);
    std::string const& name() const override { return identity_.path; }
    std::uint64_t size() const override { return identity_.size; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    bool reads_anywhere() const override { return true; }
    FileIdentity const& identity() const { return identity_; }

private:
    FileIdentity identity_;
    WrittenBy writer_;
};

std::shared_ptr<FileStorage const> open_file(std::filesystem::path const& file, WrittenBy writer = WrittenBy::others);

class MemoryStorage : public Storage {
public:
    MemoryStorage(std::string name, std::vector<std::byte> bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}
    std::string const& name() const override { return name_; }
    std::uint64_t size() const override { return bytes_.size(); }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    bool reads_anywhere() const override { return true; }

private:
    std::string name_;
    std::vector<std::byte> bytes_;
};

/// `length` bytes of another storage, from `offset` on; they must be there.
class PieceStorage : public Storage {
public:
    PieceStorage(StoragePtr whole, std::uint64_t offset, std::uint64_t length, std::string name);
    std::string const& name() const override { return name_; }
    std::uint64_t size() const override { return length_; }
    void read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    bool reads_anywhere() const override { return whole_->reads_anywhere(); }
    Habit habit() const override { return whole_->habit(); }

private:
    StoragePtr whole_;
    std::uint64_t offset_, length_;
    std::string name_;
};

/// Reads an open file that has the name and size of `storage`. @throws InputError, RunError as Storage::read_at
void read_descriptor(int descriptor, Storage const& storage, std::uint64_t offset, std::span<std::byte> out);

/// @throws InputError unless [offset, offset + bytes) is inside `storage`
void require_inside(Storage const& storage, std::uint64_t offset, std::uint64_t bytes);

}  // namespace ein::tensor
