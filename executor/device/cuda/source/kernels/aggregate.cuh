// Aggregation. A rule says what two values give and what is neutral; a state is what one output keeps while its values
// come in: start(), add(value), merge(other), result(). Value types are registers; E is the element type that results
// wrap to. Example: Plain<Sum<i8>> of 100 and 100 is -56; Logarithms<f32> keeps the largest value and a sum.
namespace ein {

template <class E>
struct Limits;  // of integers
template <>
struct Limits<boolean> {
    static constexpr i32 least = 0, greatest = 1;
};
template <>
struct Limits<i8> {
    static constexpr i32 least = -128, greatest = 127;
};
template <>
struct Limits<u8> {
    static constexpr i32 least = 0, greatest = 255;
};
template <>
struct Limits<i16> {
    static constexpr i32 least = -32768, greatest = 32767;
};
template <>
struct Limits<i32> {
    static constexpr i32 least = -2147483647 - 1, greatest = 2147483647;
};
template <>
struct Limits<i64> {
    static constexpr i64 least = -9223372036854775807ll - 1, greatest = 9223372036854775807ll;
};

template <class T>
EIN_FN T number(T, double value) {
    return (T)value;
}
template <class T>
EIN_FN complex<T> number(complex<T>, double value) {
    return {(T)value, 0};
}

/// Wraps a sum or product of integers to the element type.
template <class E, class T>
EIN_FN T wrapped(T x) {
    return widened(narrowed<E>(x));
}

template <class E>
struct Sum {
    using T = Register<E>;
    EIN_FN static T neutral() { return number(T{}, 0); }
    EIN_FN static T combined(T a, T b) { return wrapped<E>(op_add(a, b)); }
};
template <>
struct Sum<boolean> {
    using T = i32;
    EIN_FN static T neutral() { return 0; }
    EIN_FN static T combined(T a, T b) { return a | b; }
};

template <class E>
struct Product {
    using T = Register<E>;
    EIN_FN static T neutral() { return number(T{}, 1); }
    EIN_FN static T combined(T a, T b) { return wrapped<E>(op_mul(a, b)); }
};
template <>
struct Product<boolean> {
    using T = i32;
    EIN_FN static T neutral() { return 1; }
    EIN_FN static T combined(T a, T b) { return a & b; }
};

template <class E>
struct Least {
    using T = Register<E>;
    EIN_FN static T neutral() { return Limits<E>::greatest; }
    EIN_FN static T combined(T a, T b) { return op_min(a, b); }
};
template <class E>
struct Greatest {
    using T = Register<E>;
    EIN_FN static T neutral() { return Limits<E>::least; }
    EIN_FN static T combined(T a, T b) { return op_max(a, b); }
};
/// Of reals; of complex numbers the real parts count.
#define EIN_ORDER(E) \
    template <> \
    struct Least<E> { \
        using T = E; \
        EIN_FN static T neutral() { return number(T{}, EIN_INFINITY); } \
        EIN_FN static T combined(T a, T b) { return number(T{}, op_min(real_of(a), real_of(b))); } \
    }; \
    template <> \
    struct Greatest<E> { \
        using T = E; \
        EIN_FN static T neutral() { return number(T{}, -EIN_INFINITY); } \
        EIN_FN static T combined(T a, T b) { return number(T{}, op_max(real_of(a), real_of(b))); } \
    };
EIN_ORDER(f32)
EIN_ORDER(f64)
EIN_ORDER(c64)
EIN_ORDER(c128)
#undef EIN_ORDER

/// log(e^a + e^b), with the larger taken out of the logarithm.
template <class E>
struct LogAdd {
    using T = E;
    EIN_FN static T neutral() { return number(T{}, -EIN_INFINITY); }
    EIN_FN static T combined(T a, T b) {
        T const high = op_max(a, b);
        if (high != high || op_abs(high) == T(EIN_INFINITY)) return high;
        return high + op_log1p(op_exp(-op_abs(a - b)));
    }
};
template <class P>
struct LogAdd<complex<P>> {
    using T = complex<P>;
    EIN_FN static T neutral() { return {P(-EIN_INFINITY), 0}; }
    EIN_FN static T combined(T a, T b) {
        if (a.re < b.re) return combined(b, a);
        if (op_abs(a.re) == P(EIN_INFINITY)) return a;
        return op_add(a, op_log1p(op_exp(op_sub(b, a))));
    }
};

/// One number an output.
template <class Rule>
struct Plain {
    using T = typename Rule::T;
    T total;
    EIN_FN void start() { total = Rule::neutral(); }
    EIN_FN void add(T value) { total = Rule::combined(total, value); }
    EIN_FN void merge(Plain const& other) { total = Rule::combined(total, other.total); }
    EIN_FN T result() const { return total; }
    EIN_FN static T joined(T held, T value) { return Rule::combined(held, value); }
};

/// logsumexp of reals: the largest value, and the sum of e^(value - shift), where the shift is the largest value, or 0
/// where that is infinite.
template <class F>
struct Logarithms {
    using T = F;
    T most, sum;
    EIN_FN static T shift(T most) { return op_abs(most) == T(EIN_INFINITY) ? T(0) : most; }
    EIN_FN void start() {
        most = T(-EIN_INFINITY);
        sum = 0;
    }
    EIN_FN void add(T value) {
        if (value <= most)
            sum += op_exp(value - shift(most));
        else
            merge(Logarithms{value, value == value && op_abs(value) < T(EIN_INFINITY) ? T(1) : op_exp(value)});
    }
    EIN_FN void merge(Logarithms const& other) {
        T const high = op_max(most, other.most), base = shift(high);
        sum = sum * op_exp(most - base) + other.sum * op_exp(other.most - base);
        most = high;
    }
    EIN_FN T result() const { return shift(most) + op_log(sum); }
    EIN_FN static T joined(T held, T value) { return LogAdd<T>::combined(held, value); }
};

}  // namespace ein
