#include "apps/eintool/qasm/read_circuit.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>

#include "apps/eintool/qasm/gate_table.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/counted.hpp"

namespace ein::apps::tool::qasm {
namespace {

constexpr std::size_t most_faults = 20;
constexpr std::size_t most_files = 100;
constexpr std::int64_t most_qubits = 100'000;

/// Qubits or bits: a whole register, or one of it.
struct Argument {
    Token name;
    std::int64_t first = 0, size = 1;
    bool whole = false;
};

class Reader {
public:
    Circuit read(std::string text, std::string const& file) {
        Tokens tokens = tokens_of(std::move(text), file);
        version(tokens);
        statements(tokens);
        if (faults_.empty() && circuit_.qubits == 0)
            faults_.push_back({file, "", "a register of qubits (qreg)", "none", "declare one, as qreg q[2];"});
        if (!faults_.empty()) throw InputError(std::move(faults_));
        return std::move(circuit_);
    }

private:
    Tokens tokens_of(std::string text, std::string const& file) {
        files_.push_back({file, std::move(text)});
        return {files_.back().text, files_.back().name};
    }

    /// A file of another version has other statements: nothing behind it is read.
    static void version(Tokens& tokens) {
        std::string const fix = "begin the file with OPENQASM 2.0;";
        tokens.expect("OPENQASM", fix);
        Token const number = tokens.take();
        bool const is_two = (number.kind == TokenKind::real || number.kind == TokenKind::integer) &&
                            (number.text == "2" || number.text.starts_with("2."));
        if (!is_two) refuse(number.place, "version 2.0", describe(number), "save the circuit as OpenQASM 2");
        tokens.expect(";");
    }

    void statements(Tokens& tokens) {
        while (!tokens.at_end() && faults_.size() < most_faults) {
            std::size_t const begin = tokens.taken();
            bool const declares = declares_something(tokens.peek());
            std::size_t const before = faults_.size();
            try {
                statement(tokens);
            } catch (InputError const& error) {
                faults_.insert(faults_.end(), error.faults().begin(), error.faults().end());
                tokens.skip_behind(";", begin);
            }
            if (declares && faults_.size() > before) return;
        }
    }

    /// What is declared wrongly would be missed by all that follows.
    static bool declares_something(Token const& token) {
        constexpr std::array<std::string_view, 5> words{"include", "qreg", "creg", "gate", "opaque"};
        return std::find(words.begin(), words.end(), token.text) != words.end();
    }

    void statement(Tokens& tokens) {
        if (tokens.is("include")) return include(tokens);
        if (tokens.is("qreg")) return declare(tokens, registers_, most_qubits);
        if (tokens.is("creg")) return declare(tokens, bits_, most_qubits);
        if (tokens.is("gate")) return definition(tokens);
        if (tokens.is("barrier")) return barrier(tokens);
        if (tokens.is("measure")) return measure(tokens);
        refuse_what_has_no_amplitude(tokens.peek());
        call(tokens);
    }

    static void refuse_what_has_no_amplitude(Token const& token) {
        auto refused = [&](std::string_view word, std::string const& why) {
            if (token.text == word && token.kind == TokenKind::name)
                refuse(token.place, "gates alone", describe(token), why);
        };
        refused("if", "what follows it depends on a measured bit, so that the circuit has no amplitude: remove it");
        refused("reset", "a reset qubit has no amplitude: remove it, or take another qubit instead");
        refused("opaque", "such a gate has no matrix: define it with gate, as gate name q { ... }");
    }

    void include(Tokens& tokens) {
        tokens.take();
        Token const name = tokens.expect(TokenKind::string, "a file's name in quotes", "as include \"qelib1.inc\";");
        tokens.expect(";");
        if (name.text == "qelib1.inc") return gates_.include_standard();
        if (files_.size() >= most_files)
            refuse(name.place, "at most " + std::to_string(most_files) + " included files", "more",
                   "a file may include itself: see that it does not");
        std::filesystem::path const file = std::filesystem::path(*name.place.file).parent_path() / name.text;
        std::error_code none;
        if (std::filesystem::path(name.text).is_absolute() || !std::filesystem::is_regular_file(file, none))
            refuse(name.place, "a file beside this one, or qelib1.inc", describe(name),
                   "put it there; only qelib1.inc is built in");
        Tokens inner = tokens_of(read_input_text(file), file.string());
        if (inner.is("OPENQASM")) version(inner);
        statements(inner);
    }

    using Registers = std::map<std::string, Register, std::less<>>;

