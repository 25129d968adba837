#include "lib/schedule/fusion/carry.hpp"

#include <algorithm>
#include <map>

#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::schedule {
namespace {

using graph::EinSum;
using scalar::Agg;
using scalar::Expr;
using scalar::Op;
using Role = CarriedMember::Role;

/// A part of a join: what is left of it without the factors that are left out.
struct FactoredPart {
    std::optional<Expr> rest;  // nothing: 1
    std::optional<CarriedFactor> shift = {};
    std::vector<CarriedMember::Power> scales = {};
    bool is_exponent = false;  // the shift is a difference, and a factor of its exponential

    bool is_free() const { return !shift && scales.empty(); }
};

/// Multiplies the factors of `from`, to the power of 1 or -1, to those of `to`. False where that has no form.
bool multiply(FactoredPart& to, FactoredPart const& from, int power) {
    if (from.shift) {
        if (to.shift || power != 1) return false;
        to.shift = from.shift;
    }
    for (CarriedMember::Power const& scale : from.scales) {
        auto const same = std::find_if(to.scales.begin(), to.scales.end(),
                                       [&](CarriedMember::Power const& known) { return known.factor == scale.factor; });
        if (same == to.scales.end())
            to.scales.push_back({scale.factor, scale.power * power});
        else if ((same->power += scale.power * power) == 0)
            to.scales.erase(same);
    }
    return true;
}

class Analysis {
public:
    Analysis(Header const& header, FusionSpec const& spec, std::vector<std::int32_t> const& labels)
        : header_(header), spec_(spec), labels_(labels) {}

    std::optional<std::vector<CarriedMember>> run() {
        for (std::size_t m = 0; m < spec_.members.size(); ++m) {
            members_.push_back({role_of(m), einsum(m).join, {}, {}});
            Role const role = members_.back().role;
            if (role == Role::piece) pieces_[m] = {};
            if (role != Role::piece && role != Role::carried) continue;
            if (!takes_pieces(m) || !factor(m)) return std::nullopt;
        }
        bool const some = std::any_of(members_.begin(), members_.end(),
                                      [](CarriedMember const& member) { return member.role == Role::carried; });
        return some && members_.back().role != Role::piece ? std::optional(std::move(members_)) : std::nullopt;
    }

private:
    FusionSpec::Member const& member(std::size_t m) const { return spec_.members[m]; }
    Kernel const& kernel(std::size_t m) const { return header_.kernels[member(m).kernel]; }
    EinSum const& einsum(std::size_t m) const { return kernel(m).einsum; }
    /// The member that makes the operand, where it is inside.
    std::optional<std::size_t> writer(std::size_t m, std::size_t operand) const {
        auto const [inside, place] = member(m).operands[operand];
        return inside ? std::optional(static_cast<std::size_t>(place)) : std::nullopt;
    }
    bool is_reduced(std::size_t m) const {
        return members_[m].role == Role::carried || members_[m].role == Role::after;
    }

    Role role_of(std::size_t m) const {
        if (labels_[m] >= 0) return einsum(m).aggregates(labels_[m]) ? Role::carried : Role::piece;
        for (std::size_t k = 0; k < member(m).operands.size(); ++k)
            if (auto const from = writer(m, k); from && is_reduced(*from)) return Role::after;
        return Role::before;
    }

    /// Lookups and scatters run over whole axes; of integers, and of parts of complex numbers, nothing is carried.
    bool takes_pieces(std::size_t m) const {
        if (graph::looks_up(einsum(m)) || graph::scatters(einsum(m))) return false;
        for (std::vector<int> const& input : einsum(m).inputs)
            if (std::count(input.begin(), input.end(), labels_[m]) > 1) return false;
        if (members_[m].role != Role::carried) return true;
        bool const is_real = kernel(m).compute == DType::f32 || kernel(m).compute == DType::f64;
        if (!is_real || kind(member(m).dtype) != Kind::real) return false;
        switch (einsum(m).agg) {
            case Agg::sum:
            case Agg::prod:
            case Agg::min:
            case Agg::max: return true;
            case Agg::any:
            case Agg::all:
            case Agg::logsumexp: return false;
        }
        return false;
    }

    /// Finds what the member's terms depend on of what is reduced.
    bool factor(std::size_t m) {
        std::map<scalar::Node const*, FactoredPart> parts;
        for (Expr const* const expr : scalar::arguments_first(einsum(m).join)) {
            std::optional<FactoredPart> part = part_of(m, *expr, parts);
            if (!part) return false;
            parts.emplace(&expr->node(), std::move(*part));
        }
        FactoredPart const& whole = parts.at(&einsum(m).join.node());
        if (whole.is_free()) return true;
        return whole.rest && keeps_factors(m, whole) && take(m, whole);
    }

