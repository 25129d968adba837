// Aggregation. A rule says what two values give and what is neutral; a state is what one output keeps while its values
// come in: start(), add(value), merge(other), result(). Value types are registers; E is the element type that results
// wrap to. Example: Plain<Sum<i8>> of 100 and 100 is -56; Logarithms<f32> keeps the largest value and a sum.
namespace ein {

/// Of integers, in two's complement.
template <class E>
struct Limits {
    static constexpr bool has_sign = (E)-1 < (E)0;
    static constexpr Register<E> greatest = (Register<E>)(~0ull >> (64 - 8 * sizeof(E) + has_sign));
    static constexpr Register<E> least = has_sign ? -greatest - 1 : 0;
};
template <>
struct Limits<boolean> {
    static constexpr i32 least = 0, greatest = 1;
};

template <class T>
EIN_FN T number(T, double value) {
    return (T)value;
}
template <class T>
EIN_FN complex<T> number(complex<T>, double value) {
    return {(T)value, 0};
}

/// Wraps a sum or product of integers to the element type. A bool is 1 for all but 0: sums are any, products all.
template <class E, class T>
EIN_FN T wrapped(T x) {
    return widened(narrowed<E>(x));
}
template <>
EIN_FN i32 wrapped<boolean, i32>(i32 x) {
    return x != 0;
}

template <class E>
struct Sum {
    using T = Register<E>;
    EIN_FN static T neutral() { return number(T{}, 0); }
    EIN_FN static T combined(T a, T b) { return wrapped<E>(op_add(a, b)); }
};

template <class E>
struct Product {
    using T = Register<E>;
    EIN_FN static T neutral() { return number(T{}, 1); }
    EIN_FN static T combined(T a, T b) { return wrapped<E>(op_mul(a, b)); }
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
        EIN_FN static T combined(T a, T b) { return number(T{}, smaller(real_of(a), real_of(b))); } \
    }; \
    template <> \
    struct Greatest<E> { \
        using T = E; \
        EIN_FN static T neutral() { return number(T{}, -EIN_INFINITY); } \
        EIN_FN static T combined(T a, T b) { return number(T{}, larger(real_of(a), real_of(b))); } \
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
    EIN_FN void start(T value) { total = value; }
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
