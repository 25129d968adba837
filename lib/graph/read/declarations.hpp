// The names of a graph file: what each tensor and node is called, and which names each node reads. Nothing is computed
// here. A node defines one name, its own; a gradient g of W1 and W2 defines g/W1 and g/W2, and keeps g for itself; so
// does a loop of what it carries. A loop's body has names of its own, among them what the loop carries, and sees those
// around it. Example: nodes [{"name": "C", "inputs": ["A", "B"]}] after tensors A and B: names A 0, B 1, C 2; node 0
// reads 0 and 1.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/graph/read/tuning.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::graph {

struct LoopDeclaration;

struct NodeDeclaration {
    Cursor node;
    std::string name;                                 // empty: it has none that can be used
    std::vector<std::optional<std::size_t>> defines;  // numbers of names; nothing: that name is taken
    std::vector<std::optional<std::size_t>>
        inputs;  // numbers of names; nothing: unknown. A gradient's: "of", then "wrt"; a loop's: see LoopDeclaration
    bool usable = true;  // false: not even its inputs could be read
    std::shared_ptr<LoopDeclaration> loop = {};

    bool is_gradient() const { return node.has("grad"); }
    bool is_loop() const { return node.has("loop"); }
    /// Where it says what it reads.
    Cursor inputs_at() const { return node.at(is_gradient() ? "grad" : is_loop() ? "loop" : "inputs"); }
};

/// Every name of the file and its number: tensors first, then nodes in file order.
class Names {
public:
    /// The name's number; nothing when the name is taken.
    std::optional<std::size_t> add(std::string const& name);
    Names() = default;
    /// Those of a loop's body: a name that is not among them may be one of `around`, and is then brought in under a
    /// number of its own.
    explicit Names(Names& around) : around_(&around) {}
    /// What was brought in: its number here, and around.
    std::vector<std::pair<std::size_t, std::size_t>> const& brought() const { return brought_; }

    /// Keeps a name from being given to anything. @return whether it was free
    bool keep(std::string const& name);
    std::optional<std::size_t> find(std::string const& name);
    std::size_t size() const { return names_.size(); }
    std::string const& operator[](std::size_t number) const { return names_[number]; }
    /// Some names could not be read: one that is not found may be among them.
    void lacks_some() { complete_ = false; }
    bool complete() const { return complete_ && (around_ == nullptr || around_->complete()); }
    /// "did you mean ...?" or "define it ...", and of what is there but has no value of that name, what it has;
    /// searched for the first faults of a file only, because each search reads every name.
    /// @param own  a node whose own names are not meant
    std::string suggestion(std::string const& name, std::string const& own = {});
    /// Params, which are read in joins alone.
    void note_params(scalar::Params const& params) { params_ = params; }
    /// For a param, the tensor that may stand in its place (tensor_for_param); "" for other names.
    std::string as_tensor(std::string const& name) const;
    /// Says of a name that it is a node's in a loop's body, and `loop` is that loop: nobody outside sees it.
    /// @param left  what the loop leaves it as, where it is carried: "fit/W"
    void note_inner(std::string const& name, std::string const& loop, std::string const& left) {
        inner_.try_emplace(name, Inner{loop, left});
    }
    bool is_inner(std::string const& name) const { return inner_.contains(name); }
    /// In how many loops they are.
    int depth() const { return around_ == nullptr ? 0 : around_->depth() + 1; }

private:
    std::string inner_mend(std::string const& name) const;
    std::string param_mend(std::string const& name) const;

    std::vector<std::string> names_;
    std::unordered_map<std::string, std::optional<std::size_t>> number_;  // nothing: kept
    struct Inner {
        std::string loop, left;
    };
    std::unordered_map<std::string, Inner> inner_;  // see note_inner
    scalar::Params params_;
    bool complete_ = true;
    int searches_left_ = tuning::most_searches;
    Names* around_ = nullptr;
    std::vector<std::pair<std::size_t, std::size_t>> brought_;
};

/// The inside of a loop. Its declaration's inputs are what each of `carried` begins with, then what was brought in.
struct LoopDeclaration {
    struct Carried {
        std::size_t inside;               // the number of its name in the body
        Cursor at;                        // where the file says what it becomes
        std::optional<std::size_t> next;  // the number of that name in the body
    };
    explicit LoopDeclaration(Names& around) : names(around) {}

    Names names;
    std::vector<NodeDeclaration> body;
    std::vector<Carried> carried;
    std::int64_t iterations = 1;
    std::optional<std::size_t> condition;  // a name of the body
};

/// Declares the nodes: their names first, then (because any order is accepted) what they read.
std::vector<NodeDeclaration> declare_nodes(Cursor const& nodes, Names& names);

/// The names of "outputs". An object of names with what each is to be called, or with its file, is a fault.
std::optional<std::vector<Cursor>> output_entries(Cursor const& outputs, Names& names);

/// The nodes in an order in which each comes after those that it reads; a fault for each cycle, whose nodes are left
/// out.
/// @param producer  for each name the node that makes it, or nothing for a tensor
std::vector<std::size_t> order_nodes(std::vector<NodeDeclaration> const& nodes,
                                     std::vector<std::optional<std::size_t>> const& producer);

}  // namespace ein::graph
