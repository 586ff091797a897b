package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import java.util.List;

/** Waits until no {@link LateUpdate} of a part is under way; fails where one has failed of which nobody was told. Made by plans alone. */
@Signature("_UpdateWait() -> () {part: string} stateful")
public record UpdateWait(String part) implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Class<?> service() {
        return LateUpdates.class;
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
        Waiting.<Boolean>run(
                c,
                then -> c.service(LateUpdates.class).await(part, error -> then.accept(error == null, error)),
                _ -> {}, // that it is over is all
                _ -> {});
    }
}
