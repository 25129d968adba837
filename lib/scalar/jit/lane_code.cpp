#include "lib/scalar/jit/lane_code.hpp"

namespace ein::scalar::jit {

int LaneCode::made(LaneValue const& value) {
    auto const word = [](int number) { return static_cast<std::uint64_t>(number); };
    Key const key{static_cast<std::uint64_t>(value.op), word(value.a), word(value.b), word(value.c), value.bits};
    auto const [at, fresh] = numbers_.try_emplace(key, static_cast<int>(values_.size()));
    if (fresh) values_.push_back(value);
    return at->second;
}

int LaneCode::negated(int value) const {
    std::uint64_t const sign = type_ == DType::f32 ? std::uint64_t(1) << 31 : std::uint64_t(1) << 63;
    LaneValue const& found = at(value);
    bool const negates = found.op == LaneOp::bit_xor && at(found.b).op == LaneOp::constant && at(found.b).bits == sign;
    return negates ? found.a : -1;
}

int LaneCode::apply(LaneOp op, int a, int b, int c) {
    if (op == LaneOp::fused) {
        if (int const inside = negated(a); inside >= 0) return made({LaneOp::fused_minus, inside, b, c});
        if (int const inside = negated(b); inside >= 0) return made({LaneOp::fused_minus, a, inside, c});
    }
    return made({op, a, b, c});
}

}  // namespace ein::scalar::jit
