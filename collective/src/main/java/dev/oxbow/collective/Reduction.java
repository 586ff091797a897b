package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.combine.Combine;
import dev.oxbow.collective.combine.Scale;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.Locale;
import java.util.Objects;

/**
 * How a collective makes one value of the values of all ranks. Integers wrap around in their own dtype; f16 and bf16 are
 * combined in f32 and rounded to nearest even at every step; NaN wins in minimum and maximum.
 */
public final class Reduction {

    /** An operator on arrays in memory: {@code to[i] = to[i] op from[i]}. It must be associative. */
    @FunctionalInterface
    public interface Operator {
        void combine(DType dtype, long to, long from, long count);
    }

    private enum Kind {
        SUM,
        MEAN,
        MIN,
        MAX,
        PRODUCT,
        AND,
        OR,
        XOR,
        OWN
    }

    public static final Reduction SUM = builtIn(Kind.SUM);
    /** The sum, divided once by the number of ranks; integers are divided towards zero. */
    public static final Reduction MEAN = builtIn(Kind.MEAN);

    public static final Reduction MIN = builtIn(Kind.MIN);
    public static final Reduction MAX = builtIn(Kind.MAX);
    public static final Reduction PRODUCT = builtIn(Kind.PRODUCT);
    /** Bitwise for integers, logical for bool; so are the next two. */
    public static final Reduction AND = builtIn(Kind.AND);

    public static final Reduction OR = builtIn(Kind.OR);
    public static final Reduction XOR = builtIn(Kind.XOR);

    private final Kind kind;
    private final String name;
    private final Operator operator;
    private final boolean commutative;

    private Reduction(Kind kind, String name, Operator operator, boolean commutative) {
        this.kind = kind;
        this.name = Objects.requireNonNull(name, "name");
        this.operator = operator;
        this.commutative = commutative;
    }

    private static Reduction builtIn(Kind kind) {
        return new Reduction(kind, kind.name().toLowerCase(Locale.ROOT), null, true);
    }

    /** An own operator that is associative and commutative; ranks agree on it by its name. */
    public static Reduction of(String name, Operator operator) {
        return new Reduction(Kind.OWN, name, Objects.requireNonNull(operator, "operator"), true);
    }

    /** An own operator that is associative but not commutative: values are combined in the order of the ranks. */
    public static Reduction ordered(String name, Operator operator) {
        return new Reduction(Kind.OWN, name, Objects.requireNonNull(operator, "operator"), false);
    }

    public String name() {
        return name;
    }

    public boolean isCommutative() {
        return commutative;
    }

    /** Whether ranks add numbers, so that parts of a value may come separately. */
    boolean isLinear() {
        return kind == Kind.SUM || kind == Kind.MEAN;
    }

    /** Own operators judge for themselves; the others know f16, bf16, f32, f64, i8, u8, i32, i64 and bool. */
    public boolean supports(DType dtype) {
        return switch (kind) {
            case OWN -> dtype.size() > 0;
            case SUM, MEAN, PRODUCT -> isNumber(dtype);
            case MIN, MAX -> isNumber(dtype) || dtype == DType.BOOL;
            case AND, OR, XOR -> isNumber(dtype) && !dtype.isFloating() || dtype == DType.BOOL;
        };
    }

    private static boolean isNumber(DType dtype) {
        return switch (dtype) {
            case F16, BF16, F32, F64, I8, U8, I32, I64 -> true;
            default -> false;
        };
    }

    /** The loop for a dtype. */
    Combine combine(DType dtype) {
        require(supports(dtype), INVALID_ARGUMENT, "Reduction: %s is not defined for %s", name, dtype);
        return switch (kind) {
            case SUM, MEAN -> Combine.sum(dtype);
            case PRODUCT -> Combine.product(dtype);
            case MIN -> Combine.min(dtype);
            case MAX -> Combine.max(dtype);
            case AND -> Combine.and(dtype);
            case OR -> Combine.or(dtype);
            case XOR -> Combine.xor(dtype);
            case OWN -> (to, from, count) -> operator.combine(dtype, to, from, count);
        };
    }

    /** What remains to be done once every rank has contributed: a mean divides by the number of ranks. */
    void complete(DType dtype, long address, long count, int ranks) {
        if (kind == Kind.MEAN && ranks > 1) Scale.divide(dtype, address, count, ranks);
    }

    /** The built-in reduction of a name such as {@code sum}. */
    public static Reduction named(String name) {
        for (Reduction r : new Reduction[] {SUM, MEAN, MIN, MAX, PRODUCT, AND, OR, XOR}) {
            if (r.name.equals(name)) return r;
        }
        throw new OxbowException(
                INVALID_ARGUMENT,
                "Reduction: must be sum, mean, min, max, product, and, or or xor, got '" + name + "'");
    }

    @Override
    public String toString() {
        return name;
    }
}
