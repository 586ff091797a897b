package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Rows of one call that wait for a batch; {@code then} gets what came out for them, or the error, once. */
record BatchTask(
        KernelContext context, long id, List<Tensor> inputs, long rows, BiConsumer<List<Tensor>, Throwable> then) {

    /** The first {@code n} inputs of a kernel, which must have as many rows as each other; the caller owns them. */
    static List<Tensor> inputs(KernelContext c, int n) {
        long rows = -1;
        for (int i = 0; i < n; i++) {
            Tensor t = c.input(i);
            require(
                    t.shape().rank() > 0,
                    INVALID_ARGUMENT,
                    "Batching input tensors must have at least one dimension, got shape %s",
                    t.shape());
            require(
                    rows < 0 || rows == t.shape().dim(0),
                    INVALID_ARGUMENT,
                    "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size, got %d and %d",
                    rows,
                    t.shape().dim(0));
            rows = t.shape().dim(0);
        }
        List<Tensor> kept = new ArrayList<>();
        for (int i = 0; i < n; i++) kept.add(c.keep(i));
        return kept;
    }

    /** Whether its rows can be in one batch with those of another. */
    boolean isAlike(BatchTask other) {
        if (inputs.size() != other.inputs.size()) return false;
        for (int i = 0; i < inputs.size(); i++) if (!Rows.areAlike(inputs.get(i), other.inputs.get(i))) return false;
        return true;
    }

    /** What its inputs are, for messages. */
    String describe() {
        return inputs.stream().map(Tensor::describe).collect(Collectors.joining(", "));
    }

    /** Ends a kernel with these outputs, which it owns from now on, or the error. */
    static void end(KernelContext c, Completion done, List<Tensor> outputs, Throwable error) {
        if (error == null) {
            try {
                for (int i = 0; i < outputs.size(); i++) c.set(i, outputs.get(i));
            } catch (RuntimeException e) {
                error = e;
            }
        }
        if (error == null) done.done();
        else done.fail(error);
    }

    void give(List<Tensor> outputs) {
        Rows.release(inputs);
        then.accept(outputs, null);
    }

    void fail(Throwable error) {
        Rows.release(inputs);
        then.accept(null, error);
    }
}