    std::optional<FactoredPart> part_of(std::size_t m, Expr const& expr,
                                        std::map<scalar::Node const*, FactoredPart> const& parts) {
        if (expr.op() == Op::operand) return operand(m, expr);
        auto const part = [&](std::size_t arg) -> FactoredPart const& { return parts.at(&expr.args()[arg].node()); };
        bool is_free = true;
        for (std::size_t arg = 0; arg < expr.args().size(); ++arg) is_free = is_free && part(arg).is_free();
        if (is_free) return FactoredPart{expr};
        if (expr.op() == Op::sub) return shifted(m, expr);
        if (expr.op() == Op::exp) {
            FactoredPart out = part(0);
            if (!out.is_exponent) return std::nullopt;
            out.rest = expr;
            out.is_exponent = false;
            return out;
        }
        for (std::size_t arg = 0; arg < expr.args().size(); ++arg)
            if (part(arg).is_exponent) return std::nullopt;
        if (expr.op() == Op::neg && part(0).rest) {
            FactoredPart out = part(0);
            out.rest = Expr::call(Op::neg, {*out.rest});
            return out;
        }
        if (expr.op() == Op::mul || expr.op() == Op::div) return product(expr, part(0), part(1));
        if (expr.op() == Op::where && part(0).is_free()) return chosen(expr, part(1), part(2));
        return std::nullopt;
    }

    static std::optional<FactoredPart> product(Expr const& expr, FactoredPart const& left, FactoredPart const& right) {
        bool const divides = expr.op() == Op::div;
        FactoredPart out = left;
        if (!multiply(out, right, divides ? -1 : 1)) return std::nullopt;
        if (!right.rest) return out;
        if (!left.rest && !divides)
            out.rest = right.rest;
        else
            out.rest = Expr::call(expr.op(), {left.rest.value_or(Expr::number(1.0)), *right.rest});
        return out;
    }

    /// where(c, f, 0) has the factors of f.
    static std::optional<FactoredPart> chosen(Expr const& expr, FactoredPart const& then,
                                              FactoredPart const& otherwise) {
        bool const first = scalar::is_number(expr.args()[2], 0), second = scalar::is_number(expr.args()[1], 0);
        FactoredPart out = first ? then : otherwise;
        if ((!first && !second) || !out.rest) return std::nullopt;
        out.rest = Expr::call(Op::where, first ? std::vector{expr.args()[0], *out.rest, expr.args()[2]}
                                               : std::vector{expr.args()[0], expr.args()[1], *out.rest});
        return out;
    }

    /// What an operand from inside depends on, in the member's own labels.
    std::optional<FactoredPart> operand(std::size_t m, Expr const& expr) const {
        auto const k = static_cast<std::size_t>(expr.node().slot);
        std::optional<std::size_t> const from = writer(m, k);
        if (!from || members_[*from].role == Role::before) return FactoredPart{expr};
        std::vector<int> const& axes = einsum(m).inputs[k];
        if (is_reduced(*from)) return FactoredPart{std::nullopt, {}, {{{*from, axes}, 1}}};
        FactoredPart out{expr, pieces_.at(*from).shift, pieces_.at(*from).scales};
        auto const here = [&](CarriedFactor& factor) {
            for (int& label : factor.labels) {
                std::vector<int> const& made = einsum(*from).output;
                label = axes[static_cast<std::size_t>(std::find(made.begin(), made.end(), label) - made.begin())];
            }
        };
        if (out.shift) here(*out.shift);
        for (CarriedMember::Power& scale : out.scales) here(scale.factor);
        return out;
    }

    /// x - m or n - x, m the maximum and n the minimum of the same x.
    std::optional<FactoredPart> shifted(std::size_t m, Expr const& expr) const {
        for (std::size_t arg = 0; arg < 2; ++arg) {
            Expr const &extreme = expr.args()[arg], &of = expr.args()[1 - arg];
            if (extreme.op() != Op::operand) continue;
            auto const k = static_cast<std::size_t>(extreme.node().slot);
            std::optional<std::size_t> const from = writer(m, k);
            if (!from || members_[*from].role != Role::carried || members_[*from].shift ||
                !members_[*from].scales.empty() || einsum(*from).agg != (arg == 1 ? Agg::max : Agg::min))
                continue;
            CarriedFactor factor{*from, einsum(m).inputs[k]};
            if (is_extreme_of(*from, m, factor.labels, of)) return FactoredPart{expr, std::move(factor), {}, true};
        }
        return std::nullopt;
    }

