#include "lib/scalar/expression/parse/parse.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/text/module_names.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/lex.hpp"
#include "lib/scalar/expression/parse/parse_faults.hpp"
#include "lib/scalar/expression/parse/resolve.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"

namespace ein::scalar {
namespace {

constexpr int most_nesting = 500;

/// Thrown at the first place where the text is no expression; unknown names do not stop the parser.
struct Stop {
    ParseFault fault;
};

constexpr int comparison_binds = static_cast<int>(Binds::comparison);
/// What a taken spelling may grow to where it is written out: its arguments come several times.
constexpr std::int64_t most_written_out = 100'000;

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
            result.expr = expression();
            if (now_.kind != TokenKind::end) unexpected(std::string(after_operand));
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
                throw Stop{too_large(parser.now_.where, std::to_string(most_nesting) + " nested operations")};
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
    bool at_word(std::string_view word) const { return now_.kind == TokenKind::name && now_.text == word; }
    static bool is_power(Token const& token) {
        return token.kind == TokenKind::symbol && (token.text == "^" || token.text == "**");
    }

    [[noreturn]] void unexpected(std::string expected) const {
        throw Stop{unexpected_token(now_, std::move(expected))};
    }

    void expect(std::string_view symbol, std::string const& expected) {
        if (!at(symbol)) unexpected(expected);
        advance();
    }

    Expr placed(Expr expr, std::size_t where) {
        places_.insert_or_assign(&expr.node(), where);
        return expr;
    }

    [[noreturn]] void too_deep(std::size_t where) const {
        throw Stop{too_large(where, std::to_string(most_depth_) + " operations upon one another")};
    }

    Expr build(Op op, std::vector<Expr> args, std::size_t where) {
        for (Expr const& arg : args)
            if (arg.node().depth >= most_depth_) too_deep(where);
        return placed(Expr::call(op, std::move(args)), where);
    }

    /// A choice, which binds loosest: Python's "a if c else b" or C's "c ? a : b".
    Expr expression() {
        Expr first = binary(1);
        std::size_t const where = now_.where;
        if (at_word("if")) {
            advance();
            Expr condition = binary(1);
            if (!at_word("else")) unexpected("'else'");
            advance();
            return build(Op::where, {std::move(condition), std::move(first), branch()}, where);
        }
        if (!at("?")) return first;
        advance();
        Expr yes = branch();
        expect(":", "':'");
        return build(Op::where, {std::move(first), std::move(yes), branch()}, where);
    }
    Expr branch() {
        Nested const nested(*this);
        return expression();
    }

    /// Operators that bind at least as tight as `least`, by precedence climbing.
    Expr binary(int least) {
        Expr left = at_negation() && least <= comparison_binds ? negation() : unary();
        for (;;) {
            auto const next = infix_of(now_);
            if (!next || next->binds < least) return left;
            if (next->binds == comparison_binds) {
                left = comparisons(std::move(left));
                continue;
            }
            std::size_t const where = now_.where;
            advance();
            Expr right = binary(next->binds + 1);
            left = build(next->op, {std::move(left), std::move(right)}, where);
        }
    }

    /// Python's "not", which binds looser than comparisons do.
    bool at_negation() const { return at_word("not") && resolve_name("not", names_).empty(); }
    Expr negation() {
        Nested const nested(*this);
        std::size_t const where = now_.where;
        advance();
        return build(Op::logical_not, {binary(comparison_binds)}, where);
    }

    /// "a < b", and chains as Python's: "a < b < c" is "a < b && b < c".
    Expr comparisons(Expr left) {
        Expr all;
        for (auto next = infix_of(now_); next && next->binds == comparison_binds; next = infix_of(now_)) {
            std::size_t const where = now_.where;
            advance();
            Expr right = binary(comparison_binds + 1);
            Expr one = build(next->op, {std::move(left), right}, where);
            all =
                all.empty() ? std::move(one) : written_out(build(Op::logical_and, {all, std::move(one)}, where), where);
            left = std::move(right);
        }
        return all;
    }

