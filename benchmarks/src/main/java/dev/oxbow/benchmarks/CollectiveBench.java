package dev.oxbow.benchmarks;

import dev.oxbow.collective.Options;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench collective}: collectives between processes, beside Open MPI and Gloo; exits 1 when Oxbow failed somewhere. */
@Command(
        name = "collective",
        sortOptions = false,
        description = {
            "Times collectives between ranks that are processes, in the manner of nccl-tests.",
            "",
            "Inputs are f32 values whose sums are exact in any order, and every result is checked. Ranks meet at a",
            "barrier before each iteration, whose time is that of the slowest rank, and again before they check. Shown",
            "is the median over iterations, and of that over rounds, in which all systems take turns. Algorithm",
            "bandwidth is bytes over time; bus bandwidth is what each link carries in the best algorithm, which for",
            "all-reduce is 2(n-1)/n of it. A ratio is the time of the peer over ours. Our tensors lie in memory that",
            "the communicator allocates.",
            "",
            "With --netns ranks are on hosts made of network namespaces, and 'measured/' is the measured time over the",
            "predicted one: bytes that each link must carry over its rate, for all-reduce 2D(n-1)/(nS).",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench collective                                      all-reduce, all sizes, tcp and shm",
            "  ./oxbow bench collective --transport tcp --sizes 16MB,64MB --against mpi,gloo --congestion cubic",
            "  ./oxbow bench collective --collective all-gather,broadcast --sizes 1KB..1MB --ranks 2 --transport shm",
            "  ./oxbow bench collective --collective send --sizes 64MB --ranks 2",
            "  ./oxbow bench collective --netns 4 --rate 1gbit --sizes 64MB --wire bf16",
            "  ./oxbow bench collective --netns 2 --per-host 2 --rate 1gbit --sizes 64MB --algorithm ring,hierarchical",
            "  ./oxbow bench collective --build ../older                     this build beside that of another checkout",
            "",
            "--netns and --congestion need root. The peers: apt install openmpi-bin libopenmpi-dev, and PyTorch in",
            ".oxbow/venv (python3 -m venv .oxbow/venv && .oxbow/venv/bin/pip install torch numpy)."
        })
final class CollectiveBench implements Callable<Integer> {
    private static final double SECONDS_OF_A_ROUND = 0.5;
    private static final int FEWEST = 3;
    private static final int MOST = 20_000;
    private static final int MOST_WARM = 4;
    /** Ranks that share cores with their own compilers take long to compile what they run. */
    private static final int FIRST_WARM = 6;

