#include "lib/scalar/program/code_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ein::scalar {
namespace {

constexpr std::size_t registers_bytes =
    16 << 10;  // of all that live at once; operands and the output need room beside them
constexpr std::size_t shortest_tile = 256, longest_tile = 2048;  // elements, whole lines of every type
constexpr std::size_t longest_narrow_tile = 8192;                // bytes: of one element a byte, 8192 elements

std::size_t rounded_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Writes a value as its register holds it.
void store(Scalar const& value, DType registers, std::byte* to) {
    auto const put = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
    if (registers == DType::f32) return put(static_cast<float>(value.number.real()));
    if (registers == DType::f64) return put(value.number.real());
    if (registers == DType::c64) return put(std::complex<float>(value.number));
    if (registers == DType::c128) return put(value.number);
    if (registers == DType::i32) return put(static_cast<std::int32_t>(value.integer));
    if (registers == DType::i16) return put(static_cast<std::int16_t>(value.integer));
    if (registers == DType::i8 || registers == DType::u8) return put(static_cast<std::uint8_t>(value.integer));
    put(value.integer);
}

/// Tiles in scratch that no living value occupies, by size. Bytes here are those of one element of each.
class FreeTiles {
public:
    std::size_t take(std::size_t bytes) {
        auto& free = free_[bytes];
        if (free.empty()) {
            end_ += bytes;
            return end_ - bytes;
        }
        std::size_t const offset = free.back();
        free.pop_back();
        return offset;
    }
    void give(std::size_t offset, std::size_t bytes) { free_[bytes].push_back(offset); }
    std::size_t end() const { return end_; }

private:
    std::map<std::size_t, std::vector<std::size_t>> free_;
    std::size_t end_ = 0;
};

}  // namespace

int CodeBuilder::operand(int number) {
    Key const key{-1, number, 0, 0, 0, 0};
    auto const [at, fresh] = values_.try_emplace(key, code_->values);
    if (fresh) code_->operands.push_back({number, code_->values++});
    return at->second;
}

int CodeBuilder::constant(Scalar const& value, DType type) {
    Program::Code::Constant made;
    made.registers = registers(type);
    store(value, made.registers, made.bits);
    std::array<std::byte, 17> key{};
    store(value, register_dtype(type), key.data());  // numbers that a narrow register does not tell apart are two
    key[16] = static_cast<std::byte>(register_dtype(type));
    auto const [at, fresh] = constants_.try_emplace(key, code_->values);
    if (fresh) {
        made.value = code_->values++;
        code_->constants.push_back(made);
        known_.emplace(made.value, value);
    }
    return at->second;
}

Scalar const* CodeBuilder::known(int value) const {
    auto const at = known_.find(value);
    return at == known_.end() ? nullptr : &at->second;
}

int CodeBuilder::add(Instruction instruction, DType result, Key const& key) {
    auto const [at, fresh] = values_.try_emplace(key, code_->values);
    if (fresh) {
        instruction.out = code_->values++;
        instruction.width = size_of(registers(result));
        code_->instructions.push_back(instruction);
    }
    return at->second;
}

int CodeBuilder::index(int label) {
    Instruction made;
    made.form = Instruction::Form::index;
    made.label = label;
    made.index = kernels().count_up;
    return add(made, DType::i64, {0, label, 0, 0, 0, 0});
}

int CodeBuilder::unary(UnaryKernel kernel, Meaning meaning, Op op, int number, DType result, int a) {
    Instruction made;
    made.meaning = meaning;
    made.op = op;
    made.number = number;
    made.a = a;
    made.unary = kernel;
    return add(made, result, {1, reinterpret_cast<std::intptr_t>(kernel), a, 0, 0, 0});
}

int CodeBuilder::wrap(UnaryKernel kernel, DType type, int a) {
    Instruction made;
    made.meaning = Meaning::wrap;
    made.type = type;
    made.a = a;
    made.unary = kernel;
    return add(made, type, {1, reinterpret_cast<std::intptr_t>(kernel), a, 0, 0, 0});
}

