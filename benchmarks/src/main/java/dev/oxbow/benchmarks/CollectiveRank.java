package dev.oxbow.benchmarks;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One rank of Oxbow, driven by lines on standard input that all ranks get: {@code hello BYTES} joins and answers once all
 * have, with the largest buffer that will be asked for; {@code run COLLECTIVE BYTES ITERATIONS WIRE ALGORITHM} answers with
 * the median over iterations of the slowest rank's seconds. Every result is checked.
 */
final class CollectiveRank implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String QUIT = "quit";

    private final Communicator communicator;
    private final Group group;
    private final long capacity;
    private final Elements shared;
    private final Buffer base;
    private Elements second;

    private CollectiveRank(Communicator communicator, long capacity) {
        this.communicator = communicator;
        this.capacity = capacity;
        group = communicator.world();
        shared = communicator.allocate(DType.F32, capacity);
        base = MemoryPool.shared().allocate(capacity * Float.BYTES, "bench");
    }

    /** Serves standard input until it ends, and ends soon after that even from within a collective. */
    static void serve() throws InterruptedException {
        PrintStream out = System.out;
        System.setOut(System.err);
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().start(() -> listen(lines));
        CollectiveRank rank = null;
        for (String line = lines.take(); !line.equals(QUIT); line = lines.take()) {
            String[] words = line.split(" ");
            String text;
            try {
                if (words[0].equals("hello")) {
                    Communicator c = Ranks.join();
                    rank = new CollectiveRank(c, Long.parseLong(words[1]) / Float.BYTES + c.size());
                    text = "ready";
                } else {
                    text = "seconds " + rank.run(words);
                }
            } catch (RuntimeException e) {
                e.printStackTrace();
                text = "error " + e.toString().replaceAll("\\s+", " ");
            }
            out.print(Child.MARK + text + "\n");
            out.flush();
        }
        if (rank != null) rank.close();
    }

    private static void listen(BlockingQueue<String> lines) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) lines.add(line);
        } catch (IOException e) {
            e.printStackTrace();
        }
        lines.add(QUIT);
        LockSupport.parkNanos(PATIENCE.toNanos());
        Runtime.getRuntime().halt(1);
    }

    private double run(String[] words) {
        Collective c = Collective.of(words[1]).orElseThrow();
        long count = c.count(Long.parseLong(words[2]), group.size());
        int iterations = Integer.parseInt(words[3]);
        WireFormat wire = WireFormat.named(words[4]);
        Options options = Options.DEFAULT.withDeadline(DEADLINE).withWire(wire);
        if (!words[5].equals("-")) options = options.withAlgorithm(words[5]);
        if (count > capacity) throw new IllegalArgumentException(count + " elements are more than " + capacity);
        if (c == Collective.ALL_TO_ALL && second == null) second = communicator.allocate(DType.F32, capacity);
        Elements x = shared.slice(0, count);
        prepare(c, count);
        double[] seconds = new double[iterations];
        for (int i = 0; i < iterations; i++) {
            Memory.copy(base.address(), x.address(), count * Float.BYTES);
            meet();
            long start = System.nanoTime();
            once(c, x, options);
            seconds[i] = (System.nanoTime() - start) / 1e9;
            // who is done first would take the others' cores to check results
            meet();
            // a rounding scale makes each of the contributions and the result inexact by up to 1/253
            check(c, x, wire.equals(WireFormat.INT8) ? 8f * group.size() * (group.size() + 1) / 253 : 0);
        }
        return Pairs.quantile(slowest(seconds), 0.5);
    }

    private void meet() {
        group.barrier(Options.DEFAULT.withDeadline(DEADLINE)).await();
    }

    private void prepare(Collective c, long count) {
        Pattern own = Pattern.of(group.rank());
        for (long i = 0; i < count; i++) Memory.putFloat(base.address() + i * Float.BYTES, -1);
        long segment = count / group.size(), from = segment * group.rank(), at = base.address() + from * Float.BYTES;
        switch (c) {
            case ALL_REDUCE, REDUCE, REDUCE_SCATTER, ALL_TO_ALL -> own.fill(base.address(), 0, count);
            case ALL_GATHER -> own.fill(at, from, segment);
            case GATHER -> own.fill(base.address(), from, segment);
            case BROADCAST, SCATTER, SEND -> {
                if (group.rank() == 0) own.fill(base.address(), 0, count);
            }
        }
    }

    private void once(Collective c, Elements x, Options options) {
        long[] even = group.even(x.count());
        Elements part = group.rank() == 0 ? x : x.slice(0, even[group.rank()]);
        switch (c) {
            case ALL_REDUCE -> group.allReduce(x, Reduction.SUM, options).await();
            case REDUCE -> group.reduce(x, Reduction.SUM, 0, options).await();
            case REDUCE_SCATTER ->
                group.reduceScatter(x, even, Reduction.SUM, options).await();
            case ALL_GATHER -> group.allGather(x, even, options).await();
            case BROADCAST -> group.broadcast(x, 0, options).await();
            case SEND -> {
                if (group.rank() == 0) group.send(x, 1, options).await();
                if (group.rank() == 1) group.receive(x, 0, options).await();
            }
            case SCATTER -> group.scatter(part, even, 0, options).await();
            case GATHER -> group.gather(part, even, 0, options).await();
            case ALL_TO_ALL ->
                group.allToAll(x, even, second.slice(0, x.count()), even, options)
                        .await();
        }
    }

    private void check(Collective c, Elements x, float tolerance) {
        long count = x.count(), segment = count / group.size(), from = segment * group.rank(), at = x.address();
        String what = c.key() + " on rank " + group.rank();
        Pattern sum = Pattern.sum(group.size());
        switch (c) {
            case ALL_REDUCE -> sum.check(what, at, 0, count, tolerance);
            case REDUCE -> {
                if (group.rank() == 0) sum.check(what, at, 0, count, tolerance);
            }
            case REDUCE_SCATTER -> sum.check(what, at + from * Float.BYTES, from, segment, tolerance);
            case BROADCAST -> Pattern.of(0).check(what, at, 0, count, 0);
            case SEND -> {
                if (group.rank() < 2) Pattern.of(0).check(what, at, 0, count, 0);
            }
            case SCATTER -> Pattern.of(0).check(what, at, from, segment, 0);
            case ALL_GATHER -> checkSegments(what, at, segment);
            case GATHER -> {
                if (group.rank() == 0) checkSegments(what, at, segment);
            }
            case ALL_TO_ALL -> {
                for (int r = 0; r < group.size(); r++)
                    Pattern.of(r).check(what, second.address() + r * segment * Float.BYTES, from, segment, 0);
            }
        }
    }

    /** Segment r holds what rank r gave. */
    private void checkSegments(String what, long address, long segment) {
        for (int r = 0; r < group.size(); r++)
            Pattern.of(r).check(what, address + r * segment * Float.BYTES, r * segment, segment, 0);
    }

    private double[] slowest(double[] seconds) {
        Buffer buffer = MemoryPool.shared().allocate((long) seconds.length * Double.BYTES, "bench");
        for (int i = 0; i < seconds.length; i++) Memory.putDouble(buffer.address() + i * 8L, seconds[i]);
        Elements all = new Elements(buffer.address(), seconds.length, DType.F64);
        group.allReduce(all, Reduction.MAX, Options.DEFAULT.withDeadline(DEADLINE))
                .await();
        double[] result = new double[seconds.length];
        for (int i = 0; i < seconds.length; i++) result[i] = Memory.getDouble(buffer.address() + i * 8L);
        buffer.release();
        return result;
    }

    @Override
    public void close() {
        base.release();
        communicator.close();
    }
}
