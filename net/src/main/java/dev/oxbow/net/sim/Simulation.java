package dev.oxbow.net.sim;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A network of ranks in virtual time, in the thread that runs it. All that happens follows from the seed, the conditions
 * and the steps of the ranks, so that a run can be repeated exactly. Closing it frees the memory of what is under way.
 */
public final class Simulation implements AutoCloseable {

    /** One rank's work: does all that can be done now and says whether the rank is done. It is called again after that. */
    @FunctionalInterface
    public interface Step {
        boolean step();
    }

    private record Event(long time, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event e) {
            return time != e.time ? Long.compare(time, e.time) : Long.compare(number, e.number);
        }
    }

    private record Cut(BitSet side, BitSet other) {
        boolean separates(int a, int b) {
            return side.get(a) && other.get(b) || side.get(b) && other.get(a);
        }
    }

    /** Steps of one rank at one point in time after which it is taken for a loop without end. */
    private static final int MOST_STEPS = 1_000_000;

    private static final long WINDOW = 256 << 10;

    private final long seed;
    private final SplittableRandom random;
    private final Network[] nodes;
    private final Step[] steps;
    private final Conditions conditions;
    private final long window;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ArrayDeque<Integer> ready = new ArrayDeque<>();
    private final BitSet roused = new BitSet();
    private final BitSet done = new BitSet();
    private final BitSet paused = new BitSet();
    private final BitSet crashed = new BitSet();
    private final List<Cut> cuts = new ArrayList<>();
    private long now;
    private long number;
    private long fingerprint;
    private boolean undecided;

    public Simulation(long seed, int size, Conditions conditions) {
        this(seed, size, conditions, WINDOW);
    }

    /** The same with links on which {@code window} bytes may be under way. */
    public Simulation(long seed, int size, Conditions conditions, long window) {
        require(size > 0, INVALID_ARGUMENT, "Simulation: needs at least one rank, got %d", size);
        require(window > 0, INVALID_ARGUMENT, "Simulation: needs a positive window, got %d", window);
        this.seed = seed;
        this.conditions = conditions;
        this.window = window;
        random = new SplittableRandom(seed);
        nodes = new Network[size];
        steps = new Step[size];
        for (int rank = 0; rank < size; rank++) nodes[rank] = new Network(this, rank);
        done.set(0, size);
    }

    public int size() {
        return nodes.length;
    }

    /** The transport of a rank. */
    public Network node(int rank) {
        return nodes[rank];
    }

    /** Sets the work of a rank, which is stepped when something has come, its last wait has ended, or it was woken. */
    public void setStep(int rank, Step step) {
        steps[rank] = step;
        done.clear(rank);
        rouse(rank);
    }

    /** Virtual time since the beginning. */
    public long nanoTime() {
        return now;
    }

    /** Changes the wire from one rank to another; what is under way is not touched. */
    public void setConditions(int from, int to, Conditions conditions) {
        nodes[from].wire(to).become(conditions);
    }

    /** Plans something, such as a crash, for later. */
    public void after(Duration delay, Runnable what) {
        schedule(now + delay.toNanos(), what);
    }

    /** From now on nothing passes between the one ranks and the others, in either direction. */
    public void partition(BitSet side, BitSet other) {
        cuts.add(new Cut((BitSet) side.clone(), (BitSet) other.clone()));
    }

    /** From now on nothing passes between these ranks and all others. */
    public void isolate(int... ranks) {
        BitSet side = new BitSet();
        for (int rank : ranks) side.set(rank);
        BitSet other = (BitSet) side.clone();
        other.flip(0, size());
        partition(side, other);
    }

    /** Ends every partition. */
    public void heal() {
        cuts.clear();
    }

    /** The rank is never stepped again, and all that is under way from and to it is lost. */
    public void crash(int rank) {
        crashed.set(rank);
        undecided = true;
        nodes[rank].crash();
    }

    /** The rank is not stepped until {@link #resume}, like a stopped process: its system still receives and acknowledges. */
    public void pause(int rank) {
        paused.set(rank);
    }

    public void resume(int rank) {
        paused.clear(rank);
        rouse(rank);
    }

    /** What went from one rank to another. */
    public Counters counters(int from, int to) {
        return nodes[from].counters(to);
    }

    /** What a rank sent to all others. */
    public Counters counters(int from) {
        Counters all = Counters.NONE;
        for (int to = 0; to < size(); to++) all = all.plus(counters(from, to));
        return all;
    }

    /** A number that two runs share when everything happened at the same times in the same order. */
    public long fingerprint() {
        return fingerprint;
    }

    /** Runs until every rank that has not crashed is done; fails, and names those that are not, after {@code limit}. */
    public void run(Duration limit) {
        long end = now + limit.toNanos();
        undecided = true;
        while (true) {
            stepAll();
            if (undecided && undone().isEmpty()) return;
            undecided = false;
            if (events.isEmpty() || events.peek().time() > end) break;
            happen();
        }
        now = Math.max(now, end);
        throw new OxbowException(
                DEADLINE_EXCEEDED,
                "Simulation of seed %d: no progress until t=%.3f s: not done: %s; crashed: %s; paused: %s"
                        .formatted(seed, now / 1e9, undone(), crashed, paused));
    }

    /** Lets time pass, whether ranks are done or not. */
    public void pass(Duration time) {
        long end = now + time.toNanos();
        stepAll();
        while (!events.isEmpty() && events.peek().time() <= end) {
            happen();
            stepAll();
        }
        now = end;
    }

    private void happen() {
        Event event = events.remove();
        now = event.time();
        fingerprint = (fingerprint + event.time()) * 0x9E3779B97F4A7C15L + event.number();
        event.what().run();
    }

    private void stepAll() {
        long most = (long) MOST_STEPS * size();
        for (long count = 0; !ready.isEmpty(); count++) {
            int rank = ready.remove();
            roused.clear(rank);
            if (crashed.get(rank) || paused.get(rank) || steps[rank] == null) continue;
            require(
                    count < most,
                    DEADLINE_EXCEEDED,
                    "Simulation of seed %d: rank %d is stepped without end at t=%.3f s",
                    seed,
                    rank,
                    now / 1e9);
            done.set(rank, steps[rank].step());
            undecided |= done.get(rank);
        }
    }

    private BitSet undone() {
        BitSet undone = (BitSet) done.clone();
        undone.or(crashed);
        undone.flip(0, size());
        return undone;
    }

    void rouse(int rank) {
        if (roused.get(rank)) return;
        roused.set(rank);
        ready.add(rank);
    }

    void schedule(long time, Runnable what) {
        events.add(new Event(Math.max(time, now), number++, what));
    }

    SplittableRandom random() {
        return random;
    }

    long window() {
        return window;
    }

    boolean isCut(int from, int to) {
        for (Cut cut : cuts) if (cut.separates(from, to)) return true;
        return false;
    }

    Wire newWire(Network from, int to) {
        return new Wire(this, from, nodes[to], conditions);
    }

    @Override
    public void close() {
        events.clear();
        for (Network node : nodes) node.release();
    }
}
