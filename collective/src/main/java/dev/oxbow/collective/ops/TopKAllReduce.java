package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.collective.algorithm.TopKAllReduce.Kept;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums of tensors over all ranks of a group of which each rank sends only the fraction that the wire format says, those of the largest magnitude,
 * after what it has kept is added: {@code kept = x + residual - sent}. The residuals are variables, zero until they are
 * assigned, and are only read: a step that ends well assigns {@code kept}.
 */
@Signature(
        "TopKAllReduce(tensors: N*float, residuals: N*resource) -> (reduced: N*float, kept: N*float) {N: int >= 1; wire: string = \"top-k:0.01\"; reduction: string in [\"sum\" \"mean\"] = \"sum\"; group: string = \"\"; key: string = \"\"; priority: int = 0; timeout_ms: int = 0} stateful")
public record TopKAllReduce(String wire, String reduction, String group, String key, int priority, int timeoutMs)
        implements CollectiveOp, PlacesInputs {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(WireFormat.named(wire).isTopK(), INVALID_ARGUMENT, "wire must be top-k:FRACTION, got '%s'", wire);
        List<TensorType> types = new ArrayList<>();
        int n = c.inputCount() / 2;
        for (int i = 0; i < 2 * n; i++) types.add(c.input(i % n).deref());
        return types;
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        int n = c.inputCount() / 2;
        Options o = options(c).withWire(WireFormat.named(wire)).withPriority(priority);
        Waiting.start(c, w -> {
            Bucket bucket = new Bucket(c, n, g, w::atEnd);
            List<Kept> kept = new ArrayList<>();
            for (int i = 0; i < n; i++) kept.add(kept(c, w, bucket, i, n));
            w.phase(
                    () -> {
                        bucket.fill();
                        Reduction r = Reduction.named(reduction);
                        w.add(g.allReduce(
                                bucket.elements(), bucket.shape(), r, o.withName(o.name() + bucket.suffix()), kept));
                    },
                    () -> {
                        for (int i = 0; i < n; i++) give(c, bucket, i);
                        w.done();
                    });
        });
    }

    /** Reads what was kept of tensor {@code i}, and makes room for what is kept now. */
    private static Kept kept(KernelContext c, Waiting w, Bucket bucket, int i, int n) {
        Tensor x = c.input(i), after = c.allocate(n + i, x.shape());
        Variable v = ResourceHandle.resource(c.input(n + i), Variable.class);
        if (!v.isInitialised()) return new Kept(bucket.first(i), x.size(), 0, after.address());
        Tensor before = w.hold(v.read(c.memory()));
        require(
                before.shape().equals(x.shape()) && before.dtype() == x.dtype(),
                INVALID_ARGUMENT,
                "residual %s is %s, the tensor %s",
                v.name(),
                before.describe(),
                x.describe());
        return new Kept(bucket.first(i), x.size(), before.address(), after.address());
    }

    private static void give(KernelContext c, Bucket bucket, int i) {
        if (bucket.isPlaced()) {
            c.set(i, bucket.view(bucket.address(0), i));
            return;
        }
        Tensor y = c.allocate(i, c.input(i).shape());
        Memory.copy(bucket.address(i), y.address(), y.byteSize());
    }

    @Override
    public Places places(Services services, List<TensorType> inputs) {
        Groups groups = services.service(Groups.class);
        return groups == null ? null : Bucket.places(groups.named(group), inputs.subList(0, inputs.size() / 2));
    }

    @Override
    public List<Value> gradient(GradientContext g) {
        throw new OxbowException(UNIMPLEMENTED, "has no gradient: it is for gradients");
    }
}
