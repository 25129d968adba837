#include "lib/graph/read/einsum/subscripts.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "lib/graph/read/einsum/index_notation.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

using Term = Subscripts::Term;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// The terms of a string, not yet cut into labels.
struct Pieces {
    std::vector<std::string_view> inputs;
    std::optional<std::string_view> output;

    template <class Test>
    bool any(Test test) const {
        return std::any_of(inputs.begin(), inputs.end(), test) || (output && test(*output));
    }
};

std::optional<Pieces> cut(std::string_view text, Cursor const& at) {
    Pieces pieces;
    std::size_t const arrow = text.find("->");
    std::string_view left = text.substr(0, arrow);
    if (arrow != std::string_view::npos) pieces.output = trimmed(text.substr(arrow + 2));
    if (pieces.output &&
        (pieces.output->find("->") != std::string_view::npos || pieces.output->find(',') != std::string_view::npos)) {
        at.fail("one '->' and one output term after it", quote(text),
                "write the inputs, separated by commas, then '->', then the output");
        return std::nullopt;
    }
    for (std::size_t comma; (comma = left.find(',')) != std::string_view::npos; left.remove_prefix(comma + 1))
        pieces.inputs.push_back(trimmed(left.substr(0, comma)));
    pieces.inputs.push_back(trimmed(left));
    return pieces;
}

/// One term in one spelling, or what is wrong with it.
struct TermResult {
    Term term;
    std::string expected, found;  // when it is wrong
    std::string fix = {};         // where there is a better one than the usual
};

TermResult letters_of(std::string_view text) {
    TermResult result;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text.substr(k).starts_with(ellipsis)) {
            result.term.emplace_back(ellipsis);
            k += 2;
        } else if (is_letter(text[k])) {
            result.term.emplace_back(1, text[k]);
        } else {
            result.expected = "letters a to z and A to Z, or '...', as NumPy's einsum has them";
            result.found = quote(text);
            if (text.find("=>") != std::string_view::npos || text.find("→") != std::string_view::npos)
                result.fix = "write -> before the output: \"ij,jk->ik\"";
            else if (text.ends_with('-'))
                result.fix = "write -> and the output behind it; in a shell put it all in quotes: 'ij,jk->ik'";
            else if (text.find_first_of("*;|@&+ ") != std::string_view::npos)
                result.fix = "separate terms by commas: \"ij,jk->ik\"";
            return result;
        }
    }
    return result;
}

/// Whether a word or a list's string may be a label: it can be written as [label] in a join.
bool is_label(std::string_view word) {
    bool const odd = std::any_of(word.begin(), word.end(), [](char c) {
        return is_space(c) || c == ',' || c == '[' || c == ']' || static_cast<unsigned char>(c) < 32;
    });
    return !word.empty() && !odd && word.find("->") == std::string_view::npos &&
           word.find("..") == std::string_view::npos;
}

/// A word in parentheses to its end: "(h w)".
std::string text_from(std::string const& word, std::string_view rest) {
    return word + std::string(rest.substr(0, std::min(rest.find(')'), rest.size() - 1) + 1));
}

TermResult words_of(std::string_view text) {
    TermResult result;
    while (!(text = trimmed(text)).empty()) {
        auto const end = std::find_if(text.begin(), text.end(), is_space);
        std::string const word(text.begin(), end);
        text.remove_prefix(word.size());
        if (word.starts_with('(') && word.find(')') == std::string::npos) {
            result.expected = "one word for each axis";
            result.found = quote(text_from(word, text)) + ", axes that are merged or split as in einops";
            result.fix =
                "merge or split axes in a node of their own, as {\"name\": \"R\", \"op\": \"reshape\", \"inputs\": "
                "[\"X\"], "
                "\"shape\": [8, 4, -1]} with your extents, one of which may be -1";
            return result;
        }
        if (word != ellipsis && !is_label(word)) {
            result.expected = "words without ',', '[', ']' or '..' (or the word '...')";
            result.found = quote(word);
            return result;
        }
        result.term.push_back(word);
    }
    return result;
}

/// Whether terms have as many labels as the inputs have axes ('...' stands for any number).
bool fits_orders(std::vector<TermResult> const& terms, std::span<std::optional<std::size_t> const> orders) {
    if (terms.size() != orders.size()) return false;
    for (std::size_t k = 0; k < terms.size(); ++k) {
        auto const& term = terms[k].term;
        bool const open = std::find(term.begin(), term.end(), ellipsis) != term.end();
        std::size_t const labels = term.size() - (open ? 1 : 0);
        if (!terms[k].expected.empty() || (orders[k] && (open ? labels > *orders[k] : labels != *orders[k])))
            return false;
    }
    return true;
}

using Spelling = TermResult (*)(std::string_view);

