package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.CardTurn;
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
import dev.oxbow.graph.Spanning;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.ops.math.TruncateDiv;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Combines each tensor with those of all ranks of a group; every rank gets the result: {@code y = x0 + x1 + ...}. Several
 * tensors travel as one, packed in memory that ranks of a host share.
 */
@Signature(
        "AllReduce(tensors: N*T) -> (reduced: N*T) {N: int >= 1; T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; reduction: string in [\"sum\" \"mean\" \"min\" \"max\" \"product\" \"and\" \"or\" \"xor\"] = \"sum\"; group: string = \"\"; key: string = \"\"; wire: string = \"none\"; algorithm: string = \"\"; deterministic: bool = false; priority: int = 0; timeout_ms: int = 0} stateful")
public record AllReduce(
        String reduction,
        String group,
        String key,
        String wire,
        String algorithm,
        boolean deterministic,
        int priority,
        int timeoutMs)
        implements CollectiveOp, PlacesInputs, Expanding, Spanning {
    /** The algorithm by which cards exchange what lies on them. */
    public static final String CARDS = "cards";

    /** Of all ranks, matched by the node's name. */
    public static AllReduce of(Reduction reduction) {
        return new AllReduce(reduction.name(), "", "", "none", "", false, 0, 0);
    }

    public AllReduce withKey(String key) {
        return new AllReduce(reduction, group, key, wire, algorithm, deterministic, priority, timeoutMs);
    }

    public AllReduce withGroup(String group) {
        return new AllReduce(reduction, group, key, wire, algorithm, deterministic, priority, timeoutMs);
    }

    public AllReduce withWire(WireFormat wire) {
        return new AllReduce(reduction, group, key, wire.toString(), algorithm, deterministic, priority, timeoutMs);
    }

    /** By the algorithm of this name, rather than the one that the cost model chooses; empty for that. */
    public AllReduce withAlgorithm(String algorithm) {
        return new AllReduce(reduction, group, key, wire, algorithm, deterministic, priority, timeoutMs);
    }

    public AllReduce withDeterministic(boolean deterministic) {
        return new AllReduce(reduction, group, key, wire, algorithm, deterministic, priority, timeoutMs);
    }

    /** Calls with higher priorities send first. */
    public AllReduce withPriority(int priority) {
        return new AllReduce(reduction, group, key, wire, algorithm, deterministic, priority, timeoutMs);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        WireFormat.named(wire);
        if (!algorithm.isEmpty()) Options.DEFAULT.withAlgorithm(algorithm);
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            require(
                    Reduction.named(reduction).supports(c.dtype(i)),
                    INVALID_ARGUMENT,
                    "%s is not defined for %s",
                    reduction,
                    c.input(i));
            types.add(c.input(i).deref());
        }
        return types;
    }

    @Override
    public boolean spans() {
        return algorithm.equals(CARDS);
    }

    /** On cards it has its place in their order, and only the host waits, for the others' agreement. */
    @Override
    public boolean waits() {
        return !spans();
    }

    @Override
    public boolean suppliesOutputs() {
        return !spans();
    }

    @Override
    public boolean worksInPlace(InferenceContext c, List<TensorType> outputs) {
        return spans();
    }

    @Override
    public Kernel cpu() {
        if (!spans()) return this::run;
        return c -> {
            throw new OxbowException(
                    FAILED_PRECONDITION, "algorithm 'cards' is for tensors of cards, and this node is not on one");
        };
    }

    @Override
    public Kernel spanning(Fabric fabric) {
        return c -> {
            Options o = options(c);
            int shapes = Arrays.stream(c.inputs()).map(Tensor::shape).toList().hashCode();
            o = o.withName(o.name() + "#" + Integer.toHexString(shapes));
            CardTurn turn = group(c).allReduce(
                            fabric,
                            c.inputs(),
                            c.outputs(),
                            Reduction.named(reduction),
                            o.withWire(WireFormat.named(wire)).withDeterministic(deterministic));
            long registration = c.cancellation().register(why -> turn.cancel(why.getMessage()));
            if (registration < 0) turn.cancel(c.cancellation().reason().getMessage());
            try {
                turn.run();
            } finally {
                if (registration >= 0) c.cancellation().unregister(registration);
            }
        };
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Reduction r = Reduction.named(reduction);
        Options o = options(c)
                .withWire(WireFormat.named(wire))
                .withAlgorithm(algorithm.isEmpty() ? null : algorithm)
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
        return groups == null || spans() ? null : Bucket.places(groups.named(group), inputs);
    }

    /*
     * Ranks of a host that see each other's memory may add what all have, in their order, where it is needed: nothing is
     * written in between, and an update adds while it updates. The sum is the serial one, bit for bit. Two workers of the
     * perceptron of `bench distributed` went from 0.96 to 1.26 times one worker by that; for how many ranks it is worth it
     * is left to the cost model.
     */

    /** Whether values of these types are added where they are needed. */
    public boolean isViewed(Services services, List<TensorType> types) {
        Groups groups = services.service(Groups.class);
        boolean isSum = reduction.equals("sum") || reduction.equals("mean");
        if (groups == null || !isSum || !wire.equals("none") || !algorithm.isEmpty()) return false;
        if (!types.stream().allMatch(TensorType::isAllocatable)) return false;
        return groups.named(group)
                .prefersViews(types.stream().mapToLong(TensorType::byteSize).sum());
    }

    @Override
    public Expansion expand(Services services, Node node, List<Edge> inputs, Graph out) {
        if (!isViewed(services, inputs.stream().map(Edge::type).toList())) return null;
        Group g = services.service(Groups.class).named(group);
        int n = inputs.size(), ranks = g.size();
        String name = name(node.name());
        ViewAll all = new ViewAll(ranks * n, group, name, timeoutMs);
        Node views = out.derive(node, new NodeSpec(node.name(), all, inputs, List.of(), node.device(), Map.of()));
        List<Edge> results = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Edge sum = views.edge(i);
            for (int r = 1; r < ranks; r++) sum = part(out, node, "/sum", new AddV2(), sum, views.edge(r * n + i));
            results.add(reduction.equals("mean") ? mean(out, node, sum, ranks) : sum);
        }
        return new Expansion(views, results, new ViewAllEnd(group, name, timeoutMs));
    }

    /** With the bits of {@link Reduction#MEAN}: a product where the factor is a power of two, else a quotient. */
    private static Edge mean(Graph out, Node node, Edge sum, int ranks) {
        DType t = sum.type().dtype();
        boolean exact = t.isFloating() && Integer.bitCount(ranks) == 1;
        Op op = exact ? new Mul() : t.isFloating() ? new RealDiv() : new TruncateDiv();
        Tensor by = Tensor.allocate(t, Shape.SCALAR);
        by.set(0, exact ? 1.0 / ranks : ranks);
        return part(out, node, "/mean", op, sum, part(out, node, "/by", new Const(by)));
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
                "only a sum and a mean are differentiable, %s is not",
                reduction);
        Value[] dys = new Value[g.node().outputCount()];
        for (int i = 0; i < dys.length; i++) dys[i] = g.gradient(i);
        return Value.applyAll(withKey(gradientKey(g.graph())), dys);
    }
}
