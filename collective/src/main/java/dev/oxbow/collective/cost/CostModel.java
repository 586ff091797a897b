package dev.oxbow.collective.cost;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.SharedAllReduce;
import java.util.Locale;

/**
 * Predicts how long algorithms take and chooses the fastest. All ranks of a group must use the same numbers.
 *
 * @param inside links between ranks on one host
 * @param between links between hosts, shared by the ranks of a host
 * @param combineRate bytes of a buffer that are combined with another in a second
 */
public record CostModel(Link inside, Link between, double combineRate) {

    /*
     * A time is a sum of four terms: a latency for each step that must wait for the one before, a quarter of a latency for
     * each message that a rank sends, bytes over the bandwidth of what carries most of them (the links of a rank, or the
     * network of its host), and combined bytes. Where several ranks send to one at the same time, bytes cost a little more.
     * Where segments travel in chunks, combining overlaps with the transfer of all chunks but one.
     */

    private static final long KIB = 1 << 10;

    /** What bytes cost more where several ranks send to one: a guess, which decides between methods that are nearly equal. */
    private static final double CONGESTION = 1.1;

    /** Bytes of all ranks together up to which a flat all-reduce may be chosen: it holds a buffer of every rank. */
    private static final long MOST_FLAT = 1024 * KIB;

    /** Where ranks see each other's memory, whatever is larger is read there: no message costs less than its latency. */
    private static final long MOST_SMALL = 64 * KIB;

    /** Bytes and ranks of a flat all-reduce in deterministic mode, where the choice must not depend on a measurement. */
    private static final long FIXED_FLAT = 32 * KIB, FIXED_FLAT_RANKS = 8;

    /**
     * A chunk: above the least its latency does not show and it stays in the caches (chunks of 4 MB made direct exchanges
     * of 4 ranks a quarter slower than rings); above the most a receiver holds too much.
     */
    private static final long LEAST_CHUNK = 256 * KIB, MOST_CHUNK = 8192 * KIB;

    /** A stage of a shared all-reduce for one rank: four pages, so that counts in shared memory are seldom looked at. */
    private static final long LEAST_SHARED = 16 * KIB;

    /** A chunk that travels longer than this leaves the others of its step waiting at the beginning and at the end. */
    private static final double CHUNK_SECONDS = 4e-3;

    /** What it costs to send a message: seconds for the first byte, and bytes in a second. */
    public record Link(double latency, double bandwidth) {
        public Link {
            require(
                    latency > 0 && bandwidth > 0 && latency < 1e9 && bandwidth < 1e18,
                    INVALID_ARGUMENT,
                    "CostModel: latency and bandwidth must be positive, got %s s and %s bytes/s",
                    latency,
                    bandwidth);
        }

        private double seconds(double steps, double messages, double bytes) {
            return (steps + messages / 4) * latency + bytes / bandwidth;
        }
    }

    public CostModel {
        require(
                combineRate > 0 && combineRate < 1e18,
                INVALID_ARGUMENT,
                "CostModel: combineRate must be positive, got %s bytes/s",
                combineRate);
    }

    /** Round numbers for shared memory and a fast network, for when nothing was measured. */
    public static final CostModel DEFAULT = new CostModel(new Link(1e-6, 5e9), new Link(30e-6, 1.2e9), 8e9);

    /** From measured numbers: seconds for the smallest message one way, bytes in a second, bytes combined in a second. */
    public static CostModel measured(
            double insideLatency,
            double insideBandwidth,
            double betweenLatency,
            double betweenBandwidth,
            double combineRate) {
        return new CostModel(
                new Link(insideLatency, insideBandwidth), new Link(betweenLatency, betweenBandwidth), combineRate);
    }

