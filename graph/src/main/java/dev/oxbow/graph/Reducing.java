package dev.oxbow.graph;

import dev.oxbow.kernels.expr.Reduction;

/** An op that reduces its first input along axes; the runtime computes an elementwise input in the same loop. */
public interface Reducing extends Op {

    Reduction.Operation operation();

    /** The axes, where they are known; else null. */
    int[] axes(InferenceContext c);
}
