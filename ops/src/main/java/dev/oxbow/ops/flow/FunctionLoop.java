package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Calls functions at run time: once, or for every value of a counter. No thread waits. */
public final class FunctionLoop {
    private final KernelContext context;
    private final Completion done;
    private final FunctionRef body;
    private final long limit;
    private final long delta;

    private FunctionLoop(KernelContext context, Completion done, FunctionRef body, long limit, long delta) {
        this.context = context;
        this.done = done;
        this.body = body;
        this.limit = limit;
        this.delta = delta;
    }

    /** The loop of (start, limit, delta, values...). */
    static void start(KernelContext c, FunctionRef body) {
        for (int i = 0; i < 3; i++)
            require(
                    c.input(i).shape().isScalar(),
                    INVALID_ARGUMENT,
                    "each of start, limit and delta must be a scalar, got shape %s",
                    c.input(i).shape());
        long from = Lists.scalar(c, 0), limit = Lists.scalar(c, 1), delta = Lists.scalar(c, 2);
        require(
                from == limit || delta != 0 && (from < limit) == (delta > 0),
                INVALID_ARGUMENT,
                "Invalid start/limit/delta: %d %d %d",
                from,
                limit,
                delta);
        List<Tensor> values = new ArrayList<>();
        for (int i = 3; i < c.inputCount(); i++) values.add(c.input(i).retain());
        new FunctionLoop(c, c.defer(), body, limit, delta).step(from, values);
    }

    /** One call; its results are the outputs. */
    public static void call(KernelContext c, FunctionRef f, List<Tensor> arguments) {
        Completion done = c.defer();
        c.functions().call(f, arguments, (results, error) -> {
            if (error != null) {
                done.fail(error);
                return;
            }
            if (results.size() != c.outputCount()) {
                results.forEach(Tensor::release);
                done.fail(new OxbowException(
                        INVALID_ARGUMENT,
                        "function %s gives %d results, expected %d".formatted(f, results.size(), c.outputCount())));
                return;
            }
            for (int i = 0; i < results.size(); i++) c.set(i, results.get(i));
            done.done();
        });
    }

    private void step(long counter, List<Tensor> values) {
        if (delta > 0 ? counter >= limit : counter <= limit) {
            for (int i = 0; i < values.size(); i++) context.set(i, values.get(i));
            done.done();
            return;
        }
        List<Tensor> arguments = new ArrayList<>();
        arguments.add(Tensor.scalar((int) counter));
        arguments.addAll(values);
        context.functions().call(body, arguments, (results, error) -> {
            values.forEach(Tensor::release);
            if (error != null) {
                done.fail(error);
            } else if (results.size() != values.size()) {
                results.forEach(Tensor::release);
                done.fail(new OxbowException(
                        INVALID_ARGUMENT,
                        "For loop body returned %d arguments. Expected: %d".formatted(results.size(), values.size())));
            } else {
                step(counter + delta, results);
            }
        });
    }
}
