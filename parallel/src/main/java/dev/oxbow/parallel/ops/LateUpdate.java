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
import java.util.function.Consumer;

/**
 * Runs {@code update} on values in a step of its own, behind those of the same part. It ends at once, or, where it {@code
 * awaits} the update, with it. Made by plans alone.
 */
@Signature("_LateUpdate(values: T) -> () {T: list(type) >= 0; part: string; update: func; awaits: bool} stateful")
public record LateUpdate(String part, FunctionRef update, boolean awaits)
        implements NotDifferentiable, Putting, Detaching {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Class<?> service() {
        return LateUpdates.class;
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        List<Tensor> values = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) values.add(c.keep(i));
        FunctionCaller functions = c.functions().detached();
        Completion done = c.defer();
        LateUpdates.Update late = ended -> functions.call(update, values, (results, error) -> {
            if (results != null) results.forEach(Tensor::release);
            values.forEach(Tensor::release);
            ended.accept(error);
        });
        Consumer<Throwable> then = error -> {
            if (error == null) done.done();
            else done.fail(error);
        };
        c.service(LateUpdates.class).run(part, late, awaits ? then : null);
        if (!awaits) done.done();
    }
}
