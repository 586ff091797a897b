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

    private String kind;
    private int devices = 1;
    private int helpers;
    private int servers;
    private int workers;
    private int backups;
    private boolean asynchronous;
    private String job = "";
    private boolean host;
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
     * have pushed. Sessions are opened by {@link #open(Graph, String, int)}.
     */
    public static Plan parameterServer(int servers, int workers) {
        require(servers > 0, INVALID_ARGUMENT, "Plan: needs at least one parameter server, got %d", servers);
        require(workers > 0, INVALID_ARGUMENT, "Plan: needs at least one worker, got %d", workers);
        return new Plan(SERVERS).with(p -> {
            p.servers = servers;
            p.workers = workers;
        });
    }

    /**
     * So many devices of each process, with a copy of every variable on each. Each device adds the gradients of all and
     * updates its copy, or, {@link #withOwners by owners}, one of them adds and hands the sum on. Several processes
     * all-reduce between them.
     */
    public static Plan replicas(int devices) {
        require(devices > 0, INVALID_ARGUMENT, "Plan: needs at least one replica, got %d", devices);
        return new Plan("replicas").with(p -> p.devices = devices);
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

    /** Parameter servers; 0 where processes hold the variables. */
    public int servers() {
        return servers;
    }

    /** Workers of the parameter servers. */
    public int workers() {
        return workers;
    }

    /** Workers that an update does not wait for. */
    public int backups() {
        return backups;
    }

    /** Updates wait for all workers but this many; the gradients of those that come later are dropped. */
    public Plan withBackups(int count) {
        served("backups are");
        require(
                count >= 0 && count < workers && !asynchronous,
                INVALID_ARGUMENT,
                "Plan: %d of %d workers can not be backups%s",
                count,
                workers,
                asynchronous ? " where none waits for another" : "");
        return with(p -> p.backups = count);
    }

    /** Whether each push is an update by itself. */
    public boolean isAsynchronous() {
        return asynchronous;
    }

    /** Every update waits for all workers: as without it. */
    public Plan sync() {
        served("sync is");
        return with(p -> p.asynchronous = false);
    }

    /** Each push is an update by itself, as soon as it comes; each worker trains on batches of its own. */
    public Plan async() {
        served("async is");
        require(backups == 0, INVALID_ARGUMENT, "Plan: where no worker waits for another, %d backups do nothing", backups);
        return with(p -> p.asynchronous = true);
    }

    /** The container of the job on its servers. */
    public String job() {
        return job;
    }

    /** Names the job: jobs of different names do not meet on servers that both use. */
    public Plan withJob(String name) {
        served("a job is");
        return with(p -> p.job = name);
    }

    private void served(String what) {
        require(kind.equals(SERVERS), INVALID_ARGUMENT, "Plan: %s for parameter servers, not for %s", what, kind);
    }

    /** Whether variables are all on the host, from which devices pull them and to which they push gradients. */
    public boolean isOnHost() {
        return host;
    }

    /** Whether every device of a process has a copy of the variables. */
    boolean isMirrored() {
        return kind.equals("replicas") && !host;
    }

    public Plan onHost() {
        require(kind.equals("replicas"), INVALID_ARGUMENT, "Plan: onHost is for replicas, not for %s", kind);
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
        return sparse;
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

    /** A session of worker {@code worker}, whose master is its own task, at {@code target}. */
    public Session open(Graph graph, String target, int worker) {
        return open(graph, target, worker, SessionOptions.defaults());
    }

    /** As above. */
    public Session open(Graph graph, String target, int worker, SessionOptions options) {
        served("a target is");
        require(
                worker >= 0 && worker < workers,
                INVALID_ARGUMENT,
                "Plan: there is no worker %d of %d",
                worker,
                workers);
        require(
                wire.equals(WireFormat.NONE),
                INVALID_ARGUMENT,
                "Plan: gradients go to parameter servers as they are, not as %s",
                wire);
        return new ServedSession(this, graph, target, worker, options);
    }

    /** Options for a session under this plan; it needs {@link #devices} devices. */
    public SessionOptions options(SessionOptions options, Communicator job) {
        require(
                !kind.equals(SERVERS),
                INVALID_ARGUMENT,
                "Plan: workers of parameter servers open sessions by the target of their task: open(graph, target, worker)");
        int ranks = job == null ? 1 : job.size(), rank = job == null ? 0 : job.rank();
        require(
                !kind.equals("local") || ranks == 1,
                INVALID_ARGUMENT,
                "Plan: local is for one process, the job has %d: take Plan.ring()",
                ranks);
        SessionOptions with = options;
        if (job != null && options.service(Groups.class) == null) with = with.withService(Groups.class, Groups.of(job));
        if (ranks == 1 && devices == 1) return with;
        return with.withRunRewrite(new Sharing(this, new Mesh(ranks, rank, helpers, names()), with));
    }

    /**
     * How a run would be laid out in a job of so many processes, in words: the layout of every value, the exchanges and
     * their bytes. The shapes are those of the whole batch. Nothing is run.
     */
    public String explain(
            Graph graph, List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets, int processes) {
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
        Spread spread = new Spread(this, mesh, layouts, rows, new LocalHomes(names(), host), null);
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
        return "%s devices=%d host=%s bucket=%d wire=%s algorithm=%s helpers=%d deterministic=%s owners=%s sparse=%s replicaNorms=%s gathers=%s fetches=%s whole=%s servers=%d workers=%d backups=%d async=%s"
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
                        servers,
                        workers,
                        backups,
                        asynchronous);
    }
}
