package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.parallel.Servers.Hidden;
import dev.oxbow.parallel.Servers.Turn;
import dev.oxbow.parallel.ops.GateState;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The session of one worker whose variables are held by parameter servers. */
final class ServedSession implements ServerSession {

    /*
     * The graph of the user never leaves this process: each kind of run is spread into a graph of what this worker and the
     * servers do, which is added to one that a session of the cluster runs. That one grows by what is new.
     *
     * The worker knows by itself which step it is at: the versions of the servers when it was opened, and one more with every
     * run that pushes. A run that fails does not count; whoever runs it again pushes the same step, which the servers count
     * once. Where it failed, or its worker died, when some servers had counted its pushes and others still held theirs, these
     * count before anything else is run.
     *
     * A worker that has copies of the variables knows which of them are what the servers have sent last: those of a run that
     * failed, or behind which something was set, are pulled before they are read again.
     *
     * A server that was lost and has come again has another gate in its place, by whose number this is noticed. The session of
     * the cluster fails from the loss on, and is opened again when the server is up; numbers of steps begin anew there. What is
     * assigned to it then is a push as start values are: whoever comes first sets it, in a step of the server's own.
     */

    /** The deadline of runs where nobody gives one. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Graph graph;
    private final Served plan;
    private final SessionOptions options;
    private final Servers servers;
    private final Sharing sharing;
    private final SentRuns sent;
    /** Read by who tells that others have gone, too. */
    private volatile Session cluster;

    private final Kinds kinds;
    private final Once once;
    private final ReentrantLock turn = new ReentrantLock();
    private final Gates gates;
    private final int worker;
    private final Standing standing;
    private boolean trained;
    /** Ends runs that bring none of their own. */
    private final Cancellation ending = new Cancellation();
    /** The number of the next run that pushes, which no other of this worker has. */
    private long number;
    /** Whether a run has failed, so that servers may hold some of its pushes. */
    private boolean unsettled;
    /** Whether nobody waits for this worker, which is to take part again before it runs anything. */
    private boolean resting;
    /** Which life of a worker that trains by itself this is; -1 where workers are fixed. */
    private final long life;

    private final Cycles cycles = new Cycles();
    private final boolean replicated;
    private final Pulling pulling;

    /** The names of copies in the worker's task that are what the servers have sent last. */
    private final Set<String> copies = new HashSet<>();

    /** Runs with assemblies since the last that pushed. */
    private long since;

