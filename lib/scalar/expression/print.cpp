#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/parse/resolve.hpp"

namespace ein::scalar {
namespace {

Binds binds(Node const& node) {
    bool const negative = node.op == Op::number && std::signbit(node.value.real()) && !std::isnan(node.value.real());
    return negative ? Binds::unary : info(node.op).binds;
}

std::string shortest(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 32> buffer{};
    auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    bool const looks_integral = text.find_first_of(".e") == std::string::npos;
    return looks_integral ? text + ".0" : text;
}

class Printer {
public:
    explicit Printer(Names const& names) : names_(names) {}

    void print(Expr const& expr, Binds least) {
        bool const wrapped = binds(expr.node()) < least;
        if (wrapped) text_ += '(';
        bare(expr.node());
        if (wrapped) text_ += ')';
    }

    std::string take() { return std::move(text_); }

private:
    void bare(Node const& node) {
        switch (info(node.op).spelling) {
            case Spelling::leaf: return leaf(node);
            case Spelling::prefix: return prefix(node);
            case Spelling::infix: return node.op == Op::pow ? raised(node) : infix(node);
            case Spelling::function: return function(node);
        }
    }

    void leaf(Node const& node) {
        auto const slot = static_cast<std::size_t>(node.slot);
        if (node.op == Op::operand) text_ += operand_name(node.slot, names_.operands);
        if (node.op == Op::index) text_ += "[" + (slot < names_.labels.size() ? names_.labels[slot] : "?") + "]";
        if (node.op == Op::param) text_ += node.name;
        if (node.op == Op::number) text_ += number(node);
    }

    static std::string number(Node const& node) {
        if (is_large_integer(node)) return node.name;
        return node.integral ? std::to_string(node.integer) : shortest(node.value.real());
    }

    /// -(2) is a negation and -2 a number, so a literal behind a minus needs parentheses.
    void prefix(Node const& node) {
        Expr const& arg = node.args.front();
        bool const literal = node.op == Op::neg && arg.op() == Op::number && binds(arg.node()) == Binds::primary;
        text_ += info(node.op).name;
        if (literal) text_ += '(';
        print(arg, Binds::unary);
        if (literal) text_ += ')';
    }

    void raised(Node const& node) {
        print(node.args[0], Binds::primary);
        text_ += '^';
        print(node.args[1], Binds::unary);
    }

    void infix(Node const& node) {
        Binds const own = binds(node);
        auto const tighter = static_cast<Binds>(static_cast<int>(own) + 1);
        print(node.args[0], own == Binds::comparison ? tighter : own);  // comparisons do not chain
        bool const spaced = own != Binds::product;
        if (spaced) text_ += ' ';
        text_ += info(node.op).name;
        if (spaced) text_ += ' ';
        print(node.args[1], tighter);
    }

    void function(Node const& node) {
        text_ += info(node.op).name;
        if (node.op == Op::cast) text_ += "_" + std::string(name(node.cast_to));
        text_ += '(';
        arguments(node, node.op);
        text_ += ')';
    }

    /// min(min(a, b), c) prints as min(a, b, c).
    void arguments(Node const& node, Op op) {
        for (std::size_t k = 0; k < node.args.size(); ++k) {
            if (k > 0) text_ += ", ";
            Expr const& arg = node.args[k];
            bool const folds = k == 0 && (op == Op::min || op == Op::max) && arg.op() == op;
            if (folds)
                arguments(arg.node(), op);
            else
                print(arg, Binds::loose);
        }
    }

    Names const& names_;
    std::string text_;
};

}  // namespace

std::string print(Expr const& expr, Names const& names) {
    Printer printer(names);
    printer.print(expr, Binds::loose);
    return printer.take();
}

std::string with_caret(std::string_view text, std::size_t where) {
    constexpr std::size_t before = 60;
    constexpr std::size_t width = 120;
    auto const continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    where = std::min(where, text.size());
    std::size_t first = where > before && text.size() > width ? where - before : 0;
    while (first > 0 && continues(first)) --first;
    std::size_t last = std::min(text.size(), first + width);
    while (last < text.size() && continues(last)) ++last;
    std::string line = first > 0 ? "..." : "";
    std::size_t column = line.size();
    for (std::size_t at = first; at < last; ++at) {
        auto const byte = static_cast<unsigned char>(text[at]);
        line += byte < 0x20 || byte == 0x7f ? ' ' : text[at];
        if (at < where && !continues(at)) ++column;
    }
    if (last < text.size()) line += "...";
    return line + "\n" + std::string(column, ' ') + "^";
}

}  // namespace ein::scalar
