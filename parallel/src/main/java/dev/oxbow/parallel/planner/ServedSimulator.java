package dev.oxbow.parallel.planner;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.parallel.Served;
import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * Plays workers of parameter servers that are not equally fast: who waits for whom under a plan, and how many gradients count.
 *
 * {@snippet :
 * double[] compute = {0.1, 0.1, 0.1, 0.3}; // one of four is three times slower
 * ServedSimulator sync = new ServedSimulator(compute, 0.01, 0, Served.SYNCHRONOUS);
 * IO.println(sync.play(60).rate() + " gradients a second, by all workers");
 * }
 *
 * @param compute seconds that each worker computes in a step
 * @param exchange seconds that a pull and a push take
 * @param backups workers that an update does not wait for
 * @param staleness as in {@link Served}: how many steps a worker may be ahead of the slowest
 */
public record ServedSimulator(double[] compute, double exchange, int backups, int staleness) {

    /*
     * A worker begins a step when it may, and pushes a step's time later. Where all take steps together an update is done when
     * n - backups have pushed for it; a push for an update that is done is dropped, and its worker goes on with its own next step,
     * which may begin at once, since that update is done, too.
     */

    /** What came of it: gradients that counted, those that were dropped, and how long it took. */
    public record Played(long counted, long dropped, double seconds) {
        /** Gradients that counted, a second. */
        public double rate() {
            return counted / seconds;
        }
    }

    /** A worker pushes. */
    private record Push(double time, int worker) {}

    public ServedSimulator {
        require(
                compute.length > 0
                        && exchange >= 0
                        && backups >= 0
                        && backups < compute.length
                        && (backups == 0 || staleness == Served.SYNCHRONOUS),
                INVALID_ARGUMENT,
                "Simulator: %d workers with %d backups and staleness %d, exchange %s",
                compute.length,
                backups,
                staleness,
                exchange);
    }

    /** So many seconds from the start. */
    public Played play(double seconds) {
        int n = compute.length;
        long[] steps = new long[n], pushed = new long[Math.max(1, 1 << 16)];
        boolean[] waits = new boolean[n];
        long version = 0, counted = 0, dropped = 0;
        PriorityQueue<Push> queue =
                new PriorityQueue<>((a, b) -> a.time != b.time ? Double.compare(a.time, b.time) : a.worker - b.worker);
        for (int w = 0; w < n; w++) queue.add(new Push(compute[w] + exchange, w));
        while (!queue.isEmpty() && queue.peek().time <= seconds) {
            Push p = queue.poll();
            long step = steps[p.worker]++;
            if (staleness != Served.SYNCHRONOUS) counted++;
            else if (step < version) dropped++;
            else {
                int at = (int) (step % pushed.length);
                if (++pushed[at] == n - backups) {
                    pushed[at] = 0;
                    version++;
                    counted += n - backups;
                }
            }
            waits[p.worker] = true;
            for (int w = 0; w < n; w++) {
                if (!waits[w] || !mayBegin(steps, w, version)) continue;
                waits[w] = false;
                queue.add(new Push(p.time + compute[w] + exchange, w));
            }
        }
        return new Played(counted, dropped, seconds);
    }

    private boolean mayBegin(long[] steps, int w, long version) {
        if (staleness == Served.SYNCHRONOUS) return version >= steps[w];
        return staleness == Served.ANY || Arrays.stream(steps).min().orElseThrow() >= steps[w] - staleness;
    }
}
