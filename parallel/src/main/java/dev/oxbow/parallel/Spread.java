package dev.oxbow.parallel;

import dev.oxbow.collective.ops.AllGather;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Prune;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * From the graph on whole values to that on the pieces of one process: layouts are found, and exchanges put where what is
 * made and what is wanted differ.
 *
 * @param feeds the layout of each fed value
 * @param rows those that the process has
 * @param servers those that hold the variables; null where processes hold them
 * @param late updates that run in steps of their own; null where there are none
 */
record Spread(Plan plan, Mesh mesh, List<Layout> feeds, Rows rows, Homes homes, Servers servers, Late late)
        implements Rewrite {

    /*
     * It begins with whole shapes: every Shape, Size and count of the graph, of gradients too, becomes the number of the
     * whole batch, so that means, weight decay and clipping have the right scale whatever the number of devices. Only then
     * are operands that speak of shapes of split values cut. Rewriting Shape ops themselves would be wrong in half of
     * their uses.
     */

    /** For a step that trains in such a way. */
    Spread with(Servers.Turn turn) {
        return new Spread(plan, mesh, feeds, rows, homes, servers.with(turn), late);
    }

    @Override
    public String name() {
        return "plan";
    }

    @Override
    public String purpose() {
        return "lay values out on " + mesh.size() + " devices by plan " + plan.kind();
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Explanation e = explain(s, services);
        return new Emission(
                        e.known(),
                        e.layouts(),
                        e.buckets(),
                        plan,
                        mesh,
                        mesh.shares(rows),
                        homes,
                        servers,
                        late,
                        feeds.size())
                .run();
    }

    /** What the ranks of a job do together in a graph on pieces, in words that must be alike on all of them. */
    static List<String> exchanges(Subgraph pieces, Services services) {
        List<String> all = new ArrayList<>();
        for (Node n : new Prune().run(pieces, services).graph().nodes()) {
            if (n.op().service() != Groups.class) continue;
            List<TensorType> types = n.inputs().stream().map(Edge::type).toList();
            // pieces that are gathered differ in rows
            String of = n.op() instanceof AllGather ? types.getFirst().dtype().toString() : types.toString();
            String views = n.op() instanceof AllReduce a && a.isViewed(services, types) ? " seen where it lies" : "";
            all.add(n.op() + " of " + of + views);
        }
        Collections.sort(all);
        return all;
    }

    /** What it decides. */
    Explanation explain(Subgraph s, Services services) {
        Rules rules = new Rules(rows, plan, mesh.size());
        Subgraph known = known(s, services);
        if (servers != null)
            known = new Prune().run(new Cutting(servers.shards(), rules::goesSparse).run(known, services), services);
        Layouts layouts = Layouts.find(known, rules, feeds);
        return new Explanation(known, layouts, new Buckets(known, layouts, plan), mesh);
    }

    /** With all shapes and counts that follow from those of the feeds. */
    Subgraph known(Subgraph s, Services services) {
        Subgraph now = new Infer().run(s, services);
        if (plan.synchronisesNorms()) now = new Norms().run(now, services);
        for (int i = 0; i < 4; i++) {
            Subgraph before = now;
            now = new LoopConstants().run(now, services);
            now = new Infer().run(now, services);
            now = new ItemShapes().run(now, services);
            now = new BranchShapes().run(now, services);
            now = new Fold().run(now, services);
            if (now == before) break;
        }
        return new Prune().run(now, services);
    }
}
