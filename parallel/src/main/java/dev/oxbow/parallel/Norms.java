package dev.oxbow.parallel;

import static dev.oxbow.parallel.Layout.BROADCAST;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.FusedBatchNorm;
import dev.oxbow.ops.nn.FusedBatchNormGrad;
import dev.oxbow.ops.nn.FusedBatchNormGradV2;
import dev.oxbow.ops.nn.FusedBatchNormGradV3;
import dev.oxbow.ops.nn.FusedBatchNormV2;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fused batch normalisation under plans. Synchronised, it becomes the ops that it stands for, whose means are those of the
 * whole batch; otherwise each replica normalises by its own rows, and running statistics are the mean of the replicas'.
 */
final class Norms implements Rewrite {

    /** What the versions have in common; {@code factor} is that of running statistics. */
    private record Norm(boolean isGradient, float epsilon, float factor, String format, boolean isTraining) {
        static Norm of(Op op) {
            return switch (op) {
                case FusedBatchNorm n ->
                    new Norm(false, n.epsilon(), n.exponentialAvgFactor(), n.dataFormat(), n.isTraining());
                case FusedBatchNormV2 n ->
                    new Norm(false, n.epsilon(), n.exponentialAvgFactor(), n.dataFormat(), n.isTraining());
                case FusedBatchNormV3 n ->
                    new Norm(false, n.epsilon(), n.exponentialAvgFactor(), n.dataFormat(), n.isTraining());
                case FusedBatchNormGrad n -> new Norm(true, n.epsilon(), 1, n.dataFormat(), n.isTraining());
                case FusedBatchNormGradV2 n -> new Norm(true, n.epsilon(), 1, n.dataFormat(), n.isTraining());
                case FusedBatchNormGradV3 n -> new Norm(true, n.epsilon(), 1, n.dataFormat(), n.isTraining());
                default -> null;
            };
        }

        int channels() {
            return format.startsWith("NC") ? 1 : format.length() - 1;
        }

        int[] axes() {
            int[] axes = new int[format.length() - 1];
            for (int d = 0, at = 0; d < format.length(); d++) if (d != channels()) axes[at++] = d;
            return axes;
        }

        /** A vector of channels in a shape that broadcasts against the images. */
        Value column(Value v) {
            long[] dims = new long[format.length()];
            Arrays.fill(dims, 1);
            dims[channels()] = -1;
            return v.reshape(dims);
        }
    }

    /** The rule of a normalisation of split images; null for other ops. */
    static Rule rule(Node n, Layout[] in) {
        Norm norm = Norm.of(n.op());
        int images = norm == null || !norm.isGradient ? 0 : 1;
        if (norm == null || in[images].axis() != 0) return null;
        Layout[] wants = Rule.all(in.length, BROADCAST), gives = Rule.all(n.outputCount(), BROADCAST);
        Layout own = new Layout.Partial("mean");
        for (int i = 0; i <= images; i++) wants[i] = Layout.split(0);
        gives[0] = Layout.split(0);
        if (norm.isGradient) {
            if (norm.isTraining) for (int i = 3; i < 5; i++) wants[i] = own;
            for (int i = 1; i < 3; i++) gives[i] = Layout.SUM;
        } else if (norm.isTraining) {
            for (int i = 1; i < 5; i++) gives[i] = own;
        }
        return Rule.of(wants, gives);
    }

    @Override
    public String name() {
        return "norms";
    }

    @Override
    public String purpose() {
        return "let batch normalisation be the ops that it stands for";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        if (s.graph().nodes().stream().noneMatch(n -> Norm.of(n.op()) != null)) return s;
        Frames frames = new Frames(s.graph());
        return Rewriter.each(s, (w, n) -> {
            Norm norm = Norm.of(n.op());
            boolean stays = norm == null || !norm.isTraining || frames.of(n).parent() != null;
            Shape x = stays ? null : n.input(norm.isGradient ? 1 : 0).type().shape();
            if (stays || !x.isFullyKnown()) {
                w.copy(n);
                return;
            }
            Graph out = w.inputs(n).getFirst().node().graph();
            try (Graph.Scope _ = out.scope(n.name() + "/ops");
                    Graph.Scope _ = out.after(w.controls(n).toArray(Node[]::new))) {
                List<Value> in = new ArrayList<>();
                for (Edge e : w.inputs(n)) in.add(Value.of(e));
                double rows = (double) x.size() / x.dim(norm.channels());
                List<Value> made = norm.isGradient ? gradient(norm, in, rows) : forward(norm, in, rows);
                List<Edge> outputs = new ArrayList<>();
                for (int i = 0; i < n.outputCount(); i++)
                    outputs.add(i < made.size() ? made.get(i).edge() : nothing(in.get(2)));
                w.replace(n, outputs, outputs.getFirst().node());
            }
        });
    }

    private static Edge nothing(Value like) {
        return like.ops().constant(Tensor.zeros(DType.F32, Shape.of(0))).edge();
    }

    /** {@code y}, the running statistics, and those of the batch. */
    private static List<Value> forward(Norm norm, List<Value> in, double rows) {
        int[] axes = norm.axes();
        Value x = in.get(0).cast(DType.F32), mean = x.mean(true, axes), centred = x.minus(mean);
        Value variance = centred.square().mean(true, axes);
        Value y = centred.times(variance.plus(norm.epsilon).rsqrt())
                .times(norm.column(in.get(1)))
                .plus(norm.column(in.get(2)));
        Value m = mean.reshape(-1), v = variance.reshape(-1);
        Value unbiased = v.times(rows / Math.max(1, rows - 1));
        return List.of(y.cast(in.get(0).dtype()), mixed(norm, in.get(3), m), mixed(norm, in.get(4), unbiased), m, v);
    }

    private static Value mixed(Norm norm, Value old, Value now) {
        return norm.factor == 1 ? now : old.times(1 - norm.factor).plus(now.times(norm.factor));
    }

    /** {@code dx = scale / sd (dy - mean(dy) - h mean(dy h))} with {@code h = (x - mean) / sd}, dscale and doffset. */
    private static List<Value> gradient(Norm norm, List<Value> in, double rows) {
        int[] axes = norm.axes();
        Value dy = in.get(0).cast(DType.F32),
                r = norm.column(in.get(4)).plus(norm.epsilon).rsqrt();
        Value h = in.get(1).cast(DType.F32).minus(norm.column(in.get(3))).times(r);
        Value dscale = dy.times(h).sum(axes), doffset = dy.sum(axes);
        Value inner = dy.minus(norm.column(doffset).dividedBy(rows))
                .minus(h.times(norm.column(dscale).dividedBy(rows)));
        Value dx = inner.times(r).times(norm.column(in.get(2)));
        return List.of(dx.cast(in.get(1).dtype()), dscale, doffset);
    }
}
