package dev.oxbow.parallel.planner;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Plays one step of a ring, message by message: gradients leave in buckets as the backward pass makes them, a link carries
 * one message at a time, and a rank goes on with what it has received.
 *
 * @param ready for each bucket, the seconds after which a rank without delay has it
 * @param bytes of each bucket
 * @param compute seconds of forward and backward pass
 * @param rate bytes a second of each rank's link
 * @param latency seconds after which a message that has left arrives
 */
public record Simulator(double[] ready, double[] bytes, double compute, double rate, double latency) {

    /*
     * Ranks that are alike do alike at the same time, so one of them stands for all: what it receives is what it sent. Then a
     * step of n ranks costs 2 (n - 1) events for each bucket, where all of them cost n times as many. A link sends messages
     * of earlier buckets first.
     */

    /** What a step came to. */
    public record Played(double step, double exchange, double exposed, long events) {}

    public Simulator {
        require(
                ready.length == bytes.length && rate > 0 && latency >= 0,
                INVALID_ARGUMENT,
                "Simulator: %d times for %d buckets, rate %s, latency %s",
                ready.length,
                bytes.length,
                rate,
                latency);
    }

    /**
     * A step of a network whose compute is a third forward and two thirds backward, shared out by the work of the layers.
     *
     * @param width bytes of a gradient's number on the wire
     * @param overlap whether gradients leave while earlier layers are still computed
     */
    public static Simulator of(
            Network network,
            double compute,
            double width,
            double bucketBytes,
            boolean overlap,
            double rate,
            double latency) {
        List<Double> ready = new ArrayList<>(), bytes = new ArrayList<>();
        double time = compute / 3, open = 0, work = Math.max(network.work(), Double.MIN_NORMAL);
        for (Layer l : network.layers().reversed()) {
            time += 2 * compute / 3 * l.work() / work;
            open += l.parameters() * width;
            if (open < bucketBytes) continue;
            ready.add(overlap ? time : compute);
            bytes.add(open);
            open = 0;
        }
        if (open > 0) {
            ready.add(compute);
            bytes.add(open);
        }
        double[] at = ready.stream().mapToDouble(Double::doubleValue).toArray();
        return new Simulator(at, bytes.stream().mapToDouble(Double::doubleValue).toArray(), compute, rate, latency);
    }

    /** A step of {@code n} ranks that are all alike. */
    public Played play(long n) {
        return play(n, new double[] {0});
    }

    /** A step of ranks that are late by so many seconds each; one number stands for all of {@code n} alike. */
    public Played play(long n, double[] late) {
        require(
                late.length == 1 || late.length == n,
                INVALID_ARGUMENT,
                "Simulator: %d delays for %d ranks",
                late.length,
                n);
        double slowest = Arrays.stream(late).max().orElseThrow();
        if (n == 1) return new Played(compute + slowest, 0, 0, 0);
        double end = new Ring(n, late).run();
        double step = Math.max(end, compute + slowest), alone = 0;
        for (double b : bytes) alone += 2 * (n - 1) * (b / n / rate + latency);
        return new Played(step, alone, step - compute - slowest, 2 * (n - 1) * bytes.length * late.length);
    }

    /** The messages of one step. */
    private final class Ring {
        /** A bucket of a rank can send its next message from this time on. */
        private record Turn(double time, int bucket, int rank) {}

        private final long n;
        private final int ranks;
        private final double[] late;
        private final double[] free;
        private final long[][] sent;
        private final long[][] received;
        private final double[][] arrived;
        private final PriorityQueue<Turn> queue = new PriorityQueue<>((a, b) -> a.time != b.time
                ? Double.compare(a.time, b.time)
                : a.bucket != b.bucket ? a.bucket - b.bucket : a.rank - b.rank);

        Ring(long n, double[] late) {
            this.n = n;
            this.ranks = late.length;
            this.late = late;
            free = new double[ranks];
            sent = new long[ranks][bytes.length];
            received = new long[ranks][bytes.length];
            arrived = new double[ranks][bytes.length];
        }

        double run() {
            double end = 0;
            for (int r = 0; r < ranks; r++)
                for (int b = 0; b < bytes.length; b++) queue.add(new Turn(ready[b] + late[r], b, r));
            long all = 2 * (n - 1);
            while (!queue.isEmpty()) {
                Turn t = queue.poll();
                int r = t.rank, b = t.bucket, next = (r + 1) % ranks;
                if (free[r] > t.time) {
                    queue.add(new Turn(free[r], b, r));
                    continue;
                }
                free[r] = t.time + bytes[b] / n / rate;
                sent[r][b]++;
                double at = free[r] + latency;
                received[next][b]++;
                arrived[next][b] = at;
                end = Math.max(end, at);
                // a rank sends message k when it has sent k - 1 and received k - 1
                follow(next, b, all);
                if (ranks > 1) follow(r, b, all);
            }
            return end;
        }

        private void follow(int r, int b, long all) {
            boolean isNext = sent[r][b] > 0 && sent[r][b] < all && received[r][b] == sent[r][b];
            if (isNext) queue.add(new Turn(Math.max(arrived[r][b], free[r]), b, r));
        }
    }
}
