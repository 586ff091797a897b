package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.kernels.numeric.BatchNormFormulas;
import dev.oxbow.ops.nn.BatchNorms;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Batch normalisation and its gradient: a pass for the sums, a small kernel for what has an element a channel, a pass that applies. */
final class NormKernels {
    private final Card card;
    private final boolean channelsFirst;
    private final double epsilon;
    private final boolean training;
    private final Fallback host;
    private final Map<Object, CardElementwise> elementwise = new ConcurrentHashMap<>();
    private final Map<Object, CardReduction> reductions = new ConcurrentHashMap<>();

    private NormKernels(Card card, Op op, String format, double epsilon, boolean training) {
        this.card = card;
        this.channelsFirst = format.startsWith("NC");
        this.epsilon = epsilon;
        this.training = training;
        this.host = new Fallback(op);
    }

    /** The kernel of a normalisation; null for other ops. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case BatchNorms.Forward f -> {
                NormKernels k = new NormKernels(card, f, f.dataFormat(), f.epsilon(), f.isTraining());
                yield c -> k.forward(c, f.exponentialAvgFactor());
            }
            case NormStatistics n -> {
                NormKernels k = new NormKernels(card, n, "NHWC", n.epsilon(), true);
                yield c -> k.statistics(c, n.exponentialAvgFactor());
            }
            case BatchNorms.Gradient g -> {
                NormKernels k = new NormKernels(card, g, g.dataFormat(), g.epsilon(), g.isTraining());
                yield k::gradient;
            }
            default -> null;
        };
    }

    /** Images as kernels see them, with what is released in the end. */
    private final class Images implements AutoCloseable {
        final Shape shape;
        final int[] axes;
        final Shape vector;
        final long rows;
        private final KernelContext c;
        private final List<Tensor> held = new ArrayList<>();

        Images(Tensor x, long channels, KernelContext c) {
            this.c = c;
            long n = channelsFirst ? x.shape().dim(0) : x.size() / channels;
            shape = channelsFirst ? Shape.of(n, channels, x.size() / n / channels) : Shape.of(n, channels);
            axes = channelsFirst ? new int[] {0, 2} : new int[] {0};
            vector = channelsFirst ? Shape.of(channels, 1) : Shape.of(channels);
            rows = x.size() / channels;
        }

        Tensor view(Tensor t) {
            return held(t.view(shape));
        }

        Tensor column(Tensor t) {
            return t.size() == vector.size() ? held(t.view(vector)) : t; // what is not read may be empty
        }

        Tensor vector(DType t) {
            return held(c.temporary(t, vector));
        }

        private Tensor held(Tensor t) {
            held.add(t);
            return t;
        }

        @Override
        public void close() {
            held.forEach(Tensor::release);
        }
    }

    private boolean isHosts(KernelContext c, Tensor x) {
        boolean allocated = true;
        for (int i = 0; i < c.outputCount(); i++) allocated &= c.isAllocated(i);
        return !allocated || x.size() == 0 || x.dtype() == DType.F64;
    }

    private void forward(KernelContext c, double factor) {
        Tensor x = c.input(0), scale = c.input(1), mean = c.input(3), variance = c.input(4);
        boolean given = !training || factor != 1;
        boolean suits = !given || mean.size() == scale.size() && variance.size() == scale.size();
        if (isHosts(c, x) || !suits) {
            host.run(c);
            return;
        }
        DType t = x.dtype(), computed = BatchNormFormulas.computed(t), vectors = scale.dtype();
        try (Images images = new Images(x, scale.size(), c)) {
            Tensor in = images.view(x), mu = images.vector(computed), a = images.vector(computed);
            if (training) {
                Tensor[] made = new Tensor[6];
                for (int i = 0; i < 4; i++) made[i] = images.column(c.output(i + 1));
                made[4] = mu;
                made[5] = a;
                statistics(images, in, List.of(scale, mean, variance), factor, made);
            } else {
                Tensor[] two = {images.column(scale), images.column(variance)};
                List<Expr> f = List.of(BatchNormFormulas.factor(t, vectors, epsilon));
                kernel("factor", List.of(t, vectors), f).run(images.vector, two, new Tensor[] {a});
                List<Expr> cast = List.of(Expr.input(0, vectors).cast(computed));
                kernel("mean", List.of(vectors, computed), cast)
                        .run(images.vector, new Tensor[] {images.column(mean)}, new Tensor[] {mu});
                for (int i = 1; i < 5; i++) {
                    Tensor from = i % 2 == 1 ? mean : variance;
                    card.space.copy(from.place(), c.output(i).place(), from.byteSize());
                }
            }
            Tensor offset = images.vector(computed);
            List<Expr> cast = List.of(Expr.input(0, vectors).cast(computed));
            kernel("mean", List.of(vectors, computed), cast)
                    .run(images.vector, new Tensor[] {images.column(c.input(2))}, new Tensor[] {offset});
            kernel("apply", List.of(t), List.of(BatchNormFormulas.apply(t)))
                    .run(images.shape, new Tensor[] {in, mu, a, offset}, new Tensor[] {images.view(c.output(0))});
        }
    }

