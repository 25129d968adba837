#include "executor/fusion/fusion_plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "executor/fusion/tuning.hpp"
#include "lib/graph/indicator.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/fusion/fold.hpp"

namespace ein::executor {

using scalar::Expr;
using schedule::Header;
using schedule::Section;
using schedule::Task;

namespace {

/// Whether it takes longer than keeping its result and reading that again.
bool is_costly(Expr const& expr) {
    auto const parts = scalar::arguments_first(expr);
    return std::any_of(parts.begin(), parts.end(), [](Expr const* part) { return scalar::info(part->op()).costly; });
}

Expr const* find(Expr const& in, Expr const& part) {
    for (Expr const* const each : scalar::arguments_first(in))
        if (*each == part) return each;
    return nullptr;
}

void drop_unread(FusedStep& step) {
    std::vector<int> const read = scalar::operands_of(step.kernel.einsum.join);
    std::vector<Expr> numbers(step.operands.size(), Expr::operand(0));
    std::vector<std::vector<int>> inputs;
    std::vector<FusedStep::Operand> operands;
    for (int k : read) {
        auto const at = static_cast<std::size_t>(k);
        numbers[at] = Expr::operand(static_cast<int>(operands.size()));
        operands.push_back(step.operands[at]);
        inputs.push_back(step.kernel.einsum.inputs[at]);
    }
    step.kernel.einsum.join = scalar::substitute(step.kernel.einsum.join, numbers);
    step.kernel.einsum.inputs = std::move(inputs);
    step.operands = std::move(operands);
}

/// What is carried keeps the type that it is computed in.
void leave_factors_out(schedule::CarriedMember const& member, FusedStep& step) {
    step.kernel.einsum.join = member.join;
    drop_unread(step);
    if (member.role == schedule::CarriedMember::Role::carried) step.output = step.kernel.compute;
}

/// Takes out steps that are left with copying what another makes.
void drop_copies(std::vector<FusedStep>& steps) {
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
        graph::EinSum const& einsum = steps[k].kernel.einsum;
        if (einsum.join.op() != scalar::Op::operand || steps[k].operands.size() != 1) continue;
        auto const from = steps[k].operands[0].step, copy = static_cast<std::int32_t>(k);
        if (from < 0 || einsum.inputs[0] != einsum.output) continue;
        if (steps[static_cast<std::size_t>(from)].output != steps[k].output) continue;
        std::vector<std::size_t>& also = steps[static_cast<std::size_t>(from)].also;
        also.push_back(steps[k].member);
        also.insert(also.end(), steps[k].also.begin(), steps[k].also.end());
        for (FusedStep& step : steps)
            for (FusedStep::Operand& operand : step.operands)
                operand.step = operand.step == copy ? from : operand.step - (operand.step > copy ? 1 : 0);
        steps.erase(steps.begin() + copy);
        --k;
    }
}

class Sharing {
public:
    Sharing(FusedGroup const& group, std::vector<FusedStep>& steps)
        : section_(group.members), group_(group), steps_(steps) {}

    /// A step that was put in may itself hold what later ones compute too: it is looked at next.
    void run() {
        for (std::size_t s = 0; s < steps_.size(); ++s)
            while (is_searched(steps_[s]) && share_of(s)) continue;
    }

private:
    Task const& task(FusedStep const& step) const { return section_.tasks.list()[step.member]; }

    /// Lookups and scatters never compute their joins.
    static bool is_searched(FusedStep const& step) {
        graph::EinSum const& einsum = step.kernel.einsum;
        return !graph::looks_up(einsum) && !graph::scatters(einsum) &&
               scalar::arguments_first(einsum.join).size() <= tuning::most_join_nodes;
    }

    /// Takes the largest part of a step's join that later ones have too out of all of them.
    bool share_of(std::size_t s) {
        std::vector<Expr const*> parts = scalar::arguments_first(steps_[s].kernel.einsum.join);
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            if (!may_be_kept(steps_[s], **part)) continue;
            std::vector<Reader> const readers = readers_of(s, **part);
            if (readers.empty()) continue;
            keep(s, **part, readers);
            return true;
        }
        return false;
    }

