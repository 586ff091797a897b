package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Combines a tensor with those of all ranks of a group; rank r gets piece r of the rows of the result. {@code rows} has
 * the rows of each piece; when it is empty they are as even as can be, larger ones first.
 */
@Signature(
        "ReduceScatter(tensor: T, rows: int64) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; reduction: string in [\"sum\" \"mean\" \"min\" \"max\" \"product\" \"and\" \"or\" \"xor\"] = \"sum\"; group: string = \"\"; key: string = \"\"; deterministic: bool = false; timeout_ms: int = 0} stateful")
public record ReduceScatter(String reduction, String group, String key, boolean deterministic, int timeoutMs)
        implements CollectiveOp {

    /** Of all ranks, matched by the node's name. */
    public static ReduceScatter of(Reduction reduction) {
        return new ReduceScatter(reduction.name(), "", "", false, 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                Reduction.named(reduction).supports(c.dtype(0)),
                INVALID_ARGUMENT,
                "%s is not defined for %s",
                reduction,
                c.input(0));
        Rows.checkCounts(c, 1);
        return List.of(Rows.any(c).deref());
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c).withDeterministic(deterministic);
        Shape shape = c.input(0).shape();
        long[] rows = c.input(1).size() == 0 ? g.even(shape.dim(0)) : c.input(1).longs();
        require(
                rows.length == g.size() && Rows.total(rows) == shape.dim(0),
                INVALID_ARGUMENT,
                "rows must be %d numbers with the sum %d, got %s",
                g.size(),
                shape.dim(0),
                Arrays.toString(rows));
        long[] counts = Rows.elements(rows, shape);
        Waiting.start(c, w -> {
            Tensor all = w.hold(Rows.scratch(c, 0));
            w.phase(() -> w.add(g.reduceScatter(Elements.of(all), counts, Reduction.named(reduction), o)), () -> {
                Tensor mine = c.allocate(0, shape.withDim(0, rows[g.rank()]));
                long before = Arrays.stream(counts).limit(g.rank()).sum();
                Memory.copy(all.address() + before * all.dtype().size(), mine.address(), mine.byteSize());
                w.done();
            });
        });
    }

    /** {@code dx} is {@code dy} of all ranks, one after the other; for a mean, divided by their number. */
    @Override
    public List<Value> gradient(GradientContext g) {
        require(
                reduction.equals("sum") || reduction.equals("mean"),
                UNIMPLEMENTED,
                "only a sum and a mean are differentiable, %s is not",
                reduction);
        AllGather gather = new AllGather(true, group, gradientKey(g.graph()), timeoutMs);
        List<Value> gathered = Value.applyAll(gather, g.gradient(0));
        Value dx = gathered.get(0);
        if (reduction.equals("mean"))
            dx = dx.dividedBy(gathered.get(1).runtimeSize().cast(dx.dtype()));
        return Arrays.asList(dx, null);
    }
}
