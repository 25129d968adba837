#include "apps/eintool/network/read_order.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "lib/graph/contract/ssa_path.hpp"

namespace ein::apps::tool {
namespace {

std::string const replan = "correct it, or give --replan to have an order searched";

/// Adds up steps: which operands and results are used already.
class Steps {
public:
    explicit Steps(std::size_t operands) : operands_(operands), used_(operands, false) {}

    std::size_t made() const { return used_.size(); }
    bool is_free(std::int64_t number) const {
        return number >= 0 && static_cast<std::size_t>(number) < used_.size() &&
               !used_[static_cast<std::size_t>(number)];
    }
    /// @param a, b  free and not the same  @return the number of what they make
    int pair(int a, int b) {
        used_[static_cast<std::size_t>(a)] = used_[static_cast<std::size_t>(b)] = true;
        used_.push_back(false);
        path_.emplace_back(a, b);
        return static_cast<int>(used_.size()) - 1;
    }
    std::optional<graph::Path> linear(Cursor const& at) const {
        auto const left = std::count(used_.begin(), used_.end(), false);
        if (left == 1) return graph::to_linear(path_, operands_);
        at.fail("an order until one of " + std::to_string(operands_) + " operands is left",
                std::to_string(left) + " left", replan);
        return std::nullopt;
    }

private:
    std::size_t operands_;
    std::vector<bool> used_;  // of operands, then of results
    graph::SsaPath path_;
};

void refuse_number(Cursor const& at, std::string const& found) {
    at.fail("the number of an operand or result that no step before it has used", found, replan);
}

/// Children of a node of a tree, or nothing.
Json const* children_of(Json const& node, TreeForm form) {
    if (form == TreeForm::lists) return node.is_array() ? &node : nullptr;
    auto const args = node.is_object() ? node.find("args") : node.end();
    return node.is_object() && args != node.end() && args->is_array() ? &*args : nullptr;
}

/// The number of an operand, from 0 on, or nothing.
std::optional<std::int64_t> leaf_of(Json const& node, TreeForm form) {
    bool const lists = form == TreeForm::lists;
    if (!lists && (!node.is_object() || !node.contains("tensorindex"))) return std::nullopt;
    Json const& number = lists ? node : node.at("tensorindex");
    if (!number.is_number_integer()) return std::nullopt;
    std::int64_t const value = number.get<std::int64_t>();
    return lists ? value : std::max<std::int64_t>(value, 0) - 1;
}

/// Walks a tree without recursion: a tree may be as deep as its text is long.
class TreeWalk {
public:
    TreeWalk(Cursor const& root, std::size_t operands, TreeForm form)
        : root_(root), operands_(operands), form_(form), steps_(operands) {}

    std::optional<graph::Path> path() {
        if (!enter(root_.value())) return std::nullopt;
        while (!open_.empty()) {
            Node& node = open_.back();
            if (node.next < node.children->size()) {
                if (!enter((*node.children)[node.next++])) return std::nullopt;
                continue;
            }
            int const made = *node.made;
            open_.pop_back();
            give(made);
        }
        return steps_.linear(root_);
    }

private:
    struct Node {
        Json const* children;
        std::size_t next = 0;
        std::optional<int> made = {};  // of the children so far
    };

    bool enter(Json const& node) {
        if (Json const* const children = children_of(node, form_); children != nullptr && !children->empty()) {
            open_.push_back({children});
            return true;
        }
        auto const number = leaf_of(node, form_);
        bool const known = number && *number >= 0 && static_cast<std::size_t>(*number) < operands_;
        if (!known || !taken_.emplace(*number).second) {
            fail(node);
            return false;
        }
        give(static_cast<int>(*number));
        return true;
    }

    /// What a child is or makes goes to the node that is open.
    void give(int number) {
        if (open_.empty()) return;
        std::optional<int>& made = open_.back().made;
        made = made ? steps_.pair(*made, number) : number;
    }

    void fail(Json const& found) const {
        std::string pointer = root_.pointer();
        for (Node const& node : open_)
            pointer += (form_ == TreeForm::omeinsum ? "/args/" : "/") + std::to_string(node.next - 1);
        Cursor const at(found, root_.faults(), pointer);
        refuse_number(at, brief(found));
    }

    Cursor const& root_;
    std::size_t operands_;
    TreeForm form_;
    Steps steps_;
    std::set<std::int64_t> taken_;  // leaves
    std::vector<Node> open_;
};

}  // namespace

std::optional<graph::Path> read_ssa_order(Cursor const& at, std::size_t operands) {
    if (!at.expect_list()) return std::nullopt;
    Steps steps(operands);
    std::vector<int> ours(operands);  // by the file's number
    for (std::size_t k = 0; k < operands; ++k) ours[k] = static_cast<int>(k);
    for (std::size_t k = 0; k < at.size(); ++k) {
        Cursor const step = at.at(k);
        if (!step.expect_list()) return std::nullopt;
        std::optional<int> made;
        for (std::size_t j = 0; j < step.size(); ++j) {
            auto const number = step.at(j).integer();
            if (!number) return std::nullopt;
            bool const known = *number >= 0 && static_cast<std::size_t>(*number) < ours.size();
            int const own = known ? ours[static_cast<std::size_t>(*number)] : -1;
            if (!known || !steps.is_free(own) || own == made) {
                refuse_number(step.at(j), std::to_string(*number));
                return std::nullopt;
            }
            made = made ? steps.pair(*made, own) : own;
        }
        if (!made) {
            step.fail("two numbers", "none", "write the path in pairs");
            return std::nullopt;
        }
        ours.push_back(*made);
    }
    return steps.linear(at);
}

std::optional<graph::Path> read_tree_order(Cursor const& at, std::size_t operands, TreeForm form) {
    return TreeWalk(at, operands, form).path();
}

}  // namespace ein::apps::tool
