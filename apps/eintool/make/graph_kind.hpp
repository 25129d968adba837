// A kind of graph that `eintool make` writes: its name, what its sizes and options mean, and how it is made. Data is
// random, so that a graph runs anywhere; `--input NAME=FILE` gives other data. The tables of kinds stand beside their
// makers, a file for each family. Example: make_graph(kind_named("matmul"), {.sizes = {4, 5, 6}, .dtype = "f64"})
// multiplies a 4 x 5 matrix by a 5 x 6 one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/eintool/graph_text.hpp"
#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::apps::tool {

class Request;

struct SizeOf {
    std::string name;
    Extent by_default;
};

enum class OptionValue { flag, extent, number, word };

/// Of --iterations and its like.
inline constexpr auto iterations_limit = static_cast<double>(graph::Loop::most_iterations);

/// An option of one kind or of several, such as --iterations.
struct Option {
    std::string name, about;
    OptionValue value = OptionValue::extent;
    std::string by_default = {};          // as it would be given; empty: none
    double least = 1, most = 1ll << 40;   // both allowed
    std::vector<std::string> words = {};  // of OptionValue::word: what it may be
    std::string old_name = {};            // taken for it as well
};

struct GraphKind {
    std::string name, about;
    std::vector<SizeOf> sizes;
    std::vector<Option> options;
    std::vector<DType> dtypes;  // that its tensors may have; the first is the default
    std::string (*make)(Request const&);
};

/// --sparse, and --density: the share of elements that are listed.
Option sparse_option();
Option density_option(std::string const& by_default = "0.01");

/// What the command line says.
struct Wanted {
    std::vector<Extent> sizes = {};
    std::map<std::string, std::string> options = {};  // by name; a flag's value is empty
    std::string dtype = {};                           // empty: the kind's first
};

/// What a maker asks: sizes, options and dtype, with defaults for what was not given.
class Request {
public:
    /// @throws UsageError for what the kind does not have or allow
    Request(GraphKind const& kind, Wanted const& wanted);

    std::string const& dtype() const { return dtype_; }
    Extent size(std::string const& name) const { return sizes_.at(name); }
    /// Given, or has a default.
    bool has(std::string const& option) const { return options_.contains(option); }
    std::string const& word(std::string const& option) const { return options_.at(option); }
    double number(std::string const& option) const { return std::stod(options_.at(option)); }
    Extent extent(std::string const& option) const { return std::stoll(options_.at(option)); }
    /// @throws UsageError unless one size is at most another, as the clusters of k-means are at most its points
    void require_at_most(std::string const& size, std::string const& bound) const;

    /// Without tensors and nodes yet; says what it is and which command made it.
    GraphText graph() const;

private:
    void take_sizes(std::vector<Extent> const& given);
    void take_options(std::map<std::string, std::string> const& given);
    void take_dtype(std::string const& given);
    std::string command() const;

    GraphKind const& kind_;
    std::map<std::string, Extent> sizes_;
    std::map<std::string, std::string> options_;
    std::string dtype_;
};

/// To two digits, as people write learning rates.
double rounded(double value);

inline std::vector<DType> const real_dtypes{DType::f32, DType::f64, DType::f16, DType::bf16};

/// All kinds, in the order in which --help lists them.
std::vector<GraphKind> const& graph_kinds();
/// @throws UsageError for an unknown name
GraphKind const& kind_named(std::string const& name);
/// EinGraph JSON. @throws UsageError
std::string make_graph(GraphKind const& kind, Wanted const& wanted);
/// For --help: every kind with its sizes, what it is, and its options.
std::string kinds_help();

// The tables that graph_kinds() is made of.
std::vector<GraphKind> product_kinds();
std::vector<GraphKind> transformer_kinds();
std::vector<GraphKind> training_kinds();
std::vector<GraphKind> factor_kinds();
std::vector<GraphKind> point_kinds();
std::vector<GraphKind> path_kinds();
std::vector<GraphKind> grid_kinds();

}  // namespace ein::apps::tool
