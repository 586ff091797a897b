package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.collective.ops.AllGather;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Where the processes of a job tell each other what they are about to run, and how many rows they have. */
final class Meeting implements AutoCloseable {
    private static final int WIDTH = 64;
    /** The most bytes of a constant that are compared: numbers and shapes, but not the start values of parameters. */
    private static final long LARGEST_CONSTANT = 64;

    private final Plan plan;
    private final Mesh mesh;
    private final Round round;
    private final Map<List<Object>, Long> digests = new ConcurrentHashMap<>();

    /** Where everybody says a row of numbers and hears those of all, in the order of the ranks. */
    interface Round extends AutoCloseable {
        Results run(Tensor said, RunOptions options);

        @Override
        void close();
    }

    Meeting(Plan plan, Mesh mesh, SessionOptions options) {
        this(plan, mesh, gathering(options));
    }

    Meeting(Plan plan, Mesh mesh, Round round) {
        this.plan = plan;
        this.mesh = mesh;
        this.round = round;
    }

    /** By a session of its own, among the processes of the job. */
    private static Round gathering(SessionOptions options) {
        Graph g = new Graph();
        g.device("cpu:0"); // numbers of the host, also where there are cards
        Value x = Ops.in(g).placeholder("said", DType.I64, Shape.of(1, -1));
        AllGather gather = new AllGather(false, "", "what a plan runs", 0);
        Edge said = x.edge(), heard = Value.applyAll(gather, x).getFirst().edge();
        SessionOptions with = SessionOptions.defaults().withService(Groups.class, options.service(Groups.class));
        if (options.timeout() != null) with = with.withTimeout(options.timeout());
        Session session = Session.open(g, EngineOptions.defaults().withThreads(1), with);
        return new Round() {
            @Override
            public Results run(Tensor words, RunOptions run) {
                return session.feed(said, words).fetch(heard).options(run).run();
            }

            @Override
            public void close() {
                session.close();
            }
        };
    }

    /** The rows of each feed in each process; fails where processes are about to run different graphs. */
    long[][] compare(
            List<Edge> feeds,
            List<Tensor> values,
            List<Layout> layouts,
            List<Edge> fetches,
            List<Node> targets,
            RunOptions options) {
        long digest = digests.computeIfAbsent(
                List.of(List.copyOf(feeds), layouts, List.copyOf(fetches), List.copyOf(targets)),
                _ -> digest(feeds, layouts, fetches, targets));
        long[] mine = new long[feeds.size()];
        for (int i = 0; i < mine.length; i++)
            mine[i] = layouts.get(i).isSplit() ? values.get(i).shape().dim(0) : 0;
        return told(
                digest,
                mine,
                options,
                "Plan %s: rank %d is about to run another graph than ranks %s: all must build the same graph, with the"
                        + " same plan, feeds, fetches and targets");
    }

    /** Fails where processes would exchange different things, though their graphs are alike. */
    void compare(List<String> exchanges, RunOptions options) {
        MessageDigest hash = hash();
        for (String e : exchanges) hash.update((e + "\n").getBytes(StandardCharsets.UTF_8));
        told(
                first(hash),
                new long[0],
                options,
                "Plan %s: rank %d would exchange other values than ranks %s, though all have the same graph: large"
                        + " constants, memory, transport or versions differ");
    }

    /** What each rank says, where all have the same digest. */
    private long[][] told(long digest, long[] mine, RunOptions options, String complaint) {
        // as wide on ranks that are about to run something else, so that they meet and are told
        int width = Math.max(WIDTH, Integer.highestOneBit(mine.length + 1) * 2);
        try (Tensor said = Tensor.zeros(DType.I64, Shape.of(1, width))) {
            said.setLong(0, digest);
            for (int i = 0; i < mine.length; i++) said.setLong(i + 1, mine[i]);
            try (Results all = round.run(said, options.withTracer(null))) {
                return read(all.get(0), mine.length, digest, complaint);
            }
        }
    }

    @Override
    public void close() {
        round.close();
    }

    private long[][] read(Tensor all, int count, long digest, String complaint) {
        int columns = (int) all.shape().dim(1);
        long[][] rows = new long[mesh.ranks()][count];
        List<Integer> others = new ArrayList<>();
        for (int r = 0; r < rows.length; r++) {
            if (all.getLong((long) r * columns) != digest) others.add(r);
            for (int i = 0; i < count; i++) rows[r][i] = all.getLong((long) r * columns + i + 1);
        }
        if (!others.isEmpty())
            throw new OxbowException(FAILED_PRECONDITION, complaint.formatted(plan.kind(), mesh.rank(), others));
        return rows;
    }

    private long digest(List<Edge> feeds, List<Layout> layouts, List<Edge> fetches, List<Node> targets) {
        MessageDigest hash = hash();
        hash.update((plan + " " + mesh.ranks() + " " + layouts).getBytes(StandardCharsets.UTF_8));
        List<Node> ends = new ArrayList<>(targets);
        fetches.forEach(e -> ends.add(e.node()));
        if (!ends.isEmpty())
            for (Node n : Cut.run(ends.getFirst().graph(), feeds, fetches, targets)
                    .graph()
                    .nodes()) add(hash, n);
        return first(hash);
    }

    static MessageDigest hash() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long first(MessageDigest hash) {
        return ByteBuffer.wrap(hash.digest()).getLong();
    }

    /** Adds what is compared of a node. */
    static void add(MessageDigest hash, Node n) {
        String text = n.name() + " " + n.op() + n.inputs() + n.controls() + "\n";
        hash.update(text.getBytes(StandardCharsets.UTF_8));
        boolean isSmall = n.op() instanceof Const c
                && !c.value().dtype().isObject()
                && c.value().byteSize() <= LARGEST_CONSTANT;
        if (isSmall) hash.update(((Const) n.op()).value().bytes());
    }
}
