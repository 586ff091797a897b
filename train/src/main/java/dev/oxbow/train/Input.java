package dev.oxbow.train;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** What a model is given: a name, a dtype and the shape of one example. */
public record Input(String name, DType dtype, Shape example) {

    /** Floats of this shape, without the batch. */
    public static Input floats(String name, long... example) {
        return new Input(name, DType.F32, Shape.of(example));
    }

    /** Integers, such as tokens, of this shape, without the batch. */
    public static Input ints(String name, long... example) {
        return new Input(name, DType.I32, Shape.of(example));
    }

    Shape batch() {
        return Shape.of(-1).concat(example);
    }
}
