// Gathers the instructions of a Program: numbers values, finds equal ones, and at the end gives every result a place in
// scratch that is free while it is needed. Leaves the meaning of expressions to compile.cpp.
// Example: two calls of unary(k, f32, a) give the same value.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/program/program_code.hpp"

namespace ein::scalar {

class CodeBuilder {
public:
    /// @param compute  type of every operand  @param integers  the registers of integers and bools
    CodeBuilder(DType compute, DType integers) {
        code_->integers = integers;
        code_->registers = registers(compute);
    }

    DType registers(DType type) const { return is_exact(type) ? code_->integers : register_dtype(type); }
    /// As kernels are told apart by.
    int number(DType type) const {
        return is_exact(type) ? integer_register_number(code_->integers) : register_number(type);
    }

    int operand(int number);
    int index(int label);
    int constant(Scalar const& value, DType type);  // held in the register type of `type`
    using Meaning = Instruction::Meaning;
    int unary(UnaryKernel kernel, DType result, int a) { return unary(kernel, Meaning::other, Op::add, 0, result, a); }
    /// @param op  of Meaning::op  @param number  of the register: the argument's of an operation, the result's of a
    /// conversion
    int unary(UnaryKernel kernel, Meaning meaning, Op op, int number, DType result, int a);
    /// To the range of a type of integers.
    int wrap(UnaryKernel kernel, DType type, int a);
    int binary(BinaryKernels const& kernels, Op op, int number, DType result, int a, int b);
    int select(DType result, int condition, int a, int b);
    int position(int a, std::int64_t extent);

    /// What a constant was made from; nothing for other values.
    Scalar const* known(int value) const;

    std::unique_ptr<Program::Code> finish(int result, DType result_dtype);

private:
    using Key = std::array<std::intptr_t, 6>;  // form, kernel, arguments, label or extent

    int add(Instruction instruction, DType result, Key const& key);
    void drop_unread();
    void place_results();

    std::unique_ptr<Program::Code> code_ = std::make_unique<Program::Code>();
    std::map<Key, int> values_;
    std::map<std::array<std::byte, 17>, int> constants_;
    std::map<int, Scalar> known_;
};

}  // namespace ein::scalar
