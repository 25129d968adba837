#include "lib/graph/read/einsum/join_mends.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "lib/base/text/letters.hpp"
#include "lib/graph/read/einsum/named_agg.hpp"
#include "lib/scalar/expression/parse/resolve.hpp"

namespace ein::graph {
namespace {

using scalar::FaultKind;
using scalar::ParseFault;
using Term = Subscripts::Term;

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// Where the bracket that opens at `open` is closed; the end where it is not.
std::size_t closing_bracket(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
        if (depth == 0) return at;
    }
    return text.size();
}

/// What commas part, outside of brackets.
std::vector<std::string_view> index_parts(std::string_view text) {
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at < text.size() && (text[at] == '(' || text[at] == '[')) at = closing_bracket(text, at);
        if (at < text.size() && text[at] != ',') continue;
        out.push_back(without_spaces(text.substr(std::min(begin, text.size()), std::min(at, text.size()) - begin)));
        begin = at + 1;
    }
    return out;
}

/// A join without spaces, names of modules and the axes that aggregations are given in NumPy.
std::string bare_join(std::string_view text) {
    std::string out;
    for (char const c : text)
        if (c != ' ' && c != '\t' && c != '\n') out += c;
    for (std::string_view const module : {"numpy.", "np.", "jnp.", "torch."})
        for (std::size_t at = out.find(module); at != out.npos; at = out.find(module, at))
            if (at == 0 || !is_word_character(out[at - 1]))
                out.erase(at, module.size());
            else
                ++at;
    for (std::string_view const key : {",axis=", ",dim=", ",keepdims=", ",keepdim="})
        for (std::size_t at = out.find(key); at != out.npos; at = out.find(key, at))
            out.erase(at, out.find_first_of(",)", at + 1) - at);
    return out;
}

/// Of "exp(A)...": A. Nothing for other texts. @param rest  what follows its ')'
std::optional<std::string> argument_of(std::string_view text, std::string_view function, std::string& rest) {
    if (!text.starts_with(function) || text.size() == function.size() || text[function.size()] != '(')
        return std::nullopt;
    std::size_t const end = closing_bracket(text, function.size());
    if (end == text.size()) return std::nullopt;
    rest = text.substr(end + 1);
    return std::string(text.substr(function.size() + 1, end - function.size() - 1));
}
std::optional<std::string> whole_argument_of(std::string_view text, std::string_view function) {
    std::string rest;
    auto found = argument_of(text, function, rest);
    return rest.empty() ? found : std::nullopt;
}

/// An op that is written out, and what it is of.
struct WholeOp {
    std::string op, of;
};

/// Before exp its greatest is taken off: the ops do that themselves.
std::string without_max(std::string text) {
    for (std::size_t at = text.find("-max("); at != text.npos; at = text.find("-max(", at + 1)) {
        std::string of = text.substr(0, at);
        if (text.substr(at) == "-max(" + of + ")") return of;
    }
    return text;
}

std::optional<WholeOp> softmax_of(std::string const& text) {
    std::string rest;
    auto const of = argument_of(text, "exp", rest);
    if (of && (rest == "/sum(exp(" + *of + "))" || rest == "/(sum(exp(" + *of + ")))"))
        return WholeOp{"softmax", without_max(*of)};
    auto const named = whole_argument_of(text, "softmax");
    return named ? std::optional(WholeOp{"softmax", *named}) : std::nullopt;
}

