package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/** What layers over sequences, images and volumes share: the channels are last, the axes between batch and channels count. */
final class Spatial {
    private Spatial() {}

    /** How many axes there are between batch and channels: 1, 2 or 3. */
    static int of(String layer, Value x) {
        int rank = x.shape().rank();
        require(
                rank >= 3 && rank <= 5,
                INVALID_ARGUMENT,
                "%s: needs [batch, time, channels], [batch, rows, columns, channels] or [batch, planes, rows, columns,"
                        + " channels], got %s",
                layer,
                x.shape());
        return rank - 2;
    }

    /** The axes between batch and channels. */
    static int[] axes(Value x) {
        return IntStream.range(1, x.shape().rank() - 1).toArray();
    }

    /** {@code [size, ..., a, b]}. */
    static long[] kernel(int spatial, int size, long a, long b) {
        long[] dims = new long[spatial + 2];
        Arrays.fill(dims, 0, spatial, size);
        dims[spatial] = a;
        dims[spatial + 1] = b;
        return dims;
    }

    /** {@code [1, n, ..., n, 1]}, as ops want strides, windows and dilations. */
    static List<Long> each(int spatial, long n) {
        List<Long> all = new ArrayList<>(Collections.nCopies(spatial + 2, n));
        all.set(0, 1L);
        all.set(spatial + 1, 1L);
        return List.copyOf(all);
    }

    static String padding(boolean padded) {
        return padded ? "SAME" : "VALID";
    }

    /** An op of images on sequences: as images of one row, with a kernel of one row. */
    static Value asImages(Value x, Value kernel, BinaryOperator<Value> op) {
        if (x.shape().rank() != 3) return op.apply(x, kernel);
        return op.apply(x.expandDims(1), kernel.expandDims(0)).squeeze(1);
    }
}
