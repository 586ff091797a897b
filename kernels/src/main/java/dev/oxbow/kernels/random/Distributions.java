package dev.oxbow.kernels.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/**
 * Tensors filled from a Philox stream, number for number as TensorFlow's CPU kernels do. Generators passed in stay
 * where they are.
 */
public final class Distributions {

    /*
     * A block of the stream makes a group of four elements, or of two when they have 64 bits. Element i depends only on
     * block i / group, so any cut of the work gives the same tensor. Truncated normals draw as often as they must and
     * therefore own PhiloxState.BLOCKS_PER_OUTPUT / 4 blocks per element.
     */

    private static final long GRAIN = 1 << 12;
    private static final long TILE = 1 << 8; // short calls are compiled soonest

    private Distributions() {}

    /** Uniform in [0, 1), for floating types. */
    public static void uniform(Philox stream, Tensor y, Parallel parallel) {
        DType t = y.dtype();
        long at = y.address();
        switch (t) {
            case F32 -> numbers(stream, y, parallel, PhiloxVectors::floats);
            case F64 ->
                groups(stream, y, 2, parallel, (i, b, n) -> {
                    for (int j = 0; j < n; j++)
                        Memory.putDouble(at + 8 * (i + j), Samples.toDouble(b[2 * j], b[2 * j + 1]));
                });
            case F16 ->
                groups(stream, y, 4, parallel, (i, b, n) -> {
                    for (int j = 0; j < n; j++) {
                        Memory.putShort(
                                at + 2 * (i + j), Half.toF16(Half.fromF16((short) (15 << 10 | b[j] & 0x3ff)) - 1));
                    }
                });
            case BF16 ->
                groups(stream, y, 4, parallel, (i, b, n) -> {
                    for (int j = 0; j < n; j++) {
                        Memory.putShort(
                                at + 2 * (i + j), Half.toBf16(Half.fromBf16((short) (127 << 7 | b[j] & 0x7f)) - 1));
                    }
                });
            default -> require(false, INVALID_ARGUMENT, "RandomUniform: no uniform numbers of %s", t);
        }
    }

    /** Uniform whole numbers in [low, high), for integers of 32 and 64 bits. */
    public static void uniformInt(Philox stream, long low, long high, Tensor y, Parallel parallel) {
        require(low < high, INVALID_ARGUMENT, "Need minval < maxval, got %d >= %d", low, high);
        requireWhole(y);
        long at = y.address();
        if (y.dtype().size() == 4) {
            int range = (int) (high - low);
            numbers(stream, y, parallel, (from, n) -> {
                for (long i = from; i < from + 4 * n; i += 4)
                    Memory.putInt(i, (int) low + Integer.remainderUnsigned(Memory.getInt(i), range));
            });
        } else {
            long range = high - low;
            groups(stream, y, 2, parallel, (i, b, n) -> {
                for (int j = 0; j < n; j++) {
                    long bits = b[2 * j] & 0xffffffffL | (long) b[2 * j + 1] << 32;
                    Memory.putLong(at + 8 * (i + j), low + Long.remainderUnsigned(bits, range));
                }
            });
        }
    }

    /** Uniform over all values of an integer type of 32 or 64 bits. */
    public static void fullInt(Philox stream, Tensor y, Parallel parallel) {
        requireWhole(y);
        long at = y.address();
        if (y.dtype().size() == 4) {
            numbers(stream, y, parallel, (from, n) -> {});
        } else {
            groups(stream, y, 2, parallel, (i, b, n) -> {
                for (int j = 0; j < n; j++)
                    Memory.putLong(at + 8 * (i + j), b[2 * j] & 0xffffffffL | (long) b[2 * j + 1] << 32);
            });
        }
    }

    private static void requireWhole(Tensor y) {
        DType t = y.dtype();
        require(
                t == DType.I32 || t == DType.U32 || t == DType.I64 || t == DType.U64,
                INVALID_ARGUMENT,
                "there are random whole numbers of 32 and 64 bits, not of %s",
                t);
    }

    private static void requireFloating(Tensor y) {
        require(y.dtype().isFloating(), INVALID_ARGUMENT, "there are no normal numbers of %s", y.dtype());
    }

    /** Normal with mean 0 and deviation 1, for floating types. */
    public static void normal(Philox stream, Tensor y, Parallel parallel) {
        requireFloating(y);
        if (y.dtype() == DType.F64) {
            groups(stream, y, 2, parallel, (i, b, n) -> {
                double[] d = new double[2];
                Samples.normal(b[0], b[1], b[2], b[3], d);
                for (int j = 0; j < n; j++) Memory.putDouble(y.address() + 8 * (i + j), d[j]);
            });
        } else if (y.dtype() == DType.F32 && y.size() % 2 == 0) {
            numbers(stream, y, parallel, Samples::normals);
        } else {
            groups(stream, y, 4, parallel, (i, b, n) -> {
                float[] f = new float[2];
                for (int j = 0; j < n; j++) {
                    if (j % 2 == 0) Samples.normal(b[j], b[j + 1], f);
                    y.set(i + j, f[j % 2]);
                }
            });
        }
    }

    /** Normal numbers redrawn until they lie within two deviations. */
    public static void truncatedNormal(Philox stream, Tensor y, Parallel parallel) {
        requireFloating(y);
        boolean wide = y.dtype() == DType.F64;
        int group = wide ? 2 : 4, blocks = group * PhiloxState.BLOCKS_PER_OUTPUT / 4;
        long size = y.size();
        parallel.run((size + group - 1) / group, GRAIN / 4, (from, to) -> {
            float[] f = new float[2];
            double[] d = new double[2];
            for (long g = from; g < to; g++) {
                Samples samples = new Samples(stream.at(g * blocks));
                long i = g * group, end = Math.min(size, i + group);
                while (i < end) {
                    if (wide) {
                        Samples.normal(samples.next(), samples.next(), samples.next(), samples.next(), d);
                    } else {
                        Samples.normal(samples.next(), samples.next(), f);
                        d[0] = f[0];
                        d[1] = f[1];
                    }
                    for (int j = 0; j < 2 && i < end; j++) if (Math.abs(d[j]) < 2) y.set(i++, d[j]);
                }
            }
        });
    }

    private interface Numbers {
        /** Makes elements of the n 32-bit numbers at {@code address}, in place. */
        void convert(long address, long n);
    }

    /** Elements of 32 bits, one number each, in tiles that stay in the cache until they are converted. */
    private static void numbers(Philox stream, Tensor y, Parallel parallel, Numbers task) {
        long size = y.size(), at = y.address();
        parallel.run((size + 3) / 4, GRAIN, (from, to) -> {
            Philox p = stream.at(from);
            for (long i = 4 * from; i < Math.min(4 * to, size); i += TILE) {
                long n = Math.min(TILE, Math.min(4 * to, size) - i);
                p.numbers(at + 4 * i, n);
                task.convert(at + 4 * i, n);
            }
        });
    }

    private interface Group {
        void fill(long at, int[] block, int n);
    }

    private static void groups(Philox stream, Tensor y, int group, Parallel parallel, Group task) {
        long size = y.size();
        parallel.run((size + group - 1) / group, GRAIN, (from, to) -> {
            Philox p = stream.at(from);
            int[] block = new int[4];
            for (long g = from; g < to; g++) {
                p.next(block);
                task.fill(g * group, block, (int) Math.min(group, size - g * group));
            }
        });
    }
}
