#include "apps/eintool/qasm/standard_gates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ein::apps::tool::qasm {
namespace {

using Complex = std::complex<double>;
using Angles = std::span<double const>;

constexpr Complex i{0, 1};

Complex turn(double angle) { return std::polar(1.0, angle); }

Matrix identity(std::size_t rows) {
    Matrix out(rows * rows);
    for (std::size_t k = 0; k < rows; ++k) out[k * rows + k] = 1;
    return out;
}

std::size_t rows_of(Matrix const& m) { return m.size() == 4 ? 2 : m.size() == 16 ? 4 : m.size() == 64 ? 8 : 16; }

/// Does nothing where the new first qubit is 0.
Matrix controlled(Matrix const& inner) {
    std::size_t const rows = rows_of(inner);
    Matrix out = identity(2 * rows);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < rows; ++c) out[(rows + r) * 2 * rows + rows + c] = inner[r * rows + c];
    return out;
}

Matrix u3(double theta, double phi, double lambda) {
    double const c = std::cos(theta / 2), s = std::sin(theta / 2);
    return {c, -turn(lambda) * s, turn(phi) * s, turn(phi + lambda) * c};
}

Matrix phase(double lambda) { return {1, 0, 0, turn(lambda)}; }
Matrix x() { return {0, 1, 1, 0}; }
Matrix y() { return {0, -i, i, 0}; }
Matrix z() { return {1, 0, 0, -1}; }
Matrix h() {
    double const r = std::numbers::sqrt2 / 2;
    return {r, r, r, -r};
}
Matrix sqrt_x() { return {(1.0 + i) / 2.0, (1.0 - i) / 2.0, (1.0 - i) / 2.0, (1.0 + i) / 2.0}; }
Matrix sqrt_x_inverse() { return {(1.0 - i) / 2.0, (1.0 + i) / 2.0, (1.0 + i) / 2.0, (1.0 - i) / 2.0}; }
Matrix swap() { return {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1}; }

Matrix rx(double theta) {
    double const c = std::cos(theta / 2), s = std::sin(theta / 2);
    return {c, -i * s, -i * s, c};
}
Matrix ry(double theta) {
    double const c = std::cos(theta / 2), s = std::sin(theta / 2);
    return {c, -s, s, c};
}
Matrix rz(double phi) { return {turn(-phi / 2), 0, 0, turn(phi / 2)}; }

Matrix rxx(double theta) {
    Complex const c = std::cos(theta / 2), s = -i * std::sin(theta / 2);
    return {c, 0, 0, s, 0, c, s, 0, 0, s, c, 0, s, 0, 0, c};
}
Matrix rzz(double theta) {
    Complex const same = turn(-theta / 2), other = turn(theta / 2);
    return {same, 0, 0, 0, 0, other, 0, 0, 0, 0, other, 0, 0, 0, 0, same};
}

Matrix cu(double theta, double phi, double lambda, double gamma) {
    Matrix inner = u3(theta, phi, lambda);
    for (Complex& value : inner) value *= turn(gamma);
    return controlled(inner);
}

/// Toffoli gates up to phases: Maslov, Phys. Rev. A 93, 022311, 2016 (Margolus's gate, and its kind of three controls).
Matrix rccx() {
    Matrix out = identity(8);
    out[5 * 8 + 5] = -1;
    out[6 * 8 + 6] = out[7 * 8 + 7] = 0;
    out[6 * 8 + 7] = -i, out[7 * 8 + 6] = i;
    return out;
}
Matrix rc3x() {
    Matrix out = identity(16);
    out[12 * 16 + 12] = i, out[13 * 16 + 13] = -i;
    out[14 * 16 + 14] = out[15 * 16 + 15] = 0;
    out[14 * 16 + 15] = 1, out[15 * 16 + 14] = -1;
    return out;
}

