// What the GPU is asked to do, as values: CUDA C++ text, launch geometry and arguments. Nothing here needs CUDA:
// whoever has it compiles prelude() + source once for each name and launches. A kernel has one argument, a struct of
// 64-bit words: the operands' addresses, the output's, those of scratch memory and of the fault record, the task,
// labels' begins, and constants of the shape. So kernels of one class, which differ in lengths and strides only, have
// the same text and the same name. Example: for launch of program.launches: words = arguments(launch, call); void*
// args[] = {words.data()};
//          cuLaunchKernel(kernel, launch.grid_x, launch.grid_y, 1, launch.block, 1, 1, 0, stream, args, nullptr).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executor/device/device.hpp"

namespace ein::executor::cuda {

/// Text that every source begins with: element types, functions, aggregations, and the loops of kernels as templates.
/// It includes nothing. Several sources may be compiled together after one prelude.
std::string const& prelude();

struct Kernel {
    std::string name;    // of the entry; equal names have equal sources
    std::string source;  // without the prelude
};

struct Launch {
    Kernel kernel;
    unsigned grid_x = 1, grid_y = 1;
    unsigned block = 1;                    // threads; shared memory is static
    std::vector<int> operands;             // that the kernel reads, as the call numbers them
    std::vector<int> begins;               // labels whose begin it asks for
    std::vector<std::uint64_t> constants;  // words of the shape
};

/// Launches that run one after the other on one stream. Without any there is nothing to do.
struct Program {
    std::vector<Launch> launches;
    std::int64_t scratch_bytes = 0;  // memory that the launches share, aligned to 16; its contents do not matter
};

/// The addresses of one call, on the device; begins of all labels.
struct Call {
    std::span<void const* const> operands;
    void* output = nullptr;
    void* scratch = nullptr;
    void* fault = nullptr;
    std::span<Extent const> begin = {};
    OptionalId<TaskId> task = {};
};

/// The launch's one argument, in place of what `words` held.
void write_arguments(Launch const& launch, Call const& call, std::vector<std::uint64_t>& words);
std::vector<std::uint64_t> arguments(Launch const& launch, Call const& call);

/// The record that kernels write when they find bad input: zero before a launch. See types.cuh.
struct Fault {
    std::int32_t code = 0;  // 0: none, 1: position() of `index` into `extent` elements; written last
    std::int32_t claimed = 0;
    std::int64_t index = 0, extent = 0;
    std::int64_t task = -1, operand = -1, element = -1;
};
/// @throws IndexError that says what the record says
void check(Fault const& fault);

/// What the geometry of launches is made for. Results may depend on it in the last bits of sums, so it is part of what
/// makes two runs alike.
struct Gpu {
    std::int64_t multiprocessors = 132;
    std::int64_t threads_of_each = 2048;             // that one of them holds
    std::int64_t wide_from = std::int64_t{1} << 30;  // elements from which on indices have 64 bits; at most this
    std::int64_t threads() const { return multiprocessors * threads_of_each; }
};

/// The program of a kernel, for any legal EinSum. Params are written into the text: they stay what they are for a whole
/// run, and x^p of a known p needs no pow().
/// @throws InputError for an expression that cannot run (a param without a value)
Program einsum_program(KernelShape const& shape, scalar::Params const& params, Gpu const& gpu = {});

/// Programs of Device's other calls; addresses in them are the device's. They are launched with operands {from} and
/// output `to`.
Program copy_program(CopyCall const& call, Gpu const& gpu = {});
Program reshape_program(ReshapeCall const& call, Gpu const& gpu = {});
Program fill_program(void* to, Extent elements, DType dtype, scalar::Scalar value, Gpu const& gpu = {});

}  // namespace ein::executor::cuda