    /** What is made of a batch, of images and scale, mean and variance. */
    private void statistics(Images images, Tensor x, List<Tensor> given, double factor, Tensor[] made) {
        DType t = x.dtype(), vectors = given.getFirst().dtype();
        Tensor first = first(x, images, BatchNormFormulas.computed(t));
        Tensor[] sums = {images.vector(DType.F64), images.vector(DType.F64)};
        sum("moments", t, BatchNormFormulas.moments(t), images, new Tensor[] {x, first}, sums);
        Tensor[] all = {
            sums[0],
            sums[1],
            first,
            images.column(given.get(0)),
            images.column(given.get(1)),
            images.column(given.get(2))
        };
        List<Expr> f = BatchNormFormulas.statistics(t, vectors, images.rows, factor, epsilon);
        kernel("statistics", List.of(t, vectors, images.rows, factor), f).run(images.vector, all, made);
    }

    private void statistics(KernelContext c, double factor) {
        Tensor x = c.input(0);
        if (isHosts(c, x)) {
            host.run(c);
            return;
        }
        try (Images images = new Images(x, c.input(1).size(), c)) {
            statistics(images, images.view(x), List.of(c.input(1), c.input(2), c.input(3)), factor, c.outputs());
        }
    }

    /** The first element of each channel, 0 where that is no number. */
    private Tensor first(Tensor x, Images images, DType computed) {
        Tensor first = images.vector(computed), as = x;
        long n = images.vector.size();
        if (channelsFirst) {
            as = images.vector(x.dtype());
            long inner = images.shape.dim(2);
            StridedCopy.run(
                    card, x.dtype().size(), new long[] {n}, x.place(), new long[] {inner}, as.place(), new long[] {1});
        } else as = images.held(x.lent(images.vector, 0));
        Expr v = Expr.input(0, x.dtype()).cast(computed);
        List<Expr> finite = List.of(Expr.select(v.isFinite(), v, Expr.constant(computed, 0.0)));
        kernel("first", List.of(x.dtype()), finite).run(images.vector, new Tensor[] {as}, new Tensor[] {first});
        return first;
    }

    private void gradient(KernelContext c) {
        Tensor dy = c.input(0), x = c.input(1), scale = c.input(2), mean = c.input(3), variance = c.input(4);
        if (isHosts(c, x) || scale.size() == 0) {
            host.run(c);
            return;
        }
        DType t = x.dtype(), computed = BatchNormFormulas.computed(t), vectors = mean.dtype();
        try (Images images = new Images(x, scale.size(), c)) {
            Tensor in = images.view(x), grad = images.view(dy), mu = images.vector(computed);
            List<Expr> cast = List.of(Expr.input(0, vectors).cast(computed));
            kernel("mean", List.of(vectors, computed), cast)
                    .run(images.vector, new Tensor[] {images.column(mean)}, new Tensor[] {mu});
            Tensor[] sums = {images.vector(computed), images.vector(computed)};
            sum("sums", t, BatchNormFormulas.sums(t), images, new Tensor[] {in, grad, mu}, sums);
            Tensor[] all = {sums[0], sums[1], images.column(scale), images.column(variance)};
            Tensor[] made = {
                images.column(c.output(1)),
                images.column(c.output(2)),
                images.vector(computed),
                images.vector(computed),
                images.vector(computed)
            };
            DType results = c.output(1).dtype();
            List<Expr> f =
                    BatchNormFormulas.gradients(t, scale.dtype(), vectors, results, images.rows, epsilon, training);
            kernel("gradients", List.of(t, scale.dtype(), vectors, results, images.rows), f)
                    .run(images.vector, all, made);
            kernel("dx", List.of(t), List.of(BatchNormFormulas.dx(t)))
                    .run(images.shape, new Tensor[] {in, grad, mu, made[2], made[3], made[4]}, new Tensor[] {
                        images.view(c.output(0))
                    });
        }
    }

    private void sum(String name, DType t, List<Expr> maps, Images images, Tensor[] inputs, Tensor[] sums) {
        reductions
                .computeIfAbsent(List.of(name, t), _ -> new CardReduction(card, Operation.SUM, maps))
                .run(images.shape, images.axes, inputs, sums, images.c.memory());
    }

    private CardElementwise kernel(String name, List<Object> key, List<Expr> formulas) {
        return elementwise.computeIfAbsent(
                List.of(name, key), _ -> new CardElementwise(card, "normalisation: " + name, formulas, false));
    }
}
