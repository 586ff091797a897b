package dev.oxbow.cluster.sim;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Delay;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Messages between processes in virtual time, in the thread that runs it. What happens, and when, follows from the seed, the
 * conditions and what the processes do.
 */
public final class SimulatedNetwork {

    /*
     * Connections are reliable and ordered, as TCP's: a message that the wire loses comes later, and the ones behind it, too;
     * what meets a cut waits until that is healed, what meets a process that stands still until that goes on. A process that
     * crashed hears and says nothing more; its peers are told that their connections broke, unless they are cut off from it.
     * What it computes by itself is let run on, so that it can be put away in the end, but nobody sees anything of it.
     */

    /** How long it takes to notice that a message was lost, and to send it again. */
    private static final long AGAIN = 200_000_000;

    /** What runs at the same time does so in an order that the seed decides. */
    private static final int JITTER = 2_000;

    private record Event(long time, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event e) {
            return time != e.time ? Long.compare(time, e.time) : Long.compare(number, e.number);
        }
    }

    private record Wire(Process from, Process to) {}

    private static final class State {
        long free;
        long arrived;
    }

    private record Held(Process from, Process to, Runnable arrive) {}

    private final long seed;
    private final Conditions conditions;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<Wire, State> wires = new HashMap<>();
    private final Set<Set<Process>> cuts = new LinkedHashSet<>();
    private final List<Held> held = new ArrayList<>();
    private final Set<Exchange<?>> exchanges = new LinkedHashSet<>();
    private long now;
    private long number;
    private boolean closing;

    /** One on which a message takes {@code delay} and what its bytes take, and is lost on the way, and sent again, so often. */
    public SimulatedNetwork(long seed, double bytesPerSecond, Duration delay, double loss) {
        this(seed, bytesPerSecond, delay, delay, loss);
    }

    /** One on which messages take different times, so that they overtake each other. */
    public SimulatedNetwork(long seed, double bytesPerSecond, Duration least, Duration most, double loss) {
        this(
                seed,
                Conditions.GOOD
                        .withBytesPerSecond(bytesPerSecond)
                        .withDelay(least.equals(most) ? Delay.fixed(least) : Delay.uniform(least, most))
                        .withLoss(loss));
    }

    SimulatedNetwork(long seed, Conditions conditions) {
        this.seed = seed;
        this.conditions = conditions;
        this.random = new SplittableRandom(seed);
    }

    /** Virtual time since the beginning. */
    public long nanoTime() {
        return now;
    }

    /** Plans something, such as a crash, for later. */
    public void after(Duration delay, Runnable what) {
        at(now + delay.toNanos(), what);
    }

    void at(long time, Runnable what) {
        events.add(new Event(Math.max(time, now), number++, what));
    }

    /** Does something at this time, in an order that the seed decides. */
    void soon(Runnable what) {
        if (closing) what.run();
        else at(now + random.nextInt(JITTER), what);
    }

    /** Lets time pass. */
    public void pass(Duration time) {
        long end = now + time.toNanos();
        while (!events.isEmpty() && events.peek().time() <= end) happen();
        now = end;
    }

    /** Lets time pass until something is so, and fails when it is not after {@code limit}. */
    public void runUntil(BooleanSupplier done, Duration limit) {
        long end = now + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (events.isEmpty() || events.peek().time() > end)
                throw new OxbowException(
                        DEADLINE_EXCEEDED,
                        "simulation of seed %d: what was waited for has not happened until t=%.3f s"
                                .formatted(seed, now / 1e9));
            happen();
        }
    }

    private void happen() {
        Event e = events.remove();
        now = e.time();
        e.what().run();
    }

    /** From now on nothing passes between these processes and all others. */
    void cut(Set<Process> some) {
        cuts.add(some);
    }

    /** Ends every cut. */
    public void heal() {
        cuts.clear();
        List<Held> all = List.copyOf(held);
        held.clear();
        for (Held h : all) travel(h.from(), h.to(), 0, h.arrive());
    }

    private boolean isCut(Process a, Process b) {
        for (Set<Process> c : cuts) if (c.contains(a) != c.contains(b)) return true;
        return false;
    }

    /** Brings a message of so many bytes from one process to another, after all that went there before. */
    void travel(Process from, Process to, long bytes, Runnable arrive) {
        if (from.isCrashed() || closing) return;
        State s = wires.computeIfAbsent(new Wire(from, to), _ -> new State());
        s.free = Math.max(now, s.free) + (long) (bytes * 1e9 / conditions.bytesPerSecond());
        long time = s.free + conditions.delay().sample(random);
        while (random.nextDouble() < conditions.loss()) time += AGAIN;
        s.arrived = Math.max(s.arrived, time);
        at(s.arrived, () -> arrived(from, to, arrive));
    }

    private void arrived(Process from, Process to, Runnable arrive) {
        if (isCut(from, to)) held.add(new Held(from, to, arrive));
        else if (!to.isCrashed()) to.run(arrive);
        else if (!from.isCrashed()) broken(to, from);
    }

    /** Tells a process that its connections with one that crashed are gone. */
    private void broken(Process crashed, Process told) {
        for (Exchange<?> e : List.copyOf(exchanges)) if (e.isBetween(crashed, told)) e.broken(crashed);
    }

    /** Ends a process without a word. */
    void crash(Process p) {
        p.crash();
        Set<Process> others = new LinkedHashSet<>();
        for (Exchange<?> e : exchanges) e.others(p, others);
        for (Process o : others)
            after(Duration.ofNanos(conditions.delay().sample(random)), () -> {
                if (!isCut(p, o)) o.run(() -> broken(p, o));
            });
    }

    void begun(Exchange<?> e) {
        exchanges.add(e);
    }

    void ended(Exchange<?> e) {
        exchanges.remove(e);
    }

    boolean isClosing() {
        return closing;
    }

    /** Ends all that is under way, at once; what processes do from now on they do at once, and nothing is sent. */
    void close() {
        closing = true;
        for (Exchange<?> e : List.copyOf(exchanges))
            e.finish(null, new OxbowException(CANCELLED, "the simulation has ended"));
        while (!events.isEmpty()) happen();
    }
}