std::optional<WholeOp> whole_op(std::string const& text) {
    if (auto soft = softmax_of(text)) return soft;
    if (auto const of = whole_argument_of(text, "log"))
        if (auto soft = softmax_of(*of)) return WholeOp{"log_softmax", soft->of};
    if (auto const of = whole_argument_of(text, "log_softmax")) return WholeOp{"log_softmax", *of};
    if (auto const of = whole_argument_of(text, "log"))
        if (auto const sum = whole_argument_of(*of, "sum"))
            if (auto const each = whole_argument_of(*sum, "exp")) return WholeOp{"logsumexp", *each};
    for (std::string_view const less : {"-logsumexp(", "-log(sum(exp("})
        if (std::size_t const at = text.find(less); at != text.npos) {
            std::string const of = text.substr(0, at), ends = less == "-logsumexp(" ? ")" : ")))";
            if (text.substr(at) == std::string(less) + of + ends) return WholeOp{"log_softmax", without_max(of)};
        }
    for (std::string const power : {"^2", "**2"})
        for (std::string const begins : {"/sqrt(mean(", "*rsqrt(mean("})
            if (std::size_t const at = text.find(begins); at != text.npos)
                if (std::string const of = text.substr(0, at); text.substr(at).starts_with(begins + of + power + ")+"))
                    return WholeOp{"rms_norm", of};
    if (!text.starts_with('(')) return std::nullopt;
    std::size_t const end = closing_bracket(text, 0);
    std::string const deviation = text.substr(1, end - 1), scale = text.substr(std::min(text.size(), end + 1));
    std::size_t const mean = deviation.find("-mean(");
    if (mean == deviation.npos) return std::nullopt;
    std::string const of = deviation.substr(0, mean);
    bool const centred = deviation.substr(mean) == "-mean(" + of + ")";
    bool const scaled = scale == "/std(" + of + ")" || scale.starts_with("/(std(" + of + ")+") ||
                        scale.starts_with("/sqrt(var(" + of + ")+");
    return centred && scaled ? std::optional(WholeOp{"layer_norm", of}) : std::nullopt;
}

class Mends {
public:
    Mends(std::string_view text, scalar::Names const& names, JoinPlace const& place)
        : text_(text), names_(names), place_(place) {}

    /// "" where the parser's own words stay.
    std::string of_op() const {
        auto const whole = whole_op(bare_join(text_));
        auto const operand = whole ? operand_of(whole->of) : std::nullopt;
        if (!whole || open()) return "";
        std::string const input = operand ? place_.inputs[*operand] : place_.node + "_in";
        Term const& term = operand ? place_.subscripts.inputs[*operand] : place_.subscripts.output;
        if (term.empty()) return "";
        std::string out = "that is a whole op: write the node as {\"name\": \"" + place_.node + "\", \"op\": \"" +
                          whole->op + "\", \"inputs\": [\"" + input + "\"], " + axis_of(term);
        return operand ? out
                       : out + ", where '" + input + "' is a node with the \"einsum\" of this one and \"join\": \"" +
                             whole->of + "\"";
    }

    std::string of_aggregation(ParseFault const& fault) const {
        std::size_t const open_bracket = text_.find('(', fault.where);
        if (open_bracket == text_.npos || open()) return "";
        std::string const name(without_spaces(text_.substr(fault.where, open_bracket - fault.where)));
        std::size_t const end = closing_bracket(text_, open_bracket);
        std::string of = bare_join(text_.substr(open_bracket, end - open_bracket));
        of.erase(0, 1);
        std::string call(text_.substr(fault.where, end + 1 - fault.where));
        if (fault.where > 1 && text_[fault.where - 1] == '.') {  // x.sum()
            std::size_t begin = fault.where - 1;
            while (begin > 0 && is_word_character(text_[begin - 1])) --begin;
            std::string_view const before = text_.substr(begin, fault.where - 1 - begin);
            if (operand_of(before)) of = before;  // else a module: np.sum(x)
            call = text_.substr(begin, end + 1 - begin);
        }
        bool const is_whole = without_spaces(text_) == call;
        Term const& output = place_.subscripts.output;
        auto const operands = operands_in(of);
        if (operands.size() != 1) return "";
        Term const& term = place_.subscripts.inputs[operands[0]];
        bool const kept = std::ranges::all_of(
            term, [&](std::string const& label) { return std::ranges::find(output, label) != output.end(); });
        if (term.empty() || (is_whole && !kept)) return "";
        std::string const made = place_.node + "_" + name;
        std::string const node = node_of(name, of, operands[0], made);
        bool const keeps_all = name == "softmax" || name == "log_softmax";
        return node.empty()
                   ? ""
                   : "write a node of its own, " + node + read_too(keeps_all ? term : aggregated(term), made, call);
    }

