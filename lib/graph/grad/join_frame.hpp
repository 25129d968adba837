// EinSums made of one EinSum's labels: operands are collected, expressions are written over them, and each expression
// becomes an EinSum of those operands alone that it reads. Example: over the labels (i, j, k) with operands A(i j), B(j
// k), dC(i k), the expression dC*B to (i j) is "ik,jk->ij".
#pragma once

#include <vector>

#include "lib/graph/grad/term.hpp"

namespace ein::graph::grad {

class JoinFrame {
public:
    JoinFrame(EinSum const& einsum, std::vector<ValueId> const& inputs);

    /// A further operand, as an expression.
    scalar::Expr operand(ValueId value, std::vector<int> labels);
    /// A label of the same extent as `label`, for an output that has it twice.
    int twin(int label);

    /// The labels that a sum of `expr` over `summed` has: those of the operands that it reads, and those whose index it
    /// reads.
    std::vector<int> labels_in_sum(scalar::Expr const& expr, std::vector<int> const& summed) const;
    /// The labels of the EinSum that `output` lacks.
    std::vector<int> lacking(std::vector<int> const& output) const;
    double extent(std::vector<int> const& labels) const;

    /// The sum of `expr` over labels; one that nothing mentions multiplies by its extent.
    /// @param carrier  an operand to read where the expression reads none; it has no labels that `output` lacks
    NodeTerm sum(scalar::Expr const& expr, std::vector<int> summed, std::vector<int> const& output,
                 std::size_t carrier) const;
    /// Another aggregation over the same labels, none of which is left out.
    NodeTerm reduction(scalar::Expr const& expr, std::vector<int> const& output, scalar::Agg agg) const;
    /// The expression for each element of an output that has every label that it mentions.
    NodeTerm pointwise(scalar::Expr const& expr, std::vector<int> const& output, std::size_t carrier) const;

private:
    struct Operand {
        ValueId value;
        std::vector<int> labels;
    };

    bool is_held(int label, std::vector<int> const& operands) const;
    void hold(std::vector<int> const& labels, std::vector<int>& operands) const;
    NodeTerm einsum(scalar::Expr const& expr, std::vector<int> const& operands, std::vector<int> const& output,
                    scalar::Agg agg) const;
    std::vector<int> operands_of(scalar::Expr const& expr) const;
    std::vector<int> operands_of_sum(scalar::Expr const& expr, std::vector<int> const& summed) const;

    std::vector<std::string> labels_;
    Shape extents_;
    std::size_t own_labels_;  // of the EinSum; twins follow
    std::size_t own_operands_;
    std::vector<Operand> operands_;
};

}  // namespace ein::graph::grad
