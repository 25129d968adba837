#include "lib/graph/read/einsum/bind_labels.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/base/limits.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

using Term = Subscripts::Term;

std::string place(std::size_t operand) { return "inputs/" + std::to_string(operand); }
bool is_open(Term const& term) { return std::find(term.begin(), term.end(), ellipsis) != term.end(); }

class Binding {
public:
    Binding(Subscripts const& subscripts, std::span<Value const* const> inputs, Cursor const& node)
        : subscripts_(subscripts), inputs_(inputs), node_(node), einsum_(node.at("einsum")) {}

    std::optional<BoundLabels> bind() {
        if (!check_count() || !check_orders()) return std::nullopt;
        std::size_t const open_axes = most_open_axes();
        if (open_axes > 0 && !is_open(subscripts_.output)) {
            einsum_.fail("'...' in the output too",
                         "an output without it, but '...' stands for " + std::to_string(open_axes) + " axes",
                         "write '...' in the output, or name these axes");
            return std::nullopt;
        }
        for (std::string const& name : subscripts_.order) label(name);
        for (std::size_t k = 0; k < inputs_.size(); ++k) axes_.push_back(labels_of_axes(k, open_axes));
        bound_.output = to_labels(subscripts_.output, open_axes, open_axes);
        if (!check_label_count()) return std::nullopt;
        find_extents();
        read_sizes();
        check_extents_known();
        if (failed_) return std::nullopt;
        squeeze();
        return std::move(bound_);
    }

private:
    struct Known {
        Extent extent = 1;
        std::size_t operand = 0;
        bool reported = false;  // a conflict of this label has been reported
        bool in_input = false;
        bool in_sizes = false;
    };

    bool check_count() {
        if (subscripts_.inputs.size() == inputs_.size()) return true;
        std::size_t const terms = subscripts_.inputs.size();
        node_.at("inputs").fail(
            std::to_string(terms) + (terms == 1 ? " input" : " inputs") + ", one for each term of \"einsum\"",
            std::to_string(inputs_.size()), count_fix());
        return false;
    }

    /// Whoever writes "ij jk -> ik" means two terms.
    std::string count_fix() const {
        std::string otherwise = "list an input for each term";
        if (!einsum_.value().is_string() || subscripts_.inputs.size() != 1) return otherwise;
        Term const& words = subscripts_.inputs.front();
        bool const letters = words.size() == inputs_.size() && std::ranges::all_of(words, is_letters);
        if (!letters || !std::ranges::all_of(subscripts_.output, is_letters)) return otherwise;
        std::string text, output;
        for (std::string const& word : words) text += (text.empty() ? "" : ",") + word;
        for (std::string const& word : subscripts_.output) output += word;
        bool const arrow = einsum_.value().get_ref<std::string const&>().find("->") != std::string::npos;
        return "separate terms by commas: \"" + text + (arrow ? "->" + output : "") + "\"";
    }
    static bool is_letters(std::string const& word) {
        return std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    }

    bool check_label_count() {
        std::size_t const found = bound_.labels.size();
        if (found <= static_cast<std::size_t>(most(Limit::labels))) return true;
        einsum_.fail(at_most(Limit::labels) + " labels", std::to_string(found),
                     "split the node, or " + how_to_allow(Limit::labels, found));
        return false;
    }

