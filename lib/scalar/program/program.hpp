// An expression compiled for speed: a list of instructions, each run over a vector tile of elements, so that the cost
// of interpreting is paid once a tile. Tile-constant values are computed once a tile. Registers hold f32, f64, c64,
// c128 or i64; narrow integers and bool live in i64 registers and are wrapped after each operation, or, in a program
// that has nothing but integers and is asked to, in registers as narrow as its widest integer. Leaves gathering
// operands into tiles, and storing and aggregating results, to the devices. Example: for "x*rsqrt(y/64)" with y
// constant over a tile, one rsqrt is computed a tile.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// The register type that holds a dtype: f32, f64, c64, c128, or i64 for every integer and bool (f16 and bf16: f32).
DType register_dtype(DType type);

/// The narrowest register type that holds a dtype: integers as they are, bool in u8. Its bytes are those of the dtype.
DType own_register_dtype(DType type);

/// One operand over a tile: `count` elements in the program's registers, or one when constant.
struct TileOperand {
    void const* data = nullptr;
    bool constant = false;
};

/// One label's index over a tile: first, first + step, ... (step 0: constant).
struct TileIndex {
    std::int64_t first = 0;
    std::int64_t step = 0;
};

class Program {
public:
    /// Where integers and bools are held: in i64, or as narrow as the program allows.
    enum class Integers { wide, own };

    /// @param compute  type of every operand  @param weak  as in type_of
    /// @throws InputError for a param that `params` lacks or an expression that type_of refuses
    Program(Expr const& expr, DType compute, DType weak, Params const& params, Integers integers = Integers::wide);
    ~Program();
    Program(Program&&) noexcept;
    Program& operator=(Program&&) noexcept;

    DType result_dtype() const;         // of the value: may be bool or a narrow integer
    DType operand_registers() const;    // that hold operands
    DType result_registers() const;     // that hold the value
    bool asks_for_labels() const;       // for their values
    bool is_operand(int number) const;  // the expression is just that operand: nothing to compute
    std::size_t tile() const;  // the most elements of one run: registers of so many stay in the first-level cache
    std::size_t scratch_bytes() const;  // needed by run, aligned to 64

    /// Evaluates the expression over `count` <= tile() elements.
    /// @param result  where a computed result goes; null: into scratch
    /// @return the result: `count` elements (or one, `constant`) of result_registers(), at `result`, in scratch, in an
    ///         operand or in the program itself: valid until the next run with this scratch. Nothing when `count` is 0
    /// @throws InputError for position() out of range
    TileOperand run(std::size_t count, std::span<TileOperand const> operands, std::span<TileIndex const> indices,
                    std::byte* scratch, void* result = nullptr) const;

    struct Code;  // program_code.hpp
    Code const& code() const { return *code_; }

private:
    std::unique_ptr<Code const> code_;
};

}  // namespace ein::scalar
