// Circuits in OpenQASM 2: which gates on which qubits they become, their amplitudes, and every refusal with its place.
// Random circuits are compared with a state vector by scripts/conformance.sh.
#include <cmath>
#include <complex>
#include <numbers>

#include "apps/eintool/qasm/import_qasm.hpp"
#include "apps/eintool/qasm/read_circuit.hpp"
#include "lib/base/error.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;
using namespace ein::apps::tool;

namespace {

std::string const head = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\nqreg q[3];\nqreg r[2];\n";

/// "cx 0 1; rz(0.5) 2"
std::string gates(std::string const& body) {
    std::string out;
    for (qasm::Application const& each : qasm::read_circuit(head + body, "c.qasm").applications) {
        out += (out.empty() ? "" : "; ") + std::string(each.gate->name);
        for (double parameter : each.parameters) out += "(" + Json(std::round(parameter * 1e6) / 1e6).dump() + ")";
        for (std::int64_t qubit : each.qubits) out += " " + std::to_string(qubit);
    }
    return out;
}

std::vector<std::string> faults(std::string const& text) {
    try {
        qasm::read_circuit(text, "c.qasm");
    } catch (InputError const& error) {
        std::vector<std::string> out;
        for (Fault const& fault : error.faults()) out.push_back(fault.text());
        return out;
    }
    return {};
}

/// Behind `head`, whose four lines come before it.
void refused(std::string const& body, std::vector<std::string> const& beginnings) {
    CAPTURE(body);
    auto const found = faults(head + body);
    REQUIRE(found.size() == beginnings.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        CAPTURE(found[k], beginnings[k]);
        CHECK(found[k].starts_with("c.qasm: line " + beginnings[k]));
        CHECK(found[k].find("; ") != std::string::npos);  // how to mend it
    }
}

std::vector<std::complex<double>> amplitudes(std::string const& body, std::string const& bits, int ranks = 1) {
    auto const circuit = qasm::read_circuit(head + body, "c.qasm");
    std::string const text = qasm::network_of(circuit, {.file = "c.qasm", .amplitude = bits, .dtype = "c128"});
    test::WholeRun const run = test::whole_run(Json::parse(text), {.ranks = ranks});
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    tensor::HostTensor const& found = run.results.at("amplitude");
    std::vector<std::complex<double>> out(static_cast<std::size_t>(found.elements()));
    std::memcpy(out.data(), found.bytes().data(), found.bytes().size());
    return out;
}

void same(std::vector<std::complex<double>> const& found, std::vector<std::complex<double>> const& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        CAPTURE(k, found[k].real(), found[k].imag(), expected[k].real(), expected[k].imag());
        CHECK(std::abs(found[k] - expected[k]) < 1e-14);
    }
}

}  // namespace

TEST_CASE("gates are applied to qubits of registers, one or all", "[apps][qasm]") {
    CHECK(gates("") == "");
    CHECK(gates("h q[2]; cx q[0], r[1];") == "h 2; cx 0 4");
    CHECK(gates("h r;") == "h 3; h 4");
    CHECK(gates("cx r[1], q;") == "cx 4 0; cx 4 1; cx 4 2");
    CHECK(gates("qreg s[2]; cx r, s;") == "cx 3 5; cx 4 6");
    CHECK(gates("U(0,0,1) q[0]; CX q[0],q[1];") == "U(0.0)(0.0)(1.0) 0; CX 0 1");
    CHECK(gates("creg c[3]; barrier q, r[0]; barrier; measure q -> c; x r[0]; // x q;\n") == "x 3");
}

TEST_CASE("parameters are expressions", "[apps][qasm]") {
    CHECK(gates("rz(pi) q[0];") == "rz(3.141593) 0");
    CHECK(gates("rz(-2^2 + 3*-1 - 6/2/3) q[0];") == "rz(-8.0) 0");
    CHECK(gates("rz(2^3^2) q[0];") == "rz(512.0) 0");
    CHECK(gates("rz(2^-1*(1+.5e1)) q[0];") == "rz(3.0) 0");
    CHECK(gates("rz(cos(0)+sin(0)+sqrt(4)+ln(exp(1))+tan(0)) q[0];") == "rz(4.0) 0");
}

