// Instructions of a vector loop in the element type and the vectors of one instruction set: what is addps of 32 bytes
// in one loop is addpd of 64 in another. Knows neither values nor who holds which register (x86_iteration.hpp).
#pragma once

#include <xbyak/xbyak.h>

#include <cstddef>
#include <cstdint>

#include "lib/base/dtype.hpp"
#include "lib/scalar/kernels/kernels.hpp"

namespace ein::scalar::jit {

class X86Instructions : public Xbyak::CodeGenerator {
public:
    using Xmm = Xbyak::Xmm;
    using Operand = Xbyak::Operand;
    using Opmask = Xbyak::Opmask;

    /// @param bytes  of code at most; they may be written, and run only after setProtectModeRE
    X86Instructions(std::size_t bytes, DType type, InstructionSet set)
        : CodeGenerator(bytes, Xbyak::DontSetProtectRWE),
          f32_(type == DType::f32),
          wide_(set == InstructionSet::avx512) {}

    bool has_mask_registers() const { return wide_; }
    int element_bytes() const { return f32_ ? 4 : 8; }
    int width() const { return wide_ ? 64 : 32; }  // of a vector, in bytes
    int vector_registers() const { return wide_ ? 32 : 16; }
    Xmm vector(int index) const { return wide_ ? Xmm(Xbyak::Zmm(index)) : Xmm(Xbyak::Ymm(index)); }

    void broadcast(int to, Xbyak::Address const& element) {
        if (f32_)
            vbroadcastss(vector(to), element);
        else
            vbroadcastsd(wide_ ? Xbyak::Ymm(Xbyak::Zmm(to)) : Xbyak::Ymm(to), element);
    }
    void whole_vector(std::uint64_t bits) {  // of data
        for (int lane = 0; lane < width() / element_bytes(); ++lane)
            f32_ ? dd(static_cast<std::uint32_t>(bits)) : dq(bits);
    }

    // ---- elements that lie in memory as another type ----

    /// @param one  a vector of 1, 32 bits each
    void load(Xmm const& to, Xbyak::Address const& from, DType type, Xbyak::Address const& one) {
        if (!f32_ && type == DType::f32) return vcvtps2pd(to, from);
        if (!f32_ && type == DType::i32) return vcvtdq2pd(to, from);
        if (type == DType::f16) return vcvtph2ps(to, from);
        if (type == DType::i32) return vcvtdq2ps(to, from);
        if (type == DType::bf16) {
            vpmovzxwd(to, from);
            return vpslld(to, to, 16);
        }
        load_whole(to, from, type, one);
        if (size_of(type) <= 2) vcvtdq2ps(to, to);
    }
    /// Whole numbers as such, of 32 bits, and what lies in memory as it is in lanes.
    void load_whole(Xmm const& to, Xbyak::Address const& from, DType type, Xbyak::Address const& one) {
        if (size_of(type) > 2) return f32_ ? vmovups(to, from) : vmovupd(to, from);  // masked, if `to` is
        if (type == DType::i16) vpmovsxwd(to, from);
        if (type == DType::i8) vpmovsxbd(to, from);
        if (type == DType::u8 || type == DType::boolean) vpmovzxbd(to, from);
        if (type == DType::boolean) vpminud(to, to, one);
    }
    /// The low 16 or 8 bits of lanes, or f16 of them, side by side at the beginning of `to`. AVX2 takes lanes whose
    /// other bits are 0.
    void narrow(DType type, int to, Xmm const& from) {
        if (type == DType::f16) return vcvtps2ph(half(to), from, 0);
        bool const words = size_of(type) == 2;
        if (wide_)
            return words ? vpmovdw(half(to), Xbyak::Zmm(from.getIdx())) : vpmovdb(Xmm(to), Xbyak::Zmm(from.getIdx()));
        vpackusdw(vector(to), from, from);
        vpermq(Xbyak::Ymm(to), Xbyak::Ymm(to), 8);  // the low halves of both halves
        if (!words) vpackuswb(Xmm(to), Xmm(to), Xmm(to));
    }
    void store(Xbyak::Address const& to, Xmm const& from) { f32_ ? vmovups(to, from) : vmovupd(to, from); }
    void store_narrow(DType type, Xbyak::Address const& to, int from, bool past_cache) {
        bool const words = size_of(type) == 2;
        if (!words && !wide_) return vmovq(to, Xmm(from));
        Xmm const stored = words ? half(from) : Xmm(from);
        if (to.getOpmaskIdx() > 0) return words ? vmovdqu16(to, stored) : vmovdqu8(to, stored);
        past_cache ? vmovntdq(to, stored) : vmovups(to, stored);
    }
    /// Half a vector.
    Xmm half(int index) const { return wide_ ? Xmm(Xbyak::Ymm(index)) : Xmm(index); }