    std::string of_index(ParseFault const& fault) const {
        std::size_t before = fault.where;
        while (before > 0 && text_[before - 1] == ' ') --before;
        std::size_t begin = before;
        while (begin > 0 && is_word_character(text_[begin - 1])) --begin;
        auto const operand = operand_of(text_.substr(begin, before - begin));
        if (!operand || open()) return "";
        std::size_t const end = closing_bracket(text_, fault.where);
        if (end == text_.size()) return "";
        std::vector<std::string_view> const parts = index_parts(text_.substr(fault.where + 1, end - fault.where - 1));
        for (std::size_t axis = 0; axis < parts.size(); ++axis) {
            std::string_view const part = without_spaces(parts[axis].substr(0, parts[axis].find('[')));
            if (is_label(part)) continue;
            if (auto const by = operand_of(part); by && *by != *operand)
                return looked_up(*operand, *by, parts.size() == 1 ? std::nullopt : std::optional(axis), fault.where,
                                 end + 1);
            if (is_beside(part)) return neighbour(*operand, axis);
        }
        return "";
    }

private:
    /// Whether axes have no numbers here.
    bool open() const {
        auto const has = [](Term const& term) { return std::ranges::find(term, ellipsis) != term.end(); };
        return std::ranges::any_of(place_.subscripts.inputs, has) || has(place_.subscripts.output) ||
               place_.subscripts.inputs.size() != place_.inputs.size();
    }

    std::optional<std::size_t> operand_of(std::string_view name) const {
        if (name.empty()) return std::nullopt;
        scalar::Expr const found = scalar::resolve_name(name, names_);
        if (found.empty() || found.op() != scalar::Op::operand) return std::nullopt;
        auto const slot = static_cast<std::size_t>(found.node().slot);
        return slot < place_.inputs.size() ? std::optional(slot) : std::nullopt;
    }
    bool is_label(std::string_view text) const { return !scalar::resolve_label(text, names_).empty(); }

    /// "c+1", "i - 1".
    bool is_beside(std::string_view text) const {
        std::size_t const sign = text.find_first_of("+-");
        return sign != text.npos && sign > 0 && is_label(without_spaces(text.substr(0, sign))) &&
               without_spaces(text.substr(sign + 1)).find_first_not_of("0123456789") == text.npos;
    }

