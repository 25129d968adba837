#include "apps/eintool/qasm/angle.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

namespace ein::apps::tool::qasm {

class Angle::Reader {
public:
    Reader(Tokens& tokens, std::span<std::string const> parameters) : tokens_(tokens), parameters_(parameters) {}

    std::vector<Part> all() {
        sum();
        return std::move(parts_);
    }

private:
    static constexpr int most_nested = 200;

    void sum() {
        product();
        while (tokens_.is("+") || tokens_.is("-")) {
            Step const step = tokens_.take().text == "+" ? Step::add : Step::subtract;
            product();
            parts_.push_back({step});
        }
    }

    void product() {
        sign();
        while (tokens_.is("*") || tokens_.is("/")) {
            Step const step = tokens_.take().text == "*" ? Step::multiply : Step::divide;
            sign();
            parts_.push_back({step});
        }
    }

    void sign() {
        bool negative = false;
        while (tokens_.is("+") || tokens_.is("-")) negative ^= tokens_.take().text == "-";
        power();
        if (negative) parts_.push_back({Step::negate});
    }

    void power() {
        atom();
        if (!tokens_.accept("^")) return;
        nested([&] { sign(); });
        parts_.push_back({Step::power});
    }

    void atom() {
        Token const token = tokens_.take();
        if (token.kind == TokenKind::integer || token.kind == TokenKind::real)
            number(token);
        else if (token.kind == TokenKind::name)
            named(token);
        else if (token.kind == TokenKind::symbol && token.text == "(") {
            nested([&] { sum(); });
            tokens_.expect(")", "close the bracket");
        } else {
            refuse(token.place, "a number, pi, a parameter or '('", describe(token), "write an expression of these");
        }
    }

    void number(Token const& token) {
        double value = 0;
        auto const [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (error != std::errc{}) refuse(token.place, "a number that f64 holds", describe(token), "use another one");
        parts_.push_back({Step::number, value});
    }

    void named(Token const& token) {
        static constexpr std::array<std::pair<std::string_view, Step>, 6> functions{{{"sin", Step::sin},
                                                                                     {"cos", Step::cos},
                                                                                     {"tan", Step::tan},
                                                                                     {"exp", Step::exp},
                                                                                     {"ln", Step::ln},
                                                                                     {"sqrt", Step::sqrt}}};
        auto const parameter = std::find(parameters_.begin(), parameters_.end(), token.text);
        if (parameter != parameters_.end())
            return parts_.push_back({Step::parameter, 0, static_cast<std::size_t>(parameter - parameters_.begin())});
        if (token.text == "pi") return parts_.push_back({Step::number, std::numbers::pi});
        for (auto const& [name, step] : functions)
            if (token.text == name) {
                tokens_.expect("(", "write the argument of " + std::string(name) + " in brackets");
                nested([&] { sum(); });
                tokens_.expect(")", "close the bracket");
                return parts_.push_back({step});
            }
        std::vector<std::string> known{"pi", "sin", "cos", "tan", "exp", "ln", "sqrt"};
        known.insert(known.begin(), parameters_.begin(), parameters_.end());
        refuse(token.place, one_of(known), describe(token), "parameters of a gate are named in its definition");
    }

    template <class Read>
    void nested(Read const& read) {
        if (++depth_ > most_nested)
            refuse(tokens_.peek().place, "at most " + std::to_string(most_nested) + " brackets and powers in another",
                   "more", "write the number itself");
        read();
        --depth_;
    }

    Tokens& tokens_;
    std::span<std::string const> parameters_;
    std::vector<Part> parts_;
    int depth_ = 0;
};

Angle Angle::read(Tokens& tokens, std::span<std::string const> parameters) {
    Angle angle;
    angle.place_ = tokens.peek().place;
    angle.parts_ = Reader(tokens, parameters).all();
    return angle;
}

double Angle::value(std::span<double const> parameters) const {
    std::vector<double> stack;
    auto both = [&](auto const& function) {
        double const right = stack.back();
        stack.pop_back();
        stack.back() = function(stack.back(), right);
    };
    auto one = [&](double (*function)(double)) { stack.back() = function(stack.back()); };
    for (Part const& part : parts_) switch (part.step) {
            case Step::number: stack.push_back(part.number); break;
            case Step::parameter: stack.push_back(parameters[part.parameter]); break;
            case Step::negate: stack.back() = -stack.back(); break;
            case Step::add: both([](double x, double y) { return x + y; }); break;
            case Step::subtract: both([](double x, double y) { return x - y; }); break;
            case Step::multiply: both([](double x, double y) { return x * y; }); break;
            case Step::divide: both([](double x, double y) { return x / y; }); break;
            case Step::power: both([](double x, double y) { return std::pow(x, y); }); break;
            case Step::sin: one(std::sin); break;
            case Step::cos: one(std::cos); break;
            case Step::tan: one(std::tan); break;
            case Step::exp: one(std::exp); break;
            case Step::ln: one(std::log); break;
            case Step::sqrt: one(std::sqrt); break;
        }
    if (!std::isfinite(stack.back()))
        refuse(place_, "a finite number", std::to_string(stack.back()),
               parameters.empty() ? "correct the expression" : "correct it, or the call of the gate that it is in");
    return stack.back();
}

}  // namespace ein::apps::tool::qasm