    /// A costly part in the type that readers compute in, no larger than an operand: it runs over all labels of the
    /// step, as that does.
    static bool may_be_kept(FusedStep const& step, Expr const& part) {
        schedule::Kernel const& kernel = step.kernel;
        graph::EinSum const& einsum = kernel.einsum;
        bool const is_all = einsum.aggregated().empty() && part == einsum.join;
        if (is_all || (kernel.compute != DType::f32 && kernel.compute != DType::f64) || !is_costly(part)) return false;
        std::vector<int> const operands = scalar::operands_of(part);
        bool const is_whole = std::any_of(operands.begin(), operands.end(), [&](int k) {
            return has_all_labels(einsum, einsum.inputs[static_cast<std::size_t>(k)]);
        });
        if (!is_whole) return false;
        scalar::TypeResult const type = scalar::type_of(part, kernel.compute, kernel.compute);
        return type.problem.empty() && type.type == kernel.compute;
    }

    static bool has_all_labels(graph::EinSum const& einsum, std::vector<int> const& axes) {
        std::vector<int> labels(einsum.labels.size());
        std::iota(labels.begin(), labels.end(), 0);
        return std::is_permutation(axes.begin(), axes.end(), labels.begin(), labels.end());
    }

    /// A step that computes the part too.
    struct Reader {
        std::size_t step;
        std::vector<int> labels;  // its label for each of the first step's
        Expr part;                // in its operands and labels
    };

    std::vector<Reader> readers_of(std::size_t s, Expr const& part) const {
        std::vector<Reader> readers;
        for (std::size_t t = s + 1; t < steps_.size(); ++t) {
            if (!is_searched(steps_[t]) || steps_[t].kernel.compute != steps_[s].kernel.compute) continue;
            std::optional<Reader> reader = seen_from(s, t, part);
            if (reader && find(steps_[t].kernel.einsum.join, reader->part)) readers.push_back(std::move(*reader));
        }
        return readers;
    }

    /// The part in another step's operands and labels: those that are the same elements.
    std::optional<Reader> seen_from(std::size_t s, std::size_t t, Expr const& part) const {
        FusedStep const& from = steps_[s];
        FusedStep const& to = steps_[t];
        std::vector<int> labels(from.kernel.einsum.labels.size(), -1);
        std::vector<Expr> operands(from.operands.size(), Expr::operand(0));
        for (int const k : scalar::operands_of(part)) {
            auto const i = static_cast<std::size_t>(k);
            std::size_t j = 0;
            while (j < to.operands.size() && !(is_same(from, i, to, j) && add_labels(from, i, to, j, labels))) ++j;
            if (j == to.operands.size()) return std::nullopt;
            operands[i] = Expr::operand(static_cast<int>(j));
        }
        return agree(from, to, labels) ? std::optional(Reader{t, labels, scalar::substitute(part, operands, labels)})
                                       : std::nullopt;
    }

    bool is_same(FusedStep const& from, std::size_t i, FusedStep const& to, std::size_t j) const {
        FusedStep::Operand const a = from.operands[i], b = to.operands[j];
        if (a.step >= 0 || b.step >= 0) return a.step == b.step;
        return section_.reads(task(from))[static_cast<std::size_t>(a.input)] ==
               section_.reads(task(to))[static_cast<std::size_t>(b.input)];
    }

    /// Labels along the operand's axes belong together: added where they contradict nothing.
    static bool add_labels(FusedStep const& from, std::size_t i, FusedStep const& to, std::size_t j,
                           std::vector<int>& labels) {
        std::vector<int> more = labels;
        for (std::size_t axis = 0; axis < from.kernel.einsum.inputs[i].size(); ++axis) {
            int& label = more[static_cast<std::size_t>(from.kernel.einsum.inputs[i][axis])];
            int const other = to.kernel.einsum.inputs[j][axis];
            if (label < 0 && std::find(more.begin(), more.end(), other) != more.end()) return false;
            if (label >= 0 && label != other) return false;
            label = other;
        }
        labels = std::move(more);
        return true;
    }

    /// The same indices of each label, cut alike.
    bool agree(FusedStep const& from, FusedStep const& to, std::vector<int> const& labels) const {
        BoxView const here = section_.region_of(task(from)), there = section_.region_of(task(to));
        for (std::size_t a = 0; a < labels.size(); ++a) {
            auto const b = static_cast<std::size_t>(labels[a]);
            if (here.begin[a] != there.begin[b] || here.length[a] != there.length[b]) return false;
        }
        return std::all_of(group_.axes.begin(), group_.axes.end(), [&](FusedGroup::Axis const& axis) {
            return labels[axis.labels[from.member]] == static_cast<int>(axis.labels[to.member]);
        });
    }

