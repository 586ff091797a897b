package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What random ops share: the shape they are asked for, and their stream of numbers. */
final class Randoms {

    private Randoms() {}

    /** The shape that input {@code i} asks for, checked. */
    static Shape shape(InferenceContext c, int i) {
        require(
                c.shape(i).rank() == 1 || !c.shape(i).isRankKnown(),
                INVALID_ARGUMENT,
                "shape must be a vector of integers, got shape %s",
                c.shape(i));
        long[] dims = c.longs(i);
        if (dims == null) return c.shapeValue(i);
        for (int d = 0; d < dims.length; d++)
            require(dims[d] >= 0, INVALID_ARGUMENT, "Dimension %d must be >= 0, got %d", d, dims[d]);
        return c.shapeValue(i);
    }

    static List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), shape(c, 0)));
    }

    /** Output 0 has the shape in input 0, which must end with that of the parameters in input {@code i}. */
    static List<TensorType> inferEndingWith(InferenceContext c, int i) {
        return List.of(new TensorType(c.outputDtype(0), endingWith(c, 0, c.shape(i))));
    }

    /** The shape in input {@code shape}, which must end with the broadcast of the inputs from {@code first} on. */
    static Shape inferBroadcast(InferenceContext c, int shape, int first) {
        Shape all = Shape.SCALAR;
        for (int i = first; i < c.inputCount(); i++) {
            Shape both = Shape.broadcast(all, c.shape(i));
            require(
                    both != null,
                    INVALID_ARGUMENT,
                    "%s and %s must have compatible batch dimensions: %s vs. %s",
                    c.name(first),
                    c.name(i),
                    all,
                    c.shape(i));
            all = both;
        }
        return endingWith(c, shape, all);
    }

    private static Shape endingWith(InferenceContext c, int shape, Shape end) {
        Shape wanted = shape(c, shape);
        if (wanted.isRankKnown() && end.isRankKnown()) {
            int more = wanted.rank() - end.rank();
            require(
                    more >= 0 && wanted.slice(more, wanted.rank()).isCompatibleWith(end),
                    INVALID_ARGUMENT,
                    "Shape passed in must end with broadcasted shape: %s does not end with %s",
                    wanted,
                    end);
        }
        return wanted;
    }

    /** The part of the node's stream for {@code outputs} elements. */
    static Philox reserve(KernelContext c, long seed, long seed2, long outputs) {
        return state(c, seed, seed2).reserveOutputs(outputs);
    }

    static PhiloxState state(KernelContext c, long seed, long seed2) {
        return c.state(() -> PhiloxState.of(seed, seed2));
    }

    static void checkSeed(InferenceContext c, int i) {
        require(
                c.shape(i).isCompatibleWith(Shape.of(2)),
                INVALID_ARGUMENT,
                "seed must have shape [2], not %s",
                c.shape(i));
    }

    /** The stream of the two seeds in input {@code i}. */
    static Philox stateless(KernelContext c, int i) {
        Tensor seed = c.onHost(i);
        require(seed.shape().equals(Shape.of(2)), INVALID_ARGUMENT, "seed must have shape [2], not %s", seed.shape());
        return Philox.ofStateless(seed.getLong(0), seed.getLong(1));
    }

    static void checkKey(InferenceContext c, int key) {
        require(
                c.shape(key).isCompatibleWith(Shape.of(1)),
                INVALID_ARGUMENT,
                "key must have shape [1], not %s",
                c.shape(key));
        require(
                c.shape(key + 1).rank() == 1 || !c.shape(key + 1).isRankKnown(),
                INVALID_ARGUMENT,
                "counter must be a vector, not %s",
                c.shape(key + 1));
        require(
                c.shape(key + 2).rank() <= 0,
                INVALID_ARGUMENT,
                "algorithm must be of shape [], not %s",
                c.shape(key + 2));
    }

    /** The stream with the key, counter and algorithm in inputs {@code key} and the two after it. */
    static Philox keyed(KernelContext c, int key) {
        Tensor k = c.onHost(key), counter = c.onHost(key + 1);
        requirePhilox(c.onHost(key + 2).getLong(0));
        require(
                counter.size() >= 2,
                INVALID_ARGUMENT,
                "The size of counter must be at least 2 for Philox, got %d",
                counter.size());
        return Philox.ofKey(k.getLong(0), counter.getLong(0), counter.getLong(1));
    }

    /** 1 is Philox, 3 leaves the choice to us. */
    static void requirePhilox(long algorithm) {
        require(
                algorithm == 1 || algorithm == 3,
                UNIMPLEMENTED,
                "random numbers by algorithm %d; 1 (Philox) and 3 (any) are there",
                algorithm);
    }

    /** Takes what an op with {@code outputs} elements uses from the generator (counter, 2 words, and key) behind input 0. */
    static Philox advance(KernelContext c, long outputs) {
        return skip(c, outputs * PhiloxState.BLOCKS_PER_OUTPUT);
    }

    /** Moves the generator on by {@code blocks}, and gives it as it was. */
    static Philox skip(KernelContext c, long blocks) {
        return skip(c, blocks, 0);
    }

    /** The same for one that stands behind {@code before} other elements of its variable. */
    static Philox skip(KernelContext c, long blocks, int before) {
        Variable v = ResourceHandle.resource(c.input(0), Variable.class);
        require(v.isInitialised(), NOT_FOUND, "Resource %s does not exist", v.name());
        Philox[] was = new Philox[1];
        v.update(c.memory(), t -> {
            require(
                    t.dtype() == DType.I64 && t.shape().rank() == 1 && t.size() >= before + 3,
                    INVALID_ARGUMENT,
                    "For the Philox algorithm, the state must be i64[%d] at least, got %s",
                    before + 3,
                    t.describe());
            if (before > 0) requirePhilox(t.getLong(0));
            was[0] = Philox.ofKey(t.getLong(before + 2), t.getLong(before), t.getLong(before + 1));
            Philox after = was[0].at(blocks);
            t.setLong(before, after.counterLow());
            t.setLong(before + 1, after.counterHigh());
        });
        return was[0];
    }

    /** From the stream of a node. */
    interface Seeded extends Filling, Drawing {
        long seed();

        long seed2();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Randoms.infer(c);
        }

        @Override
        default Philox stream(KernelContext c, long size) {
            return reserve(c, seed(), seed2(), size);
        }
    }

    /** From the stream of two seeds. */
    interface Stateless extends Filling {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkSeed(c, 1);
            return Randoms.infer(c);
        }

        @Override
        default Philox stream(KernelContext c, long size) {
            return stateless(c, 1);
        }
    }

    /** From the stream of a key and a counter. */
    interface Keyed extends Filling {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            checkKey(c, 1);
            return Randoms.infer(c);
        }

        @Override
        default Philox stream(KernelContext c, long size) {
            return keyed(c, 1);
        }
    }

    /** From the generator in a variable. */
    interface Generated extends Filling, Changing {
        DType dtype();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            return List.of(new TensorType(dtype(), shape(c, 2)));
        }

        @Override
        default Philox stream(KernelContext c, long size) {
            requirePhilox(c.input(1).getLong(0));
            return advance(c, size);
        }
    }

    /** Numbers of Poisson distributions. */
    interface Poisson extends NotDifferentiable, Drawing {
        long seed();

        long seed2();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(c.outputDtype(0), Randoms.shape(c, 0).concat(c.shape(1))));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                Tensor y = c.output(0);
                if (y.size() > 0)
                    Draws.poisson(Randoms.reserve(c, seed(), seed2(), y.size()), c.input(1), y, c.parallel());
            };
        }
    }

    /** The gradient of samples of gamma distributions to their shapes, the last input, summed over the samples of each. */
    static List<Value> gammaGradient(GradientContext g, int alphas) {
        Value alpha = g.input(alphas), sample = g.output(0);
        Value d = g.gradient(0).times(Value.apply(new RandomGammaGrad(), alpha, sample));
        List<Value> all = new ArrayList<>(Collections.nCopies(alphas, null));
        all.add(Broadcasting.reduce(alpha, sample, d, null).get(0));
        return all;
    }
}