int CodeBuilder::binary(BinaryKernels const& kernels, Op op, int number, DType result, int a, int b) {
    Instruction made;
    made.form = Instruction::Form::binary;
    made.meaning = Meaning::op;
    made.op = op;
    made.number = number;
    made.a = a;
    made.b = b;
    made.binary = kernels;
    return add(made, result, {2, reinterpret_cast<std::intptr_t>(kernels.vv), a, b, 0, 0});
}

int CodeBuilder::select(DType result, int condition, int a, int b) {
    if (a == b) return a;
    int const number = this->number(result);
    Instruction made;
    made.form = Instruction::Form::select;
    made.number = number;
    made.a = condition;
    made.b = a;
    made.c = b;
    made.select = kernels().select[number];
    made.unary = kernels().fill[number];
    return add(made, result, {3, number, condition, a, b, 0});
}

int CodeBuilder::position(int a, std::int64_t extent) {
    Instruction made;
    made.form = Instruction::Form::position;
    made.a = a;
    made.extent = extent;
    return add(made, DType::i64, {4, a, 0, 0, 0, static_cast<std::intptr_t>(extent)});
}

/// A select between equal tiles leaves its condition unread, a cast of a number the number before the cast.
void CodeBuilder::drop_unread() {
    std::vector<bool> read(static_cast<std::size_t>(code_->values), false);
    auto const is_read = [&](int value) { return read[static_cast<std::size_t>(value)]; };
    read[static_cast<std::size_t>(code_->result)] = true;
    auto& instructions = code_->instructions;
    for (auto made = instructions.rbegin(); made != instructions.rend(); ++made) {
        for (int const arg : {made->a, made->b, made->c}) {
            if (arg >= 0 && is_read(made->out)) read[static_cast<std::size_t>(arg)] = true;
        }
    }
    std::erase_if(instructions, [&](Instruction const& made) { return !is_read(made.out); });
    std::erase_if(code_->constants, [&](auto const& constant) { return !is_read(constant.value); });
    std::erase_if(code_->operands, [&](auto const& operand) { return !is_read(operand.value); });
}

/// A result's tile is given back after its last reader; an instruction never writes over what it reads.
void CodeBuilder::place_results() {
    auto& instructions = code_->instructions;
    std::vector<std::size_t> last_reader(static_cast<std::size_t>(code_->values), 0);
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        for (int const arg : {instructions[k].a, instructions[k].b, instructions[k].c}) {
            if (arg >= 0) last_reader[static_cast<std::size_t>(arg)] = k;
        }
    }
    last_reader[static_cast<std::size_t>(code_->result)] = instructions.size();
    std::vector<Instruction const*> maker(static_cast<std::size_t>(code_->values), nullptr);
    FreeTiles tiles;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        Instruction& made = instructions[k];
        made.offset = tiles.take(made.width);
        maker[static_cast<std::size_t>(made.out)] = &made;
        for (int const arg : {made.a, made.b, made.c}) {
            if (arg < 0 || last_reader[static_cast<std::size_t>(arg)] != k) continue;
            Instruction const*& from = maker[static_cast<std::size_t>(arg)];
            if (from != nullptr) tiles.give(from->offset, from->width);
            from = nullptr;  // an argument may occur twice
        }
    }
    std::size_t const fitting = registers_bytes / std::max<std::size_t>(tiles.end(), 1);
    std::size_t const longest = std::max(longest_tile, longest_narrow_tile / size_of(code_->registers));
    code_->tile = std::clamp(std::bit_floor(fitting), shortest_tile, longest);
    std::size_t const first = rounded_up(static_cast<std::size_t>(code_->values) * sizeof(TileOperand));
    for (Instruction& made : instructions) made.offset = first + made.offset * code_->tile;
    code_->scratch_bytes = first + tiles.end() * code_->tile;
}

std::unique_ptr<Program::Code> CodeBuilder::finish(int result, DType result_dtype) {
    code_->result = result;
    code_->result_dtype = result_dtype;
    drop_unread();
    place_results();
    return std::move(code_);
}

}  // namespace ein::scalar
