package dev.oxbow.collective.ops;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of all ranks of a group one after the other, and how many came from each. Ragged, ranks may have different
 * numbers of rows, which they tell each other first.
 */
@Signature(
        "AllGather(tensor: T) -> (output: T, rows: int64) {T: type in [NUMBER BOOL]; ragged: bool = false; group: string = \"\"; key: string = \"\"; timeout_ms: int = 0} stateful")
public record AllGather(boolean ragged, String group, String key, int timeoutMs) implements CollectiveOp {

    /** Of all ranks, which have the same number of rows, matched by the node's name. */
    public static AllGather even() {
        return new AllGather(false, "", "", 0);
    }

    /** Of all ranks, matched by the node's name. */
    public static AllGather anyRows() {
        return new AllGather(true, "", "", 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Rows.any(c).deref(), Rows.counts());
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c);
        long mine = c.input(0).shape().dim(0);
        Waiting.start(c, w -> {
            if (!ragged) {
                long[] rows = new long[g.size()];
                Arrays.fill(rows, mine);
                gather(c, w, g, o, rows);
                return;
            }
            Tensor told = w.hold(c.temporary(DType.I64, Shape.of(g.size())));
            told.setLong(g.rank(), mine);
            long[] ones = new long[g.size()];
            Arrays.fill(ones, 1);
            Options first = o.withName(o.name() + "/rows");
            w.phase(() -> w.add(g.allGather(Elements.of(told), ones, first)), () -> gather(c, w, g, o, told.longs()));
        });
    }

    private static void gather(KernelContext c, Waiting w, Group g, Options o, long[] rows) {
        Tensor x = c.input(0), y = c.allocate(0, x.shape().withDim(0, Rows.total(rows)));
        Rows.give(c, 1, rows);
        long[] counts = Rows.elements(rows, x.shape());
        long before = Arrays.stream(counts).limit(g.rank()).sum();
        Memory.copy(x.address(), y.address() + before * x.dtype().size(), x.byteSize());
        w.phase(() -> w.add(g.allGather(Elements.of(y), counts, o)), w::done);
    }

    /** {@code dx} is this rank's piece of {@code dy0 + dy1 + ...}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        ReduceScatter sum = new ReduceScatter("sum", group, gradientKey(g.graph()), false, timeoutMs);
        return List.of(Value.apply(sum, g.gradient(0), g.output(1)));
    }
}
