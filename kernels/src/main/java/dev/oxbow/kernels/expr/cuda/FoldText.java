package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.tensor.DType;

/** Folds in CUDA C: of one value into an accumulator, and of the accumulators of threads into one. */
final class FoldText {

    /*
     * Threads take the values of a row in turns; their accumulators are folded in halves, first within warps, then over
     * the warps of a block, always in the same order: a result depends on shapes alone.
     */

    private FoldText() {}

    /** The accumulator {@code a} after {@code value} of {@code kind}. */
    static String fold(Fold fold, Kind kind, DType accumulator, String a, String value) {
        Kind to = Kind.of(accumulator);
        String v = kind == to ? value : "(" + CudaText.type(to) + ")" + value;
        return switch (fold) {
            case SUM ->
                switch (to) {
                    case F64 -> "__dadd_rn(%s, %s)".formatted(a, v);
                    case F32 -> "__fadd_rn(%s, %s)".formatted(a, v);
                    case I64 -> "(long long)((unsigned long long)%s + (unsigned long long)%s)".formatted(a, v);
                    case I32, BOOL -> "(int)((unsigned)%s + (unsigned)%s)".formatted(a, v);
                };
            case PROD ->
                switch (to) {
                    case F64 -> "__dmul_rn(%s, %s)".formatted(a, v);
                    case F32 -> "__fmul_rn(%s, %s)".formatted(a, v);
                    case I64 -> "(long long)((unsigned long long)%s * (unsigned long long)%s)".formatted(a, v);
                    case I32, BOOL -> "(int)((unsigned)%s * (unsigned)%s)".formatted(a, v);
                };
            case MAX -> extreme("max", to, a, v);
            case MIN -> extreme("min", to, a, v);
            case GREATEST -> "(%s > %s ? %s : %s)".formatted(v, a, v, a);
        };
    }

    private static String extreme(String name, Kind kind, String a, String b) {
        return switch (kind) {
            case F32 -> "ox_%s_f32(%s, %s)".formatted(name, a, b);
            case F64 -> "ox_%s_f64(%s, %s)".formatted(name, a, b);
            default -> "(%s %s %s ? %s : %s)".formatted(b, name.equals("max") ? ">" : "<", a, b, a);
        };
    }

    /** Folds {@code a} over {@code lanes} threads in a row (at most 32, or all of the block), so that all of them have it. */
    static String across(Fold fold, DType accumulator, String a, int lanes) {
        Kind kind = Kind.of(accumulator);
        String type = CudaText.type(kind);
        int within = Math.min(lanes, 32);
        StringBuilder s = new StringBuilder("  #pragma unroll\n");
        s.append("  for (int s = %d; s > 0; s /= 2) { %s o = __shfl_xor_sync(0xffffffffu, %s, s, 32); %s = %s; }\n"
                .formatted(within / 2, type, a, a, fold(fold, kind, accumulator, a, "o")));
        if (lanes <= 32) return s.toString();
        int warps = lanes / 32;
        s.append("  { __shared__ %s shared[%d];\n".formatted(type, warps));
        s.append("    if (threadIdx.x %% 32 == 0) shared[threadIdx.x / 32] = %s;\n".formatted(a));
        s.append("    __syncthreads();\n    %s = shared[0];\n    #pragma unroll\n".formatted(a));
        s.append("    for (int w = 1; w < %d; w++) %s = %s;\n"
                .formatted(warps, a, fold(fold, kind, accumulator, a, "shared[w]")));
        return s.append("    __syncthreads(); }\n").toString();
    }

    static String neutral(Fold fold, DType accumulator) {
        Kind kind = Kind.of(accumulator);
        return CudaText.literal(kind, fold.neutral(kind));
    }
}
