package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.Shadow;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Has updates of variables compute what only they read, and one of them do what another one does right after it. */
final class FusedUpdates implements Rewrite {

    /*
     * A gradient in 16 bits that is cast for its update is written and read again in 32; so is the sum of two gradients, or one that
     * is clipped. And a parameter that decays beside its update is read three times and written twice. All of that is elementwise, so
     * the update's kernel does it. A second update joins the first where nobody can see the value between them: it waits for the first, and
     * whoever else takes the variable comes before the first or after the second. What the second takes must be there when the first
     * runs. What is read of a variable to change it is the value that the update finds itself, and not held beside it, since a
     * value that somebody holds is not changed in place.
     */

    private static final int MOST_NODES = 24;

    @Override
    public String name() {
        return "updates";
    }

    @Override
    public String purpose() {
        return "compute what only updates read inside of them, and two that follow each other at once";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        List<Node> nodes = s.graph().nodes();
        for (Node n : nodes) for (Edge e : n.inputs()) if (e.node().id() >= n.id()) return s; // a loop
        Work work = new Work(s);
        Map<Node, Draft> made = new HashMap<>();
        Map<Node, Node> later = new HashMap<>();
        Set<Node> inside = new HashSet<>();
        for (Node n : nodes) {
            if (!isUpdate(n) || later.containsKey(n)) continue;
            Node next = work.next(n);
            Draft d = work.draft(n, next);
            if (d == null && next != null) {
                next = null;
                d = work.draft(n, null);
            }
            if (d == null || d.inside.isEmpty() && next == null) continue;
            made.put(n, d);
            inside.addAll(d.inside);
            if (next != null) later.put(next, n);
        }
        if (made.isEmpty()) return s;
        return Rewriter.each(s, (w, n) -> {
            if (inside.contains(n)) return;
            if (made.containsKey(n)) made.get(n).put(w, n);
            else if (later.containsKey(n)) w.replace(n, List.of(), w.node(later.get(n)));
            else w.copy(n);
        });
    }

    /** Whether a node changes whole variables that are known by their handles. */
    private static boolean isUpdate(Node n) {
        if (!(n.op() instanceof Updating u) || u.rowInput() >= 0 || n.outputCount() > 0) return false;
        for (int i = 0; i < u.variables(); i++) if (!(n.input(i).node().op() instanceof VarHandleOp)) return false;
        return u.variables() > 0;
    }

    /** An update with what is inside of it. */
    private static final class Draft {
        final Node first;
        final Node second;
        final List<Edge> inputs = new ArrayList<>();
        final List<DType> types = new ArrayList<>();
        final Set<Node> inside = new LinkedHashSet<>();
        List<Expr> formulas;

        Draft(Node first, Node second) {
            this.first = first;
            this.second = second;
        }

        /** The value of an input, which is put beside the others unless it is there. */
        Expr input(Edge e, DType t) {
            int at = inputs.indexOf(e);
            if (at < 0) {
                at = inputs.size();
                inputs.add(e);
                types.add(t);
            }
            return Expr.input(at, t);
        }

        void put(Rewriter w, Node n) {
            List<Edge> all = new ArrayList<>();
            for (Edge e : inputs) all.add(w.edge(e));
            List<Node> from = new ArrayList<>(inside);
            from.add(n);
            Set<Node> controls = new LinkedHashSet<>(w.controls(from.toArray(Node[]::new)));
            if (second != null) controls.addAll(w.controls(second)); // the first is not there yet
            int variables = ((Updating) n.op()).variables();
            String name = n.op().signature().name();
            w.replace(n, new FusedUpdate(name, variables, List.copyOf(types), formulas), all, controls);
        }
    }

    private static final class Work {
        private final Readers readers;

        /** By name of a variable: all that takes it. */
        private final Map<String, Set<Node>> takers = new HashMap<>();

        private final Map<Node, List<Node>> waiting = new HashMap<>();
        private final Map<Node, Set<Node>> before = new HashMap<>();

        Work(Subgraph s) {
            readers = new Readers(s);
            for (Node n : s.graph().nodes()) {
                for (Edge e : n.inputs())
                    if (e.node().op() instanceof VarHandleOp)
                        takers.computeIfAbsent(name(e), _ -> new HashSet<>()).add(n);
                for (Node c : n.controls())
                    if (isUpdate(c))
                        waiting.computeIfAbsent(c, _ -> new ArrayList<>()).add(n);
            }
        }

        private static String name(Edge handle) {
            VarHandleOp v = (VarHandleOp) handle.node().op();
            return v.container() + "\n"
                    + (v.sharedName().isEmpty() ? handle.node().name() : v.sharedName());
        }

