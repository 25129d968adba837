#include "lib/tensor/storage/storage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/tensor/storage/recent_cache.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

/// An open descriptor.
class OpenFile {
public:
    OpenFile(std::string const& path, WrittenBy writer)
        : descriptor_(writer == WrittenBy::this_run ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                                                    : open_of_others(path)) {
        if (descriptor_ < 0) refuse(path, errno);
        if (::fstat(descriptor_, &status_) != 0 || !S_ISREG(status_.st_mode)) {
            ::close(descriptor_);
            throw InputError(Fault{path, "", "a file with a tensor in it",
                                   S_ISDIR(status_.st_mode) ? "a folder" : "a special file",
                                   "give the file's own path"});
        }
    }
    ~OpenFile() { ::close(descriptor_); }
    OpenFile(OpenFile const&) = delete;
    OpenFile& operator=(OpenFile const&) = delete;

    int descriptor() const { return descriptor_; }

    FileIdentity identity(std::string const& path) const {
        return {path, status_.st_dev, status_.st_ino, static_cast<std::uint64_t>(status_.st_size),
                std::int64_t{status_.st_mtim.tv_sec} * 1'000'000'000 + status_.st_mtim.tv_nsec};
    }

private:
    /// One outside --inputs-below is not opened either.
    static int open_of_others(std::string const& path) {
        try {
            return open_input(path);
        } catch (InputError const& error) {
            throw UnopenedFile(error.faults());
        }
    }

    [[noreturn]] static void refuse(std::string const& path, int error) {
        if (error == EMFILE || error == ENFILE)
            throw RunError("cannot open " + path + ": " + std::strerror(error) +
                           "; raise the limit on open files (ulimit -n)");
        throw UnopenedFile(unreadable_input(path, error));
    }

    int descriptor_;
    struct stat status_ {};
};

RecentCache<FileIdentity, OpenFile>& open_files() {
    static RecentCache<FileIdentity, OpenFile> files(128);  // far below the usual limit of 1024 descriptors
    return files;
}

/// Opens a file again whose descriptor was let go, and checks that it is still the same.
std::shared_ptr<OpenFile const> reopen(FileIdentity const& known, WrittenBy writer) {
    auto file = std::make_shared<OpenFile const>(known.path, writer);
    FileIdentity const now = file->identity(known.path);
    if (now.inode != known.inode || now.device != known.device || now.size != known.size)
        throw InputError(Fault{known.path, "",
                               "the file of " + std::to_string(known.size) + " bytes that was opened at the start",
                               "another one of " + std::to_string(now.size) + " bytes",
                               "do not change input files while they are being read"});
    return file;
}

[[noreturn]] void fail_short(Storage const& storage, std::uint64_t end, std::uint64_t found) {
    throw InputError(Fault{storage.name(), "", "at least " + std::to_string(end) + " bytes",
                           std::to_string(found) + " bytes",
                           "the file is cut short or damaged: copy or write it again"});
}

}  // namespace

void require_inside(Storage const& storage, std::uint64_t offset, std::uint64_t bytes) {
    std::uint64_t end = 0;
    if (__builtin_add_overflow(offset, bytes, &end)) end = UINT64_MAX;
    if (end > storage.size()) fail_short(storage, end, storage.size());
}

FileStorage::FileStorage(std::filesystem::path const& file, WrittenBy writer) : writer_(writer) {
    auto opened = std::make_shared<OpenFile const>(file.string(), writer);
    identity_ = opened->identity(file.string());
    open_files().find_or_make(identity_, [&] { return opened; });
}

void read_descriptor(int descriptor, Storage const& storage, std::uint64_t offset, std::span<std::byte> out) {
    require_inside(storage, offset, out.size());
    while (!out.empty()) {
        std::size_t const wanted = std::min(out.size(), tuning::most_at_once);
        ssize_t const got = ::pread(descriptor, out.data(), wanted, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw RunError("cannot read " + storage.name() + " at byte " + std::to_string(offset) + ": " +
                           std::strerror(errno) + "; check the disk or the network file system");
        if (got == 0) fail_short(storage, offset + out.size(), offset);  // it has become shorter
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
}

void FileStorage::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    require_inside(*this, offset, out.size());
    auto const file = open_files().find_or_make(identity_, [&] { return reopen(identity_, writer_); });
    read_descriptor(file->descriptor(), *this, offset, out);
}

std::shared_ptr<FileStorage const> open_file(std::filesystem::path const& file, WrittenBy writer) {
    return std::make_shared<FileStorage const>(file, writer);
}

void MemoryStorage::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    require_inside(*this, offset, out.size());
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
}

PieceStorage::PieceStorage(StoragePtr whole, std::uint64_t offset, std::uint64_t length, std::string name)
    : whole_(std::move(whole)), offset_(offset), length_(length), name_(std::move(name)) {
    require_inside(*whole_, offset_, length_);
}

void PieceStorage::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    require_inside(*this, offset, out.size());
    whole_->read_at(offset_ + offset, out);
}

}  // namespace ein::tensor