    /// Whether a member's expression has the elements of which another takes the maximum.
    bool is_extreme_of(std::size_t extreme, std::size_t m, std::vector<int> const& axes, Expr const& expr) const {
        EinSum const &from = einsum(extreme), &to = einsum(m);
        std::vector<int> known(from.labels.size(), -1);
        for (std::size_t a = 0; a < axes.size(); ++a) known[static_cast<std::size_t>(from.output[a])] = axes[a];
        known[static_cast<std::size_t>(labels_[extreme])] = labels_[m];
        if (from.aggregated().size() != 1) return false;
        std::vector<Expr> operands(from.operands(), Expr::operand(0));
        for (int const i : scalar::operands_of(from.join)) {
            auto const at = static_cast<std::size_t>(i);
            std::size_t j = 0;
            while (j < to.operands() && !(member(extreme).operands[at].is_inside == member(m).operands[j].is_inside &&
                                          member(extreme).operands[at].place == member(m).operands[j].place &&
                                          same_axes(from.inputs[at], to.inputs[j], known)))
                ++j;
            if (j == to.operands()) return false;
            operands[at] = Expr::operand(static_cast<int>(j));
        }
        for (int& label : known) label = std::max(label, 0);  // of what the join does not read
        return scalar::substitute(from.join, operands, known) == expr;
    }
    static bool same_axes(std::vector<int> const& from, std::vector<int> const& to, std::vector<int> const& known) {
        for (std::size_t a = 0; a < from.size(); ++a)
            if (known[static_cast<std::size_t>(from[a])] != to[a]) return false;
        return from.size() == to.size();
    }

    /// Whether all terms of each of the member's elements have the same factors, and its sums are multiplied by them.
    bool keeps_factors(std::size_t m, FactoredPart const& whole) const {
        EinSum const& of = einsum(m);
        auto const is_kept = [&](CarriedFactor const& factor) {
            return std::all_of(factor.labels.begin(), factor.labels.end(),
                               [&](int label) { return graph::has_label(of.output, label); });
        };
        bool const sums = of.aggregated().empty() ||
                          (of.agg == Agg::sum && (!whole.shift || is_kept(*whole.shift)) &&
                           std::all_of(whole.scales.begin(), whole.scales.end(),
                                       [&](CarriedMember::Power const& scale) { return is_kept(scale.factor); }));
        // What is not scaled down has no room in 16 bits, unless the shift keeps it small.
        bool const has_room = whole.scales.empty() || whole.shift || size_of(member(m).dtype) > 2;
        return sums && has_room && !whole.is_exponent && kind(member(m).dtype) == Kind::real;
    }

    bool take(std::size_t m, FactoredPart const& whole) {
        DType const compute = kernel(m).compute;
        scalar::TypeResult const before = scalar::type_of(einsum(m).join, compute, compute),
                                 after = scalar::type_of(*whole.rest, compute, compute);
        if (!after.problem.empty() || after.type != before.type) return false;
        members_[m].join = *whole.rest;
        if (members_[m].role == Role::carried) {
            members_[m].shift = whole.shift;
            members_[m].scales = whole.scales;
        } else {
            pieces_[m] = {std::nullopt, whole.shift, whole.scales};
        }
        return true;
    }

    Header const& header_;
    FusionSpec const& spec_;
    std::vector<std::int32_t> const& labels_;
    std::vector<CarriedMember> members_;
    std::map<std::size_t, FactoredPart> pieces_;  // factors of what has the label
};

}  // namespace

std::optional<std::vector<std::int32_t>> labels_along(Header const& header, FusionSpec const& spec, std::size_t member,
                                                      int label) {
    std::vector<std::int32_t> labels(spec.members.size(), -1);
    std::vector<std::size_t> open;
    auto const set = [&](std::size_t m, int to) {
        if (labels[m] == to) return true;
        if (labels[m] >= 0) return false;
        labels[m] = to;
        open.push_back(m);
        return true;
    };
    auto const einsum = [&](std::size_t m) -> EinSum const& { return header.kernels[spec.members[m].kernel].einsum; };
    set(member, label);
    while (!open.empty()) {
        std::size_t const m = open.back();
        open.pop_back();
        for (std::size_t k = 0; k < spec.members[m].operands.size(); ++k) {
            auto const [inside, place] = spec.members[m].operands[k];
            std::vector<int> const& axes = einsum(m).inputs[k];
            auto const axis = std::find(axes.begin(), axes.end(), labels[m]);
            if (!inside || axis == axes.end()) continue;
            auto const writer = static_cast<std::size_t>(place);
            if (!set(writer, einsum(writer).output[static_cast<std::size_t>(axis - axes.begin())])) return std::nullopt;
        }
        std::vector<int> const& output = einsum(m).output;
        auto const axis = std::find(output.begin(), output.end(), labels[m]);
        if (axis == output.end()) continue;
        for (std::size_t reader = m + 1; reader < spec.members.size(); ++reader)
            for (std::size_t k = 0; k < spec.members[reader].operands.size(); ++k) {
                auto const [inside, place] = spec.members[reader].operands[k];
                if (inside && static_cast<std::size_t>(place) == m &&
                    !set(reader, einsum(reader).inputs[k][static_cast<std::size_t>(axis - output.begin())]))
                    return std::nullopt;
            }
    }
    return labels;
}

std::optional<std::vector<CarriedMember>> carried_members(Header const& header, FusionSpec const& spec,
                                                          std::vector<std::int32_t> const& labels) {
    return Analysis(header, spec, labels).run();
}

}  // namespace ein::schedule
