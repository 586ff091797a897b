package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.core.ToDevice;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.runtime.Device;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides what of a device's part lives on the host, and puts a {@code _ToDevice} where its kernels want it there. */
record Residence(Device device) implements Rewrite {

    /*
     * Whoever asks a device that works later for a number has to wait for it. Numbers that decide what happens next, such as
     * counters of loops, axes and shapes, are small integers that were made from small integers: so those are computed on the
     * host, by its kernels, in the middle of the device's regions, and nobody waits. A value is small if its shape is known and
     * has few elements. Values that a loop carries are of the host if what enters and what comes back is; so all that could be
     * is assumed to be at first, and what is not is found by going round until nothing changes. What is fed stays on the host, too, where only
     * the host's kernels read it, such as that which puts it into a queue.
     */

    private static final long SMALL = 64;

    /** What is fed may lie on the device already. */
    private static final long SMALL_FEED = 16;

    @Override
    public String name() {
        return "residence";
    }

    @Override
    public String purpose() {
        return "keep small integers on the host";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        boolean[] host = hosts(s.graph(), device);
        Map<Edge, Edge> there = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            List<Edge> inputs = w.inputs(n);
            boolean changed = false;
            for (int k = 0; k < inputs.size(); k++) {
                Edge old = n.input(k);
                if (host[n.id()] || !host[old.node().id()] || takesOnHost(n, k) || inputs.get(k) == null) continue;
                Edge from = inputs.get(k);
                inputs.set(
                        k,
                        there.computeIfAbsent(
                                from,
                                e -> w.add(n, "/device", new ToDevice(), List.of(e), List.of())
                                        .edge(0)));
                changed = true;
            }
            if (changed) w.copy(n, inputs);
            else w.copy(n);
        });
    }

    private boolean takesOnHost(Node n, int input) {
        return switch (n.op()) {
            case Retval _, Send _ -> true;
            case Switch _ -> input == 1;
            case Op op when Inline.isCall(op) -> true;
            case CoreOp _ -> false;
            case Op op -> op.asksTypesOnly() || device.takesOnHost(op, input);
        };
    }

    /** By node: whether it is computed on the host. */
    static boolean[] hosts(Graph g, Device device) {
        boolean[] host = new boolean[g.size()], alone = readOnHost(g, device);
        for (Node n : g.nodes()) host[n.id()] = mayBe(n) || alone[n.id()];
        List<List<Node>> merges = new ArrayList<>(); // by node: loops' merges that it feeds
        for (int i = 0; i < g.size(); i++) merges.add(List.of());
        for (Node n : g.nodes())
            if (n.op() instanceof Merge)
                for (Edge e : n.inputs()) merges.set(e.node().id(), List.of(n));
        for (boolean again = true; again; ) {
            again = false;
            for (Node n : g.nodes()) {
                if (!host[n.id()] || stays(n, host, merges.get(n.id()))) continue;
                host[n.id()] = false;
                again = true;
            }
        }
        return host;
    }

    /** By node: whether it is fed, and read by kernels of the host alone. */
    private static boolean[] readOnHost(Graph g, Device device) {
        boolean[] here = new boolean[g.size()], there = new boolean[g.size()];
        for (Node n : g.nodes())
            for (int k = 0; k < n.inputCount(); k++) {
                if (!(n.input(k).node().op() instanceof Arg)) continue;
                boolean reads = !(n.op() instanceof CoreOp)
                        && n.op().view() != k
                        && !Inline.isCall(n.op())
                        && !n.op().asksTypesOnly()
                        && device.takesOnHost(n.op(), k);
                (reads ? here : there)[n.input(k).node().id()] = true;
            }
        for (int i = 0; i < here.length; i++) here[i] &= !there[i];
        return here;
    }

    /** Whether a node that is assumed to be the host's is, as far as its neighbours are. */
    private static boolean stays(Node n, boolean[] host, List<Node> merges) {
        boolean enters = n.op() instanceof Enter || n.op() instanceof NextIteration;
        for (Node m : merges) if (enters && !host[m.id()]) return false; // nothing may come between the two
        if (n.op().asksTypesOnly()) return true;
        int inputs = n.op() instanceof Switch ? 1 : n.inputCount();
        for (int k = 0; k < inputs; k++) if (!host[n.input(k).node().id()]) return false;
        return true;
    }

    private static boolean mayBe(Node n) {
        if (n.outputCount() == 0) return false;
        long most = n.op() instanceof Arg ? SMALL_FEED : SMALL;
        for (TensorType t : n.outputs()) if (!isSmall(t, most)) return false;
        for (Edge e : n.inputs()) if (e.type().isRef()) return false;
        return switch (n.op()) {
            case Arg _, Const _, Enter _, Exit _, Identity _, LoopCond _, Merge _, NextIteration _, Recv _, Switch _ ->
                true;
            case CoreOp _ -> false;
            case Op op -> n.inputCount() > 0 && op.effects() == Effects.NONE && !op.waits();
        };
    }

    private static boolean isSmall(TensorType t, long most) {
        boolean whole = t.dtype() == DType.I32 || t.dtype() == DType.I64 || t.dtype() == DType.BOOL;
        return whole && !t.isRef() && t.shape().isFullyKnown() && t.shape().size() <= most;
    }
}
