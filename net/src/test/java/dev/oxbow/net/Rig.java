package dev.oxbow.net;

import dev.oxbow.net.memory.Network;
import dev.oxbow.net.shm.Mixed;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Simulation;
import dev.oxbow.net.tcp.Ranks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The ways to run one program per rank over a transport; the next transport is one more constant. */
public enum Rig {
    /** Threads of one process. */
    MEMORY {
        @Override
        void run(int size, Start start) {
            onThreads(Network.mesh(size, 1 << 14), start);
        }
    },

    /** Sockets of one process on loopback. */
    TCP {
        @Override
        void run(int size, Start start) {
            onThreads(Ranks.form(new MemoryStore(), size, Ranks.config(false), Rig::unexpected), start);
        }
    },

    /** The same under TLS 1.3. */
    TCP_TLS {
        @Override
        void run(int size, Start start) {
            onThreads(Ranks.form(new MemoryStore(), size, Ranks.config(true), Rig::unexpected), start);
        }
    },

    /** Virtual time and a bad network. */
    SIMULATED {
        @Override
        void run(int size, Start start) {
            Conditions bad =
                    Conditions.GOOD.withLoss(0.05).withDuplication(0.05).withReordering(0.1, Duration.ofMillis(1));
            try (Simulation simulation = new Simulation(size, size, bad)) {
                simulated(simulation, start);
                simulation.run(Duration.ofSeconds(60));
                for (int rank = 0; rank < size; rank++) simulation.node(rank).close();
            }
        }
    },

    /** Memory shared as between processes; here each thread has mappings of its own. */
    SHARED_MEMORY {
        @Override
        void run(int size, Start start) {
            String job = "rig-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
            ShmConfig config = ShmConfig.DEFAULT.withRingBytes(1 << 14).withArenaBytes(8 << 20);
            onThreads(
                    joined(
                            size,
                            rank -> dev.oxbow.net.shm.Network.join(job, rank, size, config, Duration.ofSeconds(30))),
                    start);
        }
    },

    /** Two ranks to a host. */
    MIXED {
        @Override
        void run(int size, Start start) {
            String job = "rig-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
            ShmConfig config = ShmConfig.DEFAULT.withRingBytes(1 << 14).withArenaBytes(8 << 20);
            List<Network> worlds = Network.mesh(size, 1 << 14);
            onThreads(
                    joined(
                            size,
                            rank -> Mixed.join(
                                    worlds.get(rank), "host" + rank / 2, job, config, Duration.ofSeconds(30))),
                    start);
        }
    };

    static final long LIMIT_NANOS = 60_000_000_000L;

    /** One rank's program: moves all that can move; whether it is done. */
    public interface Program {
        boolean step();
    }

    /** Makes the program of the rank that a transport belongs to. */
    public interface Start {
        Program start(Transport transport);
    }

    /** Runs the programs of all ranks until each is done, then closes the transports. */
    abstract void run(int size, Start start);

    /** What the ranks have joined, each in a thread of its own since they wait for each other. */
    public static <T> List<T> joined(int size, IntFunction<T> join) {
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Future<T>> results = IntStream.range(0, size)
                    .mapToObj(rank -> threads.submit(() -> join.apply(rank)))
                    .toList();
            List<T> all = new ArrayList<>();
            for (Future<T> result : results) all.add(result.get());
            return all;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Lets each rank of a simulation run its program, which is not stepped any more once it is done. */
    public static void simulated(Simulation simulation, Start start) {
        for (int rank = 0; rank < simulation.size(); rank++) {
            Transport transport = simulation.node(rank);
            Program program = start.start(transport);
            boolean[] done = new boolean[1];
            simulation.setStep(rank, () -> {
                if (done[0]) return true;
                done[0] = program.step();
                transport.await(1_000_000_000);
                return done[0];
            });
        }
    }

    private static void unexpected(String warning) {
        throw new AssertionError(warning);
    }

    static void onThreads(List<? extends Transport> transports, Start start) {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + LIMIT_NANOS;
        List<Thread> threads = new ArrayList<>();
        for (Transport transport : transports) {
            threads.add(Thread.ofPlatform().name("rank-" + transport.rank()).start(() -> {
                try {
                    Program program = start.start(transport);
                    while (!program.step()) {
                        long left = end - System.nanoTime();
                        if (left < 0) throw new AssertionError("rank " + transport.rank() + " is not done in time");
                        if (!failures.isEmpty()) return;
                        transport.await(Math.min(left, 1_000_000_000));
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        try {
            for (Thread thread : threads) thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        transports.forEach(Transport::close);
        if (failures.isEmpty()) return;
        AssertionError error = new AssertionError(failures.peek());
        failures.forEach(error::addSuppressed);
        throw error;
    }
}