    /** Seconds of an all-reduce of {@code bytes} on each rank. */
    double seconds(Method method, Hosts hosts, long bytes) {
        int p = hosts.ranks(), log = log2(p), most = hosts.most();
        if (p == 1) return 0;
        double s = bytes, share = s * (p - 1) / p, remote = p - most;
        double congestion = p == 2 ? 1 : CONGESTION;
        double last = Math.min(1, chunkBytes(method, hosts, bytes) / Math.max(1, s / p));
        boolean folds = Integer.bitCount(p) != 1;
        return switch (method) {
            case FLAT -> time(hosts, 1, p - 1, congestion * (p - 1) * s, congestion * most * remote * s, (p - 1) * s);
            case DOUBLING -> {
                double steps = folds ? log + 1 : log;
                yield time(hosts, steps, steps, steps * s, most * log2(hosts.hosts()) * s, log * s);
            }
            case STAR -> {
                double out = 2 * congestion * s;
                yield time(hosts, 2, 2 * (p - 1), out * (p - 1), out * remote, (p - 1) * s);
            }
            case TREE -> {
                double chunk = Math.min(s, chunkBytes(method, hosts, bytes)), fill = 2 * log * chunk;
                yield time(hosts, 2 * log, 6, fill + 3 * (s - chunk), fill + 2 * most * (s - chunk), 2 * s);
            }
            case RING -> time(hosts, 2 * (p - 1), 2 * (p - 1), 2 * share, 2 * hosts.crossings() * share, last * share);
            case HALVING_DOUBLING -> {
                double fold = folds ? s : 0, steps = 2 * log;
                double out = 2.0 * most * s * (hosts.hosts() - 1) / hosts.hosts();
                yield time(hosts, steps, steps, 2 * share + 2 * fold, out + 2 * fold, share + fold);
            }
            case DIRECT -> {
                // inside a host there are no wires on which ranks that send to one would meet
                double out = 2 * congestion * most * remote * s / p, meeting = hosts.hosts() == 1 ? 1 : congestion;
                yield time(hosts, 2, 2 * (p - 1), 2 * meeting * share, out, last * (share + s / p));
            }
            case HIERARCHICAL -> {
                double local = s * (most - 1) / most, far = s * (hosts.hosts() - 1) / hosts.hosts();
                int steps = 2 * (most - 1), farSteps = 2 * (hosts.hosts() - 1);
                yield inside.seconds(steps, steps, 2 * local)
                        + (farSteps == 0 ? 0 : between.seconds(farSteps, farSteps, 2 * far))
                        + last * (local + far / most) / combineRate;
            }
            case SHARED -> {
                double rate = Math.max(combineRate, inside.bandwidth);
                yield inside.seconds(4, 2 * (p - 1), share) + share / rate;
            }
        };
    }

    /** Each rank sends {@code bytes}; of those of a host {@code out} leave it. */
    private double time(Hosts hosts, double steps, double messages, double bytes, double out, double combined) {
        double local = inside.seconds(steps, messages, bytes), work = combined / combineRate;
        return hosts.hosts() == 1 ? local + work : Math.max(local, between.seconds(steps, messages, out)) + work;
    }

    /**
     * The fastest all-reduce of {@code bytes} on each rank.
     *
     * @param deterministic whether the result must be the serial one; the choice then depends on sizes alone
     * @param ordered whether values must be combined in the order of the ranks
     * @param coded whether values are encoded on the wire
     */
    public Method allReduce(Hosts hosts, long bytes, boolean deterministic, boolean ordered, boolean coded) {
        boolean shares = hosts.shared() && hosts.hosts() == 1 && !coded;
        if (deterministic) {
            boolean flat = bytes <= FIXED_FLAT && hosts.ranks() <= FIXED_FLAT_RANKS && !coded;
            if (flat) return Method.FLAT;
            return shares ? Method.SHARED : Method.DIRECT;
        }
        Method best = shares ? Method.SHARED : Method.DIRECT;
        for (Method m : Method.values()) {
            if (ordered && !m.isOrdered() || coded && !m.isCoded()) continue;
            if (m == Method.FLAT && bytes * hosts.ranks() > MOST_FLAT) continue;
            if (m == Method.HIERARCHICAL && (hosts.hosts() == 1 || hosts.most() == 1)) continue;
            if (m == Method.SHARED && !shares || shares && bytes > MOST_SMALL && m != Method.SHARED) continue;
            if (seconds(m, hosts, bytes) < seconds(best, hosts, bytes)) best = m;
        }
        return best;
    }

