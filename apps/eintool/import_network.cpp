#include "apps/eintool/import_network.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "apps/command_line.hpp"
#include "apps/eintool/graph_text.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/contract/ssa_path.hpp"

namespace ein::apps::tool {
namespace {

using Labels = std::vector<std::string>;

struct Product {
    std::vector<Labels> inputs;
    Labels output;
    std::vector<Shape> shapes;
    OrderedJson path;  // linear; null: none
    std::string dtype;
};

/// The characters of UTF-8 text, each as a string.
Labels letters(std::string const& text) {
    Labels out;
    for (char c : text) {
        bool const continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80 && !out.empty();
        if (continues)
            out.back() += c;
        else if (c != ' ')
            out.emplace_back(1, c);
    }
    return out;
}

class NetworkReader {
public:
    NetworkReader(Json const& document, NetworkImport const& request)
        : request_(request), faults_(request.file), root_(document, faults_) {}

    Product read() {
        if (root_.expect_object()) {
            if (request_.format == "opt_einsum") read_opt_einsum();
            if (request_.format == "cotengra") read_cotengra();
            if (request_.format == "omeinsum") read_omeinsum();
        }
        faults_.throw_if_any();
        return std::move(product_);
    }

private:
    bool require(Cursor const& at, std::string const& key, std::string const& fix) {
        if (at.has(key)) return true;
        at.fail("the key \"" + key + "\"", "none", fix);
        return false;
    }

    void read_opt_einsum() {
        root_.only_keys({"einsum", "format_string", "shapes", "path", "paths", "dtype", "name", "num_tensors"});
        std::string const key = root_.has("format_string") ? "format_string" : "einsum";
        if (!require(root_, key, "give {\"einsum\", \"shapes\", \"path\"}") ||
            !require(root_, "shapes", "give {\"einsum\", \"shapes\", \"path\"}"))
            return;
        auto const text = root_.at(key).string();
        if (!text) return;
        split(*text);
        if (root_.at("shapes").expect_list()) read_shapes(root_.at("shapes"));
        if (root_.has("dtype")) product_.dtype = root_.at("dtype").string().value_or("");
        if (root_.has("path"))
            linear(root_.at("path"));
        else if (root_.has("paths"))
            for (std::string const name : {"opt_flops", "opt_size"})
                if (product_.path.is_null() && root_.at("paths").has(name) && root_.at("paths").at(name).has("path"))
                    linear(root_.at("paths").at(name).at("path"));
    }

    void split(std::string const& text) {
        std::size_t const arrow = text.find("->");
        std::string const terms = text.substr(0, arrow);
        for (std::size_t begin = 0; begin <= terms.size();) {
            std::size_t const end = std::min(terms.find(',', begin), terms.size());
            product_.inputs.push_back(letters(terms.substr(begin, end - begin)));
            begin = end + 1;
        }
        if (arrow != std::string::npos) {
            product_.output = letters(text.substr(arrow + 2));
            return;
        }
        std::map<std::string, int> counts;  // as NumPy has it: labels that come once, sorted
        for (Labels const& term : product_.inputs)
            for (std::string const& label : term) ++counts[label];
        for (auto const& [label, count] : counts)
            if (count == 1) product_.output.push_back(label);
    }

    void read_shapes(Cursor const& at) {
        for (std::size_t k = 0; k < at.size(); ++k) {
            Shape& shape = product_.shapes.emplace_back();
            if (!at.at(k).expect_list()) continue;
            for (std::size_t axis = 0; axis < at.at(k).size(); ++axis)
                if (auto const extent = at.at(k).at(axis).integer()) shape.push_back(*extent);
        }
    }

    std::string label(Cursor const& at) {
        if (at.value().is_number_integer()) return std::to_string(at.value().get<std::int64_t>());
        return at.string().value_or("");
    }

    Labels label_list(Cursor const& at) {
        if (at.value().is_string()) return letters(at.value().get<std::string>());
        Labels out;
        if (at.expect_list())
            for (std::size_t k = 0; k < at.size(); ++k) out.push_back(label(at.at(k)));
        return out;
    }

    void labels_and_sizes(Cursor const& inputs, Cursor const& output, Cursor const& sizes) {
        if (!inputs.expect_list() || !sizes.expect_object()) return;
        product_.output = label_list(output);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            product_.inputs.push_back(label_list(inputs.at(k)));
            Shape& shape = product_.shapes.emplace_back();
            for (std::string const& name : product_.inputs.back()) {
                if (!sizes.has(name))
                    sizes.fail("the size of label '" + name + "'", "none", "give the size of each label");
                else if (auto const extent = sizes.at(name).integer())
                    shape.push_back(*extent);
            }
        }
    }

    void read_cotengra() {
        root_.only_keys(
            {"inputs", "output", "size_dict", "path", "ssa_path", "tree", "sliced", "sliced_inds", "dtype"});
        for (std::string const key : {"inputs", "output", "size_dict"})
            if (!require(root_, key, "give {\"inputs\", \"output\", \"size_dict\"}")) return;
        labels_and_sizes(root_.at("inputs"), root_.at("output"), root_.at("size_dict"));
        if (root_.has("dtype")) product_.dtype = root_.at("dtype").string().value_or("");
        if (root_.has("path"))
            linear(root_.at("path"));
        else if (root_.has("ssa_path"))
            ssa(root_.at("ssa_path"));
        else if (root_.has("tree"))
            tree(root_.at("tree"));
    }