std::vector<TermResult> inputs_in(Pieces const& pieces, Spelling spelling) {
    std::vector<TermResult> terms;
    for (std::string_view input : pieces.inputs) terms.push_back(spelling(input));
    return terms;
}

Spelling spelling_of(Pieces const& pieces, std::string_view text, std::span<std::optional<std::size_t> const> orders) {
    if (pieces.any([](std::string_view term) { return std::any_of(term.begin(), term.end(), is_space); }))
        return words_of;
    if (std::none_of(text.begin(), text.end(), is_space)) return letters_of;
    bool const only_words =
        !fits_orders(inputs_in(pieces, letters_of), orders) && fits_orders(inputs_in(pieces, words_of), orders);
    return only_words ? words_of : letters_of;
}

/// As NumPy sorts labels: numbers by their value, and before the others.
struct LabelOrder {
    static bool is_number(std::string const& label) {
        return std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    bool operator()(std::string const& a, std::string const& b) const {
        bool const numbers = is_number(a);
        if (numbers != is_number(b)) return numbers;
        if (numbers && a.size() != b.size()) return a.size() < b.size();
        return a < b;
    }
};

/// NumPy's implicit output: '...' first, then the labels that occur once, sorted.
Term implicit_output(std::vector<Term> const& inputs) {
    std::map<std::string, int, LabelOrder> occurrences;
    bool open = false;
    for (Term const& term : inputs) {
        for (std::string const& label : term) {
            if (label == ellipsis)
                open = true;
            else
                ++occurrences[label];
        }
    }
    Term output;
    if (open) output.emplace_back(ellipsis);
    for (auto const& [label, count] : occurrences)
        if (count == 1) output.push_back(label);
    return output;
}

bool check_term(Term const& term, Cursor const& at) {
    if (std::count(term.begin(), term.end(), ellipsis) <= 1) return true;
    at.fail("'...' at most once in a term", "it twice", "name the other axes");
    return false;
}

bool check_output(Term const& output, Cursor const& at) {
    std::unordered_set<std::string_view> seen;
    for (std::string const& label : output) {
        if (seen.insert(label).second) continue;
        at.fail("each label once in the output", quote(label) + " twice",
                "rename one of them (a diagonal can be read, not written)");
        return false;
    }
    return true;
}

bool check(Subscripts const& subscripts, Cursor const& at) {
    bool good = check_term(subscripts.output, at) && check_output(subscripts.output, at);
    for (Term const& term : subscripts.inputs) good = good && check_term(term, at);
    return good;
}

std::optional<Subscripts> from_text(std::string const& text, Cursor const& at,
                                    std::span<std::optional<std::size_t> const> orders) {
    if (std::string const letters = subscripts_of_indices(text); !letters.empty()) {
        at.fail("NumPy's subscripts", quote(text), "write \"" + letters + "\"");
        return std::nullopt;
    }
    auto const pieces = cut(text, at);
    if (!pieces) return std::nullopt;
    Spelling const spelling = spelling_of(*pieces, text, orders);
    Subscripts subscripts;
    auto take = [&](TermResult result) {
        if (!result.expected.empty())
            at.fail(result.expected, result.found,
                    result.fix.empty() ? "correct the term, or use lists: {\"in\": [[\"i\", \"j\"]], \"out\": [\"i\"]}"
                                       : result.fix);
        return result.expected.empty() ? std::optional(std::move(result.term)) : std::nullopt;
    };
    for (TermResult& result : inputs_in(*pieces, spelling)) {
        auto term = take(std::move(result));
        if (!term) return std::nullopt;
        subscripts.inputs.push_back(std::move(*term));
    }
    auto output = pieces->output ? take(spelling(*pieces->output)) : implicit_output(subscripts.inputs);
    if (!output) return std::nullopt;
    subscripts.output = std::move(*output);
    return subscripts;
}

/// A label of a list: a string or, as in NumPy's sublists, a number from 0.
std::optional<std::string> read_label(Cursor const& at) {
    if (at.value().is_array()) {  // of NumPy's einsum(A, [0, 1], ...), with names for arrays
        at.fail("a label: a string, or a number from 0", brief(at.value()),
                "write the labels of each input alone, as [[0, 1], [1, 2], [0, 2]], and name the inputs in \"inputs\"");
        return std::nullopt;
    }
    if (!at.value().is_number()) return at.string();
    auto const number = at.integer();
    if (number && *number >= 0) return std::to_string(*number);
    if (number) at.fail("a label: a string, or a number from 0", std::to_string(*number), "count labels from 0");
    return std::nullopt;
}

/// A term without brackets is one label where it is one letter; else it could be one label or several.
bool check_is_list(Cursor const& at) {
    if (!at.value().is_string()) return at.expect_list();
    std::string const text = at.value().get<std::string>();
    if (text.size() == 1) return true;
    std::string letters;
    for (char const c : text) letters += (letters.empty() ? "\"" : ", \"") + std::string(1, c) + "\"";
    bool const few = text.size() <= 8 && std::all_of(text.begin(), text.end(), is_letter);
    at.fail(
        "a list of labels", brief(at.value()),
        "write [" + brief(at.value()) + "] for one label, or [" + (few ? letters : "\"i\", \"j\"") + "] for several");
    return false;
}

std::optional<Term> read_term(Cursor const& list) {
    if (list.value().is_number()) {
        auto const label = read_label(list);
        return label ? std::optional(Term{*label}) : std::nullopt;
    }
    if (!check_is_list(list)) return std::nullopt;
    std::vector<Cursor> const entries = *one_or_more(list);
    Term term;
    for (Cursor const& at : entries) {
        auto const label = read_label(at);
        if (!label) return std::nullopt;
        if (*label != ellipsis && !is_label(*label)) {
            at.fail("a label without spaces, ',', '[', ']' or '..' (or \"...\")", quote(*label), "rename it");
            return std::nullopt;
        }
        term.push_back(*label);
    }
    return term;
}

/// "labels": every label of the terms once, in the order that they are to have.
bool read_order(Cursor const& at, Subscripts& subscripts) {
    auto const order = read_term(at);
    if (!order) return false;
    std::unordered_set<std::string_view> used, listed;
    auto const use = [&](Term const& term) { used.insert(term.begin(), term.end()); };
    for (Term const& term : subscripts.inputs) use(term);
    use(subscripts.output);
    for (std::string const& label : *order) {
        if (used.contains(label) && label != ellipsis && listed.insert(label).second) continue;
        at.fail("each label of the terms once", quote(label) + (listed.contains(label) ? " again" : ""), "remove it");
        return false;
    }
    if (listed.size() != used.size()) {
        at.fail("every label of the terms, and no '...' in them",
                std::to_string(listed.size()) + " of " + std::to_string(used.size()), "add the others");
        return false;
    }
    subscripts.order = *order;
    return true;
}

std::optional<Subscripts> from_lists(Cursor const& at) {
    at.only_keys({"in", "out", "labels"});
    auto const in = required(at, "in", "write the labels of each input: \"in\": [[\"i\", \"j\"], [\"j\", \"k\"]]");
    if (!in || !in->expect_list()) return std::nullopt;
    Subscripts subscripts;
    for (std::size_t k = 0; k < in->size(); ++k) {
        auto term = read_term(in->at(k));
        if (!term) return std::nullopt;
        subscripts.inputs.push_back(std::move(*term));
    }
    auto const out = optional_at(at, "out");
    auto output = out ? read_term(*out) : implicit_output(subscripts.inputs);
    if (!output) return std::nullopt;
    subscripts.output = std::move(*output);
    auto const order = optional_at(at, "labels");
    return !order || read_order(*order, subscripts) ? std::optional(std::move(subscripts)) : std::nullopt;
}

/// NumPy's sublists: one for each input, then the output's, or the implicit one.
std::optional<Subscripts> from_sublists(Cursor const& at, std::size_t inputs) {
    if (at.size() != inputs && at.size() != inputs + 1) {
        bool const interleaved = at.size() > 0 && at.at(std::size_t{0}).value().is_string();
        std::string const count = std::to_string(inputs);
        at.fail(
            count + (inputs == 1 ? " list" : " lists") + " of labels, one for each input, or one more for the output",
            std::to_string(at.size()),
            interleaved ? "name the tensors in \"inputs\" alone" : "write for example [[0, 1], [1, 2], [0, 2]]");
        return std::nullopt;
    }
    Subscripts subscripts;
    for (std::size_t k = 0; k < inputs; ++k) {
        auto term = read_term(at.at(k));
        if (!term) return std::nullopt;
        subscripts.inputs.push_back(std::move(*term));
    }
    auto output = at.size() > inputs ? read_term(at.at(inputs)) : implicit_output(subscripts.inputs);
    if (!output) return std::nullopt;
    subscripts.output = std::move(*output);
    return subscripts;
}

}  // namespace

std::optional<Subscripts> read_subscripts(Cursor const& einsum, std::span<std::optional<std::size_t> const> orders) {
    std::optional<Subscripts> subscripts;
    if (einsum.value().is_object()) {
        subscripts = from_lists(einsum);
    } else if (einsum.value().is_array()) {
        subscripts = from_sublists(einsum, orders.size());
    } else if (einsum.value().is_string()) {
        subscripts = from_text(einsum.value().get<std::string>(), einsum, orders);
    } else {
        einsum.fail("a string, {\"in\": ..., \"out\": ...} or a list of lists", brief(einsum.value()),
                    "write for example \"ij,jk->ik\"");
    }
    return subscripts && check(*subscripts, einsum) ? subscripts : std::nullopt;
}

}  // namespace ein::graph
