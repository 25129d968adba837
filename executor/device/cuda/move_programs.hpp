// Programs of copies, reshapes and fills, made once for each that differs: who asks again is given the same, without
// text made or hashed. What a program depends on is the call's boxes and types, and addresses by their last four bits
// alone. Example: the second time that a loop copies the same region, programs.of(call) is a look-up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "executor/device/cuda/driver/launcher.hpp"

namespace ein::executor::cuda {

class MovePrograms {
public:
    explicit MovePrograms(Launcher& launcher) : launcher_(launcher) {}
    MovePrograms(MovePrograms const&) = delete;

    PreparedProgram const& of(CopyCall const& call);
    PreparedProgram const& of(ReshapeCall const& call);
    PreparedProgram const& of_fill(void const* to, Extent elements, DType dtype, scalar::Scalar const& value);

private:
    PreparedProgram const& find(std::string const& key, std::function<Program()> const& make);

    Launcher& launcher_;
    Mutex mutex_;
    std::unordered_map<std::string, std::unique_ptr<PreparedProgram const>> known_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::executor::cuda
