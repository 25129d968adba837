// Orders of a graph's products as data, so that what was searched for once is found again by whoever lowers the graph:
// a schedule carries them. Leaves searching to order/, making nodes of an order to lower.cpp. Example: Z = ij,jk,kl->il
// with {"Z", path ((0, 1), (0, 1)), slicing nothing} is contracted from the left.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct ContractionOrder {
    std::string value;  // that the node makes
    Path path;
    std::optional<Slicing> slicing = {};
    friend bool operator==(ContractionOrder const&, ContractionOrder const&) = default;
};

/// The graph, as it was read, with these orders for its nodes.
EinGraph with_orders(EinGraph graph, std::vector<ContractionOrder> const& orders);

/// What an order takes: for summaries and refusals.
struct OrderReport {
    std::string value;
    std::size_t operands = 0;
    double operations = 0;  // of all slices
    double largest = 0;     // elements of the largest result of a slice
    double slices = 1;
    double unsliced_operations = 0, largest_unsliced = 0;  // of the best order without slices
    std::vector<std::string> sliced;
};

struct OrderLimits {
    double work = 0;  // for the search, in units of about a nanosecond; beyond what every order gets
    int ranks = 1;
    double rank_bytes = 0;      // that results on the way may take on a rank; 0: as much as they like
    double slice_bytes = 0;     // that results on the way of a slice may take; 0: what a rank has room for
    bool always_slice = false;  // what takes more than slice_bytes, even where all ranks together could hold it
    double operations = 1e18;   // of one product; more are refused
    std::string memory_option = "--memory", operations_option = "--limit";  // that move the limits
};

struct ChosenOrders {
    std::vector<ContractionOrder> orders;
    std::vector<OrderReport> reports;
};

/// Orders that were searched for already, by product.
struct SearchedOrders {
    std::map<std::tuple<std::vector<std::vector<int>>, std::vector<double>, std::vector<bool>>, Path> paths;
};

/// Orders for the products of a graph that many operands or large results make worth searching, and that have none in
/// their file.
/// @throws MemoryError for a product that takes more than the limits whatever its order, with the best that was found
ChosenOrders choose_orders(EinGraph const& graph, OrderLimits const& limits, std::string const& file,
                           SearchedOrders& searched);

}  // namespace ein::graph
