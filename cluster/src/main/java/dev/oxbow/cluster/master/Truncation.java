package dev.oxbow.cluster.master;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.Bitcast;
import dev.oxbow.ops.math.BitwiseAnd;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Has f32 values go between tasks as bf16, chosen ones or all: the low 16 bits are dropped without rounding, and zeros put
 * back (Abadi et al. 2015, section 5.5). Both are nodes like any other, so tasks of TensorFlow take part.
 */
final class Truncation {
    private static final int HIGH = 0xFFFF0000;

    private final Set<String> chosen = new HashSet<>();

    private Truncation() {}

    /** The parts with what crosses between tasks truncated: all of it, or what {@link Graph#truncated} has marked. */
    static List<Part> run(List<Part> parts, boolean all) {
        Truncation t = new Truncation();
        for (Part p : parts)
            for (Node n : p.graph().graph().nodes())
                if (n.op() instanceof Send s && crosses(s.sendDevice(), s.recvDevice()) && t.isChosen(n, all))
                    t.chosen.add(s.key(0, 0));
        if (t.chosen.isEmpty()) return parts;
        return parts.stream()
                .map(p -> new Part(p.device(), Rewriter.each(p.graph(), t::step)))
                .toList();
    }

    private static boolean crosses(String from, String to) {
        return !TaskName.ofDevice(from).equals(TaskName.ofDevice(to));
    }

    private boolean isChosen(Node send, boolean all) {
        Edge value = send.input(0);
        return value.type().dtype() == DType.F32
                && (all || "bf16".equals(value.node().extras().get(Graph.WIRE)));
    }

    private void step(Rewriter w, Node n) {
        switch (n.op()) {
            case Send s when chosen.contains(s.key(0, 0)) -> send(w, n, s);
            case Recv r when chosen.contains(r.key(0, 0)) -> receive(w, n, r);
            default -> w.copy(n);
        }
    }

    private static void send(Rewriter w, Node n, Send s) {
        Edge value = w.inputs(n).getFirst();
        Edge bits = w.add(n, "/bits", new Bitcast(DType.I32), List.of(value), List.of())
                .edge(0);
        // behind the value, so that in a loop there is one in each iteration
        Node mask = w.add(n, "/mask", new Const(Tensor.scalar(HIGH)), List.of(), List.of(value.node()));
        Node high = w.add(n, "/high", new BitwiseAnd(), List.of(bits, mask.edge(0)), List.of());
        Node cut = w.add(n, "/truncated", new Bitcast(DType.F32), List.of(high.edge(0)), List.of());
        Node half = w.add(n, "/bf16", new Cast(DType.BF16), List.of(cut.edge(0)), List.of());
        w.replace(n, s, List.of(half.edge(0)), w.controls(n));
    }

    private static void receive(Rewriter w, Node n, Recv r) {
        Recv half =
                new Recv(DType.BF16, r.tensorName(), r.sendDevice(), r.sendDeviceIncarnation(), r.recvDevice(), false);
        var spec = new NodeSpec(
                w.out().unique(n.name() + "/bf16"), half, List.of(), w.controls(n), n.device(), n.extras());
        Node received =
                w.out().source(n, spec, new TensorType(DType.BF16, n.output(0).shape()));
        w.replace(n, new Cast(DType.F32), List.of(received.edge(0)), List.of());
    }
}