TEST_CASE("definitions are expanded, with parameters and qubits of their own", "[apps][qasm]") {
    std::string const inner = "gate inner(x, y) a, b { rx(x/y) b; barrier a, b; cx b, a; }\n";
    CHECK(gates(inner + "gate outer(t) a, b, c { inner(t, 2) c, a; inner(-t, 1) a, b; }\nouter(3) r[0], r[1], q[1];") ==
          "rx(1.5) 3; cx 3 1; rx(-3.0) 4; cx 4 3");
    CHECK(gates(inner + "inner(1, 1) q[0], r;") == "rx(1.0) 3; cx 3 0; rx(1.0) 4; cx 4 0");
    CHECK(gates("gate nothing a { }\nnothing q; x q[0];") == "x 0");
    CHECK(gates("gate before a { h a; }\ngate h a { x a; }\nh q[0]; before q[1];") ==
          "x 0; h 1");  // a file's own is meant
    CHECK(qasm::read_circuit("OPENQASM 2.0;\nqreg q[1];\ngate rz(phi) a { U(0,0,phi) a; }\nrz(1) q;", "c")
              .applications.size() == 1);
}

TEST_CASE("other files lie beside the one that includes them", "[apps][qasm]") {
    TemporaryFolder const folder;
    folder.write("main.qasm", "OPENQASM 2.0;\ninclude \"gates/mine.inc\";\nqreg q[2];\nflip q[0];\n");
    std::filesystem::create_directories(folder.path() / "gates");
    folder.write("gates/mine.inc", "include \"more.inc\";\ngate flip a { turn(pi) a; }\n");
    folder.write("gates/more.inc", "OPENQASM 2.0;\ninclude \"qelib1.inc\";\ngate turn(t) a { rx(t) a; }\n");
    CHECK(qasm::read_circuit(folder.file("main.qasm")).applications.size() == 1);
    auto all = [&] {
        try {
            qasm::read_circuit(folder.file("main.qasm"));
        } catch (InputError const& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    folder.write("gates/more.inc", "gate turn(t) a {\n rx(t) a; }\n");
    CHECK(
        all().starts_with(folder.file("gates/more.inc") + ": line 2, column 2: expected a gate that is defined above"));
    folder.write("gates/more.inc", "include \"more.inc\";");
    CHECK(all().find("expected at most 100 included files") != std::string::npos);
    folder.write("main.qasm", "OPENQASM 2.0;\ninclude \"none.inc\";\n");
    CHECK(all().find("line 2, column 9: expected a file beside this one, or qelib1.inc, found 'none.inc'") !=
          std::string::npos);
    folder.write("main.qasm", "OPENQASM 2.0;\ninclude \"/etc/passwd\";\n");
    CHECK(all().find("line 2, column 9: expected a file beside this one") != std::string::npos);
    CHECK_THROWS_AS(qasm::read_circuit(folder.file("nothing.qasm")), InputError);
}

TEST_CASE("amplitudes of small circuits", "[apps][qasm]") {
    double const r = std::sqrt(0.5);
    std::complex<double> const i{0, 1};
    int const ranks = GENERATE(1, 3);
    same(amplitudes("", "00000", ranks), {1});
    same(amplitudes("x q[1];", "01000", ranks), {1});
    same(amplitudes("x q[1];", "00000", ranks), {0});
    same(amplitudes("h q[0]; cx q[0],q[1]; cx q[1],q[2];", "___00", ranks), {r, 0, 0, 0, 0, 0, 0, r});
    same(amplitudes("h q; h r;", "10110", ranks), {std::pow(r, 5)});
    same(amplitudes("h q[0]; s q[0]; swap q[0], r[1];", "0000_", ranks), {r, i * r});
    same(amplitudes("x q[0]; x q[1]; ccx q[0],q[1],r[0]; z r[0];", "1101_", ranks), {-1, 0});
    same(amplitudes("ry(pi/3) q[0];", "_0000", ranks), {std::cos(std::numbers::pi / 6), 0.5});
}

TEST_CASE("a tensor has one label where its gate is diagonal, and equal gates are one tensor", "[apps][qasm]") {
    auto const circuit = qasm::read_circuit(
        "OPENQASM 2.0;include \"qelib1.inc\";qreg q[2];cx q[0],q[1];t q[1];cz q[1],q[0];id q;cx q[1],q[0];", "c.qasm");
    Json const graph = Json::parse(qasm::network_of(circuit, {.file = "c.qasm", .amplitude = "1_", .dtype = ""}));
    Json const& node = graph["nodes"][0];
    CHECK(node["inputs"] == Json{"zero", "zero", "cx", "t", "cz", "cx", "one"});
    CHECK(node["einsum"]["in"] == Json{{"q.0.0"},
                                       {"q.1.0"},
                                       {"q.0.0", "q.1.1", "q.1.0"},
                                       {"q.1.1"},
                                       {"q.1.1", "q.0.0"},
                                       {"q.1.1", "q.0.1", "q.0.0"},
                                       {"q.0.1"}});
    CHECK(node["einsum"]["out"] == Json{"q.1.1"});
    CHECK(graph["tensors"].size() == 5);
    CHECK(graph["dtype"] == "c64");
}

TEST_CASE("bits that do not fit the circuit are refused", "[apps][qasm]") {
    auto const circuit = qasm::read_circuit(head, "c.qasm");
    auto refusal = [&](std::string const& bits, std::string const& dtype = "") {
        try {
            qasm::network_of(circuit, {.file = "c.qasm", .amplitude = bits, .dtype = dtype});
        } catch (UsageError const& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK(refusal("0101") ==
          "import qasm --amplitude: expected 5 bits, one for each qubit (q[0] to q[2], r[0] to r[1]), "
          "found 4");
    CHECK(refusal("01012") == "import qasm --amplitude: expected 0, 1 or _ (open) for each qubit, found '2' as bit 5");
    CHECK(refusal("00000", "f32").starts_with("import qasm --dtype: expected c64 or c128, found 'f32'"));
}

TEST_CASE("what has no amplitude is refused with its reason", "[apps][qasm]") {
    refused("creg c[3];\nif (c == 1) x q[0];",
            {"6, column 1: expected gates alone, found 'if'; what follows it depends"});
    refused("x q[0];\n  reset q[0];", {"6, column 3: expected gates alone, found 'reset'; a reset qubit"});
    refused("opaque magic q;", {"5, column 1: expected gates alone, found 'opaque'; such a gate has no matrix"});
    refused("creg c[3];\nmeasure q -> c;\nh q[1];", {"7, column 3: expected a qubit that is not measured before"});
}

TEST_CASE("every fault has line, column, what was expected, what was found and a mend", "[apps][qasm]") {
    refused("h q[3];", {"5, column 5: expected an index below 3, the size of q, found '3'"});
    refused("h s;", {"5, column 3: expected q or r, found 's'"});
    refused("hh q;", {"5, column 1: expected a gate that is defined above, found 'hh'; did you mean \"h\"?"});
    refused("cx q[0];", {"5, column 1: expected 2 qubits of cx, found 1"});
    refused("rz q[0];", {"5, column 4: expected '(' and 1 parameter of rz, found 'q'"});
    refused("rz(1, 2) q[0];", {"5, column 1: expected 1 parameter of rz, found 2"});
    refused("cx q[0], q[0];", {"5, column 10: expected another qubit, found 'q' again"});
    refused("cx q, q[1];", {"5, column 7: expected another qubit"});
    refused("cx q, r;", {"5, column 7: expected registers of one size, 3, found 'r' of 2"});
    refused("rz(1/0) q;", {"5, column 4: expected a finite number, found inf"});
    refused("rz(ln(-1)) q;", {"5, column 4: expected a finite number"});
    refused("rz(1e999) q;", {"5, column 4: expected a number that f64 holds"});
    refused("rz(theta) q;", {"5, column 4: expected pi, sin, cos, tan, exp, ln or sqrt, found 'theta'"});
    refused("rz(1+) q;", {"5, column 6: expected a number, pi, a parameter or '(', found ')'"});
    refused("rz((1 q;", {"5, column 7: expected ')', found 'q'"});
    refused("rz(sin 1) q;", {"5, column 8: expected '(', found '1'"});
    refused("rz(" + std::string(300, '(') + "1", {"5, column 205: expected at most 200 brackets"});
    refused("h q", {"5, column 4: expected ';', found the end of the file"});
    refused("h q[0;", {"5, column 6: expected ']', found ';'"});
    refused("h q[x];", {"5, column 5: expected an index, found 'x'"});
    refused("@ q;\nh \xc3\xbc;",
            {"5, column 1: expected a statement, found '@'", "6, column 3: expected a register of"});
    refused("include qelib1;", {"5, column 9: expected a file's name in quotes, found 'qelib1'"});
    refused("include \"qelib1.inc;", {"5, column 9: expected a file's name in quotes"});
    refused("qreg s[0];", {"5, column 8: expected a size of at least 1, found '0'"});
    refused("qreg s[99999999999999999999];", {"5, column 8: expected a register's size, at most 100000"});
    refused("qreg s[99999];", {"5, column 8: expected at most 100000 qubits in all"});
    refused("qreg q[2];", {"5, column 6: expected a name that no register has, found 'q'"});
    refused("creg r[2];", {"5, column 6: expected a name that no register has, found 'r'"});
    refused("creg c[2]; measure q -> c;", {"5, column 25: expected 3 bits, found 2"});
    refused("measure q -> q;", {"5, column 14: expected a register of bits (creg), declared above, found 'q'"});
    refused("creg c[2]; measure q[0] c[0];", {"5, column 25: expected '->', found 'c'"});
    refused("gate g(x, x) a { }", {"5, column 11: expected another name, found 'x' again"});
    refused("gate g a { h b; }", {"5, column 14: expected a, found 'b'; a gate's definition knows its own"});
    refused("gate g a { g a; }", {"5, column 12: expected a gate that is defined above, found 'g'"});
    refused("gate g a, b { cx a, a; }", {"5, column 21: expected another qubit"});
    refused("gate g a { h a; }\ngate g a { x a; }", {"6, column 6: expected a name that has no definition yet"});
    refused("gate g a { h a;", {"5, column 16: expected a gate, or }, found the end of the file"});
    refused("gate g a h a;", {"5, column 10: expected '{', found 'h'"});
    refused("gate g(x) a { rz(1/x) a; }\ng(0) q[0];", {"5, column 18: expected a finite number, found inf"});
    refused("h q[9];\nh q[0];\nx s;\ncx q[0];", {"5, column 5", "7, column 3", "8, column 1"});
}

TEST_CASE("files that are no OpenQASM 2", "[apps][qasm]") {
    CHECK(faults("")[0].starts_with("c.qasm: line 1, column 1: expected 'OPENQASM', found the end of the file"));
    CHECK(faults("// only\nqreg q[1];")[0].starts_with("c.qasm: line 2, column 1: expected 'OPENQASM', found 'qreg'"));
    CHECK(faults("OPENQASM 3.0;\nqubit q;")[0].starts_with(
        "c.qasm: line 1, column 10: expected version 2.0, found '3.0'; save the circuit as OpenQASM 2"));
    CHECK(faults("OPENQASM 2.0;")[0].starts_with("c.qasm: expected a register of qubits (qreg), found none"));
    CHECK(faults("OPENQASM 2.0;\nqreg q[1];\nh q;")[0].find("write include \"qelib1.inc\"; at the top") !=
          std::string::npos);
    std::string many = head;
    for (int k = 0; k < 100; ++k) many += "h q[7];\n";
    CHECK(faults(many).size() == 20);
}

TEST_CASE("definitions that double without end are refused before they are expanded", "[apps][qasm]") {
    std::string text = "gate g0 a { }\n";
    for (int k = 1; k < 60; ++k) {
        std::string const inner = "g" + std::to_string(k - 1) + " a; ";
        text += "gate g" + std::to_string(k) + " a { " + inner + inner + "}\n";
    }
    CHECK(faults(head + text)[0].find("expected a gate of at most 1000000 others, found more") != std::string::npos);
    text = "gate g0 a { }\n";
    for (int k = 1; k < 600; ++k) text += "gate g" + std::to_string(k) + " a { g" + std::to_string(k - 1) + " a; }\n";
    CHECK(faults(head + text)[0].find("expected at most 500 definitions in another") != std::string::npos);
    std::string calls = "gate g a { h a; h a; h a; h a; h a; h a; h a; h a; h a; h a; }\nqreg s[90000];\n";
    CHECK(gates(calls + "g s[0];").size() == 10 * 5 - 2);
    CHECK(faults(head + calls + "g s; g s;")[0].find("expected at most 1000000 gates in all") != std::string::npos);
}