    bool check_orders() {
        bool good = true;
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            Term const& term = subscripts_.inputs[k];
            std::size_t const labels = term.size() - (is_open(term) ? 1 : 0);
            std::size_t const order = inputs_[k]->shape.size();
            if (is_open(term) ? labels <= order : labels == order) continue;
            good = false;
            std::string const axes = std::to_string(labels) + (labels == 1 ? " axis" : " axes");
            einsum_.fail((is_open(term) ? "a tensor of at least " : "a tensor of ") + axes + " for term " +
                             std::to_string(k + 1) + " " + quote(joined(term)),
                         quote(inputs_[k]->name) + " (" + place(k) + ") of shape " + to_string(inputs_[k]->shape),
                         order_fix(term, order) + split_fix(k));
        }
        return good;
    }

    static std::string joined(Term const& term) {
        bool const letters = std::all_of(
            term.begin(), term.end(), [](std::string const& label) { return label.size() == 1 || label == ellipsis; });
        std::string text;
        for (std::string const& label : term) text += (text.empty() || letters ? "" : " ") + label;
        return text;
    }

    /// Whoever wrote "seq d" for letters, or letters for a word, is shown how words are written.
    std::string order_fix(Term const& term, std::size_t order) const {
        bool const text = einsum_.value().is_string();
        bool const letters_meant = text && term.size() == 1 && term[0].size() == order && is_letters(term[0]);
        if (letters_meant) {
            std::string apart;
            for (char const c : term[0]) apart += (apart.empty() ? "" : " ") + std::string(1, c);
            return "a term has a space in it, so every label is a word: write " + quote(apart) +
                   ", or no spaces in terms";
        }
        bool const maybe_word = text && term.size() > 2 && !is_open(term);
        return std::string("write one label for each axis") +
               (maybe_word ? ", or, if " + quote(joined(term)) + " is one label, use lists: {\"in\": [[\"" +
                                 joined(term) + "\"]], ...}"
                           : "");
    }

    /// Where a term has one label more than its tensor, as heads that nobody split off.
    std::string split_fix(std::size_t k) const {
        Shape const& shape = inputs_[k]->shape;
        if (is_open(subscripts_.inputs[k]) || subscripts_.inputs[k].size() != shape.size() + 1 || shape.empty())
            return "";
        std::string extents;
        for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) extents += std::to_string(shape[axis]) + ", ";
        return "; to split an axis into two, as into heads, reshape before: {\"op\": \"reshape\", \"inputs\": [\"" +
               inputs_[k]->name + "\"], \"shape\": [" + extents + "N, -1]}";
    }

    std::size_t most_open_axes() const {
        std::size_t most = 0;
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            if (is_open(subscripts_.inputs[k]))
                most = std::max(most, inputs_[k]->shape.size() + 1 - subscripts_.inputs[k].size());
        return most;
    }

    int label(std::string const& name) {
        auto const [at, fresh] = number_.try_emplace(name, static_cast<int>(bound_.labels.size()));
        if (fresh) {
            bound_.labels.push_back(name);
            known_.emplace_back();
        }
        return at->second;
    }

    /// The last `mine` of the `open` axes that '...' stands for: they are aligned on the right.
    std::vector<int> to_labels(Term const& term, std::size_t mine, std::size_t open) {
        std::vector<int> labels;
        for (std::string const& name : term) {
            if (name != ellipsis)
                labels.push_back(label(name));
            else
                for (std::size_t k = open - mine; k < open; ++k) labels.push_back(label(ellipsis + std::to_string(k)));
        }
        return labels;
    }

    std::vector<int> labels_of_axes(std::size_t k, std::size_t open) {
        Term const& term = subscripts_.inputs[k];
        std::size_t const mine = is_open(term) ? inputs_[k]->shape.size() + 1 - term.size() : 0;
        return to_labels(term, mine, open);
    }

    Known& known(int label) { return known_[static_cast<std::size_t>(label)]; }
    std::string const& name(int label) const { return bound_.labels[static_cast<std::size_t>(label)]; }

    void find_extents() {
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            for (std::size_t axis = 0; axis < axes_[k].size(); ++axis) meet(axes_[k][axis], inputs_[k]->shape[axis], k);
    }

    void meet(int label, Extent extent, std::size_t operand) {
        Known& so_far = known(label);
        bool const fresh = !so_far.in_input || so_far.extent == 1;
        so_far.in_input = true;
        if (fresh) {
            so_far.extent = extent;
            so_far.operand = operand;
        } else if (extent != 1 && extent != so_far.extent && !so_far.reported) {
            so_far.reported = failed_ = true;
            tell_conflict(label, so_far, extent, operand);
        }
    }

    void tell_conflict(int label, Known const& first, Extent extent, std::size_t operand) {
        std::string const start = "label " + quote(name(label)) + " is " + std::to_string(first.extent);
        if (first.operand == operand) {
            einsum_.fail("one extent for each label",
                         start + " and " + std::to_string(extent) + " in " + quote(inputs_[operand]->name) + " (" +
                             place(operand) + ")",
                         "a diagonal needs axes of one length: rename the label or slice the tensor");
            return;
        }
        einsum_.fail("one extent for each label",
                     start + " in " + quote(inputs_[first.operand]->name) + " (" + place(first.operand) + ") but " +
                         std::to_string(extent) + " in " + quote(inputs_[operand]->name) + " (" + place(operand) + ")",
                     order_of_axes());
    }

    /// Where the axes of one input fit in another order, the subscripts for it.
    std::string order_of_axes() const {
        constexpr std::size_t most_told = 2;
        std::vector<std::string> fitting;
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            for (std::size_t a = 0; a < axes_[k].size(); ++a)
                for (std::size_t b = a + 1; b < axes_[k].size(); ++b)
                    if (fitting.size() <= most_told && !is_open(subscripts_.inputs[k]) && fits_with(k, a, b))
                        fitting.push_back(text_with(k, a, b) + ", since the axes of " + quote(inputs_[k]->name) +
                                          " fit that way round");
        if (fitting.empty()) return "rename the label, or correct a shape: no transpose of one input fits";
        if (fitting.size() > most_told) return "transpose one of them or rename the label";
        return "write " + joined_by_or(fitting);
    }
    static std::string joined_by_or(std::vector<std::string> const& texts) {
        std::string out;
        for (std::string const& text : texts) out += (out.empty() ? "" : ", or ") + text;
        return out;
    }

    /// Whether every label has one extent once two labels of an input are exchanged.
    bool fits_with(std::size_t operand, std::size_t a, std::size_t b) const {
        std::vector<Extent> extents(known_.size(), 1);
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            std::vector<int> labels = axes_[k];
            if (k == operand) std::swap(labels[a], labels[b]);
            for (std::size_t axis = 0; axis < labels.size(); ++axis) {
                Extent& known = extents[static_cast<std::size_t>(labels[axis])];
                Extent const extent = inputs_[k]->shape[axis];
                if (known != 1 && extent != 1 && known != extent) return false;
                known = std::max(known, extent);
            }
        }
        return true;
    }
    /// As it is written now: letters, words or lists.
    std::string text_with(std::size_t operand, std::size_t a, std::size_t b) const {
        std::vector<Term> terms = subscripts_.inputs;
        std::swap(terms[operand][a], terms[operand][b]);
        if (!einsum_.value().is_string()) return Json(terms[operand]).dump() + " in its place";
        return text_of(std::move(terms));
    }
    /// The einsum, a text, with other terms for its inputs.
    std::string text_of(std::vector<Term> terms) const {
        std::string const& written = einsum_.value().get_ref<std::string const&>();
        bool words = false;  // a space between labels, not beside ',' or '->'
        for (std::size_t at = written.find(' '); at != std::string::npos; at = written.find(' ', at + 1)) {
            std::size_t const next = written.find_first_not_of(' ', at);
            bool const inside = at > 0 && next != std::string::npos && written[at - 1] != ',' &&
                                written[at - 1] != '>' && written[at - 1] != ' ' && written[next] != ',' &&
                                written[next] != '-';
            words = words || inside;
        }
        terms.push_back(subscripts_.output);
        std::string out;
        for (std::size_t k = 0; k < terms.size(); ++k) {
            std::string term;
            for (std::string const& label : terms[k]) term += (term.empty() || !words ? "" : " ") + label;
            std::string const arrow = words ? " -> " : "->", comma = words ? ", " : ",";
            out += (k == 0 ? "" : k + 1 == terms.size() ? arrow : comma) + term;
        }
        return "\"" + out + "\"";
    }

    void read_sizes() {
        auto const sizes = optional_at(node_, "sizes");
        if (!sizes || !sizes->value().is_object()) return;  // another kind of value has been reported
        for (auto const& [key, unused] : sizes->value().items()) read_size(sizes->at(key), key);
    }

    void read_size(Cursor const& at, std::string const& label_name) {
        auto const found = number_.find(label_name);
        if (found == number_.end()) {
            at.fail("a label of this einsum", "the unknown label " + quote(label_name),
                    mend_name(label_name, bound_.labels, "remove it"));
            failed_ = true;
            return;
        }
        Known& so_far = known(found->second);
        so_far.in_sizes = true;
        Faults reported("");  // by the check of the node's keys
        auto const extent = Cursor(at.value(), reported).integer();
        if (!extent || *extent < 0) {
            failed_ = true;
            return;
        }
        if (so_far.in_input && so_far.extent != *extent && !so_far.reported) {
            at.fail(std::to_string(so_far.extent) + ", as in " + quote(inputs_[so_far.operand]->name) + " (" +
                        place(so_far.operand) + ")",
                    std::to_string(*extent), "correct it or remove it: only labels that no input has need a size");
            failed_ = true;
        }
        if (!so_far.in_input) so_far.extent = *extent;
    }

    void check_extents_known() {
        for (int label : bound_.output) {
            if (known(label).in_input || known(label).in_sizes) continue;
            einsum_.fail("an extent for the output's label " + quote(name(label)), "none: no input has it",
                         mend_lone_label(label));
            failed_ = true;
        }
        for (Known const& label : known_) bound_.extents.push_back(label.extent);
    }

    /// A size repeats the result; an axis that is split into two is reshaped before.
    std::string mend_lone_label(int lone) const {
        std::string repeats = "\"sizes\": {\"" + name(lone) + "\": N} repeats the result N times along it";
        auto const split = label_to_split();
        bool const text = einsum_.value().is_string();
        if (!split || !text || is_open(subscripts_.output)) return repeats + "; for another axis correct the label";
        std::vector<Term> terms = subscripts_.inputs;
        std::string reshapes;
        for (std::size_t k = 0; k < terms.size(); ++k) {
            auto const at = std::ranges::find(terms[k], name(*split));
            if (is_open(terms[k])) return repeats;
            if (at == terms[k].end()) continue;
            std::string shape;
            for (std::size_t axis = 0; axis < axes_[k].size(); ++axis)
                shape += (axis == 0 ? "" : ", ") +
                         (axes_[k][axis] == *split ? "N, -1" : std::to_string(inputs_[k]->shape[axis]));
            reshapes += (reshapes.empty() ? "{\"op\": \"reshape\", \"inputs\": [\""
                                          : ", and {\"op\": \"reshape\", \"inputs\": [\"") +
                        inputs_[k]->name + "\"], \"shape\": [" + shape + "]}";
            terms[k].insert(at, name(lone));
        }
        return repeats + "; to split " + quote(name(*split)) +
               " into N parts, as heads are, reshape before: " + reshapes + ", and write " + text_of(std::move(terms)) +
               "; else correct the label";
    }
    /// The last label that several inputs have and the result lacks, as one that heads are cut from; else the last one
    /// of the first input.
    std::optional<int> label_to_split() const {
        std::optional<int> found;
        for (std::size_t label = 0; label < bound_.labels.size(); ++label) {
            int const number = static_cast<int>(label);
            auto const has = [&](std::vector<int> const& axes) {
                return std::ranges::find(axes, number) != axes.end();
            };
            if (!has(bound_.output) && std::ranges::count_if(axes_, has) > 1) found = number;
        }
        if (!found && !axes_.empty() && !axes_[0].empty()) found = axes_[0].back();
        return found;
    }

    void squeeze() {
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            bound_.inputs.emplace_back();
            bound_.squeezed.emplace_back();
            for (std::size_t axis = 0; axis < axes_[k].size(); ++axis) {
                bool const broadcasts = inputs_[k]->shape[axis] != known(axes_[k][axis]).extent;
                if (broadcasts)
                    bound_.squeezed.back().push_back(axis);
                else
                    bound_.inputs.back().push_back(axes_[k][axis]);
            }
        }
    }

    Subscripts const& subscripts_;
    std::span<Value const* const> inputs_;
    Cursor const& node_;
    Cursor einsum_;
    BoundLabels bound_;
    std::vector<std::vector<int>> axes_;  // for each input the label of each axis
    std::unordered_map<std::string, int> number_;
    std::vector<Known> known_;
    bool failed_ = false;
};

}  // namespace

std::optional<BoundLabels> bind_labels(Subscripts const& subscripts, std::span<Value const* const> inputs,
                                       Cursor const& node) {
    return Binding(subscripts, inputs, node).bind();
}

}  // namespace ein::graph
