package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.ops.random.RandomGammaGrad;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of random ops, all with seeds, so that the numbers themselves are compared. */
public final class RandomSamples extends SampleFamily {
    private static final List<DType> FLOATING = List.of(DType.F32, DType.F64, DType.F16, DType.BF16);

    @Override
    public String name() {
        return "random";
    }

    @Override
    protected void define() {
        stateful();
        stateless();
        generators();
        binomials();
        permutations();
        samplers();
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    /** Two runs of one node: the second goes on where the first stopped. */
    private void twice(Op op, Tensor... inputs) {
        program(op.signature().name(), p -> {
            List<Edge> edges = new ArrayList<>();
            for (Tensor t : inputs) edges.add(p.constant(t));
            Node n = p.add(op, edges.toArray(Edge[]::new));
            Edge[] all = new Edge[n.outputCount()];
            for (int i = 0; i < all.length; i++) all[i] = n.edge(i);
            p.fetch(all).fetch(all);
        });
    }

    private static Tensor shape(int... dims) {
        return ints(dims);
    }

    private void stateful() {
        for (String name : List.of("RandomUniform", "RandomStandardNormal", "TruncatedNormal")) {
            for (DType d : FLOATING) twice(op(name, "seed", 5L, "seed2", 6L, "dtype", d), shape(3, 7));
            twice(op(name, "seed", 5L, "dtype", DType.F32), shape());
            twice(op(name, "seed2", 1L, "dtype", DType.F64), Tensor.of(Shape.of(2), 1L, 5L));
            twice(op(name, "seed", 5L, "dtype", DType.F32), shape(0, 3));
        }
        between();
        crops();
        centres();
        twice(op("RandomUniformInt", "seed", 3L), shape(5, 3), scalar(-4), scalar(9));
        twice(op("RandomUniformInt", "seed", 3L), shape(5), Tensor.scalar(-4L), Tensor.scalar(1L << 40));
        twice(op("RandomUniformInt", "seed", 3L), shape(0), scalar(4), scalar(4));
        twice(op("RandomUniformInt", "seed", 3L), shape(2), scalar(4), scalar(4));
        twice(op("RandomShuffle", "seed", 3L, "seed2", 8L), floats(1, 7));
        twice(op("RandomShuffle", "seed", 3L), ints(1, 2, 3, 4, 5));
        twice(op("RandomShuffle", "seed", 3L), doubles(1, 6, 2));
        twice(op("RandomShuffle", "seed", 3L), Tensor.of(Shape.of(3), "a", "b", "c"));
        twice(op("RandomShuffle", "seed", 3L), floats(1, 1, 3));
        twice(op("RandomShuffle", "seed", 3L), floats(1, 0, 3));
        twice(op("RandomShuffle", "seed", 3L), floats(1));
        for (DType d : List.of(DType.F32, DType.F64, DType.F16))
            twice(op("Multinomial", "seed", 2L), random(d, -2, 3, 4, 2, 5), scalar(9));
        twice(op("Multinomial", "seed", 2L, "output_dtype", DType.I32), floats(4, 1, 3), scalar(4));
        twice(op("Multinomial", "seed", 2L), floats(4, 2, 3), scalar(0));
        twice(op("Multinomial", "seed", 2L), floats(4, 0, 3), scalar(2));
        for (DType d : List.of(DType.F32, DType.F64, DType.F16)) {
            twice(op("RandomGamma", "seed", 2L), shape(5), random(d, 0.2, 4, 3, 3));
            twice(op("RandomPoisson", "seed", 2L), shape(4), random(d, 0.2, 20, 3, 3));
            twice(op("RandomPoissonV2", "seed", 2L, "dtype", d), shape(4), random(d, 0.2, 20, 3, 3));
        }
        twice(op("RandomGamma", "seed", 2L), shape(), Tensor.scalar(0.7f));
        twice(op("RandomGamma", "seed", 2L), shape(0), floats(1, 2));
        twice(op("RandomPoisson", "seed", 2L), shape(0), random(DType.F32, 1, 2, 1, 2));
        twice(op("RandomPoissonV2", "seed", 2L), shape(3, 2), Tensor.scalar(30.0));
        twice(op("RandomPoissonV2", "seed", 2L, "dtype", DType.I32), shape(3), ints(4, 12));
        sample(new RandomGammaGrad(), random(DType.F32, 0.5, 3, 1, 4), random(DType.F32, 0.5, 3, 2, 4));
        sample(new RandomGammaGrad(), random(DType.F64, 0.5, 3, 1, 1), random(DType.F64, 0.5, 3, 2, 2, 3));
        sample(new RandomGammaGrad(), random(DType.F64, 0.5, 3, 1, 0), random(DType.F64, 0.5, 3, 2, 2, 0));
        twice(op("RandomCrop", "seed", 2L), floats(1, 5, 4, 2), Tensor.of(Shape.of(2), 2L, 3L));
        twice(op("RandomCrop", "seed", 2L), random(DType.U8, 0, 200, 1, 3, 3, 1), Tensor.of(Shape.of(2), 3L, 1L));
        twice(op("RandomCrop", "seed", 2L), floats(1, 2, 2, 1), Tensor.of(Shape.of(2), 2L, 2L));
    }

    private void stateless() {
        Tensor seed = Tensor.of(Shape.of(2), 12L, 34L), small = ints(7, -8);
        Tensor key = Tensor.zeros(DType.U64, Shape.of(1)), counter = Tensor.zeros(DType.U64, Shape.of(2));
        key.setLong(0, 0x123456789abcL);
        counter.setLong(0, 99);
        counter.setLong(1, 3);
        for (String name : List.of("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")) {
            for (DType d : FLOATING) {
                sample(op(name, "dtype", d), shape(3, 7), seed);
                sample(op(name + "V2", "dtype", d), shape(3, 7), key, counter, scalar(1));
            }
            sample(op(name), Tensor.of(Shape.of(1), 5L), small);
            sample(op(name), shape(2, 0), small);
            sample(op(name + "V2"), Tensor.of(Shape.of(1), 1L), key, counter, scalar(3));
        }
        for (DType d : List.of(DType.I32, DType.I64, DType.U32, DType.U64)) {
            sample(op("StatelessRandomUniformFullInt", "dtype", d), shape(5), seed);
            sample(op("StatelessRandomUniformFullIntV2", "dtype", d), shape(5), key, counter, scalar(1));
            Tensor low = random(d, 3, 4, 1), high = random(d, 90, 91, 1);
            if (d.isUnsigned()) continue;
            sample(op("StatelessRandomUniformIntV2"), shape(5), key, counter, scalar(1), low, high);
            sample(op("StatelessRandomUniformInt"), shape(2, 3), small, low, high);
        }
        sample(op("StatelessRandomUniformInt"), shape(2), small, scalar(3), scalar(3));
        sample(op("StatelessMultinomial"), floats(4, 2, 5), scalar(6), seed);
        sample(op("StatelessMultinomial", "output_dtype", DType.I32), doubles(4, 1, 3), scalar(3), small);
        sample(op("StatelessMultinomial"), floats(4, 2, 5), scalar(0), seed);
        for (DType d : List.of(DType.F32, DType.F64, DType.F16)) {
            Tensor alpha = random(d, 0.2, 4, 3, 3);
            sampleWithoutGradient(op("StatelessRandomGammaV2"), shape(4, 3), seed, alpha);
            sampleWithoutGradient(op("StatelessRandomGammaV3"), shape(4, 3), key, counter, scalar(1), alpha);
            sample(op("StatelessRandomPoisson", "dtype", d), shape(4, 3), seed, random(d, 1, 20, 3, 3));
        }
        sample(op("StatelessRandomPoisson", "dtype", DType.I64), shape(5), small, Tensor.scalar(4.0));
        sample(op("StatelessShuffle"), floats(1, 6, 2), key, counter, scalar(1));
        sample(op("StatelessShuffle"), ints(1, 2, 3, 4), key, counter, scalar(3));
        sample(op("StatelessShuffle"), floats(1, 0, 2), key, counter, scalar(1));
        sample(op("StatelessRandomGetAlg"));
        sample(op("StatelessRandomGetKeyCounter"), seed);
        sample(op("StatelessRandomGetKeyCounter"), small);
        sample(op("StatelessRandomGetKeyCounterAlg"), seed);
    }

    private static Tensor number(DType d, double x) {
        return d == DType.F64 ? Tensor.scalar(x) : Tensor.scalar((float) x);
    }

    private void crops() {
        Tensor boxes = Tensor.of(Shape.of(1, 2, 4), 0.1f, 0.2f, 0.6f, 0.9f, 0f, 0f, 1f, 1f), size = ints(40, 60, 3);
        Tensor none = Tensor.zeros(DType.F32, Shape.of(1, 0, 4));
        for (float cover : new float[] {0.1f, 0.9f}) {
            twice(op("SampleDistortedBoundingBox", "seed", 3L, "min_object_covered", cover), size, boxes);
            twice(op("SampleDistortedBoundingBoxV2", "seed", 3L, "seed2", 4L), size, boxes, Tensor.scalar(cover));
            sample(
                    op("StatelessSampleDistortedBoundingBox", "area_range", List.of(0.2f, 0.5f)),
                    size,
                    boxes,
                    Tensor.scalar(cover),
                    ints(7, 8));
        }
        twice(
                op("SampleDistortedBoundingBoxV2", "seed", 3L, "use_image_if_no_bounding_boxes", true),
                Tensor.of(Shape.of(3), 7L, 900L, 1L),
                none,
                Tensor.scalar(0.5f));
        twice(op("SampleDistortedBoundingBoxV2", "seed", 3L), size, none, Tensor.scalar(0.5f));
    }

    private void centres() {
        for (long k : new long[] {1, 3, 9})
            sample(
                    op("NearestNeighbors"),
                    random(DType.F32, -4, 4, 93, 12, 3),
                    random(DType.F32, -4, 4, 94, 5, 3),
                    Tensor.scalar(k));
        sample(op("KMC2ChainInitialization"), random(DType.F32, 0, 4, 91, 20), Tensor.scalar(5L));
        for (long retries : new long[] {0, 3, -1})
            sample(
                    op("KmeansPlusPlusInitialization"),
                    random(DType.F32, -4, 4, 92, 15, 3),
                    Tensor.scalar(4L),
                    Tensor.scalar(11L),
                    Tensor.scalar(retries));
    }

    /** Bounds on both sides, near, far and on one side of the mean. */
    private void between() {
        double[][] bounds = {{-2, 2}, {-0.3, 0.2}, {1, 9}, {2.5, 1e30}, {-9, -3}, {-1e30, 0.5}, {3, 3.1}};
        for (DType d : List.of(DType.F32, DType.F64))
            for (double[] b : bounds)
                twice(
                        op("ParameterizedTruncatedNormal", "seed", 5L, "seed2", 6L, "dtype", d),
                        shape(3, 7),
                        number(d, 0.25),
                        number(d, 1.5),
                        number(d, b[0]),
                        number(d, b[1]));
        Tensor rows = Tensor.of(Shape.of(3), 0f, 10f, -4f);
        twice(
                op("ParameterizedTruncatedNormal", "seed", 7L, "dtype", DType.F32),
                shape(3, 5),
                rows,
                Tensor.of(Shape.of(1), 2f),
                Tensor.of(Shape.of(3), -1f, 9f, -3f),
                Tensor.of(Shape.of(3), 1f, 19f, 8f));
    }

    private void generators() {
        Tensor algorithm = Tensor.scalar(1L), shape = Tensor.of(Shape.of(2), 2L, 3L);
        for (String name : List.of("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"))
            for (DType d : List.of(DType.F32, DType.F64)) generator(op(name, "dtype", d), algorithm, shape);
        Tensor old = Tensor.of(Shape.of(4), 1L, 5L, 6L, 0x1234567890L);
        for (DType d : List.of(DType.F32, DType.F64)) generatorIn(old, op("StatefulStandardNormal", "dtype", d), shape);
        generator(op("StatefulUniformFullInt"), algorithm, shape);
        generator(op("StatefulUniformFullInt", "dtype", DType.I32), algorithm, ints(5));
        generator(op("StatefulUniformInt"), algorithm, shape, Tensor.scalar(-3L), Tensor.scalar(50L));
        generator(op("StatefulUniformInt", "dtype", DType.I32), algorithm, shape, scalar(0), scalar(9));
        generator(op("RngSkip"), algorithm, Tensor.scalar(7L));
        Tensor delta = Tensor.zeros(DType.U64, Shape.SCALAR);
        delta.setLong(0, 5);
        generator(op("RngReadAndSkip"), scalar(1), delta);
        program("NonDeterministicInts", p -> {
            Edge n = p.add(op("NonDeterministicInts"), p.constant(shape(0))).edge(0);
            p.fetch(n);
        });
    }

    /** Few and many successes, likely and unlikely ones, certain ones and none. */
    private void binomials() {
        Tensor seed = Tensor.of(Shape.of(2), 12L, 34L), algorithm = Tensor.scalar(1L);
        for (DType d : List.of(DType.F16, DType.F32, DType.F64)) {
            Tensor counts = random(d, 8, 40, 81, 3, 1), chances = random(d, 0.05, 0.95, 82, 4);
            for (DType y : List.of(DType.F16, DType.F32, DType.F64, DType.I32, DType.I64))
                sample(op("StatelessRandomBinomial", "dtype", y), shape(2, 3, 4), seed, counts, chances);
            generator(op("StatefulRandomBinomial", "dtype", d), algorithm, shape(2, 3, 4), counts, chances);
        }
        Tensor chances = Tensor.of(Shape.of(5), 0.0, 1.0, 0.5, 1.5, -0.2);
        sample(op("StatelessRandomBinomial"), shape(3, 5), ints(1, 2), Tensor.scalar(1000.0), chances);
        sample(op("StatelessRandomBinomial"), shape(4), seed, Tensor.scalar(0.0), Tensor.scalar(0.5));
        sample(op("StatelessRandomBinomial"), shape(0), seed, Tensor.scalar(3.0), Tensor.scalar(0.5));
        sample(op("StatelessRandomBinomial"), shape(), seed, Tensor.scalar(3e9), Tensor.scalar(0.25));
        generator(op("StatefulRandomBinomial"), algorithm, shape(7), Tensor.scalar(20.0), Tensor.scalar(0.75));
        double[][] bounds = {{-2, 2}, {-0.3, 0.2}, {1, 9}, {2.5, 1e30}, {-9, -3}, {-1e30, 0.5}, {3, 3.1}};
        for (DType d : List.of(DType.F32, DType.F64))
            for (double[] b : bounds)
                sampleWithoutGradient(
                        op("StatelessParameterizedTruncatedNormal"),
                        shape(3, 7),
                        seed,
                        number(d, 0.25),
                        number(d, 1.5),
                        number(d, b[0]),
                        number(d, b[1]));
        sampleWithoutGradient(
                op("StatelessParameterizedTruncatedNormal"),
                shape(5, 2, 3),
                ints(7, 8),
                Tensor.of(Shape.of(3), 0f, 10f, -4f),
                Tensor.of(Shape.of(2, 1), 2f, 1f),
                Tensor.of(Shape.of(3), -1f, 9f, -3f),
                Tensor.of(Shape.of(3), 1f, 19f, 8f));
    }

    private void permutations() {
        for (DType d : List.of(DType.I32, DType.I64, DType.U32, DType.U64)) {
            Tensor key = random(d, 0, 1e9, 83, 3), keys = random(d, 0, 1e9, 84, 4, 3);
            Tensor at = random(d, 0, 900, 85, 4), last = random(d, 1000, 1e6, 86, 4);
            sample(op("RandomIndexShuffle"), cut(at), key, cut(last));
            sample(op("RandomIndexShuffle"), at, key, cut(last));
            sample(op("RandomIndexShuffle", "rounds", 8L), at, keys, last);
            sample(op("RandomIndexShuffle"), cut(at), keys, last);
        }
        Tensor key = ints(5, 6, 7);
        for (long last : new long[] {0, 1, 9, 65_535, 65_536, 1L << 40, (1L << 60) - 7})
            sample(op("RandomIndexShuffle"), Tensor.scalar(last / 3), key, Tensor.scalar(last));
    }

    /** The first element. */
    private static Tensor cut(Tensor t) {
        Tensor first = Tensor.zeros(t.dtype(), Shape.SCALAR);
        first.setLong(0, t.getLong(0));
        return first;
    }

    private void generator(Op op, Tensor... inputs) {
        generatorIn(Tensor.of(Shape.of(3), 5L, 6L, 0x1234567890L), op, inputs);
    }

    private void generatorIn(Tensor state, Op op, Tensor... inputs) {
        program(op.signature().name(), p -> {
            Edge h = p.add(new VarHandleOp("", "generator", "", DType.I64, state.shape(), List.of()))
                    .edge(0);
            // TensorFlow loses the first update of a variable that shares its memory with a constant.
            Edge own = p.add(op("AddV2"), p.constant(state), p.constant(Tensor.scalar(0L)))
                    .edge(0);
            Node init = p.add(new AssignVariableOp(false), h, own);
            List<Edge> edges = new ArrayList<>(List.of(h));
            for (Tensor t : inputs) edges.add(p.constant(t));
            Node n = p.add(op, edges.toArray(Edge[]::new));
            p.target(init).target(n);
            if (n.outputCount() > 0) p.fetch(n.edge(0));
            p.fetch(p.add(new ReadVariableOp(DType.I64), h).edge(0));
        });
    }

    private void samplers() {
        Tensor classes = Tensor.of(Shape.of(2, 2), 1L, 3L, 0L, 9L);
        for (String name : List.of(
                "UniformCandidateSampler",
                "LogUniformCandidateSampler",
                "LearnedUnigramCandidateSampler",
                "ThreadUnsafeUnigramCandidateSampler")) {
            for (boolean unique : List.of(true, false)) {
                Op op = op(
                        name,
                        "num_true",
                        2L,
                        "num_sampled",
                        6L,
                        "unique",
                        unique,
                        "range_max",
                        10L,
                        "seed",
                        4L,
                        "seed2",
                        1L);
                twice(op, classes);
            }
        }
        for (boolean unique : List.of(true, false)) {
            List<Float> weights = List.of(1f, 2f, 3f, 4f, 1f, 2f, 3f, 4f, 0.5f, 0.25f);
            twice(
                    op(
                            "FixedUnigramCandidateSampler",
                            "num_true",
                            2L,
                            "num_sampled",
                            6L,
                            "unique",
                            unique,
                            "range_max",
                            10L,
                            "unigrams",
                            weights,
                            "distortion",
                            0.75f,
                            "seed",
                            4L),
                    classes);
        }
        twice(op("AllCandidateSampler", "num_true", 2L, "num_sampled", 10L, "unique", true, "seed", 4L), classes);
        sample(op("ComputeAccidentalHits", "num_true", 2L), classes, Tensor.of(Shape.of(4), 3L, 7L, 9L, 1L));
        sample(op("ComputeAccidentalHits", "num_true", 2L), classes, Tensor.of(Shape.of(1), 7L));
        sample(
                op("ComputeAccidentalHits", "num_true", 1L),
                Tensor.of(Shape.of(0, 1), new long[0]),
                Tensor.of(Shape.of(1), 7L));
    }
}
