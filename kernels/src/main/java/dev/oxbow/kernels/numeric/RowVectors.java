package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;

/** The inner loops of {@link GemmRows} with vectors. */
final class RowVectors {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final Warmup FAST = new Warmup(1, 4 * 512, 3 * 8 * 256, at -> {
        for (int w = 4; w <= 8; w += 4) {
            axpy(w, 1, at, at + 2048, 250);
            dot(w, at, at + 2048, 250);
        }
    });

    private RowVectors() {}

    /** Whether the JIT compiler has made this fast; until then plain loops are faster. */
    static boolean isFast() {
        return FAST.isDone();
    }

    static int vectorBytes() {
        return TileF32.LANES.vectorByteSize();
    }

    /** {@code y += alpha * x}. */
    static void axpy(int w, double alpha, long x, long y, long n) {
        if (w == 4) axpyF32((float) alpha, x, y, n);
        else axpyF64(alpha, x, y, n);
    }

    static double dot(int w, long x, long y, long n) {
        return w == 4 ? dotF32(x, y, n) : dotF64(x, y, n);
    }

    private static void axpyF32(float alpha, long x, long y, long n) {
        var lanes = TileF32.LANES;
        long i = 0;
        for (; i <= n - lanes.length(); i += lanes.length()) {
            FloatVector.fromMemorySegment(lanes, Memory.ALL, x + 4 * i, ORDER)
                    .fma(
                            FloatVector.broadcast(lanes, alpha),
                            FloatVector.fromMemorySegment(lanes, Memory.ALL, y + 4 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
        }
        for (; i < n; i++)
            Memory.putFloat(y + 4 * i, Math.fma(alpha, Memory.getFloat(x + 4 * i), Memory.getFloat(y + 4 * i)));
    }

    private static void axpyF64(double alpha, long x, long y, long n) {
        var lanes = TileF64.LANES;
        long i = 0;
        for (; i <= n - lanes.length(); i += lanes.length()) {
            DoubleVector.fromMemorySegment(lanes, Memory.ALL, x + 8 * i, ORDER)
                    .fma(
                            DoubleVector.broadcast(lanes, alpha),
                            DoubleVector.fromMemorySegment(lanes, Memory.ALL, y + 8 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 8 * i, ORDER);
        }
        for (; i < n; i++)
            Memory.putDouble(y + 8 * i, Math.fma(alpha, Memory.getDouble(x + 8 * i), Memory.getDouble(y + 8 * i)));
    }

    private static double dotF32(long x, long y, long n) {
        var lanes = TileF32.LANES;
        long i = 0;
        FloatVector sum = FloatVector.zero(lanes);
        for (; i <= n - lanes.length(); i += lanes.length()) {
            sum = FloatVector.fromMemorySegment(lanes, Memory.ALL, x + 4 * i, ORDER)
                    .fma(FloatVector.fromMemorySegment(lanes, Memory.ALL, y + 4 * i, ORDER), sum);
        }
        double total = 0;
        // In lane order, since reduceLanes leaves the order open.
        for (float lane : sum.toArray()) total += lane;
        for (; i < n; i++) total += GemmRows.tail(4, x, y, i);
        return total;
    }

    private static double dotF64(long x, long y, long n) {
        var lanes = TileF64.LANES;
        long i = 0;
        DoubleVector sum = DoubleVector.zero(lanes);
        for (; i <= n - lanes.length(); i += lanes.length()) {
            sum = DoubleVector.fromMemorySegment(lanes, Memory.ALL, x + 8 * i, ORDER)
                    .fma(DoubleVector.fromMemorySegment(lanes, Memory.ALL, y + 8 * i, ORDER), sum);
        }
        double total = 0;
        for (double lane : sum.toArray()) total += lane;
        for (; i < n; i++) total += GemmRows.tail(8, x, y, i);
        return total;
    }
}
