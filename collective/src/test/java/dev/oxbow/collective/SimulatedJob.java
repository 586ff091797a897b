package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Simulation;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The ranks of a job in one thread and virtual time, over the simulated network. */
final class SimulatedJob implements AutoCloseable {
    static final CommunicatorConfig CONFIG =
            CommunicatorConfig.DEFAULT.withMeasure(false).withTraceSpans(64);

    final Simulation simulation;
    private final List<Communicator> ranks = new ArrayList<>();
    private final List<List<Pending>> pending = new ArrayList<>();
    private final TreeSet<Integer> crashed = new TreeSet<>();

    SimulatedJob(long seed, int size) {
        this(seed, size, Conditions.GOOD, CONFIG);
    }

    SimulatedJob(long seed, int size, Conditions conditions, CommunicatorConfig config) {
        simulation = new Simulation(seed, size, conditions);
        for (int r = 0; r < size; r++) {
            Communicator c = Communicator.stepped(simulation.node(r), config);
            ranks.add(c);
            List<Pending> own = new ArrayList<>();
            pending.add(own);
            simulation.setStep(r, () -> {
                while (c.step()) {}
                c.transport().await(c.idleNanos());
                return own.stream().allMatch(Pending::isDone);
            });
        }
    }

    Communicator rank(int r) {
        return ranks.get(r);
    }

    Group world(int r) {
        return ranks.get(r).world();
    }

    int size() {
        return ranks.size();
    }

    /** Begins something on a rank, which is done when it has ended. */
    Pending begin(int rank, Function<Group, Pending> call) {
        Pending p = call.apply(world(rank));
        pending.get(rank).add(p);
        simulation.node(rank).wakeUp();
        return p;
    }

    /** Begins the same on all ranks. */
    List<Pending> beginAll(Function<Group, Pending> call) {
        return IntStream.range(0, size()).mapToObj(r -> begin(r, call)).collect(Collectors.toList());
    }

    void crash(int rank) {
        crashed.add(rank);
        simulation.crash(rank);
    }

    /** Runs until all ranks are done. */
    void run(Duration limit) {
        simulation.run(limit);
    }

    /** The errors of all ranks that have not crashed, of their last call, {@code null} where there is none. */
    List<OxbowException> errors() {
        List<OxbowException> errors = new ArrayList<>();
        for (int r = 0; r < size(); r++)
            if (!crashed.contains(r))
                errors.add(
                        pending.get(r).isEmpty()
                                ? null
                                : pending.get(r).getLast().error());
        return errors;
    }

    void assertAllFail(ErrorCode code, String message) {
        for (OxbowException e : errors()) {
            assertEquals(message, e == null ? null : e.getMessage());
            assertEquals(code, e.code());
        }
    }

    @Override
    public void close() {
        for (int r = 0; r < size(); r++) ranks.get(r).close();
        for (int r = 0; r < size(); r++) assertEquals(0, ranks.get(r).blocks().inUse(), "blocks in use by rank " + r);
        simulation.close();
    }
}
