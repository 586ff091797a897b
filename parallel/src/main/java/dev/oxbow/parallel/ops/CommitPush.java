package dev.oxbow.parallel.ops;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Putting;
import java.util.List;

/**
 * Lets a push count that a gate holds, since other gates have theirs of the same run as well; where none is held it has
 * counted before, and nothing happens. Of a push that is an update by itself it ends with the update.
 */
@Signature("CommitPush(worker: int64, run: int64) -> () {gate: string; container: string = \"\"} stateful")
public record CommitPush(String gate, String container) implements NotDifferentiable, Putting {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Completion done = c.defer();
        GradientPush.of(c, container, gate)
                .commit(c.input(0).getLong(0), c.input(1).getLong(0), (_, error) -> {
                    if (error == null) done.done();
                    else done.fail(error);
                });
    }
}
