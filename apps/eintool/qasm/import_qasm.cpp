#include "apps/eintool/qasm/import_qasm.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/eintool/graph_text.hpp"
#include "apps/eintool/qasm/read_circuit.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool::qasm {
namespace {

/// A gate's tensor: a diagonal qubit has one axis, another one two (out, in).
struct GateTensor {
    std::vector<bool> diagonal;  // by qubit
    std::vector<std::complex<double>> elements;
};

bool bit(std::size_t number, std::size_t qubit, std::size_t qubits) {
    return (number >> (qubits - 1 - qubit) & 1) != 0;
}

std::vector<bool> diagonal_qubits(Matrix const& matrix, std::size_t qubits) {
    std::vector<bool> out(qubits, true);
    std::size_t const rows = std::size_t{1} << qubits;
    for (std::size_t k = 0; k < matrix.size(); ++k)
        for (std::size_t q = 0; q < qubits; ++q)
            if (matrix[k] != 0.0 && bit(k / rows, q, qubits) != bit(k % rows, q, qubits)) out[q] = false;
    return out;
}

/// Axes in the order of the qubits.
GateTensor tensor_of(Matrix const& matrix, std::size_t qubits) {
    GateTensor out{diagonal_qubits(matrix, qubits), {}};
    std::size_t axes = 0;
    for (std::size_t q = 0; q < qubits; ++q) axes += out.diagonal[q] ? 1 : 2;
    for (std::size_t k = 0; k < std::size_t{1} << axes; ++k) {
        std::size_t row = 0, column = 0, axis = 0;
        for (std::size_t q = 0; q < qubits; ++q) {
            row = 2 * row + (bit(k, axis, axes) ? 1 : 0);
            axis += out.diagonal[q] ? 0 : 1;
            column = 2 * column + (bit(k, axis, axes) ? 1 : 0);
            ++axis;
        }
        out.elements.push_back(matrix[(row << qubits) + column]);
    }
    return out;
}

bool changes_nothing(GateTensor const& tensor) {
    return std::count(tensor.diagonal.begin(), tensor.diagonal.end(), false) == 0 &&
           std::count(tensor.elements.begin(), tensor.elements.end(), 1.0) ==
               static_cast<std::ptrdiff_t>(tensor.elements.size());
}

/// As "rz(0.25)": equal gates are one tensor.
std::string name_of(Application const& application) {
    std::string out(application.gate->name);
    if (application.parameters.empty()) return out;
    std::string separator = "(";
    for (double parameter : application.parameters) {
        out += separator + OrderedJson(parameter).dump();
        separator = ", ";
    }
    return out + ")";
}

/// `elements` from `next` on as lists in lists; numbers without an imaginary part stand alone.
OrderedJson nested_lists(std::vector<std::complex<double>> const& elements, std::size_t axes, std::size_t& next) {
    OrderedJson out = OrderedJson::array();
    for (int k = 0; k < 2; ++k) {
        if (axes > 1) {
            out.push_back(nested_lists(elements, axes - 1, next));
            continue;
        }
        std::complex<double> const value = elements[next++];
        double const real = value.real() + 0.0, imag = value.imag() + 0.0;  // no -0
        out.push_back(imag == 0 ? OrderedJson(real) : OrderedJson{real, imag});
    }
    return out;
}

class NetworkWriter {
public:
    NetworkWriter(Circuit const& circuit, ImportQasm const& request)
        : circuit_(circuit), bits_(request.amplitude), g_("amplitude", request.dtype.empty() ? "c64" : request.dtype) {
        g_.note("circuit", std::filesystem::path(request.file).filename().string() + ": <" + bits_ +
                               "|C|0...0>, the first bit is " + circuit.registers.front().name + "[0]");
        for (Register const& each : circuit.registers)
            for (std::int64_t k = 0; k < each.size; ++k) qubits_.push_back({each.name + "." + std::to_string(k), 0});
    }

