#include "lib/base/error.hpp"
#include "lib/graph/grad/differentiate.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/node_context.hpp"
#include "lib/scalar/derivative/pullback.hpp"

namespace ein::graph {
namespace {

std::string described(Value const& value) {
    return quote(value.name) + " of " + std::string(name(value.dtype)) + " and shape " + to_string(value.shape);
}

class GradientReader {
public:
    explicit GradientReader(NodeContext& context)
        : context_(context), grad_(context.node.at("grad")), count_(context.inputs.size() - 1) {}

    std::vector<std::optional<ValueId>> read() {
        check_scalar();
        std::vector<grad::Wrt> wrt;
        for (std::size_t k = 0; k < count_; ++k)
            if (check_differentiable(k)) wrt.push_back({*input(k), gradient_name(k)});
        // Only in a file without faults is every node behind "of" what it was meant to be.
        if (context_.node.faults().list().empty() && check_upstream(wrt)) return differentiated(wrt);
        return placeholders();
    }

private:
    std::optional<ValueId> const& input(std::size_t k) const { return context_.inputs[k + 1]; }
    Cursor wrt_at(std::size_t k) const { return entry_at(grad_.at("wrt"), k); }
    std::string gradient_name(std::size_t k) const {
        return context_.name + "/" + wrt_at(k).value().get<std::string>();
    }

    void check_scalar() const {
        if (!context_.inputs[0]) return;
        Value const& of = context_.graph.value(*context_.inputs[0]);
        if (of.shape.empty() && kind(of.dtype) == Kind::real) return;
        std::string const total = Json(of.name + "_total").dump();
        std::string const sum = "sum it up: add the node {\"name\": " + total +
                                ", \"op\": \"sum\", \"inputs\": " + grad_.at("of").value().dump() +
                                "}, then \"of\": " + total;
        std::string const fix = !of.shape.empty()      ? sum
                                : is_complex(of.dtype) ? "take abs(), real() or imag() of it"
                                                       : "cast it to a floating type where it is computed";
        grad_.at("of").fail("a real scalar (shape ())", described(of), fix);
    }

    bool check_differentiable(std::size_t k) const {
        if (!input(k)) return false;
        Value const& value = context_.graph.value(*input(k));
        if (scalar::is_differentiable(value.dtype)) return true;
        wrt_at(k).fail("a tensor of real or complex numbers", described(value),
                       "remove it: what depends on integers changes by steps");
        return false;
    }

    bool check_upstream(std::vector<grad::Wrt> const& wrt) {
        upstream_.emplace(context_.graph, *context_.inputs[0]);
        std::string const of = quote(context_.graph.value(*context_.inputs[0]).name);
        bool good = true;
        if (context_.graph.in_loop() && !upstream_->reads_carried())
            context_.notes.push_back(
                "the gradient " + quote(context_.name) +
                " is the same in each iteration: " + grad_.at("of").value().dump() +
                " is computed from nothing that its loop carries; compute it in the body, of that");
        for (std::size_t k = 0; k < wrt.size(); ++k) {
            std::string const loop = upstream_->through_loop(wrt[k].value);
            if (upstream_->has(wrt[k].value)) {
                if (!loop.empty()) note_part(wrt[k], loop);
                continue;
            }
            good = false;
            std::string const name = quote(wrt_at(k).value().get<std::string>());
            bool const earlier = !upstream_->through_iterations(wrt[k].value).empty();
            if (loop.empty() && !earlier)
                wrt_at(k).fail("a tensor that " + of + " is computed from", name + ", which it does not depend on",
                               "remove it, or correct one of the names");
            else
                wrt_at(k).fail("a tensor that " + of + " depends on without going through a loop",
                               name + ", which it depends on through " +
                                   (earlier ? "earlier iterations" : "the loop " + quote(loop)) + " alone",
                               "a gradient through iterations needs them as nodes of the graph: write them one by one "
                               "in place of the loop (in Python a for loop writes them)");
        }
        return good;
    }

    void note_part(grad::Wrt const& wrt, std::string const& loop) {
        context_.notes.push_back(
            quote(wrt.gradient) + " is a part of the gradient: " + grad_.at("of").value().dump() + " depends on " +
            quote(context_.graph.value(wrt.value).name) + " through the loop " + quote(loop) +
            " too, which gradients do not go through; for all of it write the loop's iterations as nodes (in Python a "
            "for loop writes them)");
    }

    std::vector<std::optional<ValueId>> differentiated(std::vector<grad::Wrt> const& wrt) {
        try {
            auto const made = grad::differentiate(context_.graph, context_.name, *context_.inputs[0], *upstream_, wrt);
            for (std::size_t const k : made.zeros) note_zero(wrt[k]);
            return {made.values.begin(), made.values.end()};
        } catch (InputError const& error) {  // thrown without a place: a join that is too deep
            for (Fault const& fault : error.faults()) grad_.fail(fault.expected, fault.found, fault.fix);
            return placeholders();
        }
    }

    /// Of a loss that is a count, as an accuracy is.
    void note_zero(grad::Wrt const& wrt) {
        context_.notes.push_back(quote(wrt.gradient) + " is 0 everywhere: " + grad_.at("of").value().dump() +
                                 " depends on " + quote(context_.graph.value(wrt.value).name) +
                                 " by steps alone (comparisons, rounding, integers); differentiate a loss that changes "
                                 "smoothly");
    }

    std::vector<std::optional<ValueId>> placeholders() {
        std::vector<std::optional<ValueId>> values(count_);
        for (std::size_t k = 0; k < count_; ++k) {
            if (!input(k)) continue;
            Value const like = context_.graph.value(*input(k));
            values[k] = NodeBuilder(context_.graph, gradient_name(k)).placeholder(like.shape, like.dtype);
        }
        return values;
    }

    NodeContext& context_;
    Cursor grad_;
    std::size_t count_;  // of "wrt"
    std::optional<grad::Upstream> upstream_;
};

}  // namespace

std::vector<std::optional<ValueId>> read_gradient(NodeContext& context) { return GradientReader(context).read(); }

}  // namespace ein::graph
