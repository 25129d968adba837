#include "lib/scalar/jit/vector_loop.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/scalar/jit/emit.hpp"
#include "lib/scalar/jit/trace.hpp"

namespace ein::scalar {
namespace {

#ifdef EIN_WITH_XBYAK
bool is_emitted(InstructionSet set) { return set != InstructionSet::baseline; }
#else
bool is_emitted(InstructionSet) { return false; }
#endif

}  // namespace

#ifndef EIN_WITH_XBYAK
std::unique_ptr<VectorLoop::Code> VectorLoop::Code::emit(jit::LaneCode const&, jit::LaneCode const&, Use const&,
                                                         InstructionSet) {
    return nullptr;
}
#endif

bool VectorLoop::reads(DType stored, DType type) {
    if (type == DType::f64) return stored == DType::f32 || stored == DType::i32;
    if (type != DType::f32) return false;
    return stored == DType::bf16 || stored == DType::f16 || (is_integer(stored) && size_of(stored) <= 4) ||
           stored == DType::boolean;
}

bool VectorLoop::writes(DType stored, DType type) {
    bool const byte = stored == DType::boolean || (is_integer(stored) && size_of(stored) == 1);
    return type == DType::f32 && (stored == DType::bf16 || stored == DType::f16 || byte);
}

VectorLoop::VectorLoop(std::unique_ptr<Code> code) : code_(std::move(code)) {}
VectorLoop::~VectorLoop() = default;

InstructionSet VectorLoop::best_set() {
    for (InstructionSet const set : {InstructionSet::avx512, InstructionSet::avx2})
        if (supported(set)) return set;
    return InstructionSet::baseline;
}

bool VectorLoop::has_tails(InstructionSet set) { return is_emitted(set) && set == InstructionSet::avx512; }

bool VectorLoop::writes_whole(DType stored, DType join) {
    bool const holds = is_exact(stored) && stored != DType::i64;
    if (join == DType::boolean) return holds || stored == DType::f32 || writes(stored, DType::f32);
    return holds && stored == join;
}

namespace {

/// In 64ths of what is gone over.
std::size_t part_of(std::span<std::byte const> next, std::size_t bytes) {
    return next.empty() ? 0 : std::min<std::size_t>(64, 64 * next.size() / bytes + 1);
}

/// Integers beside labels are lanes as wide as f32.
DType lanes_of(Program::Code const& code) { return is_exact(code.registers) ? DType::f32 : code.registers; }

}  // namespace

bool VectorLoop::possible(Program const& program, InstructionSet set) { return possible(program, Use{}, set); }

bool VectorLoop::possible(Program const& program, Use const& use, InstructionSet set) {
    Program::Code const& code = program.code();
    DType const lanes = lanes_of(code);
    return is_emitted(set) && code.operands.size() + use.labels <= most_operands &&
           trace(code, lanes, jit::Arguments::any, use, use.to.value_or(lanes));
}

std::unique_ptr<VectorLoop const> VectorLoop::make(Program const& program, Use const& use, InstructionSet set) {
    Program::Code const& code = program.code();
    if (!possible(program, use, set)) return nullptr;
    DType const lanes = lanes_of(code), to = use.to.value_or(lanes);
    std::optional<jit::LaneCode> const fast = trace(code, lanes, jit::Arguments::moderate, use, to),
                                       whole = trace(code, lanes, jit::Arguments::any, use, to);
    std::unique_ptr<Code> emitted = Code::emit(*fast, *whole, use, set);
    return emitted == nullptr ? nullptr : std::unique_ptr<VectorLoop const>(new VectorLoop(std::move(emitted)));
}

/// What is left behind the last whole vector is done in vectors of its own.
void VectorLoop::run(std::size_t count, std::span<TileOperand const> operands, void* result,
                     std::span<std::byte const> next) const {
    std::size_t const lanes = code_->lanes, vectors = count / lanes, rest = count % lanes, size = code_->element_bytes;
    std::size_t const result_bytes = code_->result_bytes;
    void const* from[most_operands];
    std::size_t const used = code_->operands.size();
    auto const of = [&](std::size_t k) -> TileOperand const& {
        return operands[static_cast<std::size_t>(code_->operands[k])];
    };
    for (std::size_t k = 0; k < used; ++k) from[k] = of(k).data;
    static constexpr Code::Rows one_row{};
    if (vectors > 0)
        code_->run(vectors, from, result, one_row, next.empty() ? nullptr : next.data(), part_of(next, count * size));
    if (rest == 0) return;
    alignas(longest_vector) std::byte last[most_operands][longest_vector] = {}, made[longest_vector];
    for (std::size_t k = 0; k < used; ++k) {
        if (of(k).constant) continue;
        std::size_t const bytes = code_->operand_bytes[k];
        std::memcpy(last[k], static_cast<std::byte const*>(from[k]) + vectors * lanes * bytes, rest * bytes);
        from[k] = last[k];
    }
    code_->run(1, from, made, one_row);
    std::memcpy(static_cast<std::byte*>(result) + vectors * lanes * result_bytes, made, rest * result_bytes);
}

void VectorLoop::run_rows(std::size_t rows, std::size_t count, std::span<TileOperand const> operands,
                          std::span<std::int64_t const> steps, void* result, std::int64_t result_step,
                          std::span<std::byte const> next) const {
    std::size_t const lanes = code_->lanes, rest = count % lanes;
    if (rest == 0 || code_->has_tails) {
        Code::Rows all{rows, rest == 0 ? ~std::size_t{0} : (std::size_t{1} << rest) - 1, result_step};
        void const* from[most_operands];
        for (std::size_t k = 0; k < code_->operands.size(); ++k) {
            auto const operand = static_cast<std::size_t>(code_->operands[k]);
            from[k] = operands[operand].data;
            all.steps[k] = steps[operand];
        }
        return code_->run((count + lanes - 1) / lanes, from, result, all, next.empty() ? nullptr : next.data(),
                          part_of(next, rows * count * code_->element_bytes));
    }
    std::vector<TileOperand> row(operands.begin(), operands.end());
    std::size_t const share = next.size() / rows;
    for (std::size_t r = 0; r < rows; ++r) {
        run(count, row, static_cast<std::byte*>(result) + static_cast<std::int64_t>(r) * result_step,
            next.subspan(r * share, share));
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k].data = static_cast<std::byte const*>(row[k].data) + steps[k];
    }
}

}  // namespace ein::scalar
