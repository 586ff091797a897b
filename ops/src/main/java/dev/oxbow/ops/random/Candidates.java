package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.kernels.random.Samples;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** What candidate samplers share: drawing classes, and how often each is to be expected among the drawn. */
final class Candidates {
    private static final long MOST_TRIES = 1 << 22;
    private static final long TRIES_PER_SAMPLE = 1 << 11;

    private Candidates() {}

    static List<TensorType> infer(InferenceContext c, int numTrue, int numSampled) {
        Shape s = c.shape(0);
        require(s.rank() == 2 || !s.isRankKnown(), INVALID_ARGUMENT, "true_classes must be a matrix, got shape %s", s);
        require(
                s.dim(1) < 0 || s.dim(1) == numTrue,
                INVALID_ARGUMENT,
                "true_classes must have num_true columns, expected: %d, was: %d",
                numTrue,
                s.dim(1));
        Shape sampled = Shape.of(numSampled);
        return List.of(
                new TensorType(DType.I64, sampled),
                new TensorType(DType.F32, Shape.of(s.dim(0), numTrue)),
                new TensorType(DType.F32, sampled));
    }

    /** Draws with the sampler that {@code maker} makes once for (session, node). */
    static Kernel kernel(Supplier<Sampler> maker, int numSampled, boolean unique, long seed, long seed2) {
        record Source(Sampler sampler, PhiloxState state) {}
        return c -> {
            Source source = c.state(() -> new Source(maker.get(), PhiloxState.of(seed, seed2)));
            Sampler sampler = source.sampler();
            require(
                    !unique || numSampled <= sampler.range(),
                    INVALID_ARGUMENT,
                    "Sampler's range is too small: %d classes, %d unique samples",
                    sampler.range(),
                    numSampled);
            Tensor classes = c.input(0), sampled = c.output(0);
            for (long i = 0; i < classes.size(); i++)
                require(
                        classes.getLong(i) >= 0 && classes.getLong(i) < sampler.range(),
                        INVALID_ARGUMENT,
                        "true_classes: value %d is not in [0, %d)",
                        classes.getLong(i),
                        sampler.range());
            Samples numbers = new Samples(source.state().reserve(512L * numSampled));
            int tries = draw(sampler, numbers, unique, sampled);
            for (long i = 0; i < classes.size(); i++)
                c.output(1).set(i, expected(sampler.probability(classes.getLong(i)), numSampled, tries));
            for (long i = 0; i < numSampled; i++)
                c.output(2).set(i, expected(sampler.probability(sampled.getLong(i)), numSampled, tries));
            sampler.update(classes);
        };
    }

    private static int draw(Sampler sampler, Samples numbers, boolean unique, Tensor sampled) {
        int tries = 0;
        long most = Math.min(Integer.MAX_VALUE, MOST_TRIES + TRIES_PER_SAMPLE * sampled.size());
        if (unique) Counts.objects(sampled.size(), 64);
        Set<Long> used = new HashSet<>();
        for (long i = 0; i < sampled.size(); tries++) {
            require(
                    !unique || tries < most,
                    INVALID_ARGUMENT,
                    "%d draws gave only %d different classes of %d, too few for %d samples",
                    tries,
                    i,
                    sampler.range(),
                    sampled.size());
            long value = sampler.sample(numbers);
            if (!unique || used.add(value)) sampled.setLong(i++, value);
        }
        return tries;
    }

    /** {@code p n} for n draws with repetition, {@code 1 - (1 - p)^tries} for draws until n differ. */
    private static float expected(float p, int n, int tries) {
        if (tries == n) return p * n;
        return (float) -Math.expm1(tries * Math.log1p(-p));
    }

    /** Classes drawn as often as they were seen. */
    interface Unigram extends NotDifferentiable, Drawing {
        int numTrue();

        int numSampled();

        boolean unique();

        long rangeMax();

        long seed();

        long seed2();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Candidates.infer(c, numTrue(), numSampled());
        }

        @Override
        default Kernel cpu() {
            return Candidates.kernel(() -> Sampler.unigram(rangeMax()), numSampled(), unique(), seed(), seed2());
        }
    }
}