    void read_omeinsum() {
        root_.only_keys(
            {"einsum", "size", "sizes", "size_dict", "label-type", "inputs", "output", "tree", "slices", "dtype"});
        Cursor const whole = root_.has("einsum") ? root_.at("einsum") : root_;
        std::string const in = whole.has("ixs") ? "ixs" : "inputs", out = whole.has("iy") ? "iy" : "output";
        std::string const size = root_.has("size") ? "size" : root_.has("sizes") ? "sizes" : "size_dict";
        for (std::string const& key : {in, out})
            if (!require(whole, key, "give the code as OMEinsum's writejson does")) return;
        if (!require(root_, size, "add {\"size\": {LABEL: EXTENT}}: OMEinsum's file has no extents")) return;
        labels_and_sizes(whole.at(in), whole.at(out), root_.at(size));
        if (whole.has("tree")) nested(whole.at("tree"));
    }

    // Orders.

    void linear(Cursor const& at) {
        if (request_.replan || !at.expect_list()) return;
        product_.path = OrderedJson::parse(at.value().dump());
    }

    void ssa(Cursor const& at) {
        graph::SsaPath path;
        if (request_.replan || !at.expect_list()) return;
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (!at.at(k).expect_list()) continue;
            std::vector<int> group;
            for (std::size_t j = 0; j < at.at(k).size(); ++j)
                if (auto const number = at.at(k).at(j).integer()) group.push_back(static_cast<int>(*number));
            if (group.size() != 2)
                return at.at(k).fail("two numbers", std::to_string(group.size()),
                                     "write the path in pairs, or --replan");
            path.emplace_back(group[0], group[1]);
        }
        set_ssa(path, at);
    }

    /// Nested lists of operands' numbers.
    void tree(Cursor const& at) {
        graph::SsaPath path;
        if (request_.replan) return;
        walk(
            at, path, [](Cursor const& node) { return node.value().is_number() ? node.integer() : std::nullopt; },
            [](Cursor const& node) { return node; });
        set_ssa(path, at);
    }

    /// OMEinsum's: {"isleaf": true, "tensorindex": 3} or {"args": [...]}; indices begin at 1.
    void nested(Cursor const& at) {
        graph::SsaPath path;
        if (request_.replan) return;
        walk(
            at, path,
            [](Cursor const& node) -> std::optional<std::int64_t> {
                if (!node.has("tensorindex")) return std::nullopt;
                auto const index = node.at("tensorindex").integer();
                return index ? std::optional(*index - 1) : std::nullopt;
            },
            [](Cursor const& node) { return node.has("args") ? node.at("args") : node; });
        set_ssa(path, at);
    }

    /// @return the number of what the tree at a node makes, or -1
    template <class Leaf, class Children>
    int walk(Cursor const& at, graph::SsaPath& path, Leaf const& leaf, Children const& children) {
        if (auto const number = leaf(at)) return static_cast<int>(*number);
        Cursor const below = children(at);
        if (!below.expect_list() || below.size() == 0) return -1;
        int made = walk(below.at(std::size_t{0}), path, leaf, children);
        for (std::size_t k = 1; k < below.size(); ++k) {
            int const next = walk(below.at(k), path, leaf, children);
            path.emplace_back(made, next);
            made = static_cast<int>(product_.inputs.size() + path.size() - 1);
        }
        return made;
    }

    void set_ssa(graph::SsaPath const& path, Cursor const& at) {
        std::size_t const operands = product_.inputs.size();
        std::vector<bool> used(operands + path.size(), false);
        bool sound = path.size() + 1 == operands;
        for (std::size_t k = 0; sound && k < path.size(); ++k)
            for (int number : {path[k].first, path[k].second}) {
                sound = sound && number >= 0 && static_cast<std::size_t>(number) < operands + k;
                if (!sound || used[static_cast<std::size_t>(number)]) return bad_order(at, operands);
                used[static_cast<std::size_t>(number)] = true;
            }
        if (!sound) return bad_order(at, operands);
        product_.path = OrderedJson::array();
        for (auto const& [a, b] : graph::to_linear(path, operands)) product_.path.push_back({a, b});
    }

    static void bad_order(Cursor const& at, std::size_t operands) {
        at.fail("an order that contracts each of " + std::to_string(operands) + " operands and each result once",
                "another", "correct it, or give --replan to have one searched");
    }

    NetworkImport const& request_;
    Faults faults_;
    Cursor root_;
    Product product_;
};

}  // namespace

std::string import_network(NetworkImport const& request) {
    Json const document = parse_json(read_text_file(request.file), request.file);
    Product product = NetworkReader(document, request).read();
    std::string const dtype = !product.dtype.empty() ? product.dtype : request.dtype.empty() ? "f32" : request.dtype;
    GraphText g("einsum", dtype);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < product.shapes.size(); ++k) {
        names.push_back("T" + std::to_string(k));
        g.random(names.back(), product.shapes[k]);
    }
    OrderedJson more = OrderedJson::object();
    if (!product.path.is_null() && !request.replan) more["path"] = product.path;
    g.einsum("result", {{"in", product.inputs}, {"out", product.output}}, names, more);
    return g.text({"result"});
}

}  // namespace ein::apps::tool