        /** All that a node comes after. */
        private Set<Node> before(Node n) {
            return before.computeIfAbsent(n, _ -> {
                Set<Node> all = new HashSet<>();
                Deque<Node> left = new ArrayDeque<>(List.of(n));
                while (!left.isEmpty()) {
                    Node at = left.pop();
                    for (Edge e : at.inputs()) if (all.add(e.node())) left.push(e.node());
                    for (Node c : at.controls()) if (all.add(c)) left.push(c);
                }
                return all;
            });
        }

        /** The update that adds to, or takes from, a variable right after this one; null for none. */
        Node next(Node n) {
            int variables = ((Updating) n.op()).variables();
            for (Node next : waiting.getOrDefault(n, List.of())) {
                boolean adds = next.op() instanceof AssignSubVariableOp || next.op() instanceof AssignAddVariableOp;
                if (!adds || !isUpdate(next) || !Readers.areTogether(n, next)) continue;
                boolean same = n.inputs().subList(0, variables).contains(next.input(0));
                boolean ready = next.controls().stream().allMatch(c -> c == n || c.id() < n.id());
                if (same && ready && isUnseen(n, next)) return next;
            }
            return null;
        }

        /** Whether nobody takes the variable between two updates of it. */
        private boolean isUnseen(Node n, Node next) {
            for (Node t : takers.get(name(next.input(0))))
                if (t != n && t != next && !before(n).contains(t) && !before(t).contains(next)) return false;
            return true;
        }

        /** An update, with another one unless that is null; null where it stays as it is. */
        Draft draft(Node n, Node next) {
            Draft d = new Draft(n, next);
            Updating u = (Updating) n.op();
            Shape shape = null;
            for (int i = 0; i < u.variables(); i++) {
                VarHandleOp v = (VarHandleOp) n.input(i).node().op();
                if (!v.shape().isFullyKnown() || shape != null && !v.shape().equals(shape)) return null;
                shape = v.shape();
                if (d.inputs.contains(n.input(i))) return null;
                d.input(n.input(i), v.dtype());
            }
            List<Expr> values = new ArrayList<>();
            for (int i = 0; i < n.inputCount(); i++)
                values.add(i < u.variables() ? Expr.input(i, d.types.get(i)) : value(d, n.input(i), shape));
            if (values.stream().anyMatch(Objects::isNull)) return null;
            List<Expr> formulas = new ArrayList<>(u.updates(values));
            if (next != null) {
                int at = n.inputs().indexOf(next.input(0));
                Expr more = value(d, next.input(1), shape);
                if (more == null) return null;
                formulas.set(
                        at,
                        ((Updating) next.op())
                                .updates(List.of(formulas.get(at), more))
                                .getFirst());
            }
            d.formulas = List.copyOf(formulas);
            boolean small = d.inside.size() <= MOST_NODES && d.inputs.size() <= CudaDevice.FUSING.inputs();
            return small && CudaText.supports(formulas) ? d : null;
        }

        /** The value of an edge; what nobody else reads is computed inside. Null where it can not be there. */
        private Expr value(Draft d, Edge e, Shape shape) {
            Node n = e.node();
            boolean whole = e.type().shape().equals(shape);
            if (!whole && e.type().shape().size() != 1) return null;
            if (whole && isInside(n, d) && d.inside.size() < MOST_NODES) {
                List<Expr> args = new ArrayList<>();
                for (Edge in : n.inputs()) {
                    Expr x = value(d, in, shape);
                    if (x == null) return null;
                    args.add(x);
                }
                d.inside.add(n);
                return ((Elementwise) n.op()).expressions(args).getFirst();
            }
            int own = n.op() instanceof ReadVariableOp ? d.inputs.indexOf(n.input(0)) : -1;
            if (own >= 0) return finds(d, n) ? Expr.input(own, d.types.get(own)) : null;
            if (n.id() > d.first.id()) return null; // it comes too late
            return d.input(e, e.type().dtype());
        }

        /** Whether a node reads what the first update finds in a variable: it comes before that, and all other changes after it. */
        private boolean finds(Draft d, Node read) {
            if (!before(d.first).contains(read)) return false;
            for (Node t : takers.get(name(read.input(0)))) {
                boolean looks = t.op() instanceof ReadVariableOp || t.op() instanceof Shadow;
                if (!looks && t != d.first && !before(t).contains(d.first)) return false;
            }
            return true;
        }

        private boolean isInside(Node n, Draft d) {
            return n.op() instanceof Elementwise e
                    && e.broadcasts()
                    && n.outputCount() == 1
                    && e.operands(n.inputCount()) == n.inputCount()
                    && readers.areAll(1, n)
                    && Readers.areTogether(n, d.first)
                    && n.controls().stream().allMatch(c -> c.id() < d.first.id());
        }
    }
}
