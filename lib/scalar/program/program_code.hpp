// What a compiled Program consists of. Values are numbered: operands, constants, and the result of each instruction.
// compile.cpp makes it, program.cpp runs it. Example: x*2 + y is operands 0 and 2, constant 1, instructions 3 = mul(0,
// 1), 4 = add(3, 2).
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "lib/scalar/kernels/kernels.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::scalar {

struct Instruction {
    enum class Form { index, unary, binary, select, position };
    /// What a kernel of Form::unary or binary does, for who makes code of its own for it.
    enum class Meaning { other, op, truth, conversion, wrap };
    Form form = Form::unary;
    Meaning meaning = Meaning::other;
    Op op = Op::add;          // of Meaning::op
    DType type = DType::i64;  // of Meaning::wrap: to which range
    int number = 0;           // of the register: arguments' of an operation, result's of a conversion or select
    int out = 0;
    int a = -1, b = -1, c = -1;   // values; of a select: condition, then, else
    int label = 0;                // of an index
    std::int64_t extent = 0;      // of a position
    UnaryKernel unary = nullptr;  // of a select: fill
    BinaryKernels binary;
    IndexKernel index = nullptr;
    SelectKernels select;
    std::size_t width = 0;   // bytes of one element of the result
    std::size_t offset = 0;  // of the result in scratch
};

struct Program::Code {
    struct Operand {
        int number = 0;
        int value = 0;
    };
    struct Constant {
        alignas(16) std::byte bits[16] = {};
        int value = 0;
        DType registers = DType::f32;
    };

    std::vector<Operand> operands;  // those that are used
    std::vector<Constant> constants;
    std::vector<Instruction> instructions;
    int values = 0;
    int result = 0;
    DType registers = DType::f32;  // of operands
    DType integers = DType::i64;   // of integers and bools, truths of comparisons among them
    DType result_dtype = DType::f32;
    std::size_t tile = 0;           // elements
    std::size_t scratch_bytes = 0;  // first a TileOperand for each value, then the tiles
};

/// @throws InputError  as Program's constructor
std::unique_ptr<Program::Code const> compile(Expr const& expr, DType compute, DType weak, Params const& params,
                                             Program::Integers integers);

}  // namespace ein::scalar
