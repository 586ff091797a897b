package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;

/** The scalar twin of {@link TileF32} and {@link TileF64}: the same operations in the same order. */
final class TileScalar {
    /** What stands for a vector when there are none. */
    static final int LANE_BYTES = 32;

    private TileScalar() {}

    /** {@code C = A * B}, or {@code C += A * B}, on 6 rows and {@code columns} columns. */
    static void run(int width, long a, long b, long bStep, int k, long c, long cStep, int columns, boolean add) {
        if (width == 4) floats(a, b, bStep, k, c, cStep, columns, add);
        else doubles(a, b, bStep, k, c, cStep, columns, add);
    }

    private static void floats(long a, long b, long bStep, int k, long c, long cStep, int columns, boolean add) {
        for (int i = 0; i < 6; i += 2) {
            int j = 0;
            for (; j + 4 <= columns; j += 4) {
                float s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
                long x = a + 4L * i, y = b + 4L * j;
                for (int p = k; p > 0; p--, x += 24, y += bStep) {
                    float x0 = Memory.getFloat(x), x1 = Memory.getFloat(x + 4);
                    float y0 = Memory.getFloat(y), y1 = Memory.getFloat(y + 4);
                    float y2 = Memory.getFloat(y + 8), y3 = Memory.getFloat(y + 12);
                    s00 = Math.fma(x0, y0, s00);
                    s01 = Math.fma(x0, y1, s01);
                    s02 = Math.fma(x0, y2, s02);
                    s03 = Math.fma(x0, y3, s03);
                    s10 = Math.fma(x1, y0, s10);
                    s11 = Math.fma(x1, y1, s11);
                    s12 = Math.fma(x1, y2, s12);
                    s13 = Math.fma(x1, y3, s13);
                }
                long to = c + i * cStep + 4L * j;
                store(s00, to, add);
                store(s01, to + 4, add);
                store(s02, to + 8, add);
                store(s03, to + 12, add);
                store(s10, to + cStep, add);
                store(s11, to + cStep + 4, add);
                store(s12, to + cStep + 8, add);
                store(s13, to + cStep + 12, add);
            }
            for (; j < columns; j++) {
                float s0 = 0, s1 = 0;
                long x = a + 4L * i, y = b + 4L * j;
                for (int p = k; p > 0; p--, x += 24, y += bStep) {
                    s0 = Math.fma(Memory.getFloat(x), Memory.getFloat(y), s0);
                    s1 = Math.fma(Memory.getFloat(x + 4), Memory.getFloat(y), s1);
                }
                store(s0, c + i * cStep + 4L * j, add);
                store(s1, c + (i + 1) * cStep + 4L * j, add);
            }
        }
    }

    private static void store(float x, long at, boolean add) {
        Memory.putFloat(at, add ? Memory.getFloat(at) + x : x);
    }

    private static void doubles(long a, long b, long bStep, int k, long c, long cStep, int columns, boolean add) {
        for (int i = 0; i < 6; i += 2) {
            int j = 0;
            for (; j + 4 <= columns; j += 4) {
                double s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
                long x = a + 8L * i, y = b + 8L * j;
                for (int p = k; p > 0; p--, x += 48, y += bStep) {
                    double x0 = Memory.getDouble(x), x1 = Memory.getDouble(x + 8);
                    double y0 = Memory.getDouble(y), y1 = Memory.getDouble(y + 8);
                    double y2 = Memory.getDouble(y + 16), y3 = Memory.getDouble(y + 24);
                    s00 = Math.fma(x0, y0, s00);
                    s01 = Math.fma(x0, y1, s01);
                    s02 = Math.fma(x0, y2, s02);
                    s03 = Math.fma(x0, y3, s03);
                    s10 = Math.fma(x1, y0, s10);
                    s11 = Math.fma(x1, y1, s11);
                    s12 = Math.fma(x1, y2, s12);
                    s13 = Math.fma(x1, y3, s13);
                }
                long to = c + i * cStep + 8L * j;
                store(s00, to, add);
                store(s01, to + 8, add);
                store(s02, to + 16, add);
                store(s03, to + 24, add);
                store(s10, to + cStep, add);
                store(s11, to + cStep + 8, add);
                store(s12, to + cStep + 16, add);
                store(s13, to + cStep + 24, add);
            }
            for (; j < columns; j++) {
                double s0 = 0, s1 = 0;
                long x = a + 8L * i, y = b + 8L * j;
                for (int p = k; p > 0; p--, x += 48, y += bStep) {
                    s0 = Math.fma(Memory.getDouble(x), Memory.getDouble(y), s0);
                    s1 = Math.fma(Memory.getDouble(x + 8), Memory.getDouble(y), s1);
                }
                store(s0, c + i * cStep + 8L * j, add);
                store(s1, c + (i + 1) * cStep + 8L * j, add);
            }
        }
    }

    private static void store(double x, long at, boolean add) {
        Memory.putDouble(at, add ? Memory.getDouble(at) + x : x);
    }
}