    /// Refuses what has grown too much because parts of it come several times.
    static Expr written_out(Expr expr, std::size_t where) {
        if (expr.node().written <= most_written_out) return expr;
        throw Stop{too_large(where, std::to_string(most_written_out) + " operations, written out")};
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
        bool const ends = !is_power(ahead_) && !(ahead_.kind == TokenKind::symbol && ahead_.text == ".");
        if (ends) {  // -2 is one number, but -2^x is -(2^x)
            if (Expr literal = literal_here(true); !literal.empty()) {
                advance();
                return placed(std::move(literal), where);
            }
        }
        return build(Op::neg, {unary()}, where);
    }

    /// x^y^z is x^(y^z), and the exponent may have a sign.
    Expr power() {
        Expr base = methods(primary());
        if (!is_power(now_)) return base;
        std::size_t const where = now_.where;
        advance();
        return build(Op::pow, {std::move(base), unary()}, where);
    }

    /// The number that stands here (a constant's name counts, unless an operand has that name); empty when none does.
    Expr literal_here(bool negative) const {
        if (now_.kind == TokenKind::number && !is_imaginary(now_.text)) return number_from(now_.text, negative);
        if (now_.kind != TokenKind::name || ambiguous_name(now_.text, now_.where, names_)) return {};
        auto const value = constant_value(now_.text);
        return value ? Expr::number(negative ? -*value : *value) : Expr{};
    }

    Expr primary() {
        if (at("(")) {
            advance();
            Expr inside = expression();
            expect(")", "')'");
            return inside;
        }
        Token const token = now_;
        if (token.kind == TokenKind::name && !(is_keyword(token.text) && resolve_name(token.text, names_).empty()))
            return name();
        if (token.kind == TokenKind::label) {
            advance();
            return known_or_placeholder(resolve_label(token.text, names_), token);
        }
        if (token.kind != TokenKind::number) unexpected("a number, name, function, [label] or '('");
        advance();
        return placed(number_from(token.text, false), token.where);
    }

    /// What stands behind an operand's '.': "x.real" and "x.clip(0, 1)" are functions of it.
    Expr methods(Expr operand) {
        while (at(".")) {
            advance();
            if (now_.kind != TokenKind::name) unexpected("a function after '.'");
            Token const function = now_;
            advance();
            if (at("(") && passed_aggregation(function, true)) continue;
            std::vector<Expr> args{std::move(operand)};
            if (at("(")) arguments(args);
            operand = applied(function, std::move(args));
        }
        return operand;
    }

    Expr name() {
        Token token = now_;
        advance();
        while (at(".") && ahead_.kind == TokenKind::name && is_module(token.text) &&
               resolve_name(token.text, names_).empty()) {
            advance();
            token = now_;
            advance();
        }
        if (at("(")) return token.text == "size" ? extent(token) : call(token);
        return known_or_placeholder(resolve_name(token.text, names_), token);
    }

    /// Notes an unknown name and goes on with a number in its place, so that all of them are reported at once.
    Expr known_or_placeholder(Expr known, Token const& token) {
        if (token.kind == TokenKind::name)
            if (auto fault = ambiguous_name(token.text, token.where, names_)) faults_.push_back(std::move(*fault));
        if (!known.empty()) return known;
        faults_.push_back(token.kind == TokenKind::label ? unknown_label(token.text, token.where, names_)
                                                         : unknown_name(token.text, token.where, names_));
        return Expr::integer(0);
    }

    /// size(label) or size([label]); a label may be any text, so it is no token.
    Expr extent(Token const& function) {
        LabelOfSize const found = label_of_size(text_, now_.where + 1);
        if (!found.end) throw Stop{{found.first, "a label and ')'", "the end", "close it: size(label)"}};
        lexer_.go_to(*found.end);
        advance();
        advance();
        expect(")", "')'");
        auto const known = resolve_extent(found.label, names_);
        if (known) return placed(Expr::integer(*known), function.where);
        faults_.push_back(unknown_extent(found.label, found.first, names_));
        return Expr::integer(0);
    }

    /// Notes the fault of an aggregation, and goes on behind it, whatever its arguments are.
    bool passed_aggregation(Token const& function, bool method) {
        auto const end = end_of_aggregation(text_, function, method);
        if (!end) return false;
        faults_.push_back(unknown_function(function.text, function.where));
        lexer_.go_to(*end);
        advance();
        advance();
        return true;
    }