    std::vector<std::size_t> operands_in(std::string_view text) const {
        std::vector<std::size_t> out;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_word_character(text[end])) ++end;
            auto const operand = operand_of(text.substr(at, end - at));
            if (operand && std::ranges::find(out, *operand) == out.end()) out.push_back(*operand);
            at = std::max(end, at + 1);
        }
        return out;
    }

    /// The axis that the join gives some aggregation, as NumPy's do.
    std::optional<std::size_t> written_axis(std::size_t order) const {
        std::string const text = without_blanks();
        for (std::string_view const key : {"axis=", "dim=", ".sum(", ".mean(", ".max(", ".min(", ".std(", ".var("}) {
            std::size_t const at = text.find(key);
            bool const given = at != text.npos && at + key.size() < text.size() &&
                               std::string_view("-0123456789").find(text[at + key.size()]) != text.npos;
            if (!given) continue;
            long const written = std::strtol(text.c_str() + at + key.size(), nullptr, 10);
            long const axis = written < 0 ? written + static_cast<long>(order) : written;
            if (axis >= 0 && axis < static_cast<long>(order)) return static_cast<std::size_t>(axis);
        }
        return std::nullopt;
    }
    std::size_t axis_in(Term const& term) const { return written_axis(term.size()).value_or(term.size() - 1); }
    /// The labels that are left.
    Term aggregated(Term term) const {
        term.erase(term.begin() + static_cast<std::ptrdiff_t>(axis_in(term)));
        return term;
    }
    std::string without_blanks() const {
        std::string out(text_);
        std::erase(out, ' ');
        return out;
    }

    /// '"axis": 1}: over 'j'; "axis": 0 is over 'i'': the last one first, which is meant most often.
    std::string axis_of(Term const& term) const {
        if (auto const axis = written_axis(term.size()))
            return "\"axis\": " + std::to_string(*axis) + "}: over '" + term[*axis] + "'";
        std::string out = "\"axis\": " + std::to_string(term.size() - 1) + "}: over '" + term.back() + "'";
        for (std::size_t k = 0; k + 1 < term.size(); ++k)
            out += std::string(k == 0 ? "; " : ", ") + "\"axis\": " + std::to_string(k) + " is over '" + term[k] + "'";
        return out;
    }

    std::string node_of(std::string const& name, std::string const& of, std::size_t operand,
                        std::string const& made) const {
        std::string const begins = "{\"name\": \"" + made + "\", ",
                          reads = "\"inputs\": [\"" + place_.inputs[operand] + "\"], ";
        Term const& term = place_.subscripts.inputs[operand];
        if (operand_of(of)) return begins + "\"op\": \"" + name + "\", " + reads + axis_of(term);
        auto const aggs = named_agg_names();
        if (std::ranges::find(aggs, name) == aggs.end()) return "";
        std::string const agg = name == "sum" ? "" : ", \"agg\": \"" + name + "\"";
        std::string const own = with_x(of, scalar::operand_name(static_cast<int>(operand), names_.operands));
        return begins + "\"einsum\": \"" + text_of({term}, aggregated(term)) + "\", " + reads + "\"join\": \"" + own +
               "\"" + agg + "}: over '" + term[axis_in(term)] +
               "'; leave out another label than it behind the arrow for another axis";
    }

    /// The only operand of a node of its own is x.
    static std::string with_x(std::string text, std::string const& operand) {
        for (std::size_t at = text.find(operand); at != text.npos; at = text.find(operand, at + 1)) {
            std::size_t const end = at + operand.size();
            bool const begins = at == 0 || !is_word_character(text[at - 1]);
            if (begins && (end == text.size() || !is_word_character(text[end]))) text.replace(at, operand.size(), "x");
        }
        return text;
    }

    /// How this node reads it. @param term  its labels
    std::string read_too(Term const& term, std::string const& made, std::string const& call) const {
        std::vector<Term> terms = place_.subscripts.inputs;
        terms.push_back(term);
        std::string const operand =
            scalar::operand_name(static_cast<int>(place_.inputs.size()), static_cast<int>(terms.size()));
        return "; then add \"" + made + "\" to \"inputs\", write \"einsum\": \"" +
               text_of(terms, place_.subscripts.output) + "\", and " + operand + " in place of " + call;
    }

    /// As letters or words.
    static std::string text_of(std::vector<Term> const& terms, Term const& output) {
        auto const is_letter = [](std::string const& label) { return label.size() == 1; };
        bool letters = std::ranges::all_of(output, is_letter);
        for (Term const& term : terms) letters = letters && std::ranges::all_of(term, is_letter);
        auto const written = [&](Term const& term) {
            std::string out;
            for (std::string const& label : term) out += (out.empty() || letters ? "" : " ") + label;
            return out;
        };
        std::string out;
        for (Term const& term : terms) out += (&term == terms.data() ? "" : letters ? "," : ", ") + written(term);
        return out + (letters ? "->" : " -> ") + written(output);
    }

    /// An operand at what another one says: a sum over the label in which one term counts, or a gather.
    std::string looked_up(std::size_t operand, std::size_t by, std::optional<std::size_t> axis, std::size_t begin,
                          std::size_t end) const {
        Term const &term = place_.subscripts.inputs[operand], &of = place_.subscripts.inputs[by];
        auto const in = [](Term const& labels, std::string const& label) {
            return std::ranges::find(labels, label) != labels.end();
        };
        std::vector<std::size_t> lone;  // axes that only the lookup can be along
        for (std::size_t k = 0; k < term.size(); ++k)
            if (!in(of, term[k]) && !in(place_.subscripts.output, term[k])) lone.push_back(k);
        if (axis && *axis >= term.size()) return "";
        std::size_t const along = axis ? *axis : lone.size() == 1 ? lone[0] : 0;
        std::string const mine = scalar::operand_name(static_cast<int>(operand), names_.operands),
                          other = scalar::operand_name(static_cast<int>(by), names_.operands);
        if (place_.sums && std::ranges::find(lone, along) != lone.end()) {
            std::string const value(std::string(text_.substr(0, begin)) + std::string(text_.substr(end)));
            return "operands have no index; what '" + place_.inputs[operand] + "' has at '" + place_.inputs[by] +
                   "' is the sum over '" + term[along] + "' of what counts in one place: write \"join\": \"where([" +
                   term[along] + "] == " + other + ", " + value + ", 0)\", with \"einsum\" as it stands";
        }
        return "operands have no index; take them in a node of its own, {\"op\": \"gather\", \"inputs\": [\"" +
               place_.inputs[operand] + "\", \"" + place_.inputs[by] + "\"], \"axis\": " + std::to_string(along) +
               "}, as numpy.take does, and read that in place of '" + place_.inputs[operand] +
               "'; or aggregate over '" + (term.empty() ? "" : term[along]) + "': a sum of where([" +
               (term.empty() ? "" : term[along]) + "] == " + other + ", " + mine + ", 0) has the same elements";
    }

    std::string neighbour(std::size_t operand, std::size_t axis) const {
        std::string slices;
        for (std::size_t k = 0; k < axis; ++k) slices += ":, ";
        return "operands have no index; for a neighbour slice the operand before, {\"op\": \"slice\", \"inputs\": [\"" +
               place_.inputs[operand] + "\"], \"slices\": \"" + slices +
               "1:\"}, and read both parts, of one length, under one label";
    }

    std::string_view text_;
    scalar::Names const& names_;
    JoinPlace const& place_;
};

}  // namespace

