package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Param;

/** Transpositions, written as the size and the order of axes. */
public class Transposes extends OneOp {
    @Param({"8x8 1x0", "784x512 1x0", "4096x4096 1x0", "8x128x4x64 0x2x1x3", "64x28x28x32 0x3x1x2"})
    public String form;

    @Override
    protected Value build() {
        String[] parts = form.split(" ");
        int[] order = Arrays.stream(sizes(parts[1])).mapToInt(Math::toIntExact).toArray();
        return floats(sizes(parts[0])).transpose(order);
    }
}
