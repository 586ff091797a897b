package dev.oxbow.parallel.ops;

import dev.oxbow.graph.Completion;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Waits until the updates behind a gate are {@code least + plus} or more and none is under way, and gives how many they are.
 * With {@code workers} it waits until each of so many has pushed as many steps instead; with {@code of} it gives the first
 * step that this worker has not pushed.
 */
@Signature("VersionWait(least: int64) -> (version: int64) {gate: string; container: string = \"\"; plus: int = 0;"
        + " workers: int = 0 >= 0; of: int = -1} stateful")
public record VersionWait(String gate, String container, long plus, int workers, int of)
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
        Completion done = c.defer();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicReference<Runnable> leave = new AtomicReference<>();
        long cancel = c.cancellation().register(reason -> {
            if (!ended.compareAndSet(false, true)) return;
            Runnable l = leave.get();
            if (l != null) l.run();
            done.fail(reason);
        });
        if (cancel < 0) {
            done.fail(c.cancellation().reason());
            return;
        }
        Gate g = GradientPush.of(c, container, gate);
        leave.set(g.await(c.input(0).getLong(0) + plus, workers, (version, error) -> {
            if (!ended.compareAndSet(false, true)) return;
            c.cancellation().unregister(cancel);
            if (error != null) {
                done.fail(error);
                return;
            }
            Tensor t = c.temporary(DType.I64, Shape.SCALAR);
            t.setLong(0, of < 0 ? version : g.missing(of));
            c.set(0, t);
            done.done();
        }));
        if (c.cancellation().isCancelled()) leave.get().run(); // it came in between
    }
}
