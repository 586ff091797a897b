package dev.oxbow.train.layer;

import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.random.StatelessRandomNormal;
import dev.oxbow.ops.random.StatelessRandomUniform;
import dev.oxbow.ops.random.StatelessTruncatedNormal;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * The values that a parameter starts with, as a value of the graph. Random ones follow from the seed alone, so that every
 * worker that builds the same model starts alike. Deviations are those of Glorot and Bengio (2010) and He et al. (2015).
 */
@FunctionalInterface
public interface Initialiser {

    Value of(Ops ops, DType dtype, Shape shape, long seed);

    static Initialiser zeros() {
        return constant(0);
    }

    static Initialiser ones() {
        return constant(1);
    }

    static Initialiser constant(double value) {
        return (ops, dtype, shape, _) -> {
            Tensor t = Tensor.zeros(dtype, shape);
            if (value != 0) for (long i = 0; i < t.size(); i++) t.set(i, value);
            return ops.constant(t);
        };
    }

    /** Uniform in [low, high). */
    static Initialiser uniform(double low, double high) {
        return (ops, dtype, shape, seed) -> draw(ops, new StatelessRandomUniform(dtype), shape, seed)
                .times(high - low)
                .plus(low);
    }

    static Initialiser normal(double deviation) {
        return (ops, dtype, shape, seed) ->
                draw(ops, new StatelessRandomNormal(dtype), shape, seed).times(deviation);
    }

    /** Normal within two deviations, by an underlying deviation. */
    static Initialiser truncatedNormal(double deviation) {
        return (ops, dtype, shape, seed) ->
                draw(ops, new StatelessTruncatedNormal(dtype), shape, seed).times(deviation);
    }

    /** Uniform within {@code sqrt(6 / (in + out))}: variances stay in both directions. */
    static Initialiser glorotUniform() {
        return (ops, dtype, shape, seed) -> {
            double limit = Math.sqrt(6.0 / (Fans.in(shape) + Fans.out(shape)));
            return uniform(-limit, limit).of(ops, dtype, shape, seed);
        };
    }

    /** Normal with deviation {@code sqrt(2 / in)}: variances stay behind rectifiers. */
    static Initialiser heNormal() {
        return (ops, dtype, shape, seed) ->
                normal(Math.sqrt(2.0 / Fans.in(shape))).of(ops, dtype, shape, seed);
    }

    /** Uniform within {@code sqrt(6 / in)}. */
    static Initialiser heUniform() {
        return (ops, dtype, shape, seed) -> {
            double limit = Math.sqrt(6.0 / Fans.in(shape));
            return uniform(-limit, limit).of(ops, dtype, shape, seed);
        };
    }

    private static Value draw(Ops ops, Op op, Shape shape, long seed) {
        int[] dims = new int[shape.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = Math.toIntExact(shape.dim(i));
        Value seeds = ops.constant(Tensor.of(Shape.of(2), seed, 0L));
        return ops.add(op, ops.constant(dims), seeds).getFirst();
    }
}
