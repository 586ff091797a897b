package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Updates.Part;
import dev.oxbow.parallel.ops.LateUpdate;
import dev.oxbow.parallel.ops.UpdateWait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Writes updates of this process that run in steps of their own: behind the step, or one for each tower. */
final class Behind implements Deferring {

    /*
     * Across steps an update begins with its exchange, as soon as the gradients of its part are there and what the step reads of
     * its variables has been read; the step does not wait for it. Whoever uses these variables next waits for this part alone, so that the
     * next forward pass starts with the parts that have come. What is needed first travels first: the gradients that are
     * made last. What only comes after an update, such as a count of steps, comes after its push.
     *
     * A tower updates by the gradient of its own rows, in the scale of its own rows, when it has it. The step ends with all of
     * these updates.
     */

    private static final String TOWERS = "towers";

    private final Emission emission;
    private final Layouts layouts;
    private final Plan plan;
    private final Mesh mesh;
    private final List<Rows> rows;
    private final Homes homes;
    private final Late late;
    private final Updates updates;
    private final Map<Integer, Node> waits = new HashMap<>();
    private final Map<Integer, Node> pushes = new TreeMap<>();
    private final Map<Integer, Node> applied = new HashMap<>();
    private Node first;

    Behind(
            Emission emission,
            Layouts layouts,
            Plan plan,
            Mesh mesh,
            List<Rows> rows,
            Homes homes,
            Late late,
            Updates updates) {
        this.emission = emission;
        this.layouts = layouts;
        this.plan = plan;
        this.mesh = mesh;
        this.rows = rows;
        this.homes = homes;
        this.late = late;
        this.updates = updates;
    }

    @Override
    public boolean isLeftOut(Node n, List<Node> later) {
        if (first == null) first = n;
        if (updates.isApart(n) || !updates.isOfWorkers(n)) return true;
        if (updates.follows(n)) later.add(n);
        return updates.follows(n);
    }

    @Override
    public boolean isWanted(Edge e) {
        return updates.isWanted(e);
    }

    @Override
    public List<Node> before(Node n) {
        Set<Node> all = new LinkedHashSet<>();
        if (!late.isAcross()) return List.of();
        if (n.op().effects() == Effects.READS || n.op().effects() == Effects.WRITES)
            for (Edge e : n.inputs()) {
                if (!(e.node().op() instanceof VarHandleOp) || late.of(e.node()) < 0) continue;
                int part = late.of(e.node());
                all.add(updates.follows(n) && pushes.containsKey(part) ? applied(part) : waited(part));
            }
        return List.copyOf(all);
    }

    private Node waited(int part) {
        return waits.computeIfAbsent(
                part, p -> add("late_" + p + "/wait", new UpdateWait(name(p)), List.of(), Set.of()));
    }

    private Node applied(int part) {
        return applied.computeIfAbsent(
                part, p -> add("late_" + p + "/applied", new UpdateWait(name(p)), List.of(), Set.of(pushes.get(p))));
    }

    private static String name(int part) {
        return "part " + part;
    }

    private Node add(String name, Op op, List<Edge> inputs, Set<Node> controls) {
        return emission.add(first.edge(0), "/" + name, op, inputs, List.copyOf(controls), "");
    }

    @Override
    public void push(Exchange exchange) {
        Map<Integer, Set<Node>> reads = late.isAcross() ? reads() : Map.of();
        for (Part p : updates.parts()) {
            Set<Node> before = new LinkedHashSet<>(reads.getOrDefault(p.server, Set.of()));
            for (Node c : p.before) before.addAll(List.of(emission.nodes(c)));
            Node push = late.isAcross() ? across(p, before, exchange) : towers(p, before, exchange);
            pushes.put(p.server, push);
            for (Node w : p.writes) emission.put(w, push);
        }
    }

    /** By part, the nodes of the step that read its variables. */
    private Map<Integer, Set<Node>> reads() {
        Map<Integer, Set<Node>> all = new HashMap<>();
        for (Node n : emission.out().nodes())
            for (Edge e : n.inputs())
                if (e != null && e.node().op() instanceof VarHandleOp && n.op().effects() == Effects.READS)
                    all.computeIfAbsent(late.of(e.node()), _ -> new LinkedHashSet<>())
                            .add(n);
        return all;
    }

    private Pushing pushing(Part p) {
        return new Pushing(layouts, p, late.library(), homes::of, "", "");
    }

    private Node across(Part p, Set<Node> before, Exchange exchange) {
        Pushing pushing = pushing(p);
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : pushing.pushed()) {
            Layout made = layouts.made(e);
            if (made instanceof Layout.Partial partial) inputs.add(exchange.combined(e, partial.reduction(), ""));
            else if (Pushing.isGathered(made)) inputs.add(exchange.joined(e, emission.made(e), 0));
            else inputs.add(exchange.converted(e, Layout.BROADCAST)[0]);
        }
        FunctionRef update = pushing.exchanging(plan, mesh.isHelper(), p.server);
        return add("late_" + p.server + "/push", new LateUpdate(name(p.server), update, false), inputs, before);
    }

    private Node towers(Part p, Set<Node> before, Exchange exchange) {
        Set<Node> all = new LinkedHashSet<>();
        for (int d = 0; d < rows.size(); d++) {
            Rows own = rows.get(d);
            if (own.count() == 0) continue;
            Pushing pushing = pushing(p);
            List<Edge> inputs = new ArrayList<>();
            for (Edge e : pushing.pushed())
                inputs.add(
                        layouts.made(e).isBroadcast()
                                ? exchange.converted(e, Layout.BROADCAST)[0]
                                : emission.made(e)[d]);
            FunctionRef update = pushing.function(1, (double) own.total() / own.count());
            all.add(add("tower_" + d + "/push", new LateUpdate(TOWERS, update, true), inputs, before));
        }
        return add(TOWERS, new NoOp(), List.of(), all);
    }

    @Override
    public List<Node> roots() {
        return List.copyOf(pushes.values());
    }
}
