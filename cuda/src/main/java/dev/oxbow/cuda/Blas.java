package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** Matrix products on a card, by cuBLASLt. Thread-safe. */
final class Blas {

    /*
     * The library's matrices have columns one after the other, ours rows: so it is given the operands in the other order and
     * computes the transposed product, which is the same memory. Several algorithms that its heuristic names are timed when a
     * shape is first met, by any process, unless -Doxbow.cuda.measure=false: then the first is taken.
     */

    private static final int WORKSPACE_ATTRIBUTE = 1;
    private static final int TRANSPOSE_A = 3;
    private static final int TRANSPOSE_B = 4;
    private static final int EPILOGUE = 7;
    private static final int BIAS_POINTER = 8;
    private static final int BESIDE_POINTER = 11;
    private static final int BESIDE_STRIDE = 12;
    private static final int BATCH_COUNT = 5;
    private static final int BATCH_STRIDE = 6;
    private static final long WORKSPACE = 32L << 20;
    private static final int WORKSPACES = 8;
    private static final int CANDIDATES = 16;

    /** The bytes of a heuristic's result: an algorithm of 64 bytes, its workspace, a status and more. */
    private static final long RESULT = 96;

    private static final long WORKSPACE_OFFSET = 64;

    /** Products of so many matrices, {@code strideA} elements from one to the next, which 0 repeats. */
    record Shape(
            DType dtype,
            boolean transposeA,
            boolean transposeB,
            long m,
            long n,
            long k,
            long batch,
            long strideA,
            long strideB,
            After after) {}

    /** What is done with a product before it is written. */
    enum After {
        NOTHING(1),
        SUM(1),
        BIAS(4),
        BIAS_AND_RELU(6),

        /** With the sum before GELU written beside it. */
        BIAS_AND_GELU(164),

        /** Times the derivative of GELU at given values. */
        GELU_GRADIENT(192);

        private final int epilogue;

        After(int epilogue) {
            this.epilogue = epilogue;
        }

        boolean hasBias() {
            return this == BIAS || this == BIAS_AND_RELU || this == BIAS_AND_GELU;
        }

        /** Whether there is a second matrix of the result's shape: written, or read. */
        boolean hasBeside() {
            return this == BIAS_AND_GELU || this == GELU_GRADIENT;
        }
    }

    /** How a product of a shape is computed. */
    private record Plan(long product, long a, long b, long c, long algorithm, long workspace) {}

    /** Of what the library can not do. */
    private static final Plan NONE = new Plan(0, 0, 0, 0, 0, 0);

    private final Card card;
    private final long handle;
    private final long workspace;
    private final long one;
    private final long zero;
    private final String precision = System.getProperty("oxbow.matmul", "");
    private final Map<Shape, Plan> plans = new ConcurrentHashMap<>();
    private final Choices choices;

    /** The context must be entered. */
    Blas(Card card) {
        this.card = card;
        this.handle = BlasLt.handle();
        this.choices = new Choices(Sources.userFolder(), "cublasLt", BlasLt.version(), card.name);
        this.workspace = Driver.allocate(WORKSPACES * WORKSPACE);
        long numbers = Arena.global().allocate(JAVA_LONG, 4).address();
        this.one = numbers;
        this.zero = numbers + 16;
        Memory.putFloat(one, 1);
        Memory.putDouble(one + 8, 1);
        Memory.zero(zero, 16);
    }

    /** Whether there is a product of these elements. */
    static boolean supports(DType dtype) {
        return switch (dtype) {
            case F32, F64, F16, BF16 -> true;
            default -> false;
        };
    }

    /** {@code c = a b}, then what the shape says, with this bias or, for a sum, this matrix; 0 for none. */
    void multiply(Shape s, long a, long b, long c, long bias) {
        if (!multiply(s, new Operands(a, b, c, bias, 0)))
            throw new OxbowException(UNIMPLEMENTED, "cuBLASLt: there is no algorithm for " + s);
    }

    /** As above; false, with nothing done, where the library has no algorithm for it. */
    boolean multiply(Shape s, Operands o) {
        Plan p = plans.get(s);
        if (p == null) p = plan(s, o);
        if (p == NONE) return false;
        card.commands.run(new Product(p, s, o));
        return true;
    }

    /** Where matrices lie; {@code beside} is the second one of the result's shape. 0 for those that there are not. */
    record Operands(long a, long b, long c, long bias, long beside) {}

    private final class Product implements Entry {
        private final Plan plan;
        private final Shape shape;
        private final Operands at;

        Product(Plan plan, Shape shape, Operands at) {
            this.plan = plan;
            this.shape = shape;
            this.at = at;
        }

        @Override
        public String name() {
            String after = shape.after.hasBeside() ? ", " + shape.after : "";
            return "product %d x %d x %d, %d times%s".formatted(shape.m, shape.n, shape.k, shape.batch, after);
        }

        @Override
        public void issue(Commands commands, long stream) {
            int status = tried(plan, shape, at, stream);
            if (status != 0) throw new OxbowException(INTERNAL, "cuBLASLt: a product failed with " + status);
        }

        @Override
        public boolean isSame(Entry other) {
            return other instanceof Product p && p.plan == plan && p.at.equals(at);
        }

        @Override
        public Touched touched() {
            Spans s = new Spans();
            s.reads(at.a, bytes(shape.m * shape.k, shape.strideA)).reads(at.b, bytes(shape.k * shape.n, shape.strideB));
            s.writes(at.c, bytes(shape.m * shape.n, shape.m * shape.n));
            if (at.bias != 0) s.reads(at.bias, shape.n * (shape.after == After.SUM ? shape.m : 1) * shape.dtype.size());
            if (shape.after == After.BIAS_AND_GELU) s.writes(at.beside, bytes(shape.m * shape.n, 0));
            if (shape.after == After.GELU_GRADIENT) s.reads(at.beside, bytes(shape.m * shape.n, 0));
            if (plan.workspace > 0) s.writes(workspace(at.c), plan.workspace);
            return s.touched();
        }