constexpr std::array gates = {
    StandardGate{"U", 3, 1, [](Angles a) { return u3(a[0], a[1], a[2]); }},
    StandardGate{"CX", 0, 2, [](Angles) { return controlled(x()); }},
    StandardGate{"u3", 3, 1, [](Angles a) { return u3(a[0], a[1], a[2]); }},
    StandardGate{"u2", 2, 1, [](Angles a) { return u3(std::numbers::pi / 2, a[0], a[1]); }},
    StandardGate{"u1", 1, 1, [](Angles a) { return phase(a[0]); }},
    StandardGate{"u0", 1, 1, [](Angles) { return identity(2); }},
    StandardGate{"u", 3, 1, [](Angles a) { return u3(a[0], a[1], a[2]); }},
    StandardGate{"p", 1, 1, [](Angles a) { return phase(a[0]); }},
    StandardGate{"id", 0, 1, [](Angles) { return identity(2); }},
    StandardGate{"x", 0, 1, [](Angles) { return x(); }},
    StandardGate{"y", 0, 1, [](Angles) { return y(); }},
    StandardGate{"z", 0, 1, [](Angles) { return z(); }},
    StandardGate{"h", 0, 1, [](Angles) { return h(); }},
    StandardGate{"s", 0, 1,
                 [](Angles) {
                     return Matrix{1, 0, 0, i};
                 }},
    StandardGate{"sdg", 0, 1,
                 [](Angles) {
                     return Matrix{1, 0, 0, -i};
                 }},
    StandardGate{"t", 0, 1, [](Angles) { return phase(std::numbers::pi / 4); }},
    StandardGate{"tdg", 0, 1, [](Angles) { return phase(-std::numbers::pi / 4); }},
    StandardGate{"sx", 0, 1, [](Angles) { return sqrt_x(); }},
    StandardGate{"sxdg", 0, 1, [](Angles) { return sqrt_x_inverse(); }},
    StandardGate{"rx", 1, 1, [](Angles a) { return rx(a[0]); }},
    StandardGate{"ry", 1, 1, [](Angles a) { return ry(a[0]); }},
    StandardGate{"rz", 1, 1, [](Angles a) { return rz(a[0]); }},
    StandardGate{"cx", 0, 2, [](Angles) { return controlled(x()); }},
    StandardGate{"cy", 0, 2, [](Angles) { return controlled(y()); }},
    StandardGate{"cz", 0, 2, [](Angles) { return controlled(z()); }},
    StandardGate{"ch", 0, 2, [](Angles) { return controlled(h()); }},
    StandardGate{"csx", 0, 2, [](Angles) { return controlled(sqrt_x()); }},
    StandardGate{"swap", 0, 2, [](Angles) { return swap(); }},
    StandardGate{"crx", 1, 2, [](Angles a) { return controlled(rx(a[0])); }},
    StandardGate{"cry", 1, 2, [](Angles a) { return controlled(ry(a[0])); }},
    StandardGate{"crz", 1, 2, [](Angles a) { return controlled(rz(a[0])); }},
    StandardGate{"cu1", 1, 2, [](Angles a) { return controlled(phase(a[0])); }},
    StandardGate{"cp", 1, 2, [](Angles a) { return controlled(phase(a[0])); }},
    StandardGate{"cu3", 3, 2, [](Angles a) { return controlled(u3(a[0], a[1], a[2])); }},
    StandardGate{"cu", 4, 2, [](Angles a) { return cu(a[0], a[1], a[2], a[3]); }},
    StandardGate{"rxx", 1, 2, [](Angles a) { return rxx(a[0]); }},
    StandardGate{"rzz", 1, 2, [](Angles a) { return rzz(a[0]); }},
    StandardGate{"ccx", 0, 3, [](Angles) { return controlled(controlled(x())); }},
    StandardGate{"cswap", 0, 3, [](Angles) { return controlled(swap()); }},
    StandardGate{"rccx", 0, 3, [](Angles) { return rccx(); }},
    StandardGate{"rc3x", 0, 4, [](Angles) { return rc3x(); }},
    StandardGate{"c3x", 0, 4, [](Angles) { return controlled(controlled(controlled(x()))); }},
    StandardGate{"c3sqrtx", 0, 4, [](Angles) { return controlled(controlled(controlled(sqrt_x()))); }},
    StandardGate{"c4x", 0, 5, [](Angles) { return controlled(controlled(controlled(controlled(x())))); }},
};

}  // namespace

StandardGate const* standard_gate(std::string_view name) {
    auto const at = std::find_if(gates.begin(), gates.end(), [&](StandardGate const& g) { return g.name == name; });
    return at == gates.end() ? nullptr : &*at;
}

std::vector<std::string> standard_gate_names() {
    std::vector<std::string> names;
    for (StandardGate const& gate : gates) names.emplace_back(gate.name);
    return names;
}

}  // namespace ein::apps::tool::qasm
