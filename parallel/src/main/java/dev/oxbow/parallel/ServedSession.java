package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionDefinition;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** The session of one worker whose variables are held by parameter servers. */
final class ServedSession implements Session {

    /*
     * The graph of the user never leaves this process: each kind of run is spread into a graph of what this worker and the
     * servers do, which is added to one that a session of the cluster runs. That one grows by what is new.
     *
     * The worker knows by itself which step it is at: the versions of the servers when it was opened, and one more with every
     * run that pushes. A run that fails does not count; whoever runs it again pushes the same step, which the servers count
     * once.
     */

    /** A kind of run. */
    private record Key(List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets, Object rewrite) {}

    private final Graph graph;
    private final SessionOptions options;
    private final Servers servers;
    private final Sharing sharing;
    private final SentRuns sent;
    private final Session cluster;
    private final Map<Key, SentRuns.Sent> runs = new HashMap<>();
    private final Map<String, Long> counts = new HashMap<>();
    private final ReentrantLock turn = new ReentrantLock();
    /** The next step at each server. */
    private final long[] steps;
    /** Runs with assemblies since the last that pushed. */
    private long since;

    ServedSession(Plan plan, Graph graph, int worker, SessionOptions options) {
        this.graph = graph;
        this.options = options;
        Served served = plan.served();
        int n = served.workers(), count = served.servers();
        List<String> devices = new ArrayList<>();
        for (int k = 0; k < count; k++) devices.add(Servers.device(k));
        this.servers = new Servers(
                new Shards(devices),
                devices,
                worker,
                n,
                served.isSynchronous() ? n - served.backups() : 0,
                served.staleness(),
                served.job(),
                new FunctionLibrary());
        List<String> own = Servers.devices(worker, plan.devices());
        this.sent = new SentRuns(new Graph(servers.library()), servers, own.getFirst());
        boolean shares = servers.isSynchronous();
        Mesh mesh = shares ? new Mesh(n, worker, 0, own) : new Mesh(1, 0, 0, own);
        Meeting.Round round = shares && n > 1 && served.backups() == 0 ? new Rows() : null;
        this.sharing = new Sharing(plan, mesh, servers, round, options);
        this.cluster = Session.open(served.target(), sent.graph(), options);
        this.steps = asked();
    }

    /** Where the servers are. */
    private long[] asked() {
        List<Edge> versions = sent.versions();
        try (Results r = cluster.fetch(versions.toArray(Edge[]::new)).run()) {
            long[] all = new long[versions.size()];
            for (int k = 0; k < all.length; k++) all[k] = r.get(k).getLong(0);
            return all;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Rows that workers tell each other in an assembly. */
    private final class Rows implements Meeting.Round {
        private SentRuns.Round round;

        @Override
        public Results run(Tensor said, RunOptions options) {
            if (round == null) round = sent.rows();
            try (Tensor tag = Tensor.allocate(DType.I64, Shape.SCALAR)) {
                tag.setLong(0, tag());
                return cluster.feed(round.tag(), tag)
                        .feed(round.said(), said)
                        .fetch(round.heard())
                        .options(options)
                        .run();
            }
        }

        @Override
        public void close() {
            // it runs in the session of the cluster
        }
    }

    private long tag() {
        long most = 0;
        for (long s : steps) most = Math.max(most, s);
        return (most << 20) + since;
    }

    @Override
    public Graph graph() {
        return graph;
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        turn.lock();
        Throwable error = null;
        try {
            RunRewrite.Made made = sharing.make(feeds, values, fetches, targets, run);
            return run(values, sent(feeds, fetches, targets, made), run);
        } catch (RuntimeException | Error e) {
            error = e;
            throw e;
        } finally {
            sharing.ended(run, error);
            turn.unlock();
        }
    }

    private SentRuns.Sent sent(List<Edge> feeds, List<Edge> fetches, List<Node> targets, RunRewrite.Made made) {
        Key key =
                new Key(List.copyOf(feeds), made.shapes(), List.copyOf(fetches), List.copyOf(targets), made.rewrite());
        SentRuns.Sent known = runs.get(key);
        if (known != null) return known;
        learn(graph.functions());
        Subgraph cut = Cut.run(graph, feeds, made.shapes(), fetches, targets);
        Subgraph pieces = made.rewrite().run(new Inline().run(cut, options::service), options::service);
        SentRuns.Sent now = sent.add(pieces, feeds.size(), fetches.size());
        runs.put(key, now);
        return now;
    }

    /** Lets the graph that is sent know the functions of the user's. */
    private void learn(FunctionLibrary from) {
        for (FunctionDefinition f : from.definitions().values())
            if (!servers.library().has(f.name())) servers.library().add(f);
        for (Function f : from.made().values())
            if (!servers.library().has(f.name())) servers.library().add(f);
    }

    private Results run(List<Tensor> values, SentRuns.Sent sent, RunOptions options) {
        Run run = cluster.fetch(sent.fetches().toArray(Edge[]::new))
                .target(sent.targets().toArray(Node[]::new))
                .options(options);
        List<Tensor> own = new ArrayList<>();
        try {
            sent.feeds().forEach((i, edge) -> run.feed(edge, values.get(i)));
            sent.hidden().forEach((number, edge) -> {
                Tensor t = Tensor.allocate(DType.I64, Shape.SCALAR);
                own.add(t);
                t.setLong(0, number(number, sent));
                run.feed(edge, t);
            });
            Results results = run.run();
            ended(sent);
            return results;
        } finally {
            own.forEach(Tensor::close);
        }
    }

    private long number(int hidden, SentRuns.Sent sent) {
        if (hidden == Servers.tag()) return tag();
        if (hidden == Servers.count()) return counts.getOrDefault(sent.once(), 0L);
        return steps[hidden - Servers.version(0)];
    }

    private void ended(SentRuns.Sent sent) {
        if (sent.once() != null) counts.merge(sent.once(), 1L, Long::sum);
        for (int k : sent.pushed()) steps[k]++;
        if (!sent.pushed().isEmpty()) since = 0;
        else if (sent.assembles()) since++;
    }

    @Override
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        throw new OxbowException(
                UNIMPLEMENTED,
                "Session: a partial run can not be shared out by a plan: run it in one call, or open a session without"
                        + " one");
    }

    @Override
    public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
        turn.lock();
        try {
            SentRuns.Sent s = sent(feeds, fetches, targets, sharing.explained(feeds));
            List<Edge> fed = new ArrayList<>(s.feeds().values());
            fed.addAll(s.hidden().values());
            return cluster.explain(fed, s.fetches(), s.targets(), verbose);
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close() {
        sharing.close();
        cluster.close();
    }
}
