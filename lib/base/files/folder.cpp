#include "lib/base/files/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ein {

int make_new_folder(std::filesystem::path const& folder) { return ::mkdir(folder.c_str(), 0777) == 0 ? 0 : errno; }

int sync_folder(std::filesystem::path const& folder) {
    int const descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int error = 0;
    do error = ::fsync(descriptor) == 0 ? 0 : errno;
    while (error == EINTR);
    ::close(descriptor);
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP ? 0 : error;
}

}  // namespace ein
