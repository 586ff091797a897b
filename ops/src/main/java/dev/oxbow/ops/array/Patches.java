package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.FloorDiv;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Patches of images or volumes: windows over spatial dimensions, flattened into the channels. */
final class Patches {
    private Patches() {}

    /** What one spatial dimension does: window, stride, rate, output size and padding ahead. */
    private record Window(long size, long stride, long rate, long out, long before) {}

    private static Window window(long in, long size, long stride, long rate, boolean same) {
        long effective = size + (size - 1) * (rate - 1);
        if (in < 0) return new Window(size, stride, rate, -1, 0);
        long out = same ? Math.ceilDiv(in, stride) : Math.ceilDiv(in - effective + 1, stride);
        require(
                out >= 0,
                INVALID_ARGUMENT,
                "Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]",
                out,
                in,
                effective,
                stride);
        long padding = same ? Math.max(0, (out - 1) * stride + effective - in) : 0;
        return new Window(size, stride, rate, out, padding / 2);
    }

    private static Window[] windows(
            Shape x, List<Integer> sizes, List<Integer> strides, List<Integer> rates, String padding) {
        int n = x.rank() - 2;
        for (List<Integer> l : List.of(sizes, strides, rates)) {
            require(
                    l.size() == n + 2 && l.get(0) == 1 && l.get(n + 1) == 1,
                    UNIMPLEMENTED,
                    "windows, strides and rates must have %d entries, 1 for batch and depth, got %s",
                    n + 2,
                    l);
            for (int v : l) require(v > 0, OUT_OF_RANGE, "entries must be positive, got %s", l);
        }
        Window[] w = new Window[n];
        for (int d = 0; d < n; d++)
            w[d] = window(x.dim(d + 1), sizes.get(d + 1), strides.get(d + 1), rates.get(d + 1), padding.equals("SAME"));
        return w;
    }

    static Shape infer(
            Shape input, int rank, List<Integer> sizes, List<Integer> strides, List<Integer> rates, String padding) {
        Arguments.rank("input", input, rank);
        Shape x = input.isRankKnown() ? input : Shape.ofRank(rank);
        long[] dims = x.dims();
        long depth = x.dim(-1);
        Window[] windows = windows(x, sizes, strides, rates, padding);
        for (int d = 0; d < windows.length; d++) {
            dims[d + 1] = windows[d].out;
            depth = Counts.times(depth, windows[d].size);
        }
        dims[rank - 1] = depth;
        return Shape.of(dims);
    }

    static void run(KernelContext c, List<Integer> sizes, List<Integer> strides, List<Integer> rates, String padding) {
        Tensor x = c.input(0), y = c.output(0);
        if (y.size() == 0) return;
        Memory.zero(y.address(), y.byteSize());
        Window[] w = windows(x.shape(), sizes, strides, rates, padding);
        long depth = x.shape().dim(-1),
                window = 1,
                places = y.size() / y.shape().dim(-1);
        for (Window d : w) window *= d.size;
        long bytes = depth * x.dtype().size(), each = window;
        c.parallel().run(places, Math.max(1, 4096 / (window * depth)), (from, to) -> {
            long[] place = new long[w.length];
            for (long p = from; p < to; p++) {
                long batch = split(p, place, w, false);
                long[] offset = new long[w.length];
                for (long k = 0; k < each; k++) {
                    split(k, offset, w, true);
                    long at = batch;
                    boolean inside = true;
                    for (int d = 0; d < w.length && inside; d++) {
                        long i = place[d] * w[d].stride - w[d].before + offset[d] * w[d].rate;
                        inside = i >= 0 && i < x.shape().dim(d + 1);
                        at = at * x.shape().dim(d + 1) + i;
                    }
                    if (inside) Memory.copy(x.address() + at * bytes, y.address() + (p * each + k) * bytes, bytes);
                }
            }
        });
    }

    /** Splits a flat position into coordinates of windows or of output places; returns what is left, the batch. */
    private static long split(long p, long[] coordinates, Window[] w, boolean inWindow) {
        for (int d = w.length - 1; d >= 0; d--) {
            long n = inWindow ? w[d].size : w[d].out;
            coordinates[d] = p % n;
            p /= n;
        }
        return p;
    }

    /** Each element of dy added where it came from: patches of element numbers say where. */
    static Value gradient(GradientContext g, Op patches) {
        Ops ops = g.ops();
        Value x = g.input(0), dy = g.gradient(0), shape = x.runtimeShape();
        Value zero = ops.constant(DType.I32, 0), one = ops.constant(DType.I32, 1);
        Value batch = Gathers.firstDim(x);
        Value each = Value.apply(new FloorDiv(), x.runtimeSize(), batch.maximum(one));
        Value image = Value.apply(
                new ConcatV2(),
                ops.constant(new int[] {1}),
                shape.gather(Value.apply(new Range(), one, x.runtimeRank(), one), 0),
                zero);
        Value numbers = Value.apply(new Range(), one, each.plus(one), one).reshape(image);
        Value origins = Value.apply(patches, numbers).reshape(-1).minus(one);
        Value rows = dy.reshape(Value.apply(new Pack(0), batch, origins.runtimeSize()))
                .transpose(1, 0);
        Value sums = Value.apply(new UnsortedSegmentSum(), rows, origins, each);
        return sums.transpose(1, 0).reshape(shape);
    }
}
