#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/contract/chain.hpp"
#include "lib/graph/contract/order/search_path.hpp"
#include "lib/graph/contract/order/slice.hpp"
#include "lib/graph/contract/orders.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

bool is_empty(EinSum const& einsum) {
    return std::find(einsum.extents.begin(), einsum.extents.end(), Extent{0}) != einsum.extents.end();
}

/// "1.28e+20", or digits where they are few.
std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 1e6 ? "%.0f" : "%.3g", value);
    return text;
}

std::string size_text(double bytes) { return bytes < 1e18 ? format_bytes(bytes) : number(bytes) + " bytes"; }

/// What is known of a product before and after its order is searched for.
struct Product {
    Node const* node = nullptr;
    EinSum const* einsum = nullptr;
    Network network;
    double element = 8;  // bytes of an element of a result on the way
    bool sliceable = false;
};

bool is_path(Path const& path, std::size_t operands) {
    if (path.size() + 1 != operands) return false;
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto const [a, b] = path[k];
        if (a < 0 || b <= a || at(b) >= operands - k) return false;
    }
    return true;
}

class Choice {
public:
    Choice(EinGraph const& graph, OrderLimits const& limits, std::string const& file, SearchedOrders& searched)
        : graph_(graph), limits_(limits), file_(file), searched_(searched) {}

    ChosenOrders run() {
        std::vector<Product> products;
        for (Node const& node : graph_.nodes)
            if (auto product = product_of(node)) products.push_back(std::move(*product));
        double const many = static_cast<double>(std::count_if(products.begin(), products.end(), [](Product const& p) {
            return p.einsum->operands() > tuning::most_optimal_operands && !p.node->path;
        }));
        most_work_ = limits_.work / std::max(1.0, many);
        for (Product const& product : products) choose(product);
        return std::move(out_);
    }

private:
    std::optional<Product> product_of(Node const& node) const {
        auto const* einsum = std::get_if<EinSum>(&node.op);
        if (einsum == nullptr || einsum->operands() < 3 || einsum->compute || is_empty(*einsum)) return std::nullopt;
        bool const sparse = std::any_of(node.inputs.begin(), node.inputs.end(),
                                        [&](ValueId input) { return graph_.value(input).listing.has_value(); });
        if (sparse || !contracts_pairwise(*einsum)) return std::nullopt;
        std::vector<DType> types;
        for (ValueId input : node.inputs) types.push_back(graph_.value(input).dtype);
        DType const dtype = types_of(*einsum, types, graph_.value(node.output).dtype).accumulate;
        return Product{&node, einsum, network_of(*einsum), static_cast<double>(size_of(dtype)),
                       einsum->agg != scalar::Agg::logsumexp && node.fixed.empty()};
    }

    /// Labels over which the graph file slices.
    static std::vector<int> asked_of(Product const& product) {
        std::vector<int> out;
        if (!product.node->slicing || !product.sliceable) return out;
        for (std::string const& name : product.node->slicing->labels) {
            auto const& labels = product.einsum->labels;
            auto const label = std::find(labels.begin(), labels.end(), name);
            promise(label != labels.end(), "a graph slices over a label that the product lacks");
            out.push_back(static_cast<int>(label - labels.begin()));
        }
        return out;
    }

    /// The order in slices over these labels. @return the network of one slice
    static Network slice_over(Product const& product, std::vector<int> const& labels, Sliced& order) {
        Network of_slice = product.network;
        for (int label : labels) {
            order.slices *= product.network.extents[at(label)];
            of_slice.extents[at(label)] = 1;
        }
        order.labels.insert(order.labels.begin(), labels.begin(), labels.end());
        order.operations = sliced_operations(product.network, order.path, order.labels);
        order.peak = peak_elements(of_slice, order.path);
        return of_slice;
    }

    SsaPath searched(Product const& product) {
        if (product.node->path) return to_ssa(*product.node->path, product.einsum->operands());
        Network const& network = product.network;
        auto const key = std::make_tuple(network.operands, network.extents, network.kept);
        std::size_t const operands = network.operands.size();
        auto const [found, fresh] = searched_.paths.try_emplace(key);
        if (!fresh) return to_ssa(found->second, operands);
        SsaPath path = good_path(network);
        double const cost = path_cost(network, path);
        double const work = std::min(most_work_, tuning::work_an_operation * cost);
        double const least = 8 * tuning::work_a_draw * static_cast<double>(operands);
        if (operands > tuning::most_optimal_operands && work > least) {
            SsaPath better = search_path(network, work);
            if (path_cost(network, better) < cost) path = std::move(better);
        }
        found->second = to_linear(path, operands);
        return path;
    }

    double operand_bytes() const {
        double bytes = 0;
        for (Leaf const& leaf : graph_.leaves) {
            double elements = 1;
            for (Extent extent : graph_.value(leaf.value).shape) elements *= static_cast<double>(extent);
            bytes += elements * static_cast<double>(size_of(graph_.value(leaf.value).dtype));
        }
        return bytes;
    }

