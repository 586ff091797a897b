package dev.oxbow.kernels.image;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Two rows of samples of 8 bits, mixed by weights: {@code out[i] = v * a[i] + w * b[i]}. */
public final class RowMix {
    private static final int LANES = VectorWidth.BYTES / 4, TRIAL = 1024;
    private static final WarmLoop LOOP =
            new WarmLoop(600, memory -> Vectors.mix(memory, 0.5f, memory + TRIAL, 0.5f, Trial.OUT, TRIAL));

    private RowMix() {}

    private static final class Trial {
        static final float[] OUT = new float[TRIAL];
    }

    /** Mixes {@code n} samples from the addresses {@code a} and {@code b} on. */
    public static void mix(long a, float v, long b, float w, float[] out, int n) {
        int i = n >= LANES && LOOP.isReady() ? Vectors.mix(a, v, b, w, out, n & -LANES) : 0;
        for (; i < n; i++) out[i] = v * (Memory.getByte(a + i) & 255) + w * (Memory.getByte(b + i) & 255);
    }

    /** The loop that needs the Vector API, in a class of its own: it is linked only where the API is. */
    private static final class Vectors {
        private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Byte> BYTES =
                VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * FLOATS.length()));

        private Vectors() {}

        static int mix(long a, float v, long b, float w, float[] out, int n) {
            int i = 0;
            for (; i < n; i += FLOATS.length())
                floats(a + i).mul(v).add(floats(b + i).mul(w)).intoArray(out, i);
            return i;
        }

        private static FloatVector floats(long at) {
            return (FloatVector) ByteVector.fromMemorySegment(BYTES, Memory.ALL, at, ByteOrder.LITTLE_ENDIAN)
                    .convertShape(VectorOperators.ZERO_EXTEND_B2I, INTS, 0)
                    .convertShape(VectorOperators.I2F, FLOATS, 0);
        }
    }
}
