package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Store;
import dev.oxbow.net.Transport;
import dev.oxbow.net.memory.Network;
import dev.oxbow.net.shm.Mixed;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.net.tcp.TcpConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The real networks over which ranks that are threads of this process can be joined. */
enum Wiring {
    MEMORY {
        @Override
        List<? extends Transport> form(int size) {
            return Network.mesh(size);
        }
    },

    TCP {
        @Override
        List<? extends Transport> form(int size) {
            return tcp(size, new MemoryStore());
        }
    },

    SHARED_MEMORY {
        @Override
        List<? extends Transport> form(int size) {
            String job = nextJob();
            return joined(size, rank -> dev.oxbow.net.shm.Network.join(job, rank, size, SHM, LIMIT));
        }
    },

    /** TCP between hosts of two ranks each, which share memory. */
    MIXED {
        @Override
        List<? extends Transport> form(int size) {
            String job = nextJob();
            List<? extends Transport> worlds = tcp(size, new MemoryStore());
            return joined(size, rank -> Mixed.join(worlds.get(rank), "host" + rank / 2, job, SHM, LIMIT));
        }
    };

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final ShmConfig SHM =
            ShmConfig.DEFAULT.withRingBytes(1 << 16).withArenaBytes(64 << 20);
    private static final AtomicInteger JOBS = new AtomicInteger();

    /** The joined transports of ranks 0 to {@code size - 1}. */
    abstract List<? extends Transport> form(int size);

    static List<? extends Transport> tcp(int size, Store store) {
        TcpConfig config = TcpConfig.LOOPBACK.withSocketBuffer(256 << 10);
        return joined(size, rank -> dev.oxbow.net.tcp.Network.join(store, rank, size, config, LIMIT));
    }

    private static String nextJob() {
        return "wiring-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet();
    }

    /** Ranks wait for each other, so each joins on a thread of its own. */
    static <T> List<T> joined(int size, IntFunction<T> join) {
        try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
            List<Future<T>> futures = IntStream.range(0, size)
                    .mapToObj(rank -> threads.submit(() -> join.apply(rank)))
                    .toList();
            List<T> all = new ArrayList<>();
            for (Future<T> f : futures) all.add(f.get(2 * LIMIT.toSeconds(), TimeUnit.SECONDS));
            return all;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return fail(e);
        }
    }
}