    private static final double STEADY = 0.05;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--collective",
            split = ",",
            defaultValue = "all-reduce",
            paramLabel = "NAME",
            description = "all-reduce (default), reduce, reduce-scatter, all-gather, broadcast, scatter, gather,"
                    + " all-to-all, send (one way, from rank 0 to rank 1); or all.")
    private List<String> collectives;

    @Option(
            names = "--sizes",
            defaultValue = "1KB..256MB",
            paramLabel = "SIZES",
            description = "Bytes of the whole buffer: a list such as 1KB,64MB, or a range in steps of four"
                    + " (${DEFAULT-VALUE}).")
    private String sizes;

    @Option(names = "--ranks", split = ",", paramLabel = "N", description = "How many ranks (2,4).")
    private List<Integer> ranks;

    @Option(
            names = "--transport",
            split = ",",
            paramLabel = "KIND",
            description = "tcp, shm (both), or auto: shared memory inside a host, TCP between hosts.")
    private List<String> transports;

    @Option(names = "--against", split = ",", paramLabel = "PEER", description = "Peers to run beside it: mpi, gloo.")
    private List<String> against = new ArrayList<>();

    @Option(names = "--netns", paramLabel = "N", description = "Run on N hosts made of network namespaces.")
    private int netns;

    @Option(
            names = "--per-host",
            defaultValue = "1",
            paramLabel = "N",
            description = "Ranks on each (${DEFAULT-VALUE}).")
    private int perHost;

    @Option(names = "--rate", paramLabel = "RATE", description = "The speed of their links, such as 1gbit.")
    private String rate;

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            description = "TCP congestion control for all, such as cubic (the system's).")
    private String congestion;

    @Option(
            names = "--wire",
            defaultValue = "none",
            paramLabel = "FORMAT",
            description = "Our values on the wire: none, bf16, f16, int8 (${DEFAULT-VALUE}).")
    private String wire;

    @Option(
            names = "--algorithm",
            split = ",",
            paramLabel = "NAME",
            description = "Our all-reduce: flat, doubling, star, tree, ring, halving-doubling, direct, hierarchical,"
                    + " shared (the one that the cost model chooses).")
    private List<String> algorithms = List.of("-");

    @Mixin
    private Rounds rounds;

    @Option(
            names = "--warm",
            defaultValue = "1",
            paramLabel = "S",
            description =
                    "Least seconds of warming up for each size (${DEFAULT-VALUE}), six times that for the first of a"
                            + " system, more where ranks share cores; up to four times that until the time is steady.")
    private double warm;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file as JSON.")
    private Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    private final Path work = Python.root().resolve(".oxbow");
    private final List<Team> teams = new ArrayList<>();
    private final List<CollectiveRow> rows = new ArrayList<>();
    private final Set<Team> warmed = new HashSet<>();
    private List<Collective> chosen;
    private List<Long> bytes;
    private Path mpi;
    private Site site;
    private boolean failed;

    /** One system with one way of doing the collective. */
    private record Entry(Team team, String wire, String algorithm) {
        boolean isOwn() {
            return team.name().equals("oxbow");
        }
    }

    @Override
    public Integer call() throws Exception {
        validate();
        Files.createDirectories(work);
        rounds.prepare();
        Thread cleaning = new Thread(this::clean);
        Runtime.getRuntime().addShutdownHook(cleaning);
        try {
            site = netns > 0 ? Site.hosts(netns, perHost, rate, congestion) : Site.loopback(congestion);
            findPeers();
            System.out.println(site.describe() + "; " + Runtime.getRuntime().availableProcessors() + " cores");
            System.out.println(CollectiveRow.head(against, site.bytesPerSecond() > 0, rounds.other()));
            for (String transport : transports) for (int n : ranks) setting(transport, n);
        } catch (IOException e) {
            System.err.println("bench collective: " + e.getMessage());
            failed = true;
        } finally {
            clean();
        }
        if (json != null) Files.writeString(json, CollectiveRow.json(rows));
        return rounds.conclude() && !failed ? 0 : 1;
    }

    private void validate() {
        chosen = collectives.equals(List.of("all"))
                ? List.of(Collective.values())
                : collectives.stream()
                        .map(c -> Collective.of(c)
                                .orElseThrow(() -> wrong("no collective " + c + "; there are " + Collective.keys())))
                        .toList();
        try {
            bytes = Sizes.parse(sizes);
            if (rate != null) Site.bytesPerSecond(rate);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        if (transports == null) transports = netns == 0 ? List.of("tcp", "shm") : List.of(perHost > 1 ? "auto" : "tcp");
        for (String t : transports) Main.checkTransport(spec, t);
        for (String a : against)
            if (!List.of("mpi", "gloo").contains(a)) throw wrong("no peer " + a + "; there are mpi, gloo");
        if (netns < 0 || perHost < 1) throw wrong("--netns and --per-host must be positive");
        rounds.check();
        Main.checkPositive(spec, "--warm", warm);
        Main.checkWritable(spec, json);
        if (netns == 0 && (rate != null || perHost > 1)) throw wrong("--rate and --per-host need --netns");
        if (netns > 0 && netns * perHost > 250)
            throw wrong("at most 250 ranks on namespace hosts, got " + netns * perHost);
        if (netns > 0 && netns > 1 && transports.contains("shm"))
            throw wrong("shm does not join hosts; use tcp or auto");
        if (netns > 0 && ranks != null && !ranks.equals(List.of(netns * perHost)))
            throw wrong("--netns " + netns + " --per-host " + perHost + " makes " + netns * perHost + " ranks, not "
                    + ranks);
        if (ranks == null) ranks = netns > 0 ? List.of(netns * perHost) : List.of(2, 4);
        if (chosen.contains(Collective.SEND) && ranks.contains(1)) throw wrong("send needs at least 2 ranks");
        if (ranks.stream().anyMatch(n -> n < 1)) throw wrong("--ranks must be at least 1, got " + ranks);
        if (!List.of("none", "bf16", "f16", "int8").contains(wire))
            throw wrong("--wire is none, bf16, f16 or int8, not " + wire);
        boolean own = !wire.equals("none") || !algorithms.equals(List.of("-"));
        if (own && !chosen.equals(List.of(Collective.ALL_REDUCE)))
            throw wrong("--wire and --algorithm are for all-reduce");
        if (algorithms.equals(List.of("-"))) return;
        try {
            for (String a : algorithms) Options.DEFAULT.withAlgorithm(a);
        } catch (OxbowException e) {
            throw wrong(e.getMessage());
        }
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    /** Leaves out peers that are not installed, and says what to do about it. */
    private void findPeers() throws InterruptedException {
        against = new ArrayList<>(against);
        try {
            if (against.contains("mpi")) {
                if (site.isHosts()) throw new IOException("mpirun does not start ranks in namespaces");
                mpi = Team.compileMpi(work);
            }
        } catch (IOException e) {
            System.out.println("mpi is left out: " + e.getMessage());
            against.remove("mpi");
        }
        try {
            if (against.contains("gloo")) DistributedPeer.DDP.python(work);
        } catch (IOException e) {
            System.out.println("gloo is left out: " + e.getMessage());
            against.remove("gloo");
        }
    }

    /** All sizes with one transport and number of ranks. */
    private void setting(String transport, int n) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try {
            long most = bytes.stream().mapToLong(b -> b).max().orElse(0);
            List<Team> builds = new ArrayList<>();
            for (Build b : rounds.builds()) builds.add(join(Team.oxbow(b, site, transport, n, most, work)));
            for (String a : algorithms) for (Team t : builds) entries.add(new Entry(t, wire, a));
            if (against.contains("mpi"))
                entries.add(new Entry(join(Team.mpi(site, transport, n, mpi, work)), "none", "-"));
            if (against.contains("gloo")) entries.add(new Entry(join(Team.gloo(site, n, work)), "none", "-"));
            for (Collective c : chosen) for (long b : bytes) measure(c, transport, n, b, entries);
        } catch (ChildProcess.Failure e) {
            failed = true;
            System.out.println(transport + ", " + n + " ranks: " + e.getMessage());
        } finally {
            dismiss();
        }
    }

    private void measure(Collective c, String transport, int n, long size, List<Entry> entries) {
        Map<Entry, Integer> iterations = new HashMap<>();
        Map<Entry, List<Double>> times = new LinkedHashMap<>();
        List<Entry> running = new ArrayList<>(entries);
        for (int round = 0; rounds.goOn(round - 1, entries.stream().map(e -> pairs(e, times))); round++)
            for (Entry e : Rounds.inTurn(round, running)) {
                try {
                    if (round == 0) iterations.put(e, warm(e, c, n, size));
                    else
                        times.computeIfAbsent(e, _ -> new ArrayList<>())
                                .add(e.team.run(c, size, iterations.get(e), e.wire, e.algorithm));
                } catch (ChildProcess.Failure | ChildProcess.Absent ex) {
                    running.remove(e);
                    times.remove(e);
                    failed |= e.isOwn();
                    System.out.println(c.key() + " of " + CollectiveRow.size(size) + ", " + e.team.name() + ": "
                            + ex.getMessage());
                }
            }
        double rate = site.bytesPerSecond(), predicted = rate > 0 ? c.busFactor(n) * size / rate : Double.NaN;
        double[] peers = {Double.NaN, Double.NaN};
        times.forEach((e, t) -> {
            int peer = List.of("mpi", "gloo").indexOf(e.team.name());
            if (peer >= 0) peers[peer] = median(t);
        });
        for (Entry e : entries) {
            if (!e.isOwn()) continue;
            double own = times.containsKey(e) ? median(times.get(e)) : Double.NaN;
            Optional<Pairs> pairs = pairs(e, times);
            CollectiveRow row = new CollectiveRow(
                    c, transport, n, size, wire, e.algorithm, own, peers[0], peers[1], predicted, pairs);
            rows.add(row);
            rounds.compared(row.name(), pairs);
            System.out.println(row.line(against));
        }
    }

    private static double median(List<Double> times) {
        return Pairs.quantile(array(times), 0.5);
    }

    private static double[] array(List<Double> times) {
        return times.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** This build's entry beside the other's with the same algorithm; empty unless both have times. */
    private Optional<Pairs> pairs(Entry own, Map<Entry, List<Double>> times) {
        if (!own.isOwn() || !times.containsKey(own)) return Optional.empty();
        return times.entrySet().stream()
                .filter(t -> rounds.other().equals(Optional.of(t.getKey().team.name())))
                .filter(t -> t.getKey().algorithm.equals(own.algorithm))
                .findFirst()
                .map(t -> Pairs.of(t.getKey().team.name(), array(times.get(own)), array(t.getValue()), true));
    }

    /**
     * Runs until two times in a row differ by less than 5 %, for at least and at most so many seconds, longer when a team
     * has not run before or its ranks share cores. Returns how many iterations a round has: as many as fit into half a second, within limits.
     */
    private int warm(Entry e, Collective c, int n, long size) throws ChildProcess.Failure, ChildProcess.Absent {
        long start = System.nanoTime();
        double crowd = Math.max(1, (double) n / Runtime.getRuntime().availableProcessors());
        double before = 0, least = crowd * warm * (warmed.add(e.team) ? FIRST_WARM : 1);
        int iterations = FEWEST;
        while (true) {
            double now = e.team.run(c, size, iterations, e.wire, e.algorithm);
            double elapsed = (System.nanoTime() - start) / 1e9;
            iterations = (int) Math.clamp(SECONDS_OF_A_ROUND / now, FEWEST, MOST);
            if (elapsed >= MOST_WARM * least || elapsed >= least && Math.abs(now - before) <= STEADY * now)
                return iterations;
            before = now;
        }
    }

    private Team join(Team team) {
        synchronized (teams) {
            teams.add(team);
        }
        return team;
    }

    private void dismiss() {
        List<Team> all;
        synchronized (teams) {
            all = List.copyOf(teams);
            teams.clear();
        }
        all.forEach(Team::close);
    }

    private void clean() {
        dismiss();
        if (site != null) site.close();
    }
}
