package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.algorithm.PairwiseAllToAll;
import dev.oxbow.collective.algorithm.RingAllGather;
import dev.oxbow.collective.algorithm.RingAllReduce;
import dev.oxbow.collective.algorithm.RingReduceScatter;
import dev.oxbow.collective.algorithm.TreeBroadcast;
import dev.oxbow.collective.combine.Combine;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** What a collective does with its input, once all have come. */
final class KeyedWork {
    enum Kind {
        REDUCE,
        GATHER,
        BROADCAST,
        REDUCE_SCATTER,
        ALL_TO_ALL
    }

    /** Bytes of a message at most, so that a part goes on while the rest still comes. */
    private static final int CHUNK = 1 << 20;

    private final Kind kind;
    private final DType dtype;
    private final Shape shape;
    private final String merge;
    private final boolean mean;
    private final boolean source;
    private Tensor scratch;
    private Tensor piece;
    private long from;

    private KeyedWork(Kind kind, DType dtype, Shape shape, String merge, boolean mean, boolean source) {
        this.kind = kind;
        this.dtype = dtype;
        this.shape = shape;
        this.merge = merge;
        this.mean = mean;
        this.source = source;
    }

    /** One that does the same to the input of every device. */
    static KeyedWork of(Kind kind, Tensor x) {
        return new KeyedWork(kind, x.dtype(), x.shape(), "", false, false);
    }

    /** Combines inputs by {@code Add}, {@code Mul}, {@code Min} or {@code Max}, then divides by {@code Div}. */
    static KeyedWork reducing(Kind kind, Tensor x, String merge, String last) {
        return new KeyedWork(kind, x.dtype(), x.shape(), merge, last.equals("Div"), false);
    }

    /** Sends a value to all, or gets it from the one who sends. */
    static KeyedWork broadcast(DType dtype, Shape shape, boolean source) {
        return new KeyedWork(Kind.BROADCAST, dtype, shape, "", false, source);
    }

    /** In words that are equal on all devices, or else they do not fit. */
    String what() {
        String how = merge.isEmpty() ? "" : " by " + merge + (mean ? " and Div" : "");
        return "%s%s of %s%s".formatted(kind, how, dtype, shape);
    }

    boolean isSource() {
        return source;
    }

    boolean takesInput() {
        return kind != Kind.BROADCAST || source;
    }

    DType dtype() {
        return dtype;
    }

    boolean isMean() {
        return mean;
    }

    Combine combine() {
        return switch (merge) {
            case "Add" -> Combine.sum(dtype);
            case "Mul" -> Combine.product(dtype);
            case "Min" -> Combine.min(dtype);
            case "Max" -> Combine.max(dtype);
            default -> null;
        };
    }

    /** Makes the output and starts the algorithm that fills it. */
    void start(KernelContext c, Tensor x, Exchange exchange, int root) {
        int n = exchange.size();
        long chunk = CHUNK / dtype.size();
        switch (kind) {
            case REDUCE -> {
                Tensor y = copied(x, c.allocate(0, shape));
                new RingAllReduce(y.address(), y.size(), chunk).start(exchange);
            }
            case GATHER -> {
                Tensor y = c.allocate(0, shape.withDim(0, n * shape.dim(0)));
                Memory.copy(x.address(), y.address() + exchange.rank() * x.byteSize(), x.byteSize());
                new RingAllGather(y.address(), counts(x.size(), n), chunk).start(exchange);
            }
            case BROADCAST -> {
                require(root >= 0, INVALID_ARGUMENT, "no device of the group sends a value");
                Tensor y = c.allocate(0, shape);
                if (source) copied(x, y);
                new TreeBroadcast(y.address(), y.size(), root, chunk).start(exchange);
            }
            case REDUCE_SCATTER -> {
                rows(n);
                scratch = copied(x, c.temporary(dtype, shape));
                from = exchange.rank() * (x.byteSize() / n);
                piece = c.allocate(0, shape.withDim(0, shape.dim(0) / n));
                new RingReduceScatter(scratch.address(), counts(x.size() / n, n), chunk).start(exchange);
            }
            case ALL_TO_ALL -> {
                rows(n);
                Tensor y = c.allocate(0, shape);
                long[] counts = counts(x.size() / n, n);
                new PairwiseAllToAll(x.address(), counts, y.address(), counts).start(exchange);
            }
        }
    }

    private void rows(int devices) {
        require(
                shape.rank() >= 1 && shape.dim(0) % devices == 0,
                INVALID_ARGUMENT,
                "the rows of %s can not be divided among %d devices",
                shape,
                devices);
    }

    private static Tensor copied(Tensor x, Tensor y) {
        Memory.copy(x.address(), y.address(), x.byteSize());
        return y;
    }

    private static long[] counts(long each, int n) {
        long[] counts = new long[n];
        Arrays.fill(counts, each);
        return counts;
    }

    /** What is left to do once the algorithm has ended well. */
    void finish() {
        if (piece != null) Memory.copy(scratch.address() + from, piece.address(), piece.byteSize());
    }

    void release() {
        if (scratch != null) scratch.release();
        scratch = null;
    }
}
