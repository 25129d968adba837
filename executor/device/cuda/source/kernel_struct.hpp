// The struct K that describes an EinSum to the kernel templates (see kernels/fold.cuh), as text, and the constants that
// go with it (struct Arguments). What it says is the class of shapes; lengths and steps are constants.
#pragma once

#include "executor/device/cuda/source/join_source.hpp"
#include "executor/device/cuda/source/loops.hpp"
#include "executor/device/cuda/source/text.hpp"

namespace ein::executor::cuda {

/// What the sources of an EinSum have in common.
struct EinsumText {
    KernelShape const& shape;
    KernelTypes types;
    JoinSource join;
    Gpu gpu;
};

struct Lanes {
    int count = 1;
    int loop = 0;  // among outer loops and then inner ones
};

class KernelStruct {
public:
    /// @param arguments  the template of the kernel's argument: Arguments, or one derived from it
    KernelStruct(EinsumText const& text, Loops const& loops, Lanes lanes, std::string const& arguments = "Arguments");

    /// Adds "static constexpr <type> <name> = <value>;"
    KernelStruct& constant(std::string const& type, std::string const& name, Extent value);
    KernelStruct& add(std::string const& member);

    /// The struct, and a kernel of that many threads whose body is one call: "fold<K>(a)".
    Kernel kernel(std::string const& stem, unsigned threads, std::string const& call) const;
    /// A launch of it, with the words that every kernel has; the caller sets the grid and adds words of its own.
    Launch launch(Kernel kernel, unsigned threads) const;

    /// "to_f32(widened(element))": an operand's element in the compute type.
    std::string loaded(std::string const& element) const;

    /// The lengths, steps and counts of the loops, as struct Arguments of kernels/walk.cuh has them.
    Words words(Extent terms, Extent part, Extent parts) const;

private:
    void add_loads();
    void add_join();
    std::string index_statements() const;
    std::string place_statements() const;

    EinsumText const& text_;
    Loops const& loops_;
    Lanes lanes_;
    std::vector<int> begins_;
    std::string members_;
};

/// "Plain<Sum<f32>>"
std::string state_name(scalar::Agg agg, DType type);
Extent state_bytes(scalar::Agg agg, DType type);

}  // namespace ein::executor::cuda