    /// A step of its own before the first that needs the part.
    void keep(std::size_t s, Expr const part, std::vector<Reader> const& readers) {
        FusedStep kept = steps_[s];
        graph::EinSum& einsum = kept.kernel.einsum;
        einsum.output = *std::find_if(einsum.inputs.begin(), einsum.inputs.end(), [&](std::vector<int> const& input) {
            return has_all_labels(einsum, input);
        });  // in the order in which elements lie in memory
        einsum.join = part;
        kept.output = kept.kernel.compute;
        drop_unread(kept);
        std::vector<int> const axes = einsum.output;
        auto const at = static_cast<std::int32_t>(s);

        for (FusedStep& step : steps_)
            for (FusedStep::Operand& operand : step.operands)
                if (operand.step >= at) ++operand.step;
        steps_.insert(steps_.begin() + at, std::move(kept));
        read_instead(steps_[s + 1], part, at, axes);
        for (Reader const& reader : readers) {
            std::vector<int> labels;
            for (int label : axes) labels.push_back(reader.labels[static_cast<std::size_t>(label)]);
            read_instead(steps_[reader.step + 1], reader.part, at, labels);
        }
    }

    static void read_instead(FusedStep& step, Expr const& part, std::int32_t from, std::vector<int> const& labels) {
        graph::EinSum& einsum = step.kernel.einsum;
        Expr const operand = Expr::operand(static_cast<int>(step.operands.size()));
        step.operands.push_back({from, -1});
        einsum.inputs.push_back(labels);
        while (Expr const* const same = find(einsum.join, part))
            einsum.join = scalar::replaced(einsum.join, *same, operand);
        drop_unread(step);
    }

    Section const& section_;
    FusedGroup const& group_;
    std::vector<FusedStep>& steps_;
};

}  // namespace

std::int64_t FusedGroup::pieces() const {
    std::int64_t count = 1;
    for (Axis const& axis : axes) count *= axis.parts;
    return count;
}

FusedGroup fused_group(Header const& header, Section const& section, TaskId id) {
    auto const task = section.as<schedule::Fused>(section.tasks[id]);
    FusedGroup out{
        id, schedule::unfolded(header, section, task), {task.operands.begin(), task.operands.end()}, task.result, {}};
    out.over = section.tasks[id].over();
    schedule::FusionSpec const& spec = header.fusions[task.fusion];
    for (schedule::FusionSpec::Axis const& cut : spec.axes) {
        if (cut.is_carried) {
            auto const some = std::max_element(cut.labels.begin(), cut.labels.end());
            TaskId const member{static_cast<std::int32_t>(some - cut.labels.begin())};
            Extent const length = out.members.region_of(out.members.tasks[member]).length[at(*some)];
            out.carry = {cut.labels, length, cut.parts, *schedule::carried_members(header, spec, cut.labels)};
            continue;
        }
        FusedGroup::Axis& axis = out.axes.emplace_back();
        for (std::int32_t label : cut.labels) axis.labels.push_back(static_cast<std::size_t>(label));
        axis.length = out.members.region_of(out.members.tasks[TaskId{0}]).length[axis.labels[0]];
        axis.parts = cut.parts;
    }
    return out;
}

std::vector<FusedStep> fusion_plan(Header const& header, FusedGroup const& group) {
    Section const& members = group.members;
    std::vector<FusedStep> steps;
    for (std::size_t k = 0; k < members.tasks.size(); ++k) {
        auto const call = members.as<schedule::Apply>(members.tasks.list()[k]);
        FusedStep step{k, header.kernels[call.kernel], {}, {}};
        step.output = members.blocks[call.result].dtype;
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            auto const writer = std::find_if(steps.begin(), steps.end(), [&](FusedStep const& other) {
                return members.tasks.list()[other.member].writes(call.operands[i]);
            });
            bool const inside = writer != steps.end();
            step.operands.push_back({inside ? static_cast<std::int32_t>(writer - steps.begin()) : -1,
                                     inside ? -1 : static_cast<std::int32_t>(i)});
        }
        if (group.carry) leave_factors_out(group.carry->members[k], step);
        steps.push_back(std::move(step));
    }
    if (!header.reproducible)  // a sum of what is kept may run in another order than a sum of what is computed
        Sharing(group, steps).run();
    if (group.carry) drop_copies(steps);
    return steps;
}

}  // namespace ein::executor
