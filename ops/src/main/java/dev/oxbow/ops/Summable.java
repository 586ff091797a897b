package dev.oxbow.ops;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Counted;

/** An element of a variant tensor that gradients flow through: AddN adds it, ZerosLike makes its zero. */
public interface Summable extends Counted {
    /** The sum with another of the same kind and form; the caller owns it. */
    Summable plus(Summable other, KernelContext c);

    /** Zero in the form of this one; the caller owns it. */
    Summable zero(KernelContext c);
}
