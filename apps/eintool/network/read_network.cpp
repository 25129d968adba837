#include "apps/eintool/network/read_network.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "apps/eintool/network/read_order.hpp"
#include "lib/base/dtype.hpp"
#include "lib/graph/read/einsum/read_path.hpp"

namespace ein::apps::tool {
namespace {

/// The characters of UTF-8 text, each as a string, but blanks.
NetworkLabels letters(std::string const& text) {
    NetworkLabels out;
    for (char c : text) {
        bool const continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80 && !out.empty();
        if (continues)
            out.back() += c;
        else if (c != ' ' && c != '\t' && c != '\n')
            out.emplace_back(1, c);
    }
    return out;
}

class NetworkReader {
public:
    NetworkReader(Json const& document, std::string const& file, NetworkOrder order)
        : faults_(file), root_(document, faults_), order_(order) {}

    Network read(std::string const& format) {
        if (root_.expect_object()) {
            if (format == "opt_einsum") read_opt_einsum();
            if (format == "cotengra") read_cotengra();
            if (format == "omeinsum") read_omeinsum();
        }
        faults_.throw_if_any();
        return std::move(network_);
    }

private:
    bool require(Cursor const& at, std::string const& key, std::string const& fix) {
        if (at.has(key)) return true;
        at.fail("the key \"" + key + "\"", "none", fix);
        return false;
    }

    // opt_einsum: labels are the characters of a text, extents stand beside it.

    void read_opt_einsum() {
        root_.only_keys({"einsum", "format_string", "shapes", "path", "paths", "dtype", "name", "num_tensors"});
        std::string const key = root_.has("format_string") ? "format_string" : "einsum";
        if (!require(root_, key, "give {\"einsum\", \"shapes\", \"path\"}") ||
            !require(root_, "shapes", "give {\"einsum\", \"shapes\", \"path\"}"))
            return;
        dtype();
        auto const text = root_.at(key).string();
        if (!text || !split(*text, root_.at(key)) || !read_shapes(root_.at("shapes")) || !check_output(root_.at(key)))
            return;
        if (root_.has("path"))
            linear(root_.at("path"));
        else if (root_.has("paths"))
            for (std::string const name : {"opt_flops", "opt_size"})
                if (!network_.path && root_.at("paths").has(name) && root_.at("paths").at(name).has("path"))
                    linear(root_.at("paths").at(name).at("path"));
    }

    bool split(std::string const& text, Cursor const& at) {
        std::size_t const arrow = text.find("->");
        std::string const terms = text.substr(0, arrow);
        std::string const output = arrow == std::string::npos ? "" : text.substr(arrow + 2);
        if (std::size_t const odd = output.find_first_of(",.>"), dot = terms.find_first_of(".>");
            odd != std::string::npos || dot != std::string::npos) {
            at.fail("terms of letters between ',' and at most one '->'",
                    std::string("a '") + (odd != std::string::npos ? output[odd] : terms[dot]) + "'",
                    "write out what '...' stands for, as opt_einsum's parser does");
            return false;
        }
        for (std::size_t begin = 0; begin <= terms.size();) {
            std::size_t const end = std::min(terms.find(',', begin), terms.size());
            network_.inputs.push_back(letters(terms.substr(begin, end - begin)));
            begin = end + 1;
        }
        network_.output = letters(output);
        if (arrow == std::string::npos) implicit_output();
        return true;
    }

    /// As NumPy has it: labels that come once, sorted.
    void implicit_output() {
        std::map<std::string, int> counts;
        for (NetworkLabels const& term : network_.inputs)
            for (std::string const& label : term) ++counts[label];
        for (auto const& [label, count] : counts)
            if (count == 1) network_.output.push_back(label);
    }

    bool read_shapes(Cursor const& at) {
        if (!at.expect_list()) return false;
        if (at.size() != network_.inputs.size()) {
            at.fail("the shapes of " + std::to_string(network_.inputs.size()) + " operands", std::to_string(at.size()),
                    "give one for each term");
            return false;
        }
        bool right = true;
        for (std::size_t k = 0; k < at.size(); ++k) right = read_shape(at.at(k), network_.inputs[k]) && right;
        return right;
    }

    bool read_shape(Cursor const& at, NetworkLabels const& labels) {
        if (!at.expect_list()) return false;
        if (at.size() != labels.size()) {
            at.fail(std::to_string(labels.size()) + " extents, one for each label of the operand",
                    std::to_string(at.size()), "correct the shape, or the term");
            return false;
        }
        Shape& shape = network_.shapes.emplace_back();
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            auto const extent = extent_at(at.at(axis));
            if (!extent) return false;
            shape.push_back(*extent);
            auto const [known, fresh] = extents_.try_emplace(labels[axis], *extent);
            if (fresh || known->second == *extent) continue;
            at.at(axis).fail(std::to_string(known->second) + ", the extent of label '" + labels[axis] + "' before",
                             std::to_string(*extent), "correct one of the two");
            return false;
        }
        return true;
    }

