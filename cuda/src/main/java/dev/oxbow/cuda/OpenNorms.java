package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Opens normalisations of a batch: its statistics are a node, and what is elementwise fuses with what follows. */
final class OpenNorms implements Rewrite {

    @Override
    public String name() {
        return "norms";
    }

    @Override
    public String purpose() {
        return "apply normalisations with the activations and sums that follow";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, (w, n) -> {
            boolean opens = n.op() instanceof FusedBatchNormV3 v
                    && v.isTraining()
                    && v.dataFormat().equals("NHWC")
                    && n.input(1).type().dtype() == DType.F32
                    && !s.roots().contains(n)
                    && suits(n, v);
            if (opens) open(w, n, (FusedBatchNormV3) n.op());
            else w.copy(n);
        });
    }

    /** Whether all vectors have one element for each channel; others are for the kernel, which has the words for them. */
    private static boolean suits(Node n, FusedBatchNormV3 v) {
        Shape channels = n.input(1).type().shape();
        boolean given = v.exponentialAvgFactor() != 1;
        if (!channels.isFullyKnown() || n.output(0).shape().dim(-1) != channels.size()) return false;
        for (int i = 2; i < (given ? 5 : 3); i++) if (!n.input(i).type().shape().equals(channels)) return false;
        return true;
    }

    private static void open(Rewriter w, Node n, FusedBatchNormV3 v) {
        Edge x = w.edge(n.input(0));
        DType t = x.type().dtype();
        List<Edge> inputs = List.of(x, w.edge(n.input(1)), w.edge(n.input(3)), w.edge(n.input(4)));
        Node made = w.add(
                n, "/statistics", new NormStatistics(v.epsilon(), v.exponentialAvgFactor()), inputs, w.controls(n));
        Edge wide = t == DType.F32 ? x : add(w, n, "/wide", new Cast(DType.F32), x);
        Edge centred = add(w, n, "/centred", new Sub(), wide, made.edge(4));
        Edge scaled = add(w, n, "/scaled", new Mul(), centred, made.edge(5));
        Edge y = add(w, n, "/moved", new AddV2(), scaled, w.edge(n.input(2)));
        List<Edge> all = new ArrayList<>();
        all.add(t == DType.F32 ? y : add(w, n, "/narrow", new Cast(t), y));
        for (int i = 0; i < 4; i++) all.add(made.edge(i));
        Const none = new Const(Tensor.zeros(DType.F32, Shape.of(0)));
        all.add(w.add(n, "/reserved", none, List.of(), List.of()).edge(0));
        w.replace(n, all, made);
    }

    private static Edge add(Rewriter w, Node n, String suffix, Op op, Edge... inputs) {
        return w.add(n, suffix, op, List.of(inputs), List.of()).edge(0);
    }
}