        private long bytes(long one, long stride) {
            return ((shape.batch - 1) * stride + one) * shape.dtype.size();
        }
    }

    /** One of a few workspaces, always the same for an output: products that have different ones may run side by side. */
    private long workspace(long c) {
        return workspace + (c * 0x9E3779B97F4A7C15L >>> 61) * WORKSPACE;
    }

    private int tried(Plan p, Shape s, Operands o, long stream) {
        if (s.after.hasBias()) BlasLt.setProduct(p.product, BIAS_POINTER, o.bias, 8);
        if (s.after.hasBeside()) BlasLt.setProduct(p.product, BESIDE_POINTER, o.beside, 8);
        long offset = s.dtype == DType.F64 ? 8 : 0;
        boolean adds = s.after == After.SUM;
        return BlasLt.multiply(
                handle,
                p.product,
                one + offset,
                new BlasLt.Matrix(o.b, p.b),
                new BlasLt.Matrix(o.a, p.a),
                (adds ? one : zero) + offset,
                adds ? o.bias : o.c,
                new BlasLt.Matrix(o.c, p.c),
                new BlasLt.Means(p.algorithm, workspace(o.c), p.workspace),
                stream);
    }

    private synchronized Plan plan(Shape s, Operands o) {
        Plan known = plans.get(s);
        if (known != null) return known;
        card.enter();
        int type = type(s.dtype);
        long product = BlasLt.product(compute(s.dtype), s.dtype == DType.F64 ? 1 : 0);
        BlasLt.setProduct(product, TRANSPOSE_A, s.transposeB ? 1 : 0, 4);
        BlasLt.setProduct(product, TRANSPOSE_B, s.transposeA ? 1 : 0, 4);
        if (s.after.epilogue != 1) BlasLt.setProduct(product, EPILOGUE, s.after.epilogue, 4);
        if (s.after.hasBias()) BlasLt.setProduct(product, BIAS_POINTER, o.bias, 8);
        if (s.after.hasBeside()) {
            BlasLt.setProduct(product, BESIDE_POINTER, o.beside, 8);
            BlasLt.setProduct(product, BESIDE_STRIDE, s.n, 8);
        }
        long layoutA = s.transposeA ? layout(type, s.m, s.k) : layout(type, s.k, s.m);
        long layoutB = s.transposeB ? layout(type, s.k, s.n) : layout(type, s.n, s.k);
        long layoutC = layout(type, s.n, s.m);
        if (s.batch > 1) {
            batches(layoutA, s.batch, s.strideA);
            batches(layoutB, s.batch, s.strideB);
            batches(layoutC, s.batch, s.m * s.n);
        }
        Plan made = best(s, new Plan(product, layoutA, layoutB, layoutC, 0, 0), o);
        plans.put(s, made);
        return made;
    }

    private static long layout(int type, long rows, long columns) {
        return BlasLt.layout(type, rows, columns, rows);
    }

    private static void batches(long layout, long count, long stride) {
        BlasLt.setLayout(layout, BATCH_COUNT, count, 4);
        BlasLt.setLayout(layout, BATCH_STRIDE, stride, 8);
    }

    private static int type(DType dtype) {
        return switch (dtype) {
            case F32 -> 0;
            case F64 -> 1;
            case F16 -> 2;
            case BF16 -> 14;
            default -> throw new OxbowException(UNIMPLEMENTED, "cuBLASLt: there are no products of " + dtype);
        };
    }

    /** Products of f32 are true ones, unless something else is asked for. */
    private int compute(DType dtype) {
        if (dtype == DType.F64) return 70;
        if (dtype != DType.F32) return 68;
        return switch (precision) {
            case "tf32" -> 77;
            case "bf16" -> 75;
            default -> 68;
        };
    }

    /** The plan with the fastest of the algorithms that the heuristic names; {@link #NONE} where it names none. */
    private Plan best(Shape s, Plan p, Operands o) {
        long preference = BlasLt.preference();
        BlasLt.setPreference(preference, WORKSPACE_ATTRIBUTE, WORKSPACE, 8);
        for (int operand = 5; operand <= 8; operand++) BlasLt.setPreference(preference, operand, 16, 4);
        long results = Arena.global().allocate(RESULT * CANDIDATES, 8).address();
        int n = BlasLt.heuristics(handle, p.product, p.b, p.a, p.c, p.c, preference, CANDIDATES, results);
        if (n == 0) return NONE;
        Plan first = candidate(p, results, 0);
        if (!Trials.WANTED || n == 1) return first;
        List<Trials.Way> ways = IntStream.range(0, n)
                .<Trials.Way>mapToObj(i -> stream -> tried(candidate(p, results, i), s, o, stream))
                .toList();
        int best = choices.way(precision + s, n, () -> fastest(ways));
        return best < 0 ? first : candidate(p, results, best);
    }

    private int fastest(List<Trials.Way> ways) {
        int[] best = {0};
        card.commands.outside(() -> best[0] = Trials.fastest(card, ways).way());
        return best[0];
    }

    private static Plan candidate(Plan p, long results, int i) {
        long algorithm = results + i * RESULT;
        return new Plan(p.product, p.a, p.b, p.c, algorithm, Memory.getLong(algorithm + WORKSPACE_OFFSET));
    }
}
