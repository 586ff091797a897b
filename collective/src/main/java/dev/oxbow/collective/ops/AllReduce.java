package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Loan;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Combines each tensor with those of all ranks of a group; every rank gets the result: {@code y = x0 + x1 + ...}. Several
 * tensors travel as one, packed in memory that ranks of a host share.
 */
@Signature(
        "AllReduce(tensors: N*T) -> (reduced: N*T) {N: int >= 1; T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; reduction: string in [\"sum\" \"mean\" \"min\" \"max\" \"product\" \"and\" \"or\" \"xor\"] = \"sum\"; group: string = \"\"; key: string = \"\"; wire: string = \"none\"; deterministic: bool = false; priority: int = 0; timeout_ms: int = 0} stateful")
public record AllReduce(
        String reduction, String group, String key, String wire, boolean deterministic, int priority, int timeoutMs)
        implements CollectiveOp, PlacesInputs {

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
        Places places = c.places();
        if (c.inputCount() == 1 && places == null)
            Waiting.start(c, w -> w.phase(() -> w.add(g.allReduce(Rows.inPlace(c, 0), r, o)), w::done));
        else Waiting.start(c, w -> packed(c, places, g, r, o, w));
    }

    private static void packed(KernelContext c, Places places, Group g, Reduction r, Options o, Waiting w) {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) shapes.add(c.input(i).shape());
        Packing packing = Packing.of(c.input(0).dtype(), shapes);
        long bucket = places != null ? places.address(0) : borrowed(packing, g, w);
        // the packed call has one shape only, so that the name tells other shapes apart
        Options named = o.withName(o.name() + "#" + Integer.toHexString(shapes.hashCode()));
        w.phase(
                () -> {
                    for (int i = 0; i < c.inputCount(); i++) {
                        Tensor x = c.input(i);
                        long there = bucket + packing.offset(i);
                        if (x.address() != there) Memory.copy(x.address(), there, x.byteSize());
                    }
                    w.add(g.allReduce(
                            new Elements(bucket, packing.count(), c.input(0).dtype()), r, named));
                },
                () -> {
                    for (int i = 0; i < c.inputCount(); i++) give(c, i, bucket + packing.offset(i), places != null);
                    w.done();
                });
    }

    private static long borrowed(Packing packing, Group g, Waiting w) {
        Loan loan = g.communicator().lend(packing.bytes());
        w.atEnd(loan::close);
        packing.clearGaps(loan.address());
        return loan.address();
    }

    /** Gives an output where it lies, when the op's places hold it until the step ends, or a copy. */
    private static void give(KernelContext c, int i, long address, boolean placed) {
        Tensor x = c.input(i);
        if (placed) {
            c.set(i, new Tensor(x.dtype(), x.shape(), Buffer.lent(address, x.byteSize())));
        } else {
            Tensor y = Rows.over(c, i);
            Memory.copy(address, y.address(), y.byteSize());
        }
    }

    /** One bucket for all, so that gradients need not be packed. */
    @Override
    public Places places(Services services, List<TensorType> inputs) {
        Groups groups = services.service(Groups.class);
        if (groups == null) return null;
        Packing packing = Packing.of(
                inputs.get(0).dtype(), inputs.stream().map(TensorType::shape).toList());
        Loan loan = groups.named(group).communicator().lend(packing.bytes());
        packing.clearGaps(loan.address());
        return new Places() {
            @Override
            public long address(int input) {
                return loan.address() + packing.offset(input);
            }

            @Override
            public void close() {
                loan.close();
            }
        };
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