    void declare(Tokens& tokens, Registers& into, std::int64_t most) {
        tokens.take();
        Token const name = tokens.name("a register's name");
        tokens.expect("[");
        Token const count = tokens.peek();
        std::int64_t const size = tokens.integer("a register's size", most);
        tokens.expect("]");
        tokens.expect(";");
        if (size < 1) refuse(count.place, "a size of at least 1", describe(count), "give it one, or remove it");
        std::string const text(name.text);
        if (registers_.contains(text) || bits_.contains(text))
            refuse(name.place, "a name that no register has", describe(name), "rename one of the two");
        bool const quantum = &into == &registers_;
        if (quantum && circuit_.qubits + size > most_qubits)
            refuse(count.place, "at most " + std::to_string(most_qubits) + " qubits in all", describe(count),
                   "take fewer");
        Register const made{text, quantum ? circuit_.qubits : 0, size};
        into.emplace(text, made);
        if (!quantum) return;
        circuit_.registers.push_back(made);
        circuit_.qubits += size;
        measured_.resize(static_cast<std::size_t>(circuit_.qubits));
    }

    // Definitions.

    void definition(Tokens& tokens) {
        tokens.take();
        Token const name = tokens.name("a gate's name");
        Gate gate{.name = std::string(name.text), .body = {}};
        std::vector<std::string> parameters, qubits;
        if (tokens.accept("(") && !tokens.accept(")")) {
            names(tokens, parameters, "a parameter's name");
            tokens.expect(")", "close the bracket");
        }
        names(tokens, qubits, "a qubit's name");
        gate.parameters = parameters.size(), gate.qubits = qubits.size();
        tokens.expect("{", "write the gates that it is made of in { }");
        while (!tokens.accept("}")) inner_statement(tokens, parameters, qubits, gate.body);
        gates_.define(std::move(gate), name);
    }

    static void names(Tokens& tokens, std::vector<std::string>& into, std::string const& what) {
        do {
            Token const name = tokens.name(what);
            if (std::find(into.begin(), into.end(), name.text) != into.end())
                refuse(name.place, "another name", describe(name) + " again", "rename one of the two");
            into.emplace_back(name.text);
        } while (tokens.accept(","));
    }

    void inner_statement(Tokens& tokens, std::vector<std::string> const& parameters,
                         std::vector<std::string> const& qubits, std::vector<GateCall>& body) {
        bool const only_barrier = tokens.is("barrier");
        Token const word = tokens.name("a gate, or }");
        GateCall made;
        if (!only_barrier) made = begin_call(tokens, word, parameters);
        std::vector<Token> given;
        do {
            Token const name = tokens.name("a qubit of the definition");
            auto const at = std::find(qubits.begin(), qubits.end(), name.text);
            if (at == qubits.end())
                refuse(name.place, one_of(qubits), describe(name), "a gate's definition knows its own qubits alone");
            made.qubits.push_back(at - qubits.begin());
            given.push_back(name);
        } while (tokens.accept(","));
        tokens.expect(";");
        if (only_barrier) return;
        check_arguments(*made.gate, word, given.size());
        check_distinct(made.qubits, given);
        body.push_back(std::move(made));
    }

    // Calls.

    /// A gate's name and its parameters.
    GateCall begin_call(Tokens& tokens, Token const& name, std::span<std::string const> known) {
        GateCall made{.gate = &gates_.find(name), .parameters = {}, .qubits = {}};
        if (made.gate->parameters > 0 && !tokens.is("("))
            refuse(tokens.peek().place,
                   "'(' and " + counted(made.gate->parameters, "parameter") + " of " + made.gate->name,
                   describe(tokens.peek()), "give as many as its definition has");
        if (tokens.accept("(") && !tokens.accept(")")) {
            do made.parameters.push_back(Angle::read(tokens, known));
            while (tokens.accept(","));
            tokens.expect(")", "close the bracket");
        }
        if (made.parameters.size() != made.gate->parameters)
            refuse(name.place, counted(made.gate->parameters, "parameter") + " of " + made.gate->name,
                   std::to_string(made.parameters.size()), "give as many as its definition has");
        return made;
    }

    static void check_arguments(Gate const& gate, Token const& name, std::size_t given) {
        if (given != gate.qubits)
            refuse(name.place, counted(gate.qubits, "qubit") + " of " + gate.name, std::to_string(given),
                   "give as many as its definition has");
    }

    static void check_distinct(std::vector<std::int64_t> const& qubits, std::vector<Token> const& names) {
        for (std::size_t k = 1; k < qubits.size(); ++k)
            if (std::find(qubits.begin(), qubits.begin() + static_cast<std::ptrdiff_t>(k), qubits[k]) !=
                qubits.begin() + static_cast<std::ptrdiff_t>(k))
                refuse(names[k].place, "another qubit", describe(names[k]) + " again",
                       "a gate acts on different qubits: name another one");
    }

