#include "lib/graph/grad/move_terms.hpp"

#include <algorithm>
#include <cstdlib>

namespace ein::graph::grad {
namespace {

using scalar::Scalar;

/// What one input's region reads along an axis, in the input's indices.
struct Reading {
    Extent first = 0, span = 0;  // the least index that is read, and from there to the last
    Extent stride = 1;
    bool backwards = false;
};

Reading reading_of(AxisMap const& map, Extent length) {
    Extent const stride = length > 1 ? std::abs(map.step) : 1;
    bool const backwards = length > 1 && map.step < 0;
    Extent const span = (length - 1) * stride + 1;
    return {backwards ? map.start - (span - 1) : map.start, span, stride, backwards};
}

class RegionAdjoint {
public:
    RegionAdjoint(GradientNodes& nodes, Move::Region const& region, ValueId input)
        : nodes_(nodes), region_(region), input_(nodes.value(input)) {
        for (std::size_t axis = 0; axis < region.axes.size(); ++axis)
            readings_.push_back(reading_of(region.axes[axis], region.box.length[axis]));
    }

    /// Whether every element of the input was read, once.
    bool is_bijective() const { return region_.box.length == input_.shape; }

    NodeTerm moved_back(ValueId cotangent) {
        bool const strided =
            std::any_of(readings_.begin(), readings_.end(), [](Reading const& r) { return r.stride > 1; });
        Shape from = region_.box.begin;
        ValueId source = cotangent;
        if (strided) {
            source = dilated(cropped(cotangent));
            std::fill(from.begin(), from.end(), 0);
        }
        Move::Region back{region_.box, {}};
        for (std::size_t axis = 0; axis < readings_.size(); ++axis) {
            Reading const& reading = readings_[axis];
            back.box.begin[axis] = reading.first;
            back.box.length[axis] = reading.span;
            back.axes.push_back(reading.backwards ? AxisMap{from[axis] + reading.span - 1, -1}
                                                  : AxisMap{from[axis], 1});
        }
        return {Move{{std::move(back)}, Scalar::of(std::complex<double>(0))}, {source}};
    }

private:
    ValueId moved(std::string const& part, Move move, ValueId from, Shape shape) {
        return nodes_.add({std::move(move), {from}}, nodes_.part(input_.name + ":" + part), std::move(shape),
                          input_.dtype);
    }
    ValueId reshaped(std::string const& part, ValueId from, Shape shape) {
        return nodes_.add({Reshape{}, {from}}, nodes_.part(input_.name + ":" + part), std::move(shape), input_.dtype);
    }

    /// The region of the output alone.
    ValueId cropped(ValueId cotangent) {
        if (nodes_.value(cotangent).shape == region_.box.length) return cotangent;
        Move::Region region{Box::whole(region_.box.length), {}};
        for (Extent begin : region_.box.begin) region.axes.push_back({begin, 1});
        return moved("region", {{std::move(region)}, {}}, cotangent, region_.box.length);
    }

    /// stride - 1 zeros behind each element.
    ValueId dilated(ValueId cotangent) {
        Shape columns, padded, flat;
        for (std::size_t axis = 0; axis < readings_.size(); ++axis) {
            Extent const length = region_.box.length[axis], stride = readings_[axis].stride;
            for (Shape* shape : {&columns, &padded}) shape->push_back(length);
            if (stride > 1) columns.push_back(1), padded.push_back(stride);
            flat.push_back(length * stride);
        }
        ValueId const column = reshaped("columns", cotangent, columns);
        Move::Region region{Box::whole(columns), std::vector<AxisMap>(columns.size())};
        Move pad{{std::move(region)}, Scalar::of(std::complex<double>(0))};
        return reshaped("spread", moved("padded", std::move(pad), column, padded), flat);
    }

    GradientNodes& nodes_;
    Move::Region const& region_;
    Value const input_;
    std::vector<Reading> readings_;
};

}  // namespace

std::vector<Contribution> move_terms(GradientNodes& nodes, Node const& node, Cotangent const& cotangent,
                                     std::vector<bool> const& wanted) {
    std::vector<Contribution> contributions;
    Move const& move = std::get<Move>(node.op);
    std::optional<ValueId> stored;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (!wanted[k] || move.regions[k].box.empty()) continue;
        RegionAdjoint region(nodes, move.regions[k], node.inputs[k]);
        auto const* number = std::get_if<double>(&cotangent);
        if (number && region.is_bijective()) {
            contributions.push_back({node.inputs[k], *number});
            continue;
        }
        if (!stored) stored = nodes.stored(cotangent, node.output);
        contributions.push_back({node.inputs[k], region.moved_back(*stored)});
    }
    return contributions;
}

}  // namespace ein::graph::grad
