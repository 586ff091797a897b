package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.parallel.ops.LateUpdates;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * How the training graph of one device becomes that of many, with the same results: {@code
 * Plan.ring().open(graph, job)} is a session whose runs share their batch with the other processes of a job. Feeds with
 * a dimension are rows of the batch, of which each process feeds its own; what a run fetches is that of the whole batch,
 * or its own rows of it. Immutable.
 *
 * {@snippet :
 * Plan replicas = Plan.replicas(2); // two devices of this process, with the result of one
 * Plan ring = Plan.ring().withDeterministic(true); // every process of a job
 * Plan star = Plan.pushPull(1); // workers around one more process that holds the parameters
 * IO.println(List.of(replicas.kind(), ring.kind(), star.kind()));
 * }
 */
public final class Plan implements Cloneable {
    /** See the essay of {@link Buckets}. */
    private static final long BUCKET = 8L << 20;

    private static final String PUSH_PULL = "push-pull";

    private static final String SERVERS = "parameter-server";

    private static final String REPLICAS = "replicas";

    private String kind;
    private int devices = 1;
    private int helpers;
    private Served served;
    private boolean replicated;
    private List<String> ahead;
    private boolean host;
    private boolean towers;
    private boolean across;
    private long bucketBytes = BUCKET;
    private WireFormat wire = WireFormat.NONE;
    private String algorithm = "";
    private boolean deterministic;
    private boolean owners;
    private boolean sparse = true;
    private boolean replicaNorms;
    private boolean gathers;
    private boolean gathersFetches;
    private List<String> whole = List.of();
    private int alone = -1;
    private long life;
    private int task = -1;
    private int shardCopies = 1;

    private Plan(String kind) {
        this.kind = kind;
    }

    /** One device, as the graph says. */
    public static Plan local() {
        return new Plan("local");
    }

    /** A device of each process; gradients are all-reduced in buckets while the backward pass still runs. */
    public static Plan ring() {
        return new Plan("ring");
    }

    /**
     * As {@link #ring}, with the last {@code helpers} processes of the job as summation servers beside the workers: they run
     * the same steps on no rows, own larger shares of each sum, so that no link is idle, and their variables keep their start
     * values. Gradients go to the owners of their pieces and come back as sums; two helpers of four workers save a fifth of
     * the ring's time.
     */
    public static Plan pushPull(int helpers) {
        require(helpers >= 0, INVALID_ARGUMENT, "Plan: helpers must be at least 0, got %d", helpers);
        return new Plan(PUSH_PULL).with(p -> p.helpers = helpers);
    }

    /**
     * Variables on so many parameter servers, tasks of job {@code ps} of a cluster, and so many workers, tasks of job {@code
     * worker}, which read them, compute on their rows and push gradients; an update is done by the server when all workers
     * have pushed. Sessions are opened by {@link #open(Graph, int, SessionOptions)}.
     */
    public static Plan parameterServer(int servers, int workers) {
        return new Plan(SERVERS)
                .with(p -> p.served = new Served(servers, workers, 0, Served.SYNCHRONOUS, 1, 1, "", ""));
    }

    /**
     * So many devices of each process, with a copy of every variable on each. Each device adds the gradients of all and
     * updates its copy, or, {@link #withOwners by owners}, one of them adds and hands the sum on. Several processes
     * all-reduce between them.
     */
    public static Plan replicas(int devices) {
        return new Plan(REPLICAS).withDevices(devices);
    }

    /**
     * With so many devices of each process, which share its rows. Where processes exchange with each other every device has a
     * copy of the variables, as under {@link #replicas}, or under {@link #acrossSteps} one of them has each; what parameter
     * servers hold is pulled once for the worker, and the gradients of its devices are added up before they are pushed.
     */
    public Plan withDevices(int count) {
        require(count > 0, INVALID_ARGUMENT, "Plan: a process has at least one device, got %d", count);
        return with(p -> p.devices = count);
    }

