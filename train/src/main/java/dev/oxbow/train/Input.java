package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/**
 * What a model is given: a name, a dtype and the shape of one example.
 *
 * @param rows how many examples each batch has; -1 for any number
 */
public record Input(String name, DType dtype, Shape example, long rows) {

    /** For batches of any number of examples. */
    public Input(String name, DType dtype, Shape example) {
        this(name, dtype, example, -1);
    }

    /** Floats of this shape, without the batch. */
    public static Input floats(String name, long... example) {
        return new Input(name, DType.F32, Shape.of(example));
    }

    /** Integers, such as tokens, of this shape, without the batch. */
    public static Input ints(String name, long... example) {
        return new Input(name, DType.I32, Shape.of(example));
    }

    /** The same for batches of so many examples and no others: what a step does is then known before the first one. */
    public Input batchesOf(long n) {
        require(n > 0, INVALID_ARGUMENT, "Input: a batch must have a row at least, got %d", n);
        return new Input(name, dtype, example, n);
    }

    Shape batch() {
        return Shape.of(rows).concat(example);
    }
}
