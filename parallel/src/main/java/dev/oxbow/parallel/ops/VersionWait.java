package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Waits until the updates behind a gate are {@code least + plus} or more and none is under way, and gives how many they are.
 * With {@code workers} it waits until each of so many has pushed as many steps instead.
 */
@Signature("VersionWait(least: int64) -> (version: int64) {gate: string; container: string = \"\"; plus: int = 0;"
        + " workers: int = 0 >= 0} stateful")
public record VersionWait(String gate, String container, long plus, int workers)
        implements NotDifferentiable, Asking, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(new TensorType(DType.I64, Shape.SCALAR));
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Gate g = GradientPush.of(c, container, gate);
        Waiting.<Long>run(
                c,
                then -> g.await(c.input(0).getLong(0) + plus, workers, then),
                version -> {
                    Tensor t = c.temporary(DType.I64, Shape.SCALAR);
                    t.setLong(0, version);
                    c.set(0, t);
                },
                _ -> {});
    }
}