    void call(Tokens& tokens) {
        Token const name = tokens.name("a statement");
        GateCall const made = begin_call(tokens, name, {});
        std::vector<Argument> arguments = argument_list(tokens, registers_, "a register of qubits");
        tokens.expect(";");
        check_arguments(*made.gate, name, arguments.size());
        std::int64_t const times = broadcast(arguments);
        for (Argument const& argument : arguments) check_not_measured(argument);
        calls_ += times * made.gate->calls;
        if (calls_ > most_calls)
            refuse(name.place, "at most " + std::to_string(most_calls) + " gates in all", "more",
                   "such a circuit is larger than anything can contract: make it smaller");
        for (std::int64_t k = 0; k < times; ++k) apply(made, arguments, k);
    }

    void apply(GateCall const& call, std::vector<Argument> const& arguments, std::int64_t round) {
        std::vector<Token> names;
        std::vector<std::int64_t> qubits;
        for (Argument const& argument : arguments) {
            qubits.push_back(argument.first + (argument.whole ? round : 0));
            names.push_back(argument.name);
        }
        check_distinct(qubits, names);
        expand(call, qubits, {}, circuit_.applications);
    }

    /// @return how often a gate is applied: as often as the registers have qubits, which must be of one size
    static std::int64_t broadcast(std::vector<Argument> const& arguments) {
        Argument const* first = nullptr;
        for (Argument const& argument : arguments) {
            if (!argument.whole) continue;
            if (first != nullptr && first->size != argument.size)
                refuse(argument.name.place, "registers of one size, " + std::to_string(first->size),
                       describe(argument.name) + " of " + std::to_string(argument.size),
                       "name the qubits, as " + std::string(argument.name.text) + "[0]");
            if (first == nullptr) first = &argument;
        }
        return first == nullptr ? 1 : first->size;
    }

    void check_not_measured(Argument const& argument) const {
        for (std::int64_t k = 0; k < argument.size; ++k)
            if (measured_[static_cast<std::size_t>(argument.first + k)])
                refuse(argument.name.place, "a qubit that is not measured before", describe(argument.name),
                       "amplitudes are those of a circuit whose measurements are its end: measure later");
    }

    std::vector<Argument> argument_list(Tokens& tokens, Registers const& among, std::string const& what) {
        std::vector<Argument> out;
        do out.push_back(argument(tokens, among, what));
        while (tokens.accept(","));
        return out;
    }

    Argument argument(Tokens& tokens, Registers const& among, std::string const& what) {
        Token const name = tokens.name(what);
        auto const at = among.find(name.text);
        if (at == among.end()) {
            std::vector<std::string> known;
            for (auto const& [each, unused] : among) known.push_back(each);
            refuse(name.place, known.empty() ? what + ", declared above" : one_of(known), describe(name),
                   "declare it above, or correct the name");
        }
        Register const& found = at->second;
        if (!tokens.accept("[")) return {name, found.first, found.size, true};
        Token const index = tokens.peek();
        std::int64_t const number = tokens.integer("an index", std::int64_t{1} << 40);
        tokens.expect("]");
        if (number >= found.size)
            refuse(index.place, "an index below " + std::to_string(found.size) + ", the size of " + found.name,
                   describe(index), "indices begin at 0");
        return {name, found.first + number, 1, false};
    }

    // What changes no amplitude.

    void barrier(Tokens& tokens) {
        tokens.take();
        if (!tokens.is(";")) argument_list(tokens, registers_, "a register of qubits");
        tokens.expect(";");
    }

    void measure(Tokens& tokens) {
        tokens.take();
        Argument const from = argument(tokens, registers_, "a register of qubits");
        tokens.expect("->");
        Argument const to = argument(tokens, bits_, "a register of bits (creg)");
        tokens.expect(";");
        if (from.whole != to.whole || from.size != to.size)
            refuse(to.name.place, counted(static_cast<std::size_t>(from.size), "bit"), std::to_string(to.size),
                   "measure a register into one of the same size, or a qubit into a bit");
        for (std::int64_t k = 0; k < from.size; ++k) measured_[static_cast<std::size_t>(from.first + k)] = true;
    }

    struct File {
        std::string name, text;
    };
    std::deque<File> files_;  // tokens point to them
    Registers registers_, bits_;
    std::vector<bool> measured_;  // of qubits
    GateTable gates_;
    Circuit circuit_;
    std::int64_t calls_ = 0;  // of gates, definitions in definitions too
    std::vector<Fault> faults_;
};

}  // namespace

Circuit read_circuit(std::string text, std::string const& file) { return Reader().read(std::move(text), file); }

Circuit read_circuit(std::string const& file) {
    refuse_other_kind(file, FileUse::circuit, "a circuit of OpenQASM");
    return read_circuit(read_text_file(file), file);
}

}  // namespace ein::apps::tool::qasm