    std::string text() {
        for (std::size_t q = 0; q < qubits_.size(); ++q) add(vector("zero", {1, 0}), {label(q)});
        for (Application const& application : circuit_.applications) apply(application);
        std::vector<std::string> open;
        for (std::size_t q = 0; q < qubits_.size(); ++q) {
            if (bits_[q] == '_')
                open.push_back(label(q));
            else
                add(bits_[q] == '0' ? vector("zero", {1, 0}) : vector("one", {0, 1}), {label(q)});
        }
        g_.einsum("amplitude", {{"in", labels_}, {"out", open}}, inputs_);
        return g_.text({"amplitude"});
    }

private:
    struct Qubit {
        std::string name;
        std::int64_t changes;
    };

    std::string label(std::size_t qubit) const {
        return qubits_[qubit].name + "." + std::to_string(qubits_[qubit].changes);
    }

    std::string vector(std::string const& name, std::vector<std::complex<double>> const& elements) {
        declare(name, elements, 1);
        return name;
    }

    void declare(std::string const& name, std::vector<std::complex<double>> const& elements, std::size_t axes) {
        if (!declared_.insert(name).second) return;
        std::size_t next = 0;
        g_.tensor(name, Shape(axes, 2), "", {{"values", nested_lists(elements, axes, next)}});
    }

    void add(std::string const& tensor, std::vector<std::string> labels) {
        inputs_.push_back(tensor);
        labels_.push_back(std::move(labels));
    }

    void apply(Application const& application) {
        std::size_t const qubits = application.qubits.size();
        GateTensor const tensor = tensor_of(application.gate->matrix(application.parameters), qubits);
        if (changes_nothing(tensor)) return;
        std::vector<std::string> labels;
        for (std::size_t k = 0; k < qubits; ++k) {
            auto const qubit = static_cast<std::size_t>(application.qubits[k]);
            std::string const in = label(qubit);
            if (!tensor.diagonal[k]) {
                ++qubits_[qubit].changes;
                labels.push_back(label(qubit));
            }
            labels.push_back(in);
        }
        std::string const name = name_of(application);
        declare(name, tensor.elements, labels.size());
        add(name, std::move(labels));
    }

    Circuit const& circuit_;
    std::string const& bits_;
    GraphText g_;
    std::vector<Qubit> qubits_;
    std::set<std::string> declared_;
    std::vector<std::string> inputs_;
    std::vector<std::vector<std::string>> labels_;
};

/// "q[0] to q[3], r[0]"
std::string list_of(std::vector<Register> const& registers) {
    std::string out;
    for (std::size_t k = 0; k < registers.size() && k < 5; ++k) {
        Register const& each = registers[k];
        out += (k == 0 ? "" : ", ") + each.name + "[0]" +
               (each.size > 1 ? " to " + each.name + "[" + std::to_string(each.size - 1) + "]" : "");
    }
    return out + (registers.size() > 5 ? ", ..." : "");
}

void check_dtype(std::string const& dtype) {
    if (!dtype.empty() && dtype != "c64" && dtype != "c128")
        throw UsageError("import qasm --dtype: expected c64 or c128, found '" + dtype +
                         "'; amplitudes are complex numbers");
}

}  // namespace

std::string network_of(Circuit const& circuit, ImportQasm const& request) {
    check_dtype(request.dtype);
    std::string const& bits = request.amplitude;
    std::size_t const wrong = bits.find_first_not_of("01_");
    if (wrong != std::string::npos)
        throw UsageError("import qasm --amplitude: expected 0, 1 or _ (open) for each qubit, found '" +
                         bits.substr(wrong, 1) + "' as bit " + std::to_string(wrong + 1));
    if (bits.size() != static_cast<std::size_t>(circuit.qubits))
        throw UsageError("import qasm --amplitude: expected " + std::to_string(circuit.qubits) +
                         (circuit.qubits == 1 ? " bit" : " bits") + ", one for each qubit (" +
                         list_of(circuit.registers) + "), found " + std::to_string(bits.size()));
    return NetworkWriter(circuit, request).text();
}

std::string import_qasm(ImportQasm const& request) {
    check_dtype(request.dtype);
    return network_of(read_circuit(request.file), request);
}

}  // namespace ein::apps::tool::qasm