    ServedSession(Plan plan, Graph graph, int worker, SessionOptions options) {
        this.graph = graph;
        this.options = (options.timeout() == null ? options.withTimeout(PATIENCE) : options)
                .withTasks("/job:ps", "/job:worker/task:" + plan.task(worker));
        this.worker = worker;
        this.life = plan.alone() >= 0 ? plan.life() : -1;
        Served served = plan.served();
        this.plan = served;
        this.replicated = plan.isReplicated();
        this.pulling = new Pulling(served);
        int n = served.workers(), count = served.servers();
        List<String> devices = new ArrayList<>();
        for (int k = 0; k < count; k++) devices.add(Servers.device(k));
        this.servers = new Servers(
                new Shards(devices),
                devices,
                worker,
                life >= 0 ? 1 : n,
                served.isSynchronous() ? n - served.backups() : 0,
                plan.isReplicated() ? served.stalenessOfCopies() : served.staleness(),
                served.job(),
                plan.shardCopies(),
                Turn.PLAIN,
                new FunctionLibrary());
        List<String> own = Servers.devices(plan.task(worker), plan.devices());
        this.sent =
                new SentRuns(new Graph(servers.library()), servers, own.getFirst(), plan.bucketBytes(), plan.ahead());
        this.kinds = new Kinds(graph, sent, options);
        boolean shares = servers.isSynchronous();
        Mesh mesh = shares ? new Mesh(n, worker, 0, own) : new Mesh(1, 0, 0, own);
        Meeting.Round round =
                shares && n > 1 && served.backups() == 0 ? new RowsRound(sent, () -> cluster, this::tag) : null;
        this.sharing = new Sharing(plan, mesh, servers, round, options);
        this.gates = new Gates(sent.graph(), servers, own.getFirst());
        this.once = new Once(servers);
        this.standing = new Standing(servers);
        this.cluster = Session.open(served.target(), sent.graph(), this.options);
        try {
            arrive();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Ends what a run has left behind, and finds the next step of this worker at each server. */
    private void arrive() {
        if (life >= 0) gates.join(cluster, worker, life);
        long[][] now = life < 0
                ? gates.settled(cluster, worker)
                : gates.aligned(cluster, worker, life, servers.devices().size());
        trained = Arrays.stream(now).anyMatch(s -> s[GateState.TAKEN] > 0);
        for (long[] at : now) number = Math.max(number, 1 + Math.max(at[GateState.HELD], at[GateState.COMMITTED]));
        standing.meet(now, resting).forEach(once::forget);
        resting = false;
        unsettled = false;
    }

    @Override
    public Set<Integer> reopen(Duration patience) {
        turn.lock();
        try {
            outdate();
            try {
                cluster.close();
            } catch (OxbowException _) {
                // it has ended with its servers
            }
            cluster = Session.open(plan.target(), sent.graph(), options.withTimeout(patience));
            arrive();
            return lost();
        } finally {
            turn.unlock();
        }
    }

    @Override
    public Set<Integer> lost() {
        return standing.lost();
    }

    @Override
    public void on(Set<Integer> some, Runnable body) {
        turn.lock();
        try {
            once.only(Set.copyOf(some));
            body.run();
            standing.found(some);
        } finally {
            once.only(null);
            turn.unlock();
        }
    }

    @Override
    public boolean restoreCopies() {
        turn.lock();
        try {
            Set<Integer> all = lost();
            if (!new ShardCopies(sent.graph(), servers, cluster).restore(all)) return false;
            standing.goOn(all, gates.asked(cluster, worker));
            return true;
        } finally {
            turn.unlock();
        }
    }

    @Override
    public boolean hasTrained() {
        return trained;
    }

    @Override
    public void announce(List<Edge> feeds, List<Tensor> values) {
        pulling.announce(feeds, values);
    }

    @Override
    public long[] versions() {
        return Arrays.stream(gates.asked(cluster, worker))
                .limit(standing.steps.length)
                .mapToLong(s -> s[GateState.VERSION])
                .toArray();
    }

    @Override
    public void settle() {
        for (int w = 0; w < plan.workers(); w++) gates.settled(cluster, w);
    }

    @Override
    public void leave(int who, long its) {
        gates.leave(cluster, who, its);
    }

    @Override
    public void rest() {
        if (life < 0 || servers.mostAhead() < 0) return; // nobody waits for it
        turn.lock();
        try {
            if (resting || unsettled) return;
            gates.leave(cluster, worker, life);
            resting = true;
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void cancel(OxbowException why) {
        ending.cancel(why);
    }

    @Override
    public void forget() {
        gates.forget(cluster);
    }

    private long tag() {
        return (standing.furthest() << 20) + since;
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
            if (unsettled && servers.places() > 1)
                gates.settled(cluster, worker); // the step stays: what counted is repeated
            unsettled = false;
            if (resting) arrive();
            RunRewrite.Made made = sharing.make(feeds, values, fetches, targets, run);
            Cycles.Cycle cycle = cycles.of(fetches, targets);
            try (Pulling.Given given = pulling.taken(cycle, standing.steps, values, ending(run))) {
                return run(feeds, values, next(feeds, fetches, targets, made, cycle), cycle, given, run);
            }
        } catch (RuntimeException | Error e) {
            error = e;
            unsettled = true;
            outdate();
            if (e instanceof OxbowException o) throw gates.named(cluster, o);
            throw e;
        } finally {
            sharing.ended(run, error);
            turn.unlock();
        }
    }

    /** By its turn, or, where there are copies, by whether all that it reads are there. */
    private SentRuns.Sent next(
            List<Edge> feeds, List<Edge> fetches, List<Node> targets, RunRewrite.Made made, Cycles.Cycle cycle) {
        if (!replicated) return kinds.of(feeds, fetches, targets, made, cycle.turn(plan));
        SentRuns.Sent own = kinds.of(feeds, fetches, targets, made, Turn.replicated(false));
        return copies.containsAll(own.copies()) ? own : kinds.of(feeds, fetches, targets, made, Turn.replicated(true));
    }

    private Cancellation ending(RunOptions run) {
        return run.cancellation() != null ? run.cancellation() : ending;
    }

    private Results run(
            List<Edge> feeds,
            List<Tensor> values,
            SentRuns.Sent sent,
            Cycles.Cycle cycle,
            Pulling.Given given,
            RunOptions options) {
        Run run = cluster.fetch(sent.fetches().toArray(Edge[]::new))
                .target(sent.targets().toArray(Node[]::new))
                .options(new RunOptions(options.timeout(), ending(options), options.key(), options.tracer()));
        List<Tensor> own = new ArrayList<>();
        try {
            given.feed(sent, run);
            pulling.before(cluster, cycle, sent, feeds, standing.steps, options);
            sent.feeds().forEach((i, edge) -> run.feed(edge, values.get(i)));
            sent.hidden().forEach((number, edge) -> {
                Tensor t = Gates.number(number(number, sent));
                own.add(t);
                run.feed(edge, t);
            });
            Results results = run.run();
            ended(sent, cycle);
            pulling.behind(cluster, sent, feeds, standing.steps, options);
            return results;
        } finally {
            own.forEach(Tensor::close);
        }
    }

    /** What the worker has of variables is not theirs any more. */
    private void outdate() {
        copies.clear();
        pulling.drop();
    }

    private long number(int hidden, SentRuns.Sent sent) {
        return switch (Hidden.of(hidden)) {
            case TAG -> tag();
            case COUNT -> once.number(sent.once(), Hidden.server(hidden));
            case RUN -> number;
            case STEP -> standing.steps[Hidden.server(hidden) % standing.steps.length];
        };
    }

    private void ended(SentRuns.Sent sent, Cycles.Cycle cycle) {
        if (sent.once() != null) {
            once.done(sent.once());
            outdate();
        }
        copies.addAll(sent.copies());
        copies.removeAll(sent.outdated());
        if (sent.trains()) cycle.taken();
        for (int k : sent.pushed()) standing.steps[k]++;
        if (!sent.pushed().isEmpty()) number++;
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
            SentRuns.Sent s = kinds.of(
                    feeds,
                    fetches,
                    targets,
                    sharing.explained(feeds),
                    replicated
                            ? Turn.replicated(false)
                            : cycles.of(fetches, targets).turn(plan));
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
        pulling.drop();
        cluster.close();
    }
}
