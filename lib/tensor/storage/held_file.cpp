#include "lib/tensor/storage/held_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/base/files/missing_path.hpp"

namespace ein::tensor {

HeldFile::HeldFile(std::filesystem::path const& file) : name_(file.string()), descriptor_(open_kept(file)) {
    if (descriptor_ < 0 && (errno == EMFILE || errno == ENFILE))
        throw RunError("cannot open " + name_ + ": " + std::strerror(errno) +
                       "; raise the limit on open files (ulimit -n)");
    if (descriptor_ < 0)
        throw InputError(Fault{name_, "", "a file that can be read", errno == ELOOP ? "a link" : found_unopened(errno),
                               "check the path and its permissions"});
    struct stat status {};
    bool const is_file = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    size_ = static_cast<std::uint64_t>(status.st_size);
    if (is_file) return;
    ::close(descriptor_);
    throw InputError(Fault{name_, "", "a file", S_ISDIR(status.st_mode) ? "a folder" : "a special file",
                           "give the file's own path"});
}

HeldFile::~HeldFile() { ::close(descriptor_); }

void HeldFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    read_descriptor(descriptor_, *this, offset, out);
}

}  // namespace ein::tensor
