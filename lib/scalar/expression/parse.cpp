#include "lib/scalar/expression/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "lib/scalar/expression/lex.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/resolve.hpp"

namespace ein::scalar {
namespace {

constexpr int most_nesting = 500;

/// Thrown at the first place where the text is no expression; unknown names do not stop the parser.
struct Stop {
    ParseFault fault;
};

struct Infix {
    Op op;
    int binds;  // tighter is larger
};

std::optional<Infix> infix(std::string_view symbol) {
    auto const op = infix_from_symbol(symbol);  // ^ belongs to unary(): it binds tighter than a minus before it
    return op ? std::optional(Infix{*op, static_cast<int>(info(*op).binds)}) : std::nullopt;
}

constexpr int comparison_binds = static_cast<int>(Binds::comparison);

/// The value of a number's text, negated when asked (only then is 9223372036854775808 an integer).
Expr number_from(std::string_view text, bool negative) {
    std::uint64_t whole = 0;
    char const* const end = text.data() + text.size();
    auto const integer = std::from_chars(text.data(), end, whole);
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    bool const fits = integer.ec == std::errc{} && integer.ptr == end && whole <= limit + (negative ? 1 : 0);
    if (fits && !(negative && whole == 0)) {  // -0 stays the number -0.0
        return Expr::integer(static_cast<std::int64_t>(negative ? 0 - whole : whole));
    }
    double value = 0;
    auto const real = std::from_chars(text.data(), end, value);
    if (real.ec == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
    if (negative) value = -value;
    bool const digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    return digits && !fits ? Expr::large_integer((negative ? "-" : "") + std::string(text), value)
                           : Expr::number(value);
}

class Parser {
public:
    Parser(std::string_view text, Names const& names, int most_depth)
        : text_(text), lexer_(text), names_(names), most_depth_(most_depth) {
        advance();
        advance();
    }

    ParseResult run() {
        ParseResult result;
        try {
            result.expr = binary(1);
            if (now_.kind != TokenKind::end) unexpected("an operator or the end of the expression");
        } catch (Stop& stop) {
            faults_.push_back(std::move(stop.fault));
            look_for_unknown_names();
        }
        result.faults = std::move(faults_);
        if (!result.faults.empty()) result.expr = {};
        result.places = std::move(places_);
        return result;
    }

private:
    /// Counts how deep the parser's own calls are nested: one in unary() for every level.
    class Nested {
    public:
        explicit Nested(Parser& parser) : depth_(parser.nesting_) {
            if (++depth_ > most_nesting) {
                --depth_;
                throw Stop{{parser.now_.where, "at most " + std::to_string(most_nesting) + " nested operations", "more",
                            "split the expression into several nodes"}};
            }
        }
        ~Nested() { --depth_; }
        Nested(Nested const&) = delete;
        Nested& operator=(Nested const&) = delete;

    private:
        int& depth_;
    };

    void advance() {
        now_ = ahead_;
        ahead_ = lexer_.next();
    }

    bool at(std::string_view symbol) const { return now_.kind == TokenKind::symbol && now_.text == symbol; }

    [[noreturn]] void unexpected(std::string expected) const {
        std::string mend = "correct the expression";
        if (now_.text == "**") mend = "write ^ for a power";
        if (now_.text == "=") mend = "write == to compare";
        if (now_.text == "&") mend = "write && for 'and'";
        if (now_.text == "|") mend = "write || for 'or'";
        if (now_.text == "%") mend = "write mod(a, b)";
        if (now_.text == "?" || now_.text == ":") mend = "write where(condition, a, b)";
        if (now_.text == "[") mend = "close the label with ']'";
        if (now_.kind == TokenKind::end) mend = "complete the expression";
        if (now_.text == ")" && now_.kind == TokenKind::symbol) mend = "remove it or add what is missing before it";
        bool const value = now_.kind == TokenKind::number || now_.kind == TokenKind::name || at("(");
        if (value && expected.starts_with("an operator")) mend = "write * to multiply";
        std::string found = now_.kind == TokenKind::end ? "the end" : quoted_text(now_.text);
        if (now_.kind == TokenKind::label) found = "the label " + found;
        throw Stop{{now_.where, std::move(expected), std::move(found), std::move(mend)}};
    }

    void expect(std::string_view symbol, std::string const& expected) {
        if (!at(symbol)) unexpected(expected);
        advance();
    }

    Expr placed(Expr expr, std::size_t where) {
        places_.insert_or_assign(&expr.node(), where);
        return expr;
    }

    Expr build(Op op, std::vector<Expr> args, std::size_t where) {
        for (Expr const& arg : args) {
            if (arg.node().depth >= most_depth_) {
                throw Stop{{where, "at most " + std::to_string(most_depth_) + " operations upon one another", "more",
                            "split the expression into several nodes"}};
            }
        }
        return placed(Expr::call(op, std::move(args)), where);
    }

    /// Operators that bind at least as tight as `least`, by precedence climbing.
    Expr binary(int least) {
        Expr left = unary();
        for (;;) {
            auto const next = now_.kind == TokenKind::symbol ? infix(now_.text) : std::nullopt;
            if (!next || next->binds < least) return left;
            std::size_t const where = now_.where;
            advance();
            Expr right = binary(next->binds + 1);
            left = build(next->op, {std::move(left), std::move(right)}, where);
            if (next->binds == comparison_binds) refuse_chain();
        }
    }

    void refuse_chain() const {
        auto const next = now_.kind == TokenKind::symbol ? infix(now_.text) : std::nullopt;
        if (!next || next->binds != comparison_binds) return;
        throw Stop{{now_.where, "one comparison (they do not chain)", quoted_text(now_.text),
                    "join two with &&: a < b && b < c"}};
    }

    Expr unary() {
        Nested const nested(*this);
        std::size_t const where = now_.where;
        if (at("+")) {
            advance();
            return unary();
        }
        if (at("!")) {
            advance();
            return build(Op::logical_not, {unary()}, where);
        }
        if (!at("-")) return power();
        advance();
        bool const before_power = ahead_.kind == TokenKind::symbol && ahead_.text == "^";
        if (!before_power) {  // -2 is one number, but -2^x is -(2^x)
            if (Expr literal = literal_here(true); !literal.empty()) {
                advance();
                return placed(std::move(literal), where);
            }
        }
        return build(Op::neg, {unary()}, where);
    }

    /// x^y^z is x^(y^z), and the exponent may have a sign.
    Expr power() {
        Expr base = primary();
        if (!at("^")) return base;
        std::size_t const where = now_.where;
        advance();
        return build(Op::pow, {std::move(base), unary()}, where);
    }

    /// The number that stands here (a constant's name counts, unless an operand has that name); empty when none does.
    Expr literal_here(bool negative) const {
        if (now_.kind == TokenKind::number) return number_from(now_.text, negative);
        if (now_.kind != TokenKind::name) return {};
        auto const value = constant_value(now_.text);
        return value ? Expr::number(negative ? -*value : *value) : Expr{};
    }

    Expr primary() {
        if (at("(")) {
            advance();
            Expr inside = binary(1);
            expect(")", "')'");
            return inside;
        }
        Token const token = now_;
        if (token.kind == TokenKind::name) return name();
        if (token.kind == TokenKind::label) {
            advance();
            return known_or_placeholder(resolve_label(token.text, names_), token);
        }
        if (token.kind != TokenKind::number) unexpected("a number, name, function, [label] or '('");
        advance();
        return placed(number_from(token.text, false), token.where);
    }

    Expr name() {
        Token const token = now_;
        advance();
        if (at("(")) return token.text == "size" ? extent(token) : call(token);
        return known_or_placeholder(resolve_name(token.text, names_), token);
    }

    /// Notes an unknown name and goes on with a number in its place, so that all of them are reported at once.
    Expr known_or_placeholder(Expr known, Token const& token) {
        if (!known.empty()) return known;
        faults_.push_back(token.kind == TokenKind::label ? unknown_label(token.text, token.where, names_)
                                                         : unknown_name(token.text, token.where, names_));
        return Expr::integer(0);
    }

    /// size(label) or size([label]); a label may be any text, so it is no token.
    Expr extent(Token const& function) {
        std::size_t first = text_.find_first_not_of(" \t\n\r", now_.where + 1);
        bool const bracket = first < text_.size() && text_[first] == '[';
        first = bracket ? first + 1 : std::min(first, text_.size());
        std::size_t const last = text_.find(bracket ? ']' : ')', first);
        if (last == std::string_view::npos) throw Stop{{first, "a label and ')'", "the end", "close it: size(label)"}};
        std::string_view const label = text_.substr(first, last - first);
        lexer_.go_to(bracket ? last + 1 : last);
        advance();
        advance();
        expect(")", "')'");
        if (auto const known = resolve_extent(label, names_)) return placed(Expr::integer(*known), function.where);
        faults_.push_back(unknown_extent(label, first, names_));
        return Expr::integer(0);
    }

    Expr call(Token const& function) {
        std::vector<Expr> args = arguments();
        std::optional<DType> const to =
            function.text.starts_with("cast_") ? dtype_from_name(function.text.substr(5)) : std::nullopt;
        if (to) {
            check_count(function, args.size(), 1, 1);
            build(Op::neg, args, function.where);  // for its check of depth
            return placed(Expr::cast(*to, std::move(args.front())), function.where);
        }
        auto const op = function_from_name(function.text);
        if (!op) {
            faults_.push_back(unknown_function(function.text, function.where));
            return Expr::integer(0);
        }
        return apply(*op, function, std::move(args));
    }

    Expr apply(Op op, Token const& function, std::vector<Expr> args) {
        bool const folds = op == Op::min || op == Op::max;
        auto const arity = static_cast<std::size_t>(info(op).arity);
        check_count(function, args.size(), arity, folds ? args.size() : arity);
        bool const extent = arity == 2 && args[1].node().integral && args[1].node().integer >= 0;
        if (op == Op::position && !extent) {
            throw Stop{{function.where, "an extent (0, 1, ...) as second argument of position", "another expression",
                        "write the extent as a number"}};
        }
        if (!folds) return build(op, std::move(args), function.where);
        Expr all = args.front();
        for (std::size_t k = 1; k < args.size(); ++k) all = build(op, {std::move(all), args[k]}, function.where);
        return all;
    }

    std::vector<Expr> arguments() {
        std::vector<Expr> args;
        expect("(", "'('");
        if (!at(")")) {
            args.push_back(binary(1));
            while (at(",")) {
                advance();
                args.push_back(binary(1));
            }
        }
        expect(")", "',' or ')'");
        return args;
    }

    static void check_count(Token const& function, std::size_t found, std::size_t least, std::size_t most) {
        if (found >= least && found <= most) return;
        bool const open = found < least && (function.text == "min" || function.text == "max");
        std::string const wanted = (open ? "at least " : "") + std::to_string(least);
        throw Stop{{function.where,
                    wanted + (least == 1 ? " argument of " : " arguments of ") + quoted_text(function.text),
                    std::to_string(found), found < least ? "add what is missing" : "remove what is too much"}};
    }

    /// After a fault of grammar: the names that would be faults of their own.
    void look_for_unknown_names() {
        for (; now_.kind != TokenKind::end; advance()) {
            bool const called = ahead_.kind == TokenKind::symbol && ahead_.text == "(";
            if (called && now_.text == "size")  // what it holds is a label
                while (ahead_.kind != TokenKind::end && !at(")")) advance();
            if (now_.where <= faults_.back().where) continue;
            if (now_.kind == TokenKind::name && !called && resolve_name(now_.text, names_).empty()) {
                faults_.push_back(unknown_name(now_.text, now_.where, names_));
            } else if (now_.kind == TokenKind::label && resolve_label(now_.text, names_).empty()) {
                faults_.push_back(unknown_label(now_.text, now_.where, names_));
            }
        }
    }

    std::string_view text_;
    Lexer lexer_;
    Names const& names_;
    int most_depth_;
    Token now_;
    Token ahead_;
    std::vector<ParseFault> faults_;
    AddressGaps places_;
    int nesting_ = 0;
};

}  // namespace

ParseResult parse(std::string_view text, Names const& names, int most_depth) {
    return Parser(text, names, most_depth).run();
}

}  // namespace ein::scalar
