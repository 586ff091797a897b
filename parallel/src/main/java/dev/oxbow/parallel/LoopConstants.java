package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Rewriter;
import java.util.List;

/** Lets what a loop reads of constants around it, and never changes, be constants inside of it. */
final class LoopConstants implements Rewrite {
    private static final int LARGEST = 64;

    @Override
    public String name() {
        return "loop-constants";
    }

    @Override
    public String purpose() {
        return "know inside of loops what is constant around them";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        if (s.graph().nodes().stream().noneMatch(n -> Frames.isEnter(n.op()))) return s;
        return Rewriter.each(s, (w, n) -> {
            Node made = w.copy(n);
            if (!(n.op() instanceof Identity) && !Frames.isConstantEnter(n.op())) return;
            Const c = n.input(0).type().isRef() ? null : origin(n.edge(0));
            if (c == null || c.value().size() > LARGEST) return;
            Node inside = w.add(n, "/constant", c, List.of(), List.of(made));
            w.replace(n, List.of(inside.edge(0)), made);
        });
    }

    /** The constant that a value of a loop always is; null where it is none, or outside of loops. */
    private static Const origin(Edge e) {
        boolean entered = false;
        while (true) {
            Node n = e.node();
            if (n.op() instanceof Const c) return entered ? c : null;
            if (n.op() instanceof Enter) entered = true;
            else if (Frames.isLoopMerge(n) && !comesBack(n)) return null;
            else if (!(n.op() instanceof Identity || n.op() instanceof Switch || Frames.isLoopMerge(n))) return null;
            if (n.op() instanceof Switch && !Frames.isLoopMerge(n.input(0).node())) return null;
            e = n.input(0);
        }
    }

    /** Whether a loop variable is itself again after each iteration. */
    private static boolean comesBack(Node merge) {
        for (Edge e : merge.inputs()) {
            if (!Frames.isNext(e.node().op())) continue;
            Edge back = e.node().input(0);
            while (back.node().op() instanceof Identity || back.node().op() instanceof Switch)
                back = back.node().input(0);
            if (back.node() != merge) return false;
        }
        return true;
    }
}
