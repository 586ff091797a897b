package dev.oxbow.runtime.compile;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What stands in a slot that holds no value. */
public final class Marks {

    /** For a value of a branch that was not taken. */
    public static final Tensor DEAD = Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, "dead");

    /** In the control slot of a node that ran. */
    public static final Tensor ALIVE = Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, "alive");

    private Marks() {}
}