    static std::optional<Extent> extent_at(Cursor const& at) {
        auto const extent = at.integer();
        if (!extent || *extent >= 0) return extent;
        at.fail("an extent of at least 0", std::to_string(*extent), "correct it");
        return std::nullopt;
    }

    bool check_output(Cursor const& at) {
        std::set<std::string> seen;
        for (std::string const& label : network_.output) {
            bool const known = extents_.contains(label);
            if (known && seen.insert(label).second) continue;
            at.fail(known ? "each label once in the output" : "a label of an operand in the output",
                    "'" + label + "'" + (known ? " again" : ""), "correct the output");
            return false;
        }
        return true;
    }

    // cotengra and OMEinsum: labels are strings or numbers in lists, extents stand in a table.

    std::string label(Cursor const& at) {
        if (at.value().is_number_integer()) return std::to_string(at.value().get<std::int64_t>());
        return at.string().value_or("");
    }

    NetworkLabels label_list(Cursor const& at) {
        if (at.value().is_string()) return letters(at.value().get<std::string>());
        NetworkLabels out;
        if (at.expect_list())
            for (std::size_t k = 0; k < at.size(); ++k) out.push_back(label(at.at(k)));
        return out;
    }

    /// @return whether all belong together
    bool labels_and_sizes(Cursor const& inputs, Cursor const& output, Cursor const& sizes) {
        if (!inputs.expect_list() || !sizes.expect_object()) return false;
        if (inputs.size() == 0) inputs.fail("at least one operand", "none", "list the labels of each operand");
        for (auto const& [name, unused] : sizes.value().items())
            if (auto const extent = extent_at(sizes.at(name))) extents_.emplace(name, *extent);
        network_.output = label_list(output);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            network_.inputs.push_back(label_list(inputs.at(k)));
            Shape& shape = network_.shapes.emplace_back();
            for (std::string const& name : network_.inputs.back()) {
                auto const extent = extents_.find(name);
                if (extent != extents_.end())
                    shape.push_back(extent->second);
                else if (missing_.insert(name).second && !sizes.has(name))
                    sizes.fail("the size of label '" + name + "' (" + inputs.at(k).pointer() + ")", "none",
                               "give the size of each label");
            }
        }
        return faults_.empty() && output_is_of_inputs(output);
    }

    bool output_is_of_inputs(Cursor const& output) {
        std::set<std::string> used;
        for (NetworkLabels const& term : network_.inputs) used.insert(term.begin(), term.end());
        std::erase_if(extents_, [&](auto const& entry) { return !used.contains(entry.first); });
        return check_output(output);
    }

    void read_cotengra() {
        root_.only_keys(
            {"inputs", "output", "size_dict", "path", "ssa_path", "tree", "sliced", "sliced_inds", "dtype"});
        for (std::string const key : {"inputs", "output", "size_dict"})
            if (!require(root_, key, "give {\"inputs\", \"output\", \"size_dict\"}")) return;
        dtype();
        if (!labels_and_sizes(root_.at("inputs"), root_.at("output"), root_.at("size_dict"))) return;
        slices("sliced"), slices("sliced_inds");
        if (root_.has("path"))
            linear(root_.at("path"));
        else if (root_.has("ssa_path") && keeps_order())
            network_.path = read_ssa_order(root_.at("ssa_path"), network_.inputs.size());
        else if (root_.has("tree") && keeps_order())
            network_.path = read_tree_order(root_.at("tree"), network_.inputs.size(), TreeForm::lists);
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
        dtype();
        if (!labels_and_sizes(whole.at(in), whole.at(out), root_.at(size))) return;
        slices("slices");
        if (whole.has("tree") && keeps_order())
            network_.path = read_tree_order(whole.at("tree"), network_.inputs.size(), TreeForm::omeinsum);
    }

    // What all of them have.

    void dtype() {
        if (!root_.has("dtype")) return;
        auto const text = root_.at("dtype").string();
        if (text && !dtype_from_name(*text))
            root_.at("dtype").fail("a dtype such as f32, f64, c64 or complex128", "'" + *text + "'", mend_dtype(*text));
        network_.dtype = text.value_or("");
    }

    void slices(std::string const& key) {
        if (!root_.has(key) || !keeps_order()) return;
        NetworkLabels const labels = label_list(root_.at(key));
        for (std::string const& each : labels)
            if (!extents_.contains(each))
                root_.at(key).fail("labels of operands", "'" + each + "'", "correct it, or give --replan");
        network_.sliced.insert(network_.sliced.end(), labels.begin(), labels.end());
    }

    bool keeps_order() const { return order_ == NetworkOrder::kept; }

    void linear(Cursor const& at) {
        if (keeps_order()) network_.path = graph::read_path(at, network_.inputs.size());
    }

    Faults faults_;
    Cursor root_;
    NetworkOrder order_;
    Network network_;
    std::map<std::string, Extent> extents_;  // by label
    std::set<std::string> missing_;          // labels without one, told once
};

}  // namespace

Network read_network(Json const& document, std::string const& format, std::string const& file, NetworkOrder order) {
    return NetworkReader(document, file, order).read(format);
}

}  // namespace ein::apps::tool