    void choose(Product const& product) {
        bool const many = product.einsum->operands() > tuning::most_optimal_operands;
        double const rank_bytes = limits_.rank_bytes > 0 ? limits_.rank_bytes : tuning::assumed_rank_bytes;
        double const ranks = static_cast<double>(limits_.ranks);
        SsaPath path = searched(product);
        double const unsliced = path_operations(product.network, path);
        double const room = limits_.slice_bytes > 0
                                ? limits_.slice_bytes
                                : std::max(tuning::share_of_slice * rank_bytes - operand_bytes() / ranks, 1024.0);
        Sliced order{path, {}, 1, unsliced, peak_elements(product.network, path)};
        if (many) order.path = order_for_memory(product.network, path);
        std::vector<int> const asked = asked_of(product);
        Network const whole = slice_over(product, asked, order);  // or one of the slices that the file asks for
        double const held = order.peak * product.element;
        double const spread = asked.empty() ? tuning::share_unsliced * rank_bytes * ranks : room;
        bool const too_large = held > spread || (limits_.always_slice && held > limits_.slice_bytes);
        if (too_large && product.sliceable) {
            Sliced sliced =
                slice(whole, path, room / product.element, product.node->path ? Reorder::no : Reorder::yes,
                      std::min(most_work_, tuning::least_slicing_work + tuning::work_an_operation * unsliced));
            if (!asked.empty()) {
                double const peak = sliced.peak;
                slice_over(product, asked, sliced);
                sliced.peak = peak;
            }
            bool const fits = sliced.peak * product.element <= room;  // the output's labels cannot be sliced
            if (fits || sliced.slices > tuning::most_slices) order = std::move(sliced);
        }
        report(product, order, unsliced, path);
        if (order.labels.empty() && (!many || product.node->path)) return;
        ContractionOrder chosen{graph_.value(product.node->output).name,
                                to_linear(order.path, product.einsum->operands()), std::nullopt};
        if (!order.labels.empty()) chosen.slicing = slicing_of(product, order);
        out_.orders.push_back(std::move(chosen));
    }

    Slicing slicing_of(Product const& product, Sliced const& sliced) const {
        Slicing out;
        for (int label : sliced.labels) out.labels.push_back(product.einsum->labels[at(label)]);
        out.at_once = static_cast<Extent>(std::min(static_cast<double>(limits_.ranks), sliced.slices));
        return out;
    }

    void report(Product const& product, Sliced const& sliced, double unsliced, SsaPath const& path) {
        OrderReport report;
        report.value = graph_.value(product.node->output).name;
        report.operands = product.einsum->operands();
        report.operations = sliced.operations;
        report.unsliced_operations = unsliced;
        report.slices = sliced.slices;
        report.largest_unsliced = largest_result(product.network, path);
        Network network = product.network;
        for (int label : sliced.labels) {
            network.extents[at(label)] = 1;
            report.sliced.push_back(product.einsum->labels[at(label)]);
        }
        report.largest = largest_result(network, sliced.path);
        check(product, report);
        if (report.operands > tuning::most_optimal_operands || report.slices > 1) out_.reports.push_back(report);
    }

    /// @throws MemoryError for what nobody can run
    void check(Product const& product, OrderReport const& report) const {
        bool const too_much = report.operations > limits_.operations || report.slices > tuning::most_slices;
        bool const too_large = report.largest * product.element > static_cast<double>(max_tensor_bytes);
        if (!too_much && !too_large) return;
        std::string const best = "the best order that was found takes " + number(report.unsliced_operations) +
                                 " operations with a largest intermediate of " + number(report.largest_unsliced) +
                                 " elements (" + size_text(report.largest_unsliced * product.element) + ")" +
                                 (report.slices > 1 ? "; in " + number(report.slices) + " slices that fit in memory, " +
                                                          number(report.operations) + " operations with one of " +
                                                          size_text(report.largest * product.element)
                                                    : "");
        std::string const what = file_ + ": the product '" + report.value + "' of " + std::to_string(report.operands) +
                                 " operands: expected ";
        if (too_much)
            throw MemoryError(what + "at most " + number(limits_.operations) + " operations, found that " + best +
                              "; give " + limits_.operations_option + " " + number(1.01 * report.operations) +
                              " to plan it all the same, more " + limits_.memory_option +
                              " for fewer slices, or a better order as \"path\"");
        throw MemoryError(what + "intermediates that a machine can hold, found that " + best +
                          "; its output's labels cannot be sliced: aggregate more of them");
    }

    EinGraph const& graph_;
    OrderLimits const& limits_;
    std::string const& file_;
    double most_work_ = 0;
    SearchedOrders& searched_;
    ChosenOrders out_;
};

}  // namespace

ChosenOrders choose_orders(EinGraph const& graph, OrderLimits const& limits, std::string const& file,
                           SearchedOrders& searched) {
    return Choice(graph, limits, file, searched).run();
}

EinGraph with_orders(EinGraph graph, std::vector<ContractionOrder> const& orders) {
    if (orders.empty()) return graph;
    std::map<std::string, ContractionOrder const*> by_value;
    for (ContractionOrder const& order : orders) by_value.emplace(order.value, &order);
    for (Node& node : graph.nodes) {
        auto const order = by_value.find(graph.value(node.output).name);
        if (order == by_value.end()) continue;
        auto const* einsum = std::get_if<EinSum>(&node.op);
        promise(einsum != nullptr && is_path(order->second->path, einsum->operands()),
                "an order is of another product than the graph's '" + order->first + "'");
        node.path = order->second->path;
        node.slicing = order->second->slicing;
    }
    return graph;
}

}  // namespace ein::graph
