package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.parallel.ops.LateUpdates;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Finds, for each run of a session under a plan, which rows of the batch this process has, and makes the program for them. */
final class Sharing implements RunRewrite {

    /*
     * Where the graph says how many rows a batch has, each process must feed its share of them, and nothing is asked. Where
     * it does not, processes tell each other how many they have before the step, which is one small exchange. The first
     * time that a kind of run comes they also compare what they are about to run, before any data moves: first the graph and
     * the plan, then the exchanges of the graph on pieces that follows. A run that fails anywhere fails everywhere, and makes
     * all of them compare again.
     *
     * Runs without a key meet in the order in which each process begins them, so such a run that asks holds the others
     * back until it has ended.
     */

    /** A kind of run; those with different keys do not wait for each other, so each compares for itself. */
    private record Kind(String key, List<Edge> feeds, List<Edge> fetches, List<Node> targets) {}

    private final Plan plan;
    private final Mesh mesh;
    private final Homes homes;
    /** Null where processes hold the variables. */
    private final Servers servers;

    /** Null where all updates are done in the step. */
    private final Late late;

    private final Meeting meeting;
    private final Services services;
    private final Set<Kind> agreed = ConcurrentHashMap.newKeySet();
    private final ReentrantLock unkeyed = new ReentrantLock();

    Sharing(Plan plan, Mesh mesh, SessionOptions options) {
        this.plan = plan;
        this.mesh = mesh;
        this.homes = new LocalHomes(mesh.devices(), plan.isOnHost());
        this.servers = null;
        this.late = plan.crossesSteps() || plan.hasTowers() ? new Late(plan.crossesSteps()) : null;
        this.services = options::service;
        this.meeting = mesh.ranks() == 1 ? null : new Meeting(plan, mesh, options);
    }

    /** Of a worker of parameter servers, which tells the others how many rows it has in a round, or null where it does not. */
    Sharing(Plan plan, Mesh mesh, Servers servers, Meeting.Round round, SessionOptions options) {
        this.plan = plan;
        this.mesh = mesh;
        this.homes = servers.shards();
        this.servers = servers;
        this.late = null;
        this.services = options::service;
        this.meeting = round == null ? null : new Meeting(plan, mesh, round);
    }

