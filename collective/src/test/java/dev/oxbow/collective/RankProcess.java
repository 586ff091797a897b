package dev.oxbow.collective;

import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Graph;
import dev.oxbow.net.FileStore;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.Transport;
import dev.oxbow.net.shm.Hosts;
import dev.oxbow.net.shm.Mixed;
import dev.oxbow.net.shm.Network;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BiConsumer;

/** A rank that is a process of its own: joins, does what its task says, and prints a line for each thing that happens. */
final class RankProcess {
    static final Duration LOST_AFTER = Duration.ofSeconds(3);
    static final Duration GRACE = Duration.ofMillis(500);
    /** Of calls that nobody disturbs. */
    static final Duration DEADLINE = Duration.ofSeconds(30);
    /** Of calls that some ranks do not make. */
    static final Duration SHORT_DEADLINE = Duration.ofSeconds(2);

    static final int ODD_RANK = 2;

    private static final long COUNT = 100_000;
    private static final int WARM_UP = 3;

    /** What the ranks do once they have joined. */
    enum Task {
        /** Sums until that fails, and once more in a group of the survivors. */
        SUM_UNTIL_FAILURE("all-reduce"),
        /** The same by elements of others that each rank reads in place. */
        VIEW_UNTIL_FAILURE("view"),
        /** Sums, where one rank differs from the others, in a new group each time. */
        QUARREL("all-reduce"),
        /** Sums in steps of a session, some of which fail on one rank. */
        FAILED_STEPS("all-reduce");

        /** What the others call it. */
        final String kind;

        Task(String kind) {
            this.kind = kind;
        }
    }

    private RankProcess() {}