void mend_join(std::string_view text, scalar::Names const& names, JoinPlace const& place,
               std::vector<ParseFault>& faults) {
    auto const is_aggregation = [](ParseFault const& fault) { return fault.kind == FaultKind::aggregation; };
    Mends const mends(text, names, place);
    auto const first = std::ranges::find_if(faults, is_aggregation);
    if (first != faults.end())
        if (std::string const whole = mends.of_op(); !whole.empty()) {
            ParseFault fault = std::move(*first);
            fault.fix = whole;
            faults = {std::move(fault)};
            return;
        }
    if (std::ranges::any_of(faults, [](ParseFault const& fault) { return fault.kind == FaultKind::indexed; }))
        std::erase_if(faults, [&](ParseFault const& fault) {  // further indices, taken for labels
            bool const bracket = fault.kind == FaultKind::other && fault.where > 0 && text[fault.where] == '[';
            return bracket && (is_word_character(text[fault.where - 1]) || text[fault.where - 1] == ')');
        });
    for (ParseFault& fault : faults) {
        std::string const fix = is_aggregation(fault)              ? mends.of_aggregation(fault)
                                : fault.kind == FaultKind::indexed ? mends.of_index(fault)
                                                                   : "";
        if (!fix.empty()) fault.fix = fix;
    }
}

}  // namespace ein::graph