    /**
     * Whether ranks that see each other's memory better read the values of all where they use them than all-reduce them.
     * Each then reads P - 1 buffers of others, where {@code SHARED} reads 2 (P - 1) / P, but nobody writes a result and reads
     * it once more.
     */
    public boolean prefersViews(Hosts hosts, long bytes) {
        int p = hosts.ranks();
        if (p == 1 || !hosts.shared() || hosts.hosts() > 1 || bytes <= MOST_SMALL) return false;
        double rate = Math.max(combineRate, inside.bandwidth), half = (p - 1) * bytes / 2.0;
        return inside.seconds(4, 2 * (p - 1), half) + half / rate < seconds(Method.SHARED, hosts, bytes) + bytes / rate;
    }

    /** The faster reduce-scatter of {@code bytes} on each rank: {@code RING} or {@code DIRECT}. */
    public Method reduceScatter(Hosts hosts, long bytes, boolean deterministic, boolean ordered) {
        if (deterministic || ordered) return Method.DIRECT;
        return seconds(Method.RING, hosts, bytes) < seconds(Method.DIRECT, hosts, bytes) ? Method.RING : Method.DIRECT;
    }

    /** The most elements of a message; alike on all ranks, and no result depends on it. */
    public long chunk(Method method, Hosts hosts, long count, int width) {
        return Math.max(1, chunkBytes(method, hosts, count * width) / width);
    }

    /** Some messages for each segment, so that steps overlap; none so small that its latency shows, or long on its way. */
    private long chunkBytes(Method method, Hosts hosts, long bytes) {
        if (method == Method.SHARED) return Math.max(LEAST_SHARED, SharedAllReduce.STAGE / hosts.ranks());
        // inside a host bytes wait for memory: a chunk of many ranks is sent on while it is in the caches
        boolean through = method == Method.RING || method == Method.DIRECT;
        if (through && hosts.hosts() == 1 && hosts.ranks() > 2) return LEAST_CHUNK;
        long segment = method == Method.TREE || method == Method.STAR ? bytes / 2 : bytes / hosts.ranks();
        double bandwidth = (hosts.hosts() == 1 ? inside : between).bandwidth;
        long most = Math.clamp((long) (CHUNK_SECONDS * bandwidth) / KIB * KIB, LEAST_CHUNK, MOST_CHUNK);
        // two ranks have few steps to overlap: a segment is combined while it arrives
        return Math.clamp(segment / (hosts.ranks() == 2 ? 2 : 4), LEAST_CHUNK, most);
    }

    /** A table of predicted times, with the choice for each size. */
    public String describe(Hosts hosts) {
        StringBuilder text = new StringBuilder();
        text.append(format(
                "%d ranks on %d hosts; inside %s; between %s; combines %.2f GB/s\n",
                hosts.ranks(), hosts.hosts(), text(inside), text(between), combineRate / 1e9));
        text.append(format("%10s", "bytes"));
        for (Method m : Method.values()) text.append(format(" %16s", m));
        text.append(format("  %s\n", "choice"));
        for (long bytes = KIB; bytes <= 256 * KIB * KIB; bytes *= 8) {
            text.append(format("%10d", bytes));
            for (Method m : Method.values()) text.append(format(" %13.1f us", 1e6 * seconds(m, hosts, bytes)));
            text.append(format("  %s\n", allReduce(hosts, bytes, false, false, false)));
        }
        return text.toString();
    }

    private static String text(Link link) {
        return format("%.1f us, %.2f GB/s", link.latency * 1e6, link.bandwidth / 1e9);
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /** The logarithm, rounded up. */
    private static int log2(int n) {
        return 32 - Integer.numberOfLeadingZeros(n - 1);
    }
}
