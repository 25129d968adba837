// The memo of the search: the operators of an expression as groups, repartitions put aside, and every way to make a
// group from operands in given forms. Example: group "⋈ of groups 0 and 1", operands in forms PART⟨0⟩ and PART⟨0⟩:
// broadcast either, or shuffle one or both.
#pragma once

#include <map>

#include "scheduler/ia/rules.hpp"
#include "scheduler/ia/search.hpp"

namespace ein::ia {

using GroupId = std::size_t;

struct Group {
    Operator op;                             // an Input's type has no meaning but its relation
    std::vector<GroupId> inputs;             // earlier groups
    std::vector<GroupId> replicated_inputs;  // of a sum of products: the products' operands, for rule D-1
    RelationType relation;
    std::vector<GroupId> readers;
    std::vector<KeyDims> wanted;  // partitions that some reader can use
    std::vector<Sites> layouts;   // of an Input
    bool pinned = false;
};

/// An operand in the form it is in, or sent first.
struct Need {
    GroupId group;
    Sites from, to;
    double sent = 0;  // 0 when from == to
    friend bool operator==(Need const&, Need const&) = default;
};

/// One way to make a group.
struct Way {
    std::vector<Need> needs;
    double sent = 0;  // besides the needs
    Sites made = Sites::all();
    Expr expr;  // over placeholders, see placeholder()
};

/// A group in a form, as the input of a way.
Expr placeholder(GroupId group, RelationType const& relation, Sites const& sites, int site_count);
/// Which group in which form a placeholder stands for; nothing for other expressions.
std::optional<std::pair<GroupId, Sites>> placed(Expr const& expr);

class Memo {
public:
    Memo(std::vector<Expr> const& roots, std::map<std::string, FreeInput> const& inputs, SearchOptions const& options);

    std::vector<Group> const& groups() const { return groups_; }
    std::vector<GroupId> const& roots() const { return roots_; }
    bool exact() const { return exact_; }  // max_ways was never met

    /// The ways from operands in `forms`; `replicating`: those of rule D-1, from the products' operands.
    std::vector<Way> const& ways(GroupId group, std::vector<Sites> const& forms, bool replicating);

private:
    GroupId group_of(Expr const& expr, std::map<std::string, FreeInput> const& inputs);
    void want();
    std::vector<Expr> first_ways(Group const& group, std::vector<Expr> const& operands) const;
    std::vector<Way> closed(std::vector<Expr> first);
    std::vector<Way> cheapest(std::vector<Expr> const& reached) const;
    std::optional<Way> way(Expr const& expr) const;

    SearchOptions options_;
    std::vector<Group> groups_;
    std::vector<std::pair<Expr, GroupId>> known_;
    std::vector<GroupId> roots_;
    std::map<std::tuple<GroupId, std::vector<Sites>, bool>, std::vector<Way>> ways_;
    RewritesAtTop at_top_{site_rules()};
    bool exact_ = true;
};

}  // namespace ein::ia