    Expr call(Token const& function) {
        if (passed_aggregation(function, false)) return Expr::integer(0);
        std::vector<Expr> args;
        arguments(args);
        return applied(function, std::move(args));
    }

    Expr applied(Token const& function, std::vector<Expr> args) {
        if (auto const op = function_from_name(function.text)) return apply(*op, function, std::move(args));
        if (Expr const taken = taken_function(function.text, args.size()); !taken.empty())
            return substituted(taken, args, function.where);
        if (auto const meanings = two_meanings(function.text)) {
            faults_.push_back(ambiguous_spelling(*meanings, function.where));
            return Expr::integer(0);
        }
        if (auto const arities = taken_arities(function.text); !arities.empty())
            check_count(function, args.size(), arities.front(), arities.front());
        std::string_view const type = function.text.substr(function.text.starts_with("cast_") ? 5 : 0);
        if (auto const to = type.size() > 1 ? dtype_from_name(type) : std::nullopt) {
            check_count(function, args.size(), 1, 1);
            build(Op::neg, args, function.where);  // for its check of depth
            return placed(Expr::cast(*to, std::move(args.front())), function.where);
        }
        faults_.push_back(unknown_function(function.text, function.where));
        return Expr::integer(0);
    }

    /// A taken function as it is written out.
    Expr substituted(Expr const& meaning, std::vector<Expr> const& args, std::size_t where) {
        for (Expr const& arg : args)
            if (arg.node().depth + meaning.node().depth > most_depth_) too_deep(where);
        Expr out = written_out(substitute(meaning, args), where);
        place_parts(out, where);
        return placed(std::move(out), where);
    }

    /// What is below `expr` and has no place yet stands at `where`.
    void place_parts(Expr const& expr, std::size_t where) {
        for (Expr const& arg : expr.args())
            if (places_.try_emplace(&arg.node(), where).second) place_parts(arg, where);
    }

    Expr apply(Op op, Token const& function, std::vector<Expr> args) {
        bool const folds = op == Op::min || op == Op::max;
        auto const arity = static_cast<std::size_t>(info(op).arity);
        check_count(function, args.size(), arity, folds ? args.size() : arity);
        bool const extent = arity == 2 && args[1].node().integral && args[1].node().integer >= 0;
        if (op == Op::position && !extent) throw Stop{not_an_extent(function.where)};
        if (!folds) return build(op, std::move(args), function.where);
        Expr all = args.front();
        for (std::size_t k = 1; k < args.size(); ++k) all = build(op, {std::move(all), args[k]}, function.where);
        return all;
    }

    /// Adds what stands in parentheses.
    void arguments(std::vector<Expr>& args) {
        expect("(", "'('");
        if (!at(")")) {
            args.push_back(expression());
            while (at(",")) {
                advance();
                args.push_back(expression());
            }
        }
        expect(")", "',' or ')'");
    }

    static void check_count(Token const& function, std::size_t found, std::size_t least, std::size_t most) {
        if (auto fault = wrong_count(function, found, least, most)) throw Stop{std::move(*fault)};
    }

    /// After a fault of grammar: the names that would be faults of their own.
    void look_for_unknown_names() {
        for (; now_.kind != TokenKind::end; advance()) {
            bool const called = ahead_.kind == TokenKind::symbol && ahead_.text == "(";
            if (called && now_.text == "size")  // what it holds is a label
                while (ahead_.kind != TokenKind::end && !at(")")) advance();
            bool const part = at(".");  // a function follows
            if (part) advance();
            bool const of_module = ahead_.kind == TokenKind::symbol && ahead_.text == "." && is_module(now_.text);
            if (now_.where <= faults_.back().where || part || of_module || is_keyword(now_.text)) continue;
            if (now_.kind == TokenKind::name && !called && resolve_name(now_.text, names_).empty())
                faults_.push_back(unknown_name(now_.text, now_.where, names_));
            else if (now_.kind == TokenKind::label && resolve_label(now_.text, names_).empty())
                faults_.push_back(unknown_label(now_.text, now_.where, names_));
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
