#include "lib/tensor/formats/whole_file.hpp"

#include <unistd.h>

#include "lib/base/error.hpp"
#include "lib/base/files/run_lock.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/formats/npy_write.hpp"

namespace ein::tensor {

namespace fs = std::filesystem;

void write_whole_file(fs::path const& file, std::function<void(fs::path const&)> const& make,
                      std::function<void(fs::path const&)> const& fill) {
    sweep_leftovers(file.parent_path(), {file});
    RunLock lock;
    fs::path temporary;
    do {
        temporary = temporary_path(file, unique_name());
        make(temporary);
    } while (!lock.hold(temporary));
    try {
        fill(temporary);
        if (int const error = rename_complete(temporary, file))
            fail_write(file, "--out", "renaming " + temporary.string(), error);
    } catch (RunError const&) {
        ::unlink(temporary.c_str());
        throw;
    }
}

}  // namespace ein::tensor
