#include "executor/device/cuda/source/program.hpp"

#include "executor/device/cuda/source/kernels.hpp"
#include "executor/device/index_error.hpp"

namespace ein::executor::cuda {

std::string const& prelude() {
    static std::string const text = [] {
        std::string all;
        for (char const* part : kernels::parts) all += part;
        return all;
    }();
    return text;
}

void write_arguments(Launch const& launch, Call const& call, std::vector<std::uint64_t>& words) {
    words.clear();
    auto const address = [&](void const* to) { words.push_back(reinterpret_cast<std::uintptr_t>(to)); };
    for (int operand : launch.operands) address(call.operands[static_cast<std::size_t>(operand)]);
    if (launch.operands.empty()) address(nullptr);
    address(call.output);
    address(call.scratch);
    address(call.fault);
    words.push_back(static_cast<std::uint64_t>(std::int64_t{(*call.task).value()}));
    for (int label : launch.begins)
        words.push_back(static_cast<std::uint64_t>(call.begin[static_cast<std::size_t>(label)]));
    if (launch.begins.empty()) words.push_back(0);
    words.insert(words.end(), launch.constants.begin(), launch.constants.end());
}

std::vector<std::uint64_t> arguments(Launch const& launch, Call const& call) {
    std::vector<std::uint64_t> words;
    write_arguments(launch, call, words);
    return words;
}

void check(Fault const& fault) {
    if (fault.code == 0) return;
    throw IndexError({fault.index, fault.extent, TaskId{static_cast<std::int32_t>(fault.task)},
                      static_cast<int>(fault.operand), fault.element});
}

}  // namespace ein::executor::cuda