    @Override
    public Made make(
            List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions options) {
        if (!fetches.isEmpty()) learn(fetches.getFirst().node().graph());
        else if (!targets.isEmpty()) learn(targets.getFirst().graph());
        List<Layout> layouts = new ArrayList<>();
        boolean open = false;
        for (int i = 0; i < feeds.size(); i++) {
            boolean isWhole = values.get(i).shape().rank() == 0
                    || plan.whole().contains(feeds.get(i).node().name());
            layouts.add(isWhole ? Layout.BROADCAST : Layout.split(0));
            open |= !isWhole && feeds.get(i).type().shape().dim(0) < 0;
        }
        long[] totals = new long[feeds.size()];
        Rows rows = null;
        Kind kind = new Kind(options.key(), List.copyOf(feeds), List.copyOf(fetches), List.copyOf(targets));
        boolean compares = meeting != null && servers == null; // servers compare what workers push
        boolean asks = meeting != null && open || compares && !agreed.contains(kind);
        if (asks && options.key() == null) unkeyed.lock();
        boolean isNew = compares && !agreed.contains(kind);
        if (asks && (open || isNew)) {
            long[][] all = meeting.compare(feeds, values, layouts, fetches, targets, options);
            if (open) rows = rows(feeds, values, layouts, all, totals);
        }
        if (rows == null) rows = share(feeds, values, layouts, totals);
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < totals.length; i++) {
            Shape s = values.get(i).shape();
            shapes.add(layouts.get(i).isSplit() ? s.withDim(0, totals[i]) : s);
        }
        Spread spread = new Spread(plan, mesh, layouts, rows, homes, servers, late);
        if (isNew) {
            meeting.compare(exchanges(spread, feeds, shapes, fetches, targets), options);
            agreed.add(kind);
        }
        return new Made(shapes, spread);
    }

    private void learn(Graph graph) {
        homes.learn(graph);
        if (late != null) late.learn(graph.functions());
    }

    private List<String> exchanges(
            Spread spread, List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets) {
        List<Node> ends = new ArrayList<>(targets);
        fetches.forEach(e -> ends.add(e.node()));
        if (ends.isEmpty()) return List.of();
        Subgraph cut = Cut.run(ends.getFirst().graph(), feeds, shapes, fetches, targets);
        return Spread.exchanges(spread.run(new Inline().run(cut, services), services), services);
    }

    @Override
    public Made explained(List<Edge> feeds) {
        List<Layout> layouts = new ArrayList<>();
        List<Shape> shapes = new ArrayList<>();
        long total = Long.MAX_VALUE;
        for (Edge f : feeds) {
            Shape s = f.type().shape();
            boolean isWhole = s.rank() <= 0 || plan.whole().contains(f.node().name());
            layouts.add(isWhole ? Layout.BROADCAST : Layout.split(0));
            shapes.add(isWhole || s.dim(0) >= 0 ? s : s.withDim(0, mesh.size()));
            if (!isWhole) total = Math.min(total, shapes.getLast().dim(0));
        }
        Rows rows = mesh.share(total == Long.MAX_VALUE ? mesh.size() : total);
        return new Made(shapes, new Spread(plan, mesh, layouts, rows, homes, servers, late));
    }

    @Override
    public void ended(RunOptions options, Throwable error) {
        if (error != null) agreed.removeIf(k -> Objects.equals(k.key, options.key()));
        if (unkeyed.isHeldByCurrentThread()) unkeyed.unlock();
    }

    @Override
    public void close() {
        LateUpdates updates = services.service(LateUpdates.class);
        if (updates != null) updates.settle(); // others wait for this rank's part in them
        if (meeting != null) meeting.close();
    }

    /** Of what all processes have said of their feeds; helpers must have said nothing. */
    private Rows rows(List<Edge> feeds, List<Tensor> values, List<Layout> layouts, long[][] all, long[] totals) {
        int base = -1;
        for (int i = 0; i < totals.length; i++) {
            if (!layouts.get(i).isSplit()) continue;
            for (long[] one : all) totals[i] += one[i];
            if (base < 0 || totals[i] < totals[base]) base = i;
        }
        long before = 0;
        for (int r = 0; r < mesh.rank(); r++) before += all[r][base];
        Rows rows = new Rows(before, all[mesh.rank()][base], totals[base]);
        check(feeds, values, layouts, totals, rows);
        return rows;
    }

    /** By the graph, or by what the one process feeds. */
    private Rows share(List<Edge> feeds, List<Tensor> values, List<Layout> layouts, long[] totals) {
        int base = -1;
        for (int i = 0; i < totals.length; i++) {
            if (!layouts.get(i).isSplit()) continue;
            long fed = values.get(i).shape().dim(0),
                    said = feeds.get(i).type().shape().dim(0);
            totals[i] = mesh.ranks() == 1 ? fed : said < 0 ? fed * mesh.ranks() : said;
            if (base < 0 || totals[i] < totals[base]) base = i;
        }
        Rows rows = mesh.share(base < 0 ? mesh.size() : totals[base]);
        check(feeds, values, layouts, totals, rows);
        return rows;
    }

    private void check(List<Edge> feeds, List<Tensor> values, List<Layout> layouts, long[] totals, Rows rows) {
        for (int i = 0; i < totals.length; i++) {
            if (!layouts.get(i).isSplit()) continue;
            long fed = values.get(i).shape().dim(0);
            require(
                    rows.divide(totals[i]) && rows.of(totals[i]) == fed,
                    INVALID_ARGUMENT,
                    "feed %s: rank %d of %d has rows %d to %d of a batch of %d, so it must feed %d of %d rows, got %d;"
                            + " name feeds that are no rows of the batch by Plan.whole",
                    feeds.get(i),
                    mesh.rank(),
                    mesh.ranks(),
                    rows.before(),
                    rows.before() + rows.count(),
                    rows.total(),
                    rows.of(totals[i]),
                    totals[i],
                    fed);
        }
    }
}
