package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** An op whose outputs are levels and the limits that they are between. */
interface Ranged extends NotDifferentiable {

    /** The levels' shape and the two limits. */
    static List<TensorType> types(InferenceContext c, Shape levels) {
        TensorType limit = new TensorType(DType.F32, Shape.SCALAR);
        return List.of(new TensorType(c.outputDtype(0), levels), limit, limit);
    }

    /** Checks that inputs [from, to) are limits: one number each. */
    static void limits(InferenceContext c, int from, int to) {
        for (int i = from; i < to; i++) c.single(i);
    }

    /** Gives the limits of the output. */
    static void give(KernelContext c, float low, float high) {
        c.output(1).set(0, low);
        c.output(2).set(0, high);
    }

    static void give(KernelContext c, Levels l) {
        give(c, l.low(), l.high());
    }

    /** Levels of input {@code i} as whole numbers counted from the one that stands for zero; the caller releases them. */
    static Tensor centred(KernelContext c, int i, Levels levels) {
        Tensor x = c.input(i), y = c.temporary(DType.I32, x.shape());
        int zero = (int) levels.zero();
        for (long k = 0; k < x.size(); k++) y.setLong(k, (int) x.getLong(k) - zero);
        return y;
    }

    /** Writes whole numbers over levels of 32 bits, or the nearest of a narrower type. */
    static void put(Tensor from, Tensor to) {
        long least = Levels.least(to.dtype()), most = Levels.most(to.dtype());
        for (long k = 0; k < to.size(); k++) to.setLong(k, Math.clamp(from.getLong(k), least, most));
    }
}
