package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The same elements in another shape; one dimension may be -1 and follows from the size. */
@Signature("Reshape(tensor: T, shape: Tshape) -> (output: T) {T: type; Tshape: type in [INT32 INT64] = INT32}")
public record Reshape() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(c.shape(1).rank() <= 1, INVALID_ARGUMENT, "sizes input must be 1-D, not %s", c.shape(1));
        long[] dims = c.longs(1);
        if (dims == null) return List.of(c.input(0).withShape(c.shapeValue(1)));
        return List.of(c.input(0).withShape(resolve(c.shape(0), dims)));
    }

    /** The shape with its -1 resolved as far as the input's size is known. */
    private static Shape resolve(Shape from, long[] dims) {
        int open = -1;
        long product = 1;
        for (int i = 0; i < dims.length; i++) {
            require(dims[i] >= -1, INVALID_ARGUMENT, "Size %d must be non-negative, not %d", i, dims[i]);
            require(
                    dims[i] >= 0 || open < 0,
                    INVALID_ARGUMENT,
                    "Only one input size may be -1, not both %d and %d",
                    open,
                    i);
            if (dims[i] < 0) open = i;
            else product = Counts.times(product, dims[i]);
        }
        if (!from.isFullyKnown()) return Shape.of(dims);
        long size = from.size();
        long[] resolved = dims.clone();
        if (open >= 0) {
            // a zero on both sides says nothing about the open dimension: the others decide
            long have = size, rest = product;
            if (size == 0 && product == 0) {
                have = 1;
                rest = 1;
                for (long d : from.dims()) have = Counts.times(have, Math.max(1, d));
                for (long d : dims) rest = Counts.times(rest, Math.max(1, d));
            }
            require(
                    rest > 0 && have % rest == 0,
                    INVALID_ARGUMENT,
                    "Input to reshape is a tensor with %d values, but the requested shape requires a multiple of %d",
                    size,
                    product);
            resolved[open] = have / rest;
        } else {
            require(
                    product == size,
                    INVALID_ARGUMENT,
                    "Input to reshape is a tensor with %d values, but the requested shape has %d",
                    size,
                    product);
        }
        return Shape.of(resolved);
    }

    @Override
    public int view() {
        return 0;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long[] dims = new long[Counts.toInt(c.input(1).size())];
            for (int i = 0; i < dims.length; i++) dims[i] = c.input(1).getLong(i);
            require(
                    c.input(1).shape().rank() <= 1,
                    INVALID_ARGUMENT,
                    "sizes input must be 1-D, not %s",
                    c.input(1).shape());
            c.forward(0, 0, resolve(c.input(0).shape(), dims));
        };
    }

    /** {@code dx = reshape(dy, shape(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value shape = Value.apply(new dev.oxbow.ops.array.Shape(DType.I32), g.input(0));
        return Arrays.asList(g.gradient(0).reshape(shape), null);
    }
}
