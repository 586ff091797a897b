package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.DiagPart;
import dev.oxbow.ops.linalg.Qr;
import dev.oxbow.ops.random.StatelessRandomNormal;
import dev.oxbow.ops.random.StatelessRandomUniform;
import dev.oxbow.ops.random.StatelessTruncatedNormal;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.ToDoubleFunction;

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
        return scaled(2, Fans::in);
    }

    /** Uniform within {@code sqrt(6 / in)}. */
    static Initialiser heUniform() {
        return (ops, dtype, shape, seed) -> {
            double limit = Math.sqrt(6.0 / Fans.in(shape));
            return uniform(-limit, limit).of(ops, dtype, shape, seed);
        };
    }

    /** Uniform within {@code sqrt(6 / (in + out))}, for a kernel whose numbers of inputs and outputs do not follow from its shape. */
    static Initialiser glorotUniform(double in, double out) {
        double limit = Math.sqrt(6 / (in + out));
        return uniform(-limit, limit);
    }

    /** Normal with deviation {@code sqrt(2 / (in + out))}. */
    static Initialiser glorotNormal() {
        return scaled(2, shape -> Fans.in(shape) + Fans.out(shape));
    }

    /** Normal with deviation {@code sqrt(1 / in)}, for self-normalising networks (LeCun et al., 1998). */
    static Initialiser lecunNormal() {
        return scaled(1, Fans::in);
    }

    /** Uniform within {@code sqrt(3 / in)}. */
    static Initialiser lecunUniform() {
        return (ops, dtype, shape, seed) -> {
            double limit = Math.sqrt(3.0 / Fans.in(shape));
            return uniform(-limit, limit).of(ops, dtype, shape, seed);
        };
    }

    /** Normal with variance {@code scale / fan}, where {@code fan} is a number of the kernel's shape. */
    static Initialiser scaled(double scale, ToDoubleFunction<Shape> fan) {
        return (ops, dtype, shape, seed) ->
                normal(Math.sqrt(scale / fan.applyAsDouble(shape))).of(ops, dtype, shape, seed);
    }

    /** A matrix with ones on its diagonal. */
    static Initialiser identity() {
        return (ops, dtype, shape, _) -> {
            require(shape.rank() == 2, INVALID_ARGUMENT, "Initialiser: an identity is a matrix, %s was wanted", shape);
            Tensor t = Tensor.zeros(dtype, shape);
            for (long i = 0; i < Math.min(shape.dim(0), shape.dim(1)); i++) t.set(i * shape.dim(1) + i, 1);
            return ops.constant(t);
        };
    }

    /**
     * Rows or columns, whichever are fewer, that are orthogonal and of length one (Saxe et al., 2014), by the QR
     * decomposition of a random matrix; the signs of R's diagonal make the distribution uniform. All axes of a kernel but
     * the last one count as rows.
     */
    static Initialiser orthogonal() {
        return (ops, dtype, shape, seed) -> {
            require(shape.rank() >= 2, INVALID_ARGUMENT, "Initialiser: %s can not be orthogonal", shape);
            long columns = shape.dim(shape.rank() - 1), rows = shape.size(0, shape.rank() - 1);
            boolean wide = rows < columns;
            Shape tall = wide ? Shape.of(columns, rows) : Shape.of(rows, columns);
            List<Value> qr = ops.add(new Qr(false), draw(ops, new StatelessRandomNormal(dtype), tall, seed));
            Value q = qr.get(0).times(Value.apply(new DiagPart(), qr.get(1)).sign());
            return (wide ? q.transpose(1, 0) : q).reshape(shape.dims());
        };
    }

    private static Value draw(Ops ops, Op op, Shape shape, long seed) {
        int[] dims = new int[shape.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = Math.toIntExact(shape.dim(i));
        Value seeds = ops.constant(Tensor.of(Shape.of(2), seed, 0L));
        return ops.add(op, ops.constant(dims), seeds).getFirst();
    }
}
