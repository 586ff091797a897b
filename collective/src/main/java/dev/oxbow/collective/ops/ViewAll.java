package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;

/**
 * The tensors of all ranks of a group, those of the first rank first, where they lie: on ranks of a host in memory that
 * they share. They are read until {@link ViewAllEnd}, which runs in the same step, after all readers.
 */
@Signature(
        "ViewAll(tensors: N*T) -> (views: count*T) {N: int >= 1; count: int >= 1; T: type in [HALF BFLOAT16 FLOAT DOUBLE INT8 UINT8 INT32 INT64 BOOL]; group: string = \"\"; key: string = \"\"; timeout_ms: int = 0} stateful")
public record ViewAll(int count, String group, String key, int timeoutMs) implements CollectiveOp, PlacesInputs {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount();
        require(
                count % n == 0,
                INVALID_ARGUMENT,
                "has a view of each of %d tensors of every rank, which can not be %d views",
                n,
                count);
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < count; i++) types.add(c.input(i % n).deref());
        return types;
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Groups groups = c.service(Groups.class);
        int n = c.inputCount();
        require(
                count == n * g.size(),
                INVALID_ARGUMENT,
                "must have %d views, of %d tensors of each of %d ranks, got %d",
                n * g.size(),
                n,
                g.size(),
                count);
        Options o = options(c);
        Waiting.start(c, w -> {
            Views views = new Views();
            Bucket bucket = new Bucket(c, g, views::atEnd);
            w.phase(
                    () -> {
                        bucket.fill();
                        w.add(views.begin(g, bucket.elements(), o.withName(o.name() + bucket.suffix())));
                    },
                    () -> {
                        groups.keep(group, o.name(), views);
                        views.watch(c.cancellation(), () -> groups.forget(group, o.name(), views));
                        for (int i = 0; i < count; i++) c.set(i, bucket.view(views.address(i / n), i % n));
                        w.done();
                    });
        });
    }

    @Override
    public Places places(Services services, List<TensorType> inputs) {
        Groups groups = services.service(Groups.class);
        return groups == null ? null : Bucket.places(groups.named(group), inputs);
    }

    @Override
    public List<Value> gradient(GradientContext g) {
        throw new OxbowException(UNIMPLEMENTED, "has no gradient, unlike an AllReduce");
    }
}
