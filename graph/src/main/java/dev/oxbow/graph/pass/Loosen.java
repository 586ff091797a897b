package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.core.Retval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lets nodes wait for effects only, so that what is computed for nothing else than to be waited for can go.
 *
 * @param oneDevice whether wishes to be together go as well, since they are granted
 */
public record Loosen(boolean oneDevice) implements Rewrite {

    /*
     * TensorFlow's gradients of an op wait for each other, those of constants and of data included, which nobody reads.
     * Waiting for a pure node is waiting for the effects behind it, so an edge from it becomes edges from the latest of
     * those that the node's inputs do not wait for already; mostly none are left. A pure node has no reason to wait for
     * a read: whatever has effects after it waits for that itself. Writes it waits for, since one of them may be a check.
     * What may be dead tells that along its control edges: nodes behind a branch, or inside of a loop, keep theirs.
     * Identities that wait for nothing go, too: other passes look for an op behind another.
     */

    /** With more edges than that in their place, edges from pure nodes stay. */
    private static final int MOST_EDGES = 64;

    /** Bits in all sets: a graph with more effects than that is left alone. */
    private static final long MOST_BITS = 1L << 30;

    private static final String COLOCATIONS = "_class";

    @Override
    public String name() {
        return "loosen";
    }

    @Override
    public String purpose() {
        return "wait for effects only, and drop identities";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        if (s.graph().nodes().stream().noneMatch(this::isTied)) return s;
        long effects = s.graph().nodes().stream().filter(n -> !isPure(n)).count();
        if (effects * s.graph().size() > MOST_BITS) return s;
        Waits waits = new Waits(s.graph());
        Set<Node> roots = new HashSet<>(s.roots());
        return Rewriter.each(s, (w, n) -> {
            List<Node> left = waits.pass(n);
            if (left.isEmpty() && !roots.contains(n) && waits.isBare(n)) {
                Edge input = n.input(0);
                w.replace(n, List.of(w.edge(input)), w.node(input.node()));
                return;
            }
            boolean wishes = oneDevice && n.extras().containsKey(COLOCATIONS);
            if (left == n.controls() && !wishes) {
                w.copy(n);
                return;
            }
            Set<Node> controls = new LinkedHashSet<>();
            for (Node c : left) controls.add(w.node(c));
            Map<String, Object> extras = new HashMap<>(n.extras());
            if (wishes) extras.remove(COLOCATIONS);
            w.copy(n, new NodeSpec(n.name(), n.op(), w.inputs(n), List.copyOf(controls), n.device(), extras));
        });
    }

    private boolean isTied(Node n) {
        return !n.controls().isEmpty()
                || n.op() instanceof Identity
                || oneDevice && n.extras().containsKey(COLOCATIONS);
    }

    private static boolean isFlow(Node n) {
        return switch (n.op()) {
            case Arg _, Const _, Identity _, NoOp _, Placeholder _, Retval _ -> false;
            case CoreOp _ -> true;
            default -> false;
        };
    }

    private static boolean isPure(Node n) {
        if (n.op().effects() != Effects.NONE || n.op().waits() || isFlow(n)) return false;
        for (Edge e : n.inputs()) if (e.type().isRef()) return false;
        return true;
    }

    /** What the nodes of a graph wait for, found in order. */
    private static final class Waits {
        private final boolean[] mayDie;
        private final List<Node> effects = new ArrayList<>();
        private final BitSet reads = new BitSet();

        /** By node: the numbers of the effects that were done when it was, and of those that are now. */
        private final BitSet[] before;

        private final BitSet[] done;

        Waits(Graph graph) {
            mayDie = new boolean[graph.size()];
            before = new BitSet[graph.size()];
            done = new BitSet[graph.size()];
            Frames frames = new Frames(graph);
            Set<Frames.Frame> branched = new HashSet<>();
            for (int known = -1; known < branched.size(); ) {
                known = branched.size();
                for (Node n : graph.nodes()) findMayDie(n, frames, branched);
            }
        }

        /** Finds what depends on a branch, or is inside of a loop; what a loop gives that always runs does not. */
        private void findMayDie(Node n, Frames frames, Set<Frames.Frame> branched) {
            boolean may = isFlow(n);
            for (Edge e : n.inputs()) may |= mayDie[e.node().id()];
            for (Node c : n.controls()) may |= mayDie[c.id()];
            if (Frames.isExit(n.op())) may = branched.contains(frames.of(n));
            if (Frames.isEnter(n.op()) && mayDie[n.input(0).node().id()]) branched.add(frames.ofOutputs(n));
            mayDie[n.id()] = may;
        }

        /** Whether a node is nothing but another name for its input. */
        boolean isBare(Node n) {
            if (!(n.op() instanceof Identity)
                    || mayDie[n.id()]
                    || n.input(0).type().isRef()) return false;
            return n.device().isEmpty() || n.device().equals(n.input(0).node().device());
        }

        /** What the next node has to wait for besides its inputs. */
        List<Node> pass(Node n) {
            BitSet all = new BitSet(), wanted = new BitSet(), given = new BitSet();
            Set<Node> kept = new LinkedHashSet<>();
            for (Edge e : n.inputs()) {
                int from = e.node().id();
                if (from >= n.id()) continue;
                all.or(before[from]);
                given.or(done[from]);
                if (!mayDie[from]) wanted.or(before[from]);
            }
            for (Node c : n.controls()) {
                all.or(before[c.id()]);
                if (!mayDie[c.id()]) {
                    wanted.or(before[c.id()]);
                } else {
                    kept.add(c);
                    given.or(done[c.id()]);
                }
            }
            boolean free = isPure(n) && !mayDie[n.id()];
            if (free) wanted.andNot(reads);
            wanted.andNot(given);
            List<Node> latest = latest(wanted);
            if (latest.size() > MOST_EDGES) {
                kept.addAll(n.controls());
                for (Node c : n.controls()) wanted.andNot(done[c.id()]);
                latest = latest(wanted);
            }
            kept.addAll(latest);
            for (Node k : kept) given.or(done[k.id()]);
            if (!isPure(n)) {
                if (n.op().effects() == Effects.READS && !isFlow(n)) reads.set(effects.size());
                all.set(effects.size());
                effects.add(n);
            }
            before[n.id()] = all;
            done[n.id()] = free ? given : all;
            return Set.copyOf(n.controls()).equals(kept) ? n.controls() : List.copyOf(kept);
        }

        /** The effects of a set that no other of it waits for. */
        private List<Node> latest(BitSet set) {
            List<Node> found = new ArrayList<>();
            BitSet left = (BitSet) set.clone();
            for (int e = left.length() - 1; e >= 0; e = left.previousSetBit(e - 1)) {
                Node effect = effects.get(e);
                found.add(effect);
                left.andNot(before[effect.id()]);
            }
            return found;
        }
    }
}
