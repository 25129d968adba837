#include "lib/relation/verify/verify_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/relation/tuning.hpp"
#include "lib/relation/verify/interpreters.hpp"
#include "lib/relation/verify/rounding_spread.hpp"
#include "lib/relation/verify/samples.hpp"
#include "lib/relation/verify/written_outputs.hpp"
#include "lib/relation/work_time.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/element_text.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read_back.hpp"

namespace ein::relation {
namespace {

/// How the elements of one output are worked out.
struct Way {
    Interpreters* interpreters;
    Sums sums;
    IndexSets indices;
    double seconds;
};

/// What can be afforded of one output.
struct Reach {
    std::unique_ptr<Interpreters> from_outputs;  // that work it out from others, if they were asked
    std::optional<Way> way;
};

/// The elements of an output file at a product of index sets.
tensor::HostTensor read_output(tensor::WrittenOutput const& file, graph::Value const& value, IndexSets const& indices) {
    DType const dtype = tensor::npy_dtype(value.dtype);
    auto const reader = tensor::open_written(file, value.name, dtype, value.shape);
    tensor::HostTensor out(dtype, counts_of(indices));
    if (counts_of(indices) == value.shape) {
        reader->read(Box::whole(value.shape), out.bytes());
        return out;
    }
    std::size_t at = 0;
    for (Extent k = 0; k < out.elements(); ++k, at += size_of(dtype))
        reader->read({index_of(indices, k), Shape(indices.size(), 1)},
                     std::span(out.bytes()).subspan(at, size_of(dtype)));
    return out;
}

std::string time_text(double seconds) {
    struct Unit {
        double seconds;
        char const* name;
    };
    constexpr Unit units[] = {
        {86400 * 365, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    for (Unit const& unit : units) {
        double const count = seconds / unit.seconds;
        if (count > 9999) return "thousands of years";
        if (count >= 2) return std::to_string(std::lround(count)) + " " + unit.name;
    }
    return "a second";
}

class Verifier {
public:
    explicit Verifier(VerifyRequest const& request)
        : request_(request), whole_(request.graph, request.leaves, request.params), left_(request.seconds) {}

    Verification run() {
        for_each_output([&](ValueId output, Reach const& reach) {
            if (reach.way) return check(output, *reach.way);
            graph::Value const& value = request_.graph.value(output);
            result_.outputs.push_back({.name = value.name, .of = element_count(value.shape)});
            result_.unchecked.push_back(unchecked_text(output, reach.from_outputs.get()));
        });
        return std::move(result_);
    }

    std::vector<std::string> out_of_reach() {
        std::vector<std::string> out;
        for_each_output([&](ValueId output, Reach const& reach) {
            if (!reach.way) out.push_back(request_.graph.value(output).name);
        });
        return out;
    }

private:
    template <class Visit>
    void for_each_output(Visit const& visit) {
        std::size_t const count = request_.graph.outputs.size();
        for (std::size_t k = 0; k < count; ++k) {
            ValueId const output = request_.graph.outputs[k];
            Reach const reach = reach_of(output, left_ / static_cast<double>(count - k));
            if (reach.way) left_ = std::max(0.0, left_ - reach.way->seconds);
            visit(output, reach);
        }
    }

    Reach reach_of(ValueId output, double share) {
        Reach out;
        out.way = choose(whole_, output, share);
        if (out.way) return out;
        if (auto cut = from_written_outputs(request_.graph, output)) {
            out.from_outputs = std::make_unique<Interpreters>(std::move(cut->graph), request_.leaves, request_.params,
                                                              std::move(cut->read));
            out.way = choose(*out.from_outputs, output, share);
        }
        return out;
    }

    /// As many elements as can be afforded, term by term where that gives as many: what is left of a budget may be
    /// spent where a share of it is too little for one.
    std::optional<Way> choose(Interpreters& interpreters, ValueId output, double share) {
        Shape const& shape = request_.graph.value(output).shape;
        if (request_.samples) {
            IndexSets const indices = sampled_indices(shape, *request_.samples);
            for (double budget = request_.seconds; budget < 8 * request_.patience; budget *= 8)
                if (auto way = affordable(interpreters, output, indices, std::min(budget, request_.patience)))
                    return way;
            return std::nullopt;
        }
        for (double const budget : {share, left_}) {
            bool const few = static_cast<double>(element_count(shape)) * tuning::seconds_an_element <= budget;
            if (auto way = few ? affordable(interpreters, output, all_indices(shape), budget) : std::nullopt)
                return way;
            for (std::int64_t const count : tuning::sample_sizes)
                if (auto way = affordable(interpreters, output, sampled_indices(shape, count), budget)) return way;
        }
        return std::nullopt;
    }

    static std::optional<Way> affordable(Interpreters& interpreters, ValueId output, IndexSets const& indices,
                                         double budget) {
        for (Sums const sums : {Sums::as_written, Sums::pairwise}) {
            Interpreter const& interpreter = interpreters.interpreter(sums);
            if (interpreter.bytes(output, indices) > tuning::most_interpreter_bytes) continue;
            double const seconds = interpreter.seconds(output, indices);
            if (seconds <= budget) return Way{&interpreters, sums, indices, seconds};
        }
        return std::nullopt;
    }

    void check(ValueId output, Way const& way) {
        graph::Value const& value = request_.graph.value(output);
        Interpreter& interpreter = way.interpreters->interpreter(way.sums);
        tensor::HostTensor const found = read_output(request_.written(value), value, way.indices);
        tensor::HostTensor const expected = interpreter.sample(output, way.indices);
        double const usual =
            usual_tolerance(value.dtype, way.interpreters->as_run(Sums::as_written).reduction_length(output));
        tensor::Difference difference = tensor::compare(found, expected, usual);
        VerifiedOutput out{.name = value.name,
                           .elements = found.elements(),
                           .of = element_count(value.shape),
                           .by = reference(interpreter.orders(output, way.indices)),
                           .from = way.interpreters->from()};
        if (difference.count > 0)
            difference = tensor::compare(found, expected, usual,
                                         excused(output, way, found, expected, difference.differing, out));
        out.differ = difference.count;
        out.max_rel = difference.max_rel;
        out.tolerance = difference.largest_tolerance;
        result_.outputs.push_back(out);
        if (difference.count > 0)
            result_.mismatches.push_back(mismatch_text(value, way.indices, found, expected, difference));
    }

    /// The relative error to allow; results of f32 are as exact as f16 where their factors were.
    double usual_tolerance(DType dtype, double reduction_length) const {
        bool const coarse = request_.tf32 && dtype == DType::f32;
        return tensor::tolerance(coarse ? DType::f16 : dtype, reduction_length);
    }

    static Reference reference(Orders orders) {
        switch (orders) {
            case Orders::none: return Reference::interpreter;
            case Orders::products: return Reference::products;
            case Orders::of_run: return Reference::run_order;
            case Orders::another: return Reference::another_order;
        }
        throw InternalError("unknown orders of contraction");
    }

    /// By position how far elements in doubt may be apart: as far as rounding may move them, or any way at all where an
    /// order of sums that is allowed leaves what was found; 0 elsewhere. Counts them in `out`, where elements that are
    /// too many to be examined are not checked.
    std::vector<double> excused(ValueId output, Way const& way, tensor::HostTensor const& found,
                                tensor::HostTensor const& expected, std::vector<Extent> const& doubtful,
                                VerifiedOutput& out) {
        constexpr double any = std::numeric_limits<double>::infinity();
        std::vector<double> allowed(static_cast<std::size_t>(expected.elements()), 0);
        auto const [interpreter, examined] = interpreter_for_doubt(output, way, doubtful);
        if (interpreter == nullptr) return allowed;
        std::vector<Outcomes> outcomes =
            rounding_spread(*interpreter, output, way.indices, expected, examined, request_.tf32);
        look_again(*interpreter, output, way, found, expected, examined, outcomes);
        for (std::size_t i = 0; i < examined.size(); ++i) {
            if (!outcomes[i].allow(found.at(examined[i]), tuning::spreads_allowed)) continue;
            bool const finite = std::isfinite(tensor::distance(found.at(examined[i]), expected.at(examined[i])));
            ++(finite ? out.ill_conditioned : out.overflow);
            allowed[static_cast<std::size_t>(examined[i])] =
                finite ? tuning::spreads_allowed * outcomes[i].spread : any;
        }
        if (out.ill_conditioned + out.overflow == static_cast<std::int64_t>(examined.size()))
            for (std::size_t i = examined.size(); i < doubtful.size(); ++i, --out.elements)
                allowed[static_cast<std::size_t>(doubtful[i])] = any;  // not checked after all
        return allowed;
    }

    /// Where few are left, chance may have kept them on one side of a step.
    void look_again(Interpreter& interpreter, ValueId output, Way const& way, tensor::HostTensor const& found,
                    tensor::HostTensor const& expected, std::vector<Extent> const& examined,
                    std::vector<Outcomes>& outcomes) const {
        std::vector<std::size_t> left;
        std::vector<Extent> places;
        for (std::size_t i = 0; i < examined.size(); ++i) {
            if (outcomes[i].allow(found.at(examined[i]), tuning::spreads_allowed)) continue;
            left.push_back(i);
            places.push_back(examined[i]);
        }
        bool const few = left.size() <= tuning::few_in_doubt || left.size() * tuning::few_of <= examined.size();
        if (left.empty() || !few) return;
        std::vector<Outcomes> const more =
            rounding_spread(interpreter, output, way.indices, expected, places, request_.tf32, tuning::rounds_for_few);
        for (std::size_t k = 0; k < left.size(); ++k) outcomes[left[k]] = more[k];
    }

    /// An interpreter that can be afforded a dozen times, and for which of the elements in doubt: the first so many;
    /// null where none can be.
    std::pair<Interpreter*, std::vector<Extent>> interpreter_for_doubt(ValueId output, Way const& way,
                                                                       std::vector<Extent> const& doubtful) {
        double const budget = request_.samples ? request_.patience : tuning::seconds_for_doubt;
        std::vector<Extent> chosen = doubtful;
        while (!chosen.empty()) {
            IndexSets const around = Around(way.indices, chosen).indices;
            Interpreter& loops = way.interpreters->as_run(Sums::as_written);
            if (tuning::rounding_rounds * loops.work(output, around) * tuning::seconds_an_operation <= budget)
                return {&loops, chosen};
            Interpreter& pairwise = way.interpreters->as_run(Sums::pairwise);
            if (tuning::rounding_rounds * tuning::slower_with_noise * pairwise.seconds(output, around) <= budget)
                return {&pairwise, chosen};
            chosen.resize(chosen.size() / 4);
        }
        return {nullptr, {}};
    }

    static std::string mismatch_text(graph::Value const& value, IndexSets const& indices,
                                     tensor::HostTensor const& found, tensor::HostTensor const& expected,
                                     tensor::Difference const& difference) {
        char tail[160];
        std::snprintf(tail, sizeof tail,
                      " (relative difference %.3g, tolerance %.3g; %lld of %lld elements checked differ)",
                      difference.worst_rel, difference.worst_tolerance, static_cast<long long>(difference.count),
                      static_cast<long long>(found.elements()));
        return "output '" + value.name + "' " + index_text(index_of(indices, difference.worst)) + ": expected " +
               element_text(expected, difference.worst) + ", found " + element_text(found, difference.worst) + tail;
    }

    std::string unchecked_text(ValueId output, Interpreters* from_outputs) {
        graph::Value const& value = request_.graph.value(output);
        IndexSets const one = sampled_indices(value.shape, request_.samples.value_or(1));
        double seconds = std::numeric_limits<double>::infinity(), bytes = seconds;
        for (Interpreters* interpreters : {&whole_, from_outputs})
            if (interpreters != nullptr)
                for (Sums const sums : {Sums::as_written, Sums::pairwise}) {
                    seconds = std::min(seconds, interpreters->interpreter(sums).seconds(output, one));
                    bytes = std::min(bytes, interpreters->interpreter(sums).bytes(output, one));
                }
        std::string const wanted = request_.samples ? std::to_string(*request_.samples) + " elements" : "one element";
        std::string out = "output '" + value.name + "': expected at least one element checked, found none: " + wanted +
                          " would take one process about " + time_text(seconds);
        if (bytes > tuning::most_interpreter_bytes) out += " and " + format_bytes(bytes);
        std::string const others = suggestions(output);
        if (!request_.samples && seconds <= request_.patience && bytes <= tuning::most_interpreter_bytes)
            out += "; give --verify=1 to take that time";
        else if (others.empty())
            out += "; check a smaller instance of the graph";
        if (!others.empty())
            out += "; or make values on the way outputs too, such as " + others + ": then '" + value.name +
                   "' is checked from them, and they from what is before them";
        return out;
    }

    /// Values that the graph file names and that the output is made from: the nearest.
    std::string suggestions(ValueId output) const {
        graph::EinGraph const& graph = request_.graph;
        auto const producers = graph.producers();
        std::vector<std::string> names;
        std::vector<ValueId> open{output};
        std::vector<bool> seen(graph.values.size(), false);
        for (std::size_t k = 0; k < open.size() && names.size() < tuning::most_suggestions; ++k) {
            if (!producers[at(open[k])]) continue;
            for (ValueId input : graph.node(*producers[at(open[k])]).inputs) {
                if (seen[at(input)] || !producers[at(input)]) continue;
                seen[at(input)] = true;
                bool const named = graph.value(input).name.find(':') == std::string::npos;
                bool const is_output =
                    std::find(graph.outputs.begin(), graph.outputs.end(), input) != graph.outputs.end();
                if (named && !is_output && names.size() < tuning::most_suggestions)
                    names.push_back("'" + graph.value(input).name + "'");
                else
                    open.push_back(input);
            }
        }
        return joined(names, " and ");
    }

    VerifyRequest const& request_;
    Interpreters whole_;
    double left_;
    Verification result_;
};

}  // namespace

Verification verify_outputs(VerifyRequest const& request) { return Verifier(request).run(); }

std::vector<std::string> outputs_out_of_reach(VerifyRequest const& request) { return Verifier(request).out_of_reach(); }

}  // namespace ein::relation