    // ---- arithmetic and bits: `to`, operands ----

    void add_lanes(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vaddps(to, a, b) : vaddpd(to, a, b); }
    void sub_lanes(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vsubps(to, a, b) : vsubpd(to, a, b); }
    void mul_lanes(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vmulps(to, a, b) : vmulpd(to, a, b); }
    void div_lanes(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vdivps(to, a, b) : vdivpd(to, a, b); }
    void and_bits(Xmm const& to, Xmm const& a, Operand const& b) { vandps(to, a, b); }
    void or_bits(Xmm const& to, Xmm const& a, Operand const& b) { vorps(to, a, b); }
    void xor_bits(Xmm const& to, Xmm const& a, Operand const& b) { vxorps(to, a, b); }
    void add_bits(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vpaddd(to, a, b) : vpaddq(to, a, b); }
    void sub_bits(Xmm const& to, Xmm const& a, Operand const& b) { f32_ ? vpsubd(to, a, b) : vpsubq(to, a, b); }
    void shift_left(Xmm const& to, Xmm const& a, std::uint8_t n) { f32_ ? vpslld(to, a, n) : vpsllq(to, a, n); }
    void shift_right(Xmm const& to, Xmm const& a, std::uint8_t n) { f32_ ? vpsrld(to, a, n) : vpsrlq(to, a, n); }
    void mul_bits(Xmm const& to, Xmm const& a, Operand const& b) { vpmulld(to, a, b); }
    void sqrt_lanes(Xmm const& to, Xmm const& a) { f32_ ? vsqrtps(to, a) : vsqrtpd(to, a); }
    void round_lanes(Xmm const& to, Xmm const& a, std::uint8_t mode) {
        if (wide_)
            f32_ ? vrndscaleps(to, a, mode) : vrndscalepd(to, a, mode);
        else
            f32_ ? vroundps(to, a, mode) : vroundpd(to, a, mode);
    }

    // ---- fused, `minus` subtracts the product ----

    void multiply_into_sum(bool minus, Xmm const& sum, Xmm const& a, Operand const& b) {  // sum +- a b
        if (minus)
            f32_ ? vfnmadd231ps(sum, a, b) : vfnmadd231pd(sum, a, b);
        else
            f32_ ? vfmadd231ps(sum, a, b) : vfmadd231pd(sum, a, b);
    }
    void multiply_by_register(bool minus, Xmm const& a, Xmm const& b, Operand const& c) {  // c +- a b into a
        if (minus)
            f32_ ? vfnmadd213ps(a, b, c) : vfnmadd213pd(a, b, c);
        else
            f32_ ? vfmadd213ps(a, b, c) : vfmadd213pd(a, b, c);
    }
    void multiply_by_memory(bool minus, Xmm const& a, Xmm const& c, Operand const& b) {  // c +- a b into a
        if (minus)
            f32_ ? vfnmadd132ps(a, c, b) : vfnmadd132pd(a, c, b);
        else
            f32_ ? vfmadd132ps(a, c, b) : vfmadd132pd(a, c, b);
    }

    // ---- masks, by the index of their register: a mask register, or a vector whose lanes are ones or zeros ----

    void compare(int mask, Xmm const& a, Operand const& b, std::uint8_t predicate) {
        if (wide_)
            f32_ ? vcmpps(Opmask(mask), a, b, predicate) : vcmppd(Opmask(mask), a, b, predicate);
        else
            f32_ ? vcmpps(vector(mask), a, b, predicate) : vcmppd(vector(mask), a, b, predicate);
    }
    void compare_whole(int mask, Xmm const& a, Operand const& b, bool equal) {  // else whether a is greater
        if (wide_)
            vpcmpd(Opmask(mask), a, b, equal ? 0 : 6);
        else
            equal ? vpcmpeqd(vector(mask), a, b) : vpcmpgtd(vector(mask), a, b);
    }
    void blend(Xmm const& to, int mask, Xmm const& otherwise, Operand const& chosen) {
        if (wide_)
            f32_ ? vblendmps(to | Opmask(mask), otherwise, chosen) : vblendmpd(to | Opmask(mask), otherwise, chosen);
        else
            f32_ ? vblendvps(to, otherwise, chosen, vector(mask)) : vblendvpd(to, otherwise, chosen, vector(mask));
    }
    void test_mask(int mask) {  // no zero flag: some lane is set
        if (wide_)
            kortestw(Opmask(mask), Opmask(mask));
        else
            f32_ ? vtestps(vector(mask), vector(mask)) : vtestpd(vector(mask), vector(mask));
    }

private:
    bool f32_, wide_;
};

}  // namespace ein::scalar::jit
