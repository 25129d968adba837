// A file open for writing: the only way in which any program makes or writes one (scripts/check_files.sh). A file is
// made where there is none, and never through a link: a name that somebody else put there is refused, not followed.
// Functions return 0, or what errno was: the caller says what it means to the user.
// Example: WrittenFile file; if (int error = file.make("results/.Z.npy.partial-...")) fail(error);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace ein {

class WrittenFile {
public:
    WrittenFile() = default;  // none is open
    ~WrittenFile();
    WrittenFile(WrittenFile&& other) noexcept;
    WrittenFile& operator=(WrittenFile&& other) noexcept;

    /// Makes a file; EEXIST where anything has its name, a dangling link too.
    [[nodiscard]] int make(std::filesystem::path const& path);
    /// Opens one that another process, or this one, has made; ELOOP for a link.
    [[nodiscard]] int open_made(std::filesystem::path const& path);
    /// Opens a device, a pipe or this process's own stream (see is_stream), which is written from where it stands.
    [[nodiscard]] int open_stream(std::filesystem::path const& path);
    /// Makes a file without a name, to write and read: nothing is left of it however the process ends.
    [[nodiscard]] int make_unnamed(std::filesystem::path const& folder);

    /// Where append() goes on in a file that another process has begun.
    [[nodiscard]] int go_to_end();
    /// After what append() wrote before.
    [[nodiscard]] int append(std::span<std::byte const> bytes);
    /// Anywhere. ESPIPE for a stream that has no positions.
    [[nodiscard]] int write_at(std::uint64_t offset, std::span<std::byte const> bytes) const;
    /// Of one that make_unnamed made. EIO where it ends too early.
    [[nodiscard]] int read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
    /// Makes it so long and takes the space on disk now, so that a full disk is found before the work is done; not
    /// every file system can.
    [[nodiscard]] int reserve(std::uint64_t bytes) const;
    /// The same of a part of it; the file grows to hold it.
    [[nodiscard]] int reserve_range(std::uint64_t offset, std::uint64_t bytes) const;
    /// What is beyond is gone; what it grows by reads as zeros and takes no space.
    [[nodiscard]] int set_length(std::uint64_t bytes) const;
    /// Has the system begin to write this part of it to the disk, without waiting: sync() has less to wait for then.
    void begin_sync(std::uint64_t offset, std::uint64_t bytes) const;
    /// Waits until what was written is on the disk, whatever happens to the system then. A name is there only once its
    /// folder is, too (sync_folder, folder.hpp).
    [[nodiscard]] int sync() const;
    /// Reports what the system finds late; the destructor alone does not.
    [[nodiscard]] int close();

    bool is_open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }

private:
    [[nodiscard]] int take(int descriptor);

    int descriptor_ = -1;
    bool appends_ = false;  // a stream: what is written goes to its end, wherever it was meant to go
};

/// Gives a complete file its final name, in place of what had it. 0, or what errno was.
[[nodiscard]] int rename_complete(std::filesystem::path const& temporary, std::filesystem::path const& path);

/// Whether what stands under a name is to be written as it is instead of being replaced: a device, a pipe, a socket, or
/// a stream of this process (/dev/stdout, /dev/fd/3, wherever they lead). Any other link is replaced as a file would
/// be.
bool is_stream(std::filesystem::path const& path);

}  // namespace ein
