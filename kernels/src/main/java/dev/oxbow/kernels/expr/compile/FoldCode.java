package dev.oxbow.kernels.expr.compile;

import static java.lang.constant.ConstantDescs.CD_int;

import dev.oxbow.kernels.expr.interpret.Kind;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import jdk.incubator.vector.VectorShuffle;

/** Writes folds of vectors: accumulators of 64 bits take a vector of 32-bit lanes in two halves. */
final class FoldCode {
    private static final ClassDesc SHUFFLE = VectorCode.desc(VectorShuffle.class);

    private final VectorCode vectors;
    private final CodeBuilder code;
    private int iota = -1;
    private final Map<String, Integer> spares = new HashMap<>();

    /** Locals that together hold {@link Fold#LANES} accumulators, {@code parts} for each vector of values. */
    record Accumulators(Fold fold, Kind from, Kind kind, int parts, int[] locals) {}

    FoldCode(VectorCode vectors) {
        this.vectors = vectors;
        this.code = vectors.code;
    }

    /** Makes the constants that a fold needs. */
    void neutral(Fold fold, Kind kind) {
        vectors.constant(kind, fold.neutral(kind));
        Kind wide = fold.accumulated(kind);
        vectors.constant(wide, fold.neutral(wide));
    }

    /** Makes the vector 0, 1, 2 ... */
    void iota() {
        if (iota >= 0) return;
        iota = vectors.local();
        ClassDesc v = VectorCode.vector(Kind.I32);
        code.aload(vectors.constant(Kind.I32, 0)).iconst_1();
        code.invokevirtual(v, "addIndex", MethodTypeDesc.of(v, CD_int)).astore(iota);
    }

    /** The numbers of the lanes from the int that {@code push} leaves on the stack on. */
    void index(Runnable push, int target) {
        ClassDesc v = VectorCode.vector(Kind.I32);
        vectors.broadcast(Kind.I32, push, target);
        code.aload(target).aload(iota);
        code.invokevirtual(v, "add", MethodTypeDesc.of(v, VectorCode.VECTOR)).astore(target);
    }

    private int parts(Kind from, Kind to) {
        return from != to && !vectors.has64 ? 2 : 1;
    }

    Accumulators start(Fold fold, Kind kind, int vectorsAtOnce) {
        Kind wide = fold.accumulated(kind);
        int parts = parts(kind, wide);
        int[] locals = new int[parts * vectorsAtOnce];
        for (int i = 0; i < locals.length; i++) {
            locals[i] = vectors.local();
            code.aload(vectors.constant(wide, fold.neutral(wide))).astore(locals[i]);
        }
        return new Accumulators(fold, kind, wide, parts, locals);
    }

    /** Folds the k-th vector of values into its accumulators. */
    void take(Accumulators a, int k, int value, int mask) {
        int v = passed(a.fold, a.from, value, mask);
        for (int part = 0; part < a.parts; part++) {
            int accumulator = a.locals[k * a.parts + part];
            combine(a.fold, a.kind, accumulator, widened(a.from, a.kind, v, part));
        }
    }

    /** Folds a vector of values into accumulators in memory, at the address that {@code push} leaves for a part. */
    void column(Fold fold, Kind kind, int value, int mask, IntConsumer push) {
        Kind wide = fold.accumulated(kind);
        int v = passed(fold, kind, value, mask), accumulator = spare(wide, 2);
        for (int part = 0; part < parts(kind, wide); part++) {
            int p = part;
            vectors.load(wide, () -> push.accept(p), -1, accumulator);
            combine(fold, wide, accumulator, widened(kind, wide, v, part));
            vectors.store(wide, accumulator, () -> push.accept(p), -1);
        }
    }

    /** The value where the mask is set, the neutral one elsewhere. */
    private int passed(Fold fold, Kind kind, int value, int mask) {
        if (mask < 0) return value;
        int target = spare(kind, 0);
        vectors.masked(kind, value, vectors.constant(kind, fold.neutral(kind)), mask, target);
        return target;
    }

    private int widened(Kind from, Kind to, int value, int part) {
        if (from == to) return value;
        int target = spare(to, 1);
        code.aload(value);
        vectors.operator("F2D", VectorCode.CONVERSION);
        vectors.species(to).loadConstant(part);
        code.invokevirtual(
                VectorCode.VECTOR,
                "convertShape",
                MethodTypeDesc.of(VectorCode.VECTOR, VectorCode.CONVERSION, VectorCode.SPECIES, CD_int));
        code.checkcast(VectorCode.vector(to)).astore(target);
        return target;
    }

    private void combine(Fold fold, Kind kind, int accumulator, int value) {
        ClassDesc v = VectorCode.vector(kind);
        code.aload(accumulator).aload(value);
        if (fold == Fold.GREATEST) {
            code.aload(value);
            vectors.operator("GT", VectorCode.COMPARISON).aload(accumulator);
            code.invokevirtual(
                    v, "compare", MethodTypeDesc.of(VectorCode.MASK, VectorCode.COMPARISON, VectorCode.VECTOR));
            code.invokevirtual(v, "blend", MethodTypeDesc.of(v, VectorCode.VECTOR, VectorCode.MASK));
        } else {
            String name = switch (fold) {
                case SUM -> "add";
                case PROD -> "mul";
                case MAX, GREATEST -> "max";
                case MIN -> "min";
            };
            code.invokevirtual(v, name, MethodTypeDesc.of(v, VectorCode.VECTOR));
        }
        code.astore(accumulator);
    }

    /**
     * Folds the accumulators by halves, upper into lower, and brings the result to every lane of {@code target}; what is
     * narrowed on the way is divided before.
     */
    void finish(Accumulators a, Kind to, double divisor, int target) {
        int n = a.locals.length;
        for (int half = n / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) combine(a.fold, a.kind, a.locals[i], a.locals[i + half]);
        }
        int total = a.locals[0], other = spare(a.kind, 1);
        ClassDesc v = VectorCode.vector(a.kind);
        String species = vectors.speciesName(a.kind);
        for (int distance = Fold.LANES / n / 2; distance > 0; distance /= 2) {
            code.aload(total).getstatic(VectorCode.desc(Swaps.class), species + '_' + distance, SHUFFLE);
            code.invokevirtual(v, "rearrange", MethodTypeDesc.of(v, SHUFFLE)).astore(other);
            combine(a.fold, a.kind, total, other);
        }
        if (to == a.kind) {
            code.aload(total).astore(target);
            return;
        }
        vectors.broadcast(
                to,
                () -> {
                    vectors.first(a.kind, total);
                    if (divisor != 1) code.loadConstant(divisor).ddiv();
                    code.d2f();
                },
                target);
    }

    private int spare(Kind kind, int number) {
        return spares.computeIfAbsent(kind + "" + number, _ -> vectors.local());
    }
}
