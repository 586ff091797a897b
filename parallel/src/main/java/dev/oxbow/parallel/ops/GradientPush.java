package dev.oxbow.parallel.ops;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Detaching;
import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Putting;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Brings what a worker has computed for a step to a gate. When so many have come as the quorum says, in the order of the
 * workers, their values are the arguments of {@code update}, which runs in a step of its own. With quorum 0 each push is an
 * update by itself, and the op ends with it. It is dropped where one of {@code versions} is not the step: then it was
 * computed from values of no one version. One that is {@code held} counts when {@link CommitPush} says so of its {@code run}.
 */
@Signature(
        "GradientPush(worker: int64, step: int64, run: int64, versions: int64, values: T) -> () {T: list(type) >= 0; gate: string;"
                + " container: string = \"\"; update: func; quorum: int >= 0; held: bool = false} stateful")
public record GradientPush(String gate, String container, FunctionRef update, int quorum, boolean held)
        implements NotDifferentiable, Putting, Detaching {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        c.scalar(2);
        c.vector(3);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        long[] versions = c.input(3).longs();
        List<Tensor> values = new ArrayList<>();
        for (int i = 4; i < c.inputCount(); i++) values.add(c.keep(i));
        FunctionCaller functions = c.functions().detached();
        Gate.Push push = new Gate.Push(
                c.input(0).getLong(0),
                c.input(1).getLong(0),
                quorum,
                update.toString(),
                values,
                (all, then) -> functions.call(update, all, then));
        Completion done = c.defer();
        BiConsumer<Gate.Outcome, Throwable> then = (_, error) -> {
            if (error == null) done.done();
            else done.fail(error);
        };
        if (held) of(c, container, gate).hold(push, c.input(2).getLong(0), versions, then);
        else of(c, container, gate).push(push, versions, then);
    }

    static Gate of(KernelContext c, String container, String gate) {
        return c.containers().lookupOrCreate(container, gate, Gate.class, () -> new Gate(gate));
    }
}
