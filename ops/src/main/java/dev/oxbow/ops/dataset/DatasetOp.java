package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An op that makes a data set. */
interface DatasetOp extends NotDifferentiable, Supplying {

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    /** The data set, of which the caller owns a reference. */
    Dataset dataset(KernelContext c);

    @Override
    default Kernel cpu() {
        return c -> c.set(0, Dataset.tensor(dataset(c)));
    }

    /** The one number of an input. */
    static long number(KernelContext c, int i, String what) {
        require(
                c.input(i).size() == 1,
                INVALID_ARGUMENT,
                "%s must be a scalar, got shape %s",
                what,
                c.input(i).shape());
        return c.input(i).getLong(0);
    }

    static boolean flag(KernelContext c, int i, String what) {
        return number(c, i, what) != 0;
    }

    /** Inputs from one number on up to another, of each of which the caller owns a reference. */
    static List<Tensor> kept(KernelContext c, int from, int to) {
        List<Tensor> all = new ArrayList<>();
        for (int i = from; i < to; i++) all.add(c.keep(i));
        return all;
    }
}
