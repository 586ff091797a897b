package dev.oxbow.parallel.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.Tensor;
import java.util.Collections;
import java.util.List;

/**
 * Brings a value together with those that other workers have in the same place of their steps, and gives the values of
 * the first {@code quorum} of them, in the order of the workers. Along {@code axis} they may differ in length; -1 for none.
 */
@Signature(
        "Assemble(worker: int64, tag: int64, value: T) -> (values: quorum*T) {T: type; quorum: int >= 1; workers: int"
                + " >= 1; axis: int = -1; place: string; container: string = \"\"} stateful")
public record Assemble(int quorum, int workers, int axis, String place, String container)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        require(quorum <= workers, INVALID_ARGUMENT, "%d of %d workers can not come", quorum, workers);
        TensorType one = c.input(2);
        TensorType each = axis < 0 || !one.shape().isRankKnown()
                ? one
                : one.withShape(one.shape().withDim(axis, -1));
        return Collections.nCopies(quorum, each);
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Assembly a = c.containers().lookupOrCreate(container, place, Assembly.class, () -> new Assembly(place));
        Waiting.<List<Tensor>>run(
                c,
                then -> a.bring(
                        c.input(0).getLong(0), c.input(1).getLong(0), quorum, workers, List.of(c.keep(2)), then),
                all -> {
                    for (int i = 0; i < quorum; i++) c.set(i, all.get(i));
                },
                all -> all.forEach(Tensor::release));
    }
}
