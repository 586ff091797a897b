package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Expanding;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Combines each tensor with those of all ranks of a group; every rank gets the result: {@code y = x0 + x1 + ...}. Several
 * tensors travel as one, packed in memory that ranks of a host share.
 */
@Signature(
        "AllReduce(tensors: N*T) -> (reduced: N*T) {N: int >= 1; T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; reduction: string in [\"sum\" \"mean\" \"min\" \"max\" \"product\" \"and\" \"or\" \"xor\"] = \"sum\"; group: string = \"\"; key: string = \"\"; wire: string = \"none\"; deterministic: bool = false; priority: int = 0; timeout_ms: int = 0} stateful")
public record AllReduce(
        String reduction, String group, String key, String wire, boolean deterministic, int priority, int timeoutMs)
        implements CollectiveOp, PlacesInputs, Expanding {

    /** Bytes below which the short messages there and back are what counts. */
    private static final long WORTH_LENDING = 64 << 10;

    /** Of all ranks, matched by the node's name. */
    public static AllReduce of(Reduction reduction) {
        return new AllReduce(reduction.name(), "", "", "none", false, 0, 0);
    }

    public AllReduce withKey(String key) {
        return new AllReduce(reduction, group, key, wire, deterministic, priority, timeoutMs);
    }

    public AllReduce withGroup(String group) {
        return new AllReduce(reduction, group, key, wire, deterministic, priority, timeoutMs);
    }

    public AllReduce withWire(WireFormat wire) {
        return new AllReduce(reduction, group, key, wire.toString(), deterministic, priority, timeoutMs);
    }

    public AllReduce withDeterministic(boolean deterministic) {
        return new AllReduce(reduction, group, key, wire, deterministic, priority, timeoutMs);
    }

    /** Calls with higher priorities send first. */
    public AllReduce withPriority(int priority) {
        return new AllReduce(reduction, group, key, wire, deterministic, priority, timeoutMs);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        WireFormat.named(wire);
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            require(
                    Reduction.named(reduction).supports(c.dtype(i)),
                    INVALID_ARGUMENT,
                    "AllReduce: %s is not defined for %s",
                    reduction,
                    c.input(i));
            types.add(c.input(i).deref());
        }
        return types;
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Reduction r = Reduction.named(reduction);
        Options o = options(c)
                .withWire(WireFormat.named(wire))
                .withDeterministic(deterministic)
                .withPriority(priority);
        if (c.inputCount() == 1 && c.places() == null)
            Waiting.start(c, w -> w.phase(() -> w.add(g.allReduce(Rows.inPlace(c, 0), r, o)), w::done));
        else Waiting.start(c, w -> packed(c, new Bucket(c, g, w::atEnd), g, r, o, w));
    }

    private static void packed(KernelContext c, Bucket bucket, Group g, Reduction r, Options o, Waiting w) {
        w.phase(
                () -> {
                    bucket.fill();
                    w.add(g.allReduce(bucket.elements(), bucket.shape(), r, o.withName(o.name() + bucket.suffix())));
                },
                () -> {
                    for (int i = 0; i < c.inputCount(); i++) give(c, bucket, i);
                    w.done();
                });
    }

    /** Gives an output where it lies, when it stays there until the step ends, or a copy. */
    private static void give(KernelContext c, Bucket bucket, int i) {
        if (bucket.isPlaced()) {
            c.set(i, bucket.view(bucket.address(0), i));
        } else {
            Tensor y = Rows.over(c, i);
            Memory.copy(bucket.address(i), y.address(), y.byteSize());
        }
    }

    @Override
    public Places places(Services services, List<TensorType> inputs) {
        Groups groups = services.service(Groups.class);
        return groups == null ? null : Bucket.places(groups.named(group), inputs);
    }

    /**
     * Between two ranks that see each other's memory, each adds what both have, in their order, where it is needed: as
     * many bytes cross, but nothing is written in between, and an update adds while it updates. The sum is the serial one,
     * bit for bit.
     */
    @Override
    public Expansion expand(Services services, Node node, List<Edge> inputs, Graph out) {
        Groups groups = services.service(Groups.class);
        if (groups == null || !wire.equals("none") || !(reduction.equals("sum") || reduction.equals("mean")))
            return null;
        DType t = node.input(0).type().dtype();
        List<Shape> shapes = inputs.stream().map(e -> e.type().shape()).toList();
        if (t != DType.F32 && t != DType.F64 || !shapes.stream().allMatch(Shape::isFullyKnown)) return null;
        Group g = groups.named(group);
        long bytes = shapes.stream().mapToLong(Shape::size).sum() * t.size();
        if (g.size() != 2 || !g.sharesMemory() || bytes < WORTH_LENDING) return null;
        int n = inputs.size();
        String name = key.isEmpty() ? node.name() : key;
        ViewAll all = new ViewAll(2 * n, group, name, timeoutMs);
        Node views = out.derive(node, new NodeSpec(node.name(), all, inputs, List.of(), node.device(), Map.of()));
        List<Edge> results = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Edge sum = part(out, node, "/sum", Ops.named("AddV2", Map.of()), views.edge(i), views.edge(n + i));
            if (reduction.equals("mean")) {
                Tensor half = t == DType.F32 ? Tensor.scalar(0.5f) : Tensor.scalar(0.5);
                Edge factor = part(out, node, "/factor", new Const(half));
                sum = part(out, node, "/mean", Ops.named("Mul", Map.of()), sum, factor);
            }
            results.add(sum);
        }
        return new Expansion(views, results, new ViewAllEnd(group, name, timeoutMs));
    }

    private static Edge part(Graph out, Node of, String suffix, Op op, Edge... inputs) {
        String name = out.unique(of.name() + suffix);
        return out.derive(of, new NodeSpec(name, op, List.of(inputs), List.of(), of.device(), Map.of()))
                .edge(0);
    }

    /** {@code dx = dy0 + dy1 + ...}, or their mean for a mean. */
    @Override
    public List<Value> gradient(GradientContext g) {
        require(
                reduction.equals("sum") || reduction.equals("mean"),
                UNIMPLEMENTED,
                "AllReduce: only a sum and a mean are differentiable, %s is not",
                reduction);
        Value[] dys = new Value[g.node().outputCount()];
        for (int i = 0; i < dys.length; i++) dys[i] = g.gradient(i);
        return Value.applyAll(withKey(gradientKey(g.graph())), dys);
    }
}
