package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Tile;
import java.util.Arrays;

/** Folds registers in the order that {@link Fold} sets, in plain loops. */
final class LaneFold {
    private static final int LANES = Fold.LANES;

    private final Fold fold;
    private final Kind kind;
    private final double[] floats = new double[LANES];
    private final long[] integers = new long[LANES];

    LaneFold(Fold fold, Kind kind) {
        this.fold = fold;
        this.kind = kind;
    }

    void start() {
        if (kind.isFloating()) Arrays.fill(floats, Double.longBitsToDouble(fold.neutral(Kind.F64)));
        else Arrays.fill(integers, fold.neutral(kind));
    }

    /** Takes {@code [at, at + n)} of a register; all but the last call of a row give multiples of the lanes. */
    void take(Tile t, int register, int at, int n) {
        switch (kind) {
            case F32 -> {
                float[] x = t.floats[register];
                for (int i = 0; i < n; i += LANES) into(floats, 0, x, at + i, Math.min(LANES, n - i));
            }
            case F64 -> {
                double[] x = t.doubles[register];
                for (int i = 0; i < n; i += LANES) into(floats, 0, x, at + i, Math.min(LANES, n - i));
            }
            case I32, BOOL -> {
                int[] x = t.ints[register];
                for (int i = 0; i < n; i += LANES) into(integers, 0, x, at + i, Math.min(LANES, n - i));
            }
            case I64 -> {
                long[] x = t.longs[register];
                for (int i = 0; i < n; i += LANES) into(integers, 0, x, at + i, Math.min(LANES, n - i));
            }
        }
    }

    double floating() {
        for (int half = LANES / 2; half > 0; half /= 2) into(floats, 0, floats, half, half);
        return floats[0];
    }

    long integer() {
        for (int half = LANES / 2; half > 0; half /= 2) into(integers, 0, integers, half, half);
        return integers[0];
    }

    /** Folds {@code n} values into as many accumulators. */
    void into(double[] r, int to, float[] x, int at, int n) {
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] + x[at + i];
            }
            case PROD -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] * x[at + i];
            }
            case MAX -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.max(r[to + i], x[at + i]);
            }
            case MIN -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.min(r[to + i], x[at + i]);
            }
            case GREATEST -> {
                for (int i = 0; i < n; i++) r[to + i] = x[at + i] > r[to + i] ? x[at + i] : r[to + i];
            }
        }
    }

    void into(double[] r, int to, double[] x, int at, int n) {
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] + x[at + i];
            }
            case PROD -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] * x[at + i];
            }
            case MAX -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.max(r[to + i], x[at + i]);
            }
            case MIN -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.min(r[to + i], x[at + i]);
            }
            case GREATEST -> {
                for (int i = 0; i < n; i++) r[to + i] = x[at + i] > r[to + i] ? x[at + i] : r[to + i];
            }
        }
    }

    void into(long[] r, int to, int[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = fold.apply(r[to + i], x[at + i]);
    }

    void into(long[] r, int to, long[] x, int at, int n) {
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] + x[at + i];
            }
            case PROD -> {
                for (int i = 0; i < n; i++) r[to + i] = r[to + i] * x[at + i];
            }
            case MAX, GREATEST -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.max(r[to + i], x[at + i]);
            }
            case MIN -> {
                for (int i = 0; i < n; i++) r[to + i] = Math.min(r[to + i], x[at + i]);
            }
        }
    }
}
