// The tensor relational algebra in the implementation algebra, operator by operator: right, and seldom cheap. The
// search makes it so. Example: Σ(⟨0,2⟩,matAdd)(⋈(⟨1⟩,⟨0⟩,matMul)(X, Y)) becomes
// Σᴸ(⟨0,2⟩,matAdd)(SHUF⟨0,2⟩(⋈ᴸ(⟨1⟩,⟨0⟩,matMul)(BCAST(X), Y))). Source: [T] Table 1.
#pragma once

#include <map>

#include "lib/algebra/expression.hpp"
#include "scheduler/ia/expression.hpp"

namespace ein::ia {

/// Where an input lies at first.
struct Placed {
    RelationType type;
    Sites sites;
};
using PlacedInputs = std::map<std::string, Placed>;

/// @throws InputError with every fault of an expression that is no tensor relation
std::vector<Expr> compile(std::vector<tra::Expr> const& roots, PlacedInputs const& inputs, int site_count);

}  // namespace ein::ia
