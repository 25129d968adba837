#include "lib/scalar/program/program.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/program/program_code.hpp"

namespace ein::scalar {
namespace {

TileOperand run_index(Instruction const& code, TileIndex const& index, std::size_t count, void* out) {
    bool const constant = index.step == 0;
    code.index(out, index.first, index.step, constant ? 1 : count);
    return {out, constant};
}

TileOperand run_unary(Instruction const& code, TileOperand a, std::size_t count, void* out) {
    code.unary(out, a.data, a.constant ? 1 : count);
    return {out, a.constant};
}

TileOperand run_binary(Instruction const& code, TileOperand a, TileOperand b, std::size_t count, void* out) {
    bool const constant = a.constant && b.constant;
    if (constant || (!a.constant && !b.constant)) {
        code.binary.vv(out, a.data, b.data, constant ? 1 : count);
    } else {
        (a.constant ? code.binary.sv : code.binary.vs)(out, a.data, b.data, count);
    }
    return {out, constant};
}

TileOperand run_select(Instruction const& code, TileOperand condition, std::size_t truth_bytes, TileOperand a,
                       TileOperand b, std::size_t count, void* out) {
    if (condition.constant) {  // copied, because the chosen tile may be reused before the result is
        auto const* const bytes = static_cast<unsigned char const*>(condition.data);
        bool const holds = std::any_of(bytes, bytes + truth_bytes, [](unsigned char byte) { return byte != 0; });
        TileOperand const chosen = holds ? a : b;
        std::memcpy(out, chosen.data, code.width * (chosen.constant ? 1 : count));
        return {out, chosen.constant};
    }
    auto const& forms = code.select;
    SelectKernel const kernel = a.constant ? (b.constant ? forms.ss : forms.sv) : (b.constant ? forms.vs : forms.vv);
    kernel(out, condition.data, a.data, b.data, count);
    return {out, false};
}

TileOperand run_position(Instruction const& code, TileOperand a, std::size_t count, void* out) {
    auto const* const from = static_cast<std::int64_t const*>(a.data);
    auto* const to = static_cast<std::int64_t*>(out);
    std::size_t const present = a.constant ? 1 : count;
    bool const all_there = kernels().position(to, from, code.extent, present);
    for (std::size_t k = 0; !all_there && k < present; ++k) checked_position(from[k], code.extent);  // names the first
    return {out, a.constant};
}

}  // namespace

DType register_dtype(DType type) {
    switch (type) {
        case DType::f16:
        case DType::bf16:
        case DType::f32: return DType::f32;
        case DType::f64:
        case DType::c64:
        case DType::c128: return type;
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64:
        case DType::u8:
        case DType::boolean: break;
    }
    return DType::i64;
}

DType own_register_dtype(DType type) {
    if (type == DType::boolean) return DType::u8;
    return is_exact(type) ? type : register_dtype(type);
}

Program::Program(Expr const& expr, DType compute, DType weak, Params const& params, Integers integers)
    : code_(compile(expr, compute, weak, params, integers)) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

DType Program::result_dtype() const { return code_->result_dtype; }
DType Program::operand_registers() const { return code_->registers; }
DType Program::result_registers() const {
    return is_exact(code_->result_dtype) ? code_->integers : register_dtype(code_->result_dtype);
}
std::size_t Program::tile() const { return code_->tile; }
std::size_t Program::scratch_bytes() const { return code_->scratch_bytes; }

bool Program::asks_for_labels() const {
    auto const asks = [](Instruction const& made) { return made.form == Instruction::Form::index; };
    return std::any_of(code_->instructions.begin(), code_->instructions.end(), asks);
}

bool Program::is_operand(int number) const {
    for (Code::Operand const& operand : code_->operands) {
        if (operand.number == number) return operand.value == code_->result;
    }
    return false;
}

TileOperand Program::run(std::size_t count, std::span<TileOperand const> operands, std::span<TileIndex const> indices,
                         std::byte* scratch, void* result) const {
    if (count == 0) return {scratch, false};
    promise(count <= code_->tile, "a tile is too long");
    auto* const values = reinterpret_cast<TileOperand*>(scratch);
    for (Code::Operand const& operand : code_->operands) {
        promise(static_cast<std::size_t>(operand.number) < operands.size(), "a program has too few operands");
        values[operand.value] = operands[static_cast<std::size_t>(operand.number)];
    }
    for (Code::Constant const& constant : code_->constants) values[constant.value] = {constant.bits, true};
    for (Instruction const& code : code_->instructions) {
        void* const out = result != nullptr && code.out == code_->result ? result : scratch + code.offset;
        TileOperand& made = values[code.out];
        switch (code.form) {
            case Instruction::Form::index:
                promise(static_cast<std::size_t>(code.label) < indices.size(), "a program has too few labels");
                made = run_index(code, indices[static_cast<std::size_t>(code.label)], count, out);
                break;
            case Instruction::Form::unary: made = run_unary(code, values[code.a], count, out); break;
            case Instruction::Form::binary: made = run_binary(code, values[code.a], values[code.b], count, out); break;
            case Instruction::Form::select:
                made = run_select(code, values[code.a], size_of(code_->integers), values[code.b], values[code.c], count,
                                  out);
                break;
            case Instruction::Form::position: made = run_position(code, values[code.a], count, out); break;
        }
    }
    return values[code_->result];
}

}  // namespace ein::scalar