    private Plan with(Consumer<Plan> change) {
        try {
            Plan copy = (Plan) clone();
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** {@code local}, {@code ring}, {@code push-pull}, {@code replicas} or {@code parameter-server}. */
    public String kind() {
        return kind;
    }

    /** Devices of each process. */
    public int devices() {
        return devices;
    }

    /** Processes of the job, the last ones, that have no rows. */
    public int helpers() {
        return helpers;
    }

    /** What is said of parameter servers and their workers; fails where there are none. */
    public Served served() {
        require(served != null, INVALID_ARGUMENT, "Plan: parameter servers are not for %s", kind);
        return served;
    }

    /** Whether parameter servers hold the variables. */
    public boolean isServed() {
        return served != null;
    }

    /** Every update waits for all workers: as without it. */
    public Plan sync() {
        return with(p -> p.served = served().withStaleness(Served.SYNCHRONOUS));
    }

    /**
     * Each push is an update by itself, as soon as it comes; each worker of parameter servers trains on batches of its own.
     * Of {@link #replicas} {@link #onHost}, each device is such a worker, a tower: a step that trains shares its batch out, each
     * tower updates by the gradient of its own rows when it has it, and the step ends with the last of these updates. What it
     * fetches is that of the whole batch.
     */
    public Plan async() {
        if (host)
            return with(p -> {
                p.towers = true;
                p.sparse = false; // a gradient of rows has the scale of the whole batch
            });
        return with(p -> p.served = served().withStaleness(Served.ANY));
    }

    /** As {@link #async}, but a worker waits when it would be more than so many steps ahead of the slowest. */
    public Plan staleness(int steps) {
        require(steps >= 0, INVALID_ARGUMENT, "Plan: a worker can not be %d steps ahead", steps);
        return with(p -> p.served = served().withStaleness(steps));
    }

    /**
     * Gradients of so many steps of a worker are added up and pushed together, under {@link #async}. Those of gathered rows
     * are added up as the table that they belong to.
     */
    public Plan nPush(int steps) {
        return with(p -> p.served = served().withPush(steps));
    }

    /** Parameters are pulled every so many steps of a worker and kept in between, under {@link #async}. */
    public Plan nFetch(int steps) {
        return with(p -> p.served = served().withFetch(steps));
    }

    /** Whether every worker of parameter servers has a copy of the variables in its own task. */
    public boolean isReplicated() {
        return replicated;
    }

    /**
     * Every worker keeps a copy of the variables in its own task: servers add gradients up, update, and send the new values
     * back behind the update, so that the next step finds them in its own memory. Tables of which a step gathers rows stay on
     * the servers. Runs that do not train read the servers. Under {@link #staleness} a copy is a step old when it is read, so
     * that a worker waits a step earlier.
     */
    public Plan replicated() {
        served();
        return with(p -> p.replicated = true);
    }

    /**
     * Variables of these names, or all where none is named, are pulled for a step before it begins, and of tables of which it
     * gathers rows those rows, where {@link ServerSession#announce} has said what it is fed. Under {@link #async} that is while the
     * step before it computes, so that parameters are one own step older; else behind that step, with the result of a plan
     * without it.
     */
    public Plan prefetch(String... variables) {
        served();
        return with(p -> p.ahead = List.of(variables));
    }

    /** The names of variables that are pulled ahead, none for all; null where nothing is. */
    public List<String> ahead() {
        return ahead;
    }

    /** Updates wait for all workers but this many; the gradients of those that come later are dropped. */
    public Plan withBackups(int count) {
        return with(p -> p.served = served().withBackups(count));
    }

    /**
     * How many servers hold each shard: with 2 the next server has it, too, and has taken a push before it is acknowledged, so
     * that the loss of one server loses no update. Every push goes to both.
     */
    public Plan shardCopies(int count) {
        require(
                count == 1 || count == 2 && served().servers() > 1,
                INVALID_ARGUMENT,
                "Plan: a shard is held by 1 or 2 of at least 2 servers, not by %d of %d",
                count,
                served().servers());
        return with(p -> p.shardCopies = count);
    }

    public int shardCopies() {
        return shardCopies;
    }

    /** Names the job on its servers: jobs of different names do not meet there. */
    public Plan withJob(String name) {
        return with(p -> p.served = served().withJob(name));
    }

    /** Where the task of this worker is, such as {@code grpc://localhost:2222}: the master of its sessions. */
    public Plan at(String target) {
        return with(p -> p.served = served().withTarget(target));
    }

    /** Whether devices update variables of the host each for itself. */
    boolean hasTowers() {
        return towers;
    }

    /** Whether exchanges of gradients may end in the next step. */
    public boolean crossesSteps() {
        return across;
    }

    /**
     * A step does not wait for the exchange of its gradients, which goes on behind it, with the update: a variable that is
     * used next is waited for then, so that the forward pass of the next step starts while the rest is on the wire. Whatever a
     * session under this plan reads, fetches, saves or sets is behind the updates; closing it waits for them. Where an
     * exchange fails, the next run that uses variables says so; those of other exchanges of that step may be updated.
     */
    public Plan acrossSteps() {
        require(
                kind.equals("ring") || kind.equals(PUSH_PULL),
                INVALID_ARGUMENT,
                "Plan: exchanges across steps are for ring and push-pull, not for %s",
                kind);
        return with(p -> p.across = true);
    }

    private void checkAcross() {
        require(
                !across || !owners && !wire.isTopK(),
                INVALID_ARGUMENT,
                "Plan: exchanges across steps have no owners and keep nothing back: leave withOwners and %s out",
                wire);
    }

    /** As {@link #at(String)}, of a worker whose task has another number than itself, as those of others are gone. */
    public Plan at(String target, int number) {
        return at(target).with(p -> p.task = number);
    }

    int task(int worker) {
        return task < 0 ? worker : task;
    }

    /**
     * The number of this worker, which trains by itself, whoever else is there: workers that do not wait for each other's
     * steps may come and go. {@link #staleness} counts those that are there. Who comes in the place of another has a higher
     * {@code life}.
     */
    public Plan alone(int worker, long life) {
        require(
                served() != null && !served.isSynchronous() && life >= 0,
                INVALID_ARGUMENT,
                "Plan: worker %d can not train by itself where all take each step together: take async()",
                worker);
        return with(p -> {
            p.alone = worker;
            p.life = life;
        });
    }

    /** The number of this worker, where it trains by itself; -1 where processes of a job are workers by their rank. */
    public int alone() {
        return alone;
    }

    long life() {
        return life;
    }

    /** Whether variables are all on the host, from which devices pull them and to which they push gradients. */
    public boolean isOnHost() {
        return host;
    }

    /** Whether every device of a process has a copy of the variables; updates of steps of their own have one to change. */
    boolean isMirrored() {
        return !host && served == null && !across;
    }

    public Plan onHost() {
        require(kind.equals(REPLICAS), INVALID_ARGUMENT, "Plan: onHost is for replicas, not for %s", kind);
        return with(p -> p.host = true);
    }

    /** Gradients are exchanged together until they have this many bytes. */
    public long bucketBytes() {
        return bucketBytes;
    }

    public Plan withBucketBytes(long bytes) {
        require(bytes > 0, INVALID_ARGUMENT, "Plan: a bucket must have bytes, got %d", bytes);
        return with(p -> p.bucketBytes = bytes);
    }

    /** The form in which gradients travel between processes. */
    public WireFormat wire() {
        return wire;
    }

    public Plan withWire(WireFormat format) {
        return with(p -> p.wire = format);
    }

    /** The all-reduce between processes, such as {@code ring} or {@code star}; empty for what the cost model chooses. */
    public String algorithm() {
        return kind.equals(PUSH_PULL) ? PUSH_PULL + ":" + helpers : algorithm;
    }

    public Plan withAlgorithm(String name) {
        require(!kind.equals(PUSH_PULL), INVALID_ARGUMENT, "Plan: push-pull is an algorithm of its own, not %s", name);
        if (!name.isEmpty()) Options.named("any").withAlgorithm(name); // which knows the names
        return with(p -> p.algorithm = name);
    }

    /** Whether sums are made in the order of the ranks, so that runs repeat bit for bit. */
    public boolean isDeterministic() {
        return deterministic;
    }

    public Plan withDeterministic(boolean on) {
        return with(p -> p.deterministic = on);
    }

    /** Whether each gradient is reduced to one rank or device, which sends the sum to the others, rather than all-reduced. */
    public boolean reducesToOwners() {
        return owners;
    }

    public Plan withOwners(boolean on) {
        return with(p -> p.owners = on);
    }

    /** Whether gradients of gathered rows travel as rows where those are fewer bytes than the table. */
    public boolean sparse() {
        return sparse && (served == null || served.backups() == 0); // rows have the scale of the whole batch
    }

    public Plan withSparse(boolean on) {
        return with(p -> p.sparse = on);
    }

    /** Whether fused batch normalisation takes the statistics of the whole batch, as one device does. */
    public boolean synchronisesNorms() {
        return !replicaNorms;
    }

    /** Lets each replica normalise by its own rows: nothing is exchanged for that, and results depend on how many there are. */
    public Plan withReplicaNorms() {
        return with(p -> p.replicaNorms = true);
    }

    /** Whether pieces are gathered for an op that can not be computed in pieces; else that is an error. */
    public boolean gathers() {
        return gathers;
    }

    public Plan gathering() {
        return with(p -> p.gathers = true);
    }

    /** Whether fetched rows are those of all processes, rather than each its own. */
    public boolean gathersFetches() {
        return gathersFetches;
    }

    public Plan gatheringFetches() {
        return with(p -> p.gathersFetches = true);
    }

    /** The names of fed nodes that are no rows of the batch: everybody feeds the same. */
    public List<String> whole() {
        return whole;
    }

    public Plan whole(String... nodes) {
        List<String> all = new ArrayList<>(whole);
        all.addAll(List.of(nodes));
        return with(p -> p.whole = List.copyOf(all));
    }

    /** A session in this process alone, on devices of its own. */
    public Session open(Graph graph) {
        return open(graph, EngineOptions.defaults(), SessionOptions.defaults(), null);
    }

    /** A session of one process of a job, on devices of its own; the job is closed after it. */
    public Session open(Graph graph, Communicator job) {
        return open(graph, EngineOptions.defaults(), SessionOptions.defaults(), job);
    }

    /** A session of one process of a job, or of this process alone where that is null. */
    public Session open(Graph graph, EngineOptions engine, SessionOptions options, Communicator job) {
        EngineOptions many = devices > engine.cpuDevices() ? engine.withCpuDevices(devices) : engine;
        return Session.open(graph, many, options(options, job));
    }

    /** A session of worker {@code worker}, whose master is its own task, {@link #at} the plan's target. */
    public Session open(Graph graph, int worker, SessionOptions options) {
        require(
                wire.equals(WireFormat.NONE),
                INVALID_ARGUMENT,
                "Plan: gradients go to parameter servers as they are, not as %s",
                wire);
        served().check(replicated, ahead != null);
        return new ServedSession(this, graph, served().checked(worker), options);
    }

    /** As {@link #open(Graph, int, SessionOptions)}, of a worker that goes on where servers were lost. */
    public ServerSession reopening(Graph graph, int worker, SessionOptions options) {
        return (ServerSession) open(graph, worker, options);
    }

    /** Options for a session under this plan; it needs {@link #devices} devices. */
    public SessionOptions options(SessionOptions options, Communicator job) {
        require(
                served == null,
                INVALID_ARGUMENT,
                "Plan: workers of parameter servers open sessions by their number: open(graph, worker, options)");
        int ranks = job == null ? 1 : job.size(), rank = job == null ? 0 : job.rank();
        require(
                !kind.equals("local") || ranks == 1,
                INVALID_ARGUMENT,
                "Plan: local is for one process, the job has %d: take Plan.ring()",
                ranks);
        SessionOptions with = options;
        if (job != null && options.service(Groups.class) == null) with = with.withService(Groups.class, Groups.of(job));
        if (ranks == 1 && devices == 1) return with;
        require(
                !towers || ranks == 1,
                INVALID_ARGUMENT,
                "Plan: towers are of one process, the job has %d: take Plan.parameterServer(servers, workers).async()",
                ranks);
        checkAcross();
        if (across || towers) with = with.withService(LateUpdates.class, new LateUpdates());
        return with.withRunRewrite(new Sharing(this, new Mesh(ranks, rank, helpers, names()), with));
    }

    /**
     * How a run would be laid out in a job of so many processes, in words: the layout of every value, the exchanges and
     * their bytes. The shapes are those of the whole batch. Nothing is run.
     */
    public String explain(
            Graph graph, List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets, int processes) {
        require(served == null, INVALID_ARGUMENT, "Plan: a session of a worker explains its runs, Session.explain");
        List<Layout> layouts = new ArrayList<>();
        long total = Long.MAX_VALUE;
        for (int i = 0; i < feeds.size(); i++) {
            boolean isWhole = shapes.get(i).rank() == 0
                    || whole.contains(feeds.get(i).node().name());
            layouts.add(isWhole ? Layout.BROADCAST : Layout.split(0));
            if (!isWhole) total = Math.min(total, shapes.get(i).dim(0));
        }
        Mesh mesh = new Mesh(processes, 0, helpers, names());
        Rows rows = mesh.share(total == Long.MAX_VALUE ? mesh.size() : total);
        Spread spread = new Spread(this, mesh, layouts, rows, new LocalHomes(names(), host), null, null);
        Subgraph cut = new Inline().run(Cut.run(graph, feeds, shapes, fetches, targets), Services.NONE);
        return spread.explain(cut, Services.NONE).text(this, rows);
    }

    /** The devices of a process, by the names that nodes wish for. */
    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (int d = 0; d < devices; d++) names.add(devices == 1 ? "" : "cpu:" + d);
        return names;
    }

    /** What all ranks must have alike. */
    @Override
    public String toString() {
        return "%s devices=%d host=%s bucket=%d wire=%s algorithm=%s helpers=%d deterministic=%s owners=%s sparse=%s replicaNorms=%s gathers=%s fetches=%s whole=%s served=%s%s%s"
                .formatted(
                        kind,
                        devices,
                        host,
                        bucketBytes,
                        wire,
                        algorithm,
                        helpers,
                        deterministic,
                        owners,
                        sparse,
                        replicaNorms,
                        gathers,
                        gathersFetches,
                        whole,
                        served,
                        replicated ? " replicated" : towers ? " towers" : ahead != null ? " ahead=" + ahead : "",
                        across ? " across" : shardCopies > 1 ? " copies=" + shardCopies : "");
    }
}