    /** {@code wiring job rank size directory address joinMillis task}. */
    public static void main(String[] args) {
        int rank = Integer.parseInt(args[2]), size = Integer.parseInt(args[3]);
        Path directory = Path.of(args[4]);
        Duration join = Duration.ofMillis(Long.parseLong(args[6]));
        say("joining");
        Task task = Task.valueOf(args[7]);
        try (Communicator c = Communicator.start(
                transport(Wiring.valueOf(args[0]), args[1], rank, size, directory, args[5], join), config(task))) {
            say("formed");
            switch (task) {
                case SUM_UNTIL_FAILURE -> untilFailure(c, RankProcess::sum);
                case VIEW_UNTIL_FAILURE -> {
                    Elements mine = c.allocate(DType.F32, COUNT);
                    untilFailure(c, (group, name) -> view(group, name, mine));
                }
                case QUARREL -> quarrel(c);
                case FAILED_STEPS -> failSteps(c);
            }
        } catch (OxbowException e) {
            say("error " + e.code() + " " + e.getMessage());
        }
        say("closed");
        System.exit(0);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static CommunicatorConfig config(Task task) {
        Duration lostAfter = task == Task.FAILED_STEPS ? DEADLINE : LOST_AFTER; // nobody is lost there, however busy
        return CommunicatorConfig.DEFAULT
                .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), lostAfter))
                .withDeadline(DEADLINE)
                .withGrace(GRACE);
    }

    private static Transport transport(
            Wiring wiring, String job, int rank, int size, Path directory, String address, Duration join) {
        ShmConfig shm = ShmConfig.DEFAULT.withArenaBytes(64 << 20);
        return switch (wiring) {
            case MEMORY -> throw new IllegalArgumentException("ranks of one process only");
            case TCP -> tcp(job, rank, size, directory, address, join);
            case SHARED_MEMORY -> Network.join(job, rank, size, shm, join);
            case MIXED ->
                Mixed.join(tcp(job, rank, size, directory, address, join), host(rank, address), job, shm, join);
        };
    }

    /** Two ranks to a host, and on loopback they only say so. */
    private static String host(int rank, String address) {
        return address.startsWith("127.") ? "host" + rank / 2 : Hosts.thisHost(Path.of("/"));
    }

    private static Transport tcp(String job, int rank, int size, Path directory, String address, Duration join) {
        TcpConfig config = TcpConfig.LOOPBACK.withJob(job).withBind(address, 0).withTrustedNetwork(true);
        try (FileStore store = new FileStore(directory, job)) {
            return dev.oxbow.net.tcp.Network.join(store, rank, size, config, join);
        }
    }

    private static void untilFailure(Communicator c, BiConsumer<Group, String> sum) {
        try {
            for (int i = 0; ; i++) {
                sum.accept(c.world(), "sum");
                if (i == WARM_UP) say("running");
            }
        } catch (OxbowException e) {
            say("error " + e.code() + " " + e.getMessage());
        }
        PendingGroup pending = c.world().reform(Duration.ofSeconds(5));
        pending.await();
        Group survivors = pending.group();
        sum.accept(survivors, "again");
        int[] ranks = new int[survivors.size()];
        for (int i = 0; i < ranks.length; i++) ranks[i] = survivors.jobRank(i);
        say("reformed " + Arrays.toString(ranks));
    }

    /** The odd rank has a number that is none, and then not the time to wait for the others. */
    private static void failSteps(Communicator c) {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(COUNT));
        Value y = Value.apply(AllReduce.of(Reduction.SUM), x.times(2));
        boolean odd = c.rank() == ODD_RANK;
        int[] all = new int[c.size()];
        Arrays.setAll(all, i -> i);
        Group aside = c.world().subgroup(all);
        SessionOptions options =
                SessionOptions.defaults().withCheckNumerics(true).withService(Groups.class, Groups.of(c));
        try (Session s = Session.open(g, EngineOptions.defaults().withThreads(1), options)) {
            sums(s, x, y, c);
            sayError(() -> step(s, x, y, odd ? Float.NaN : 1, RunOptions.none()));
            sums(s, x, y, c);
            if (odd) sayError(() -> step(s, x, y, 1, RunOptions.timeout(Duration.ofMillis(200))));
            aside.barrier(Options.DEFAULT).await();
            if (!odd) sayError(() -> step(s, x, y, 1, RunOptions.none()));
            sums(s, x, y, c);
        }
    }

    private static void sayError(Runnable work) {
        try {
            work.run();
            say("error none");
        } catch (OxbowException e) {
            say("error " + e.code() + " " + e.getMessage());
        }
    }

    private static void sums(Session s, Value x, Value y, Communicator c) {
        float expected = c.size() * (c.size() + 1);
        for (int i = 0; i < WARM_UP; i++) {
            for (float v : step(s, x, y, c.rank() + 1, RunOptions.none()))
                if (v != expected) throw new AssertionError("a sum is " + v + " instead of " + expected);
        }
        say("summed");
    }

    private static float[] step(Session s, Value x, Value y, float value, RunOptions options) {
        float[] values = new float[(int) COUNT];
        Arrays.fill(values, value);
        try (Tensor fed = Tensor.of(x.shape(), values);
                Results sums =
                        s.feed(x.edge(), fed).fetch(y.edge()).options(options).run()) {
            return sums.get(0).floats();
        }
    }

    private static void sum(Group group, String name) {
        try (Tensor t = Tensor.zeros(DType.F32, Shape.of(COUNT))) {
            for (long i = 0; i < COUNT; i++) Memory.putFloat(t.address() + 4 * i, group.rank() + 1);
            group.allReduce(t, Reduction.SUM, Options.named(name)).await();
            float expected = group.size() * (group.size() + 1) / 2f;
            for (float v : t.floats())
                if (v != expected) throw new AssertionError("a sum is " + v + " instead of " + expected);
        }
    }

    private static void view(Group group, String name, Elements mine) {
        for (long i = 0; i < COUNT; i++) Memory.putFloat(mine.address() + 4 * i, group.rank() + 1);
        PendingViews all = group.view(mine, Options.named(name));
        all.await();
        boolean right = true;
        for (int r = 0; r < group.size(); r++)
            for (long i = 0; i < COUNT; i++) right &= Memory.getFloat(all.address(r) + 4 * i) == r + 1;
        all.giveBack().await();
        if (!right) throw new AssertionError("read something else"); // and nobody has said that it may be so
        for (long i = 0; i < COUNT; i++) Memory.putFloat(mine.address() + 4 * i, -1);
    }

    private static void quarrel(Communicator c) {
        boolean odd = c.rank() == ODD_RANK;
        int[] all = new int[c.size()];
        Arrays.setAll(all, i -> i);
        Options options = Options.named("x").withDeadline(SHORT_DEADLINE);
        for (String about : new String[] {"shape", "dtype", "kind", "order"}) {
            Group group = c.world().subgroup(all);
            sum(group, "fine");
            c.world().barrier(Options.DEFAULT).await(); // so that all have ended it
            say("begin " + about);
            try (Tensor f32 = Tensor.zeros(DType.F32, Shape.of(COUNT));
                    Tensor i32 = Tensor.zeros(DType.I32, Shape.of(COUNT));
                    Tensor shorter = Tensor.zeros(DType.F32, Shape.of(COUNT - 1))) {
                switch (about) {
                    case "shape" ->
                        group.allReduce(odd ? shorter : f32, Reduction.SUM, options)
                                .await();
                    case "dtype" ->
                        group.allReduce(odd ? i32 : f32, Reduction.SUM, options).await();
                    case "kind" -> {
                        Pending p = odd
                                ? group.broadcast(f32, 0, Options.DEFAULT.withDeadline(SHORT_DEADLINE))
                                : group.allReduce(f32, Reduction.SUM, Options.DEFAULT.withDeadline(SHORT_DEADLINE));
                        p.await();
                    }
                    case "order" -> {
                        Options other = options.withName("y");
                        group.allReduce(f32, Reduction.SUM, odd ? other : options)
                                .await();
                        group.allReduce(f32, Reduction.SUM, odd ? options : other)
                                .await();
                    }
                    default -> throw new AssertionError(about);
                }
                say("error none");
            } catch (OxbowException e) {
                say("error " + e.code() + " " + e.getMessage());
            }
        }
        sum(c.world().subgroup(all), "in peace");
    }
}
