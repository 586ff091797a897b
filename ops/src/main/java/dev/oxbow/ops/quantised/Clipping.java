package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Levels, but none below the one that stands for zero nor above another one. */
interface Clipping extends Ranged {
    DType outType();

    /** Which input is the lower limit of the levels; the upper one comes after it. */
    default int limits() {
        return 1;
    }

    /** The greatest level. */
    long most(KernelContext c, Levels levels);

    @Override
    default List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 1, limits() + 2);
        return Ranged.types(c, c.shape(0));
    }

    @Override
    default Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Levels l = Levels.of(x, c, limits());
            long low = l.quantise(0), high = most(c, l);
            for (long i = 0; i < y.size(); i++) y.setLong(i, Math.min(Math.max(x.getLong(i), low), high));
            Ranged.give(c, l);
        };
    }
}
