// Storing for narrow_loops.cpp: rows of sums, brought to the output's type, to where its labels put them.
#pragma once

#include "executor/device/cpu/narrow/narrow_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

enum class Sums { floats, integers, truths };

/// A vector of outputs, side by side in memory.
template <Sums S, NarrowType Type>
inline void store_vector(Words sums, Element<Type>* to, NarrowStore const& call) {
    using E = Element<Type>;
    using Signed = std::int32_t __attribute__((vector_size(vector_bytes)));
    using Narrow = typename Group<E, lanes>::Vector;
    if constexpr (S == Sums::floats) {
        Floats value = as_floats(sums) * call.scale;
        if (call.accumulate) value = floats_at<Type>(to) + value;
        *(Narrow*)to = rounded<Type>(value);
    } else if constexpr (S == Sums::integers) {
        if (call.accumulate) {
            if constexpr (Type == NarrowType::i64) {
                *(Narrow*)to += __builtin_convertvector((Signed)sums, Narrow);
                return;
            }
            sums += integers_at<Type>(to);
        }
        *(Narrow*)to = __builtin_convertvector((Signed)sums, Narrow);
    } else {
        Words const some = all(call.inverted ? 0 : 1), none = all(call.inverted ? 1 : 0);
        Words truth = sums != 0 ? some : none;
        if (call.accumulate) truth = call.inverted ? truth & integers_at<Type>(to) : truth | integers_at<Type>(to);
        *(Narrow*)to = __builtin_convertvector(truth, Narrow);
    }
}

template <Sums S, NarrowType Type>
void store(NarrowStore const& call) {
    using E = Element<Type>;
    for (Index row = 0; row < call.rows.count; ++row) {
        E* const to = (E*)call.to + call.rows.at[row];
        uint32_t const* const from = call.sums + row * call.sums_step;
        for (Index column = 0; column < call.columns.count;) {
            Index const run = at_most(call.columns.adjacent[column], call.columns.count - column);
            Index done = 0;
            for (; done + lanes <= run; done += lanes)
                store_vector<S, Type>(*(WordsAnywhere const*)(from + column + done),
                                      to + call.columns.at[column] + done, call);
            if (done < run) {  // sums have room for whole vectors, the output has not
                E held[lanes];
                E* const rest = to + call.columns.at[column] + done;
                for (Index i = 0; i < lanes; ++i) held[i] = done + i < run ? rest[i] : E{};
                store_vector<S, Type>(*(WordsAnywhere const*)(from + column + done), held, call);
                for (Index i = 0; i < run - done; ++i) rest[i] = held[i];
            }
            column += run;
        }
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
