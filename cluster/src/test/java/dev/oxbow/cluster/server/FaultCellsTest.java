package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.io.SaveV2;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.proto.ConfigProto;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All cells of the failure table for what is lost: a worker, a parameter server and the master are killed, stopped and cut off,
 * while nothing runs, during a step and during saves.
 */
@Timeout(1800)
final class FaultCellsTest {
    private static final int LOST_AFTER = 1_000;

    private static final int GRACE = 2_000;
    private static final int SIZE = 1 << 20;

    /** So often a cell is begun in which somebody else is lost. */
    private static final int TRIES = 5;

    private static final List<String> JOBS = List.of("chief", "ps", "worker");

    private enum Fault {
        KILLED,
        STOPPED,
        CUT
    }

    private enum When {
        IDLE,
        STEP,
        SAVE
    }

    @TempDir
    Path folder;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
    private final Value prefix = ops.placeholder("prefix", DType.STRING, Shape.SCALAR);
    private final List<Parameter> kept = new ArrayList<>();
    private Value all;
    private Node save;
    private final List<Value> stuck = new ArrayList<>();

    /** A step through all three, one that waits at each of them, and one that changes a variable and saves it. */
    private void build(List<String> jobs) {
        for (String job : jobs) {
            try (var _ = graph.device("/job:" + job)) {
                kept.add(Parameter.of("kept_" + job, ops.constant(7f)));
                Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q" + job))
                        .getFirst();
                stuck.add(ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue)
                        .getFirst());
                all = (all == null ? x : all).plus(1);
            }
        }
        try (var _ = graph.device("/job:ps")) {
            Parameter v = Parameter.of("v", ops.constant(Tensor.zeros(DType.F32, Shape.of(SIZE))));
            kept.add(v);
            Value whole = all.plus(ops.constant(Tensor.zeros(DType.F32, Shape.of(SIZE))));
            Node assign =
                    graph.add(new AssignVariableOp(false), List.of(v.handle().edge(), whole.edge()));
            try (var _ = graph.after(assign)) {
                save = graph.add(
                        new SaveV2(),
                        List.of(
                                prefix.edge(),
                                ops.constant(Tensor.of(Shape.of(1), "v")).edge(),
                                ops.constant(Tensor.of(Shape.of(1), "")).edge(),
                                whole.edge()));
            }
        }
    }

    @Test
    void oneOfEachIsNamedInTimeAndTheOthersGoOn() throws Exception {
        assumeTrue(NamespaceCluster.isPossible(), "networks of their own can not be made here");
        build(JOBS);
        Random random = new Random(6);
        try (NamespaceCluster c = new NamespaceCluster(JOBS, LOST_AFTER)) {
            cell(c, "worker", Fault.CUT, When.STEP, random, "default");
            cell(c, "ps", Fault.STOPPED, When.SAVE, random, "default");
            cell(c, "worker", Fault.KILLED, When.IDLE, random, "default");
            cell(c, "chief", Fault.STOPPED, When.STEP, random, "default");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whoeverIsLostIsNamedInTimeAndTheOthersGoOn(long seed) throws Exception {
        assumeTrue(NamespaceCluster.isPossible(), "networks of their own can not be made here");
        build(JOBS);
        Random random = new Random(seed);
        try (NamespaceCluster c = new NamespaceCluster(JOBS, LOST_AFTER)) {
            for (String victim : JOBS)
                for (Fault fault : Fault.values())
                    for (When when : When.values()) cell(c, victim, fault, when, random, "seed " + seed);
        }
    }

    private void cell(NamespaceCluster c, String victim, Fault fault, When when, Random random, String seed)
            throws Exception {
        String name = "%s: %s %s %s".formatted(seed, victim, fault, when);
        OxbowException other = null;
        for (int i = 0; i < TRIES; i++) {
            other = otherLoss(c, victim, fault, when, random, name);
            c.heal(victim);
            checkpoints(name);
            if (other == null) return;
            System.getLogger("faults").log(System.Logger.Level.WARNING, "{0} again: {1}", name, other.getMessage());
        }
        throw other;
    }

    /**
     * Has one task fail, and gives null, or who was lost instead: on a crowded machine a task may not come to answer within
     * the deadline, which says nothing about the one that has failed.
     */
    private OxbowException otherLoss(
            NamespaceCluster c, String victim, Fault fault, When when, Random random, String name) throws Exception {
        String witness = victim.equals("chief") ? "worker" : "chief";
        try (Session s = prepared(c, "chief");
                Session other = prepared(c, witness)) {
            OxbowException early = error(() -> assertEquals(3f, whole(s), name));
            if (early != null) return silent(early);
            CompletableFuture<OxbowException> end = new CompletableFuture<>();
            CountDownLatch runs = new CountDownLatch(1);
            if (when != When.IDLE) Thread.ofPlatform().daemon().start(() -> busy(s, victim, when, runs, end));
            if (when != When.IDLE) runs.await();
            Thread.sleep(random.nextInt(200)); // so that the fault comes anywhere in a step or a save
            if (end.isDone()) return silent(end.get());
            long from = System.nanoTime();
            switch (fault) {
                case KILLED -> c.kill(victim);
                case STOPPED -> c.stop(victim);
                case CUT -> c.cut(victim);
            }
            if (when == When.IDLE) Thread.ofPlatform().daemon().start(() -> end.complete(error(() -> whole(s))));
            OxbowException e = end.get(60, TimeUnit.SECONDS);
            double millis = (System.nanoTime() - from) / 1e6;
            assertNotNull(e, name);
            if (!isOf(e, victim) && isSilence(e)) return e;
            check(e, victim, millis, name);
            Parameter survivor = kept.get(victim.equals("ps") ? 2 : 1);
            OxbowException late = error(() -> assertEquals(7f, value(other, survivor), name));
            return late == null ? null : silent(late);
        }
    }

    private static boolean isSilence(OxbowException e) {
        return Stream.of("no sign of life", "does not answer", "master was lost")
                .anyMatch(e.getMessage()::contains);
    }

    private static OxbowException silent(OxbowException e) {
        if (!isSilence(e)) throw e;
        return e;
    }

    /** Whether an error names a task; that of the master may name its address. */
    private static boolean isOf(OxbowException e, String victim) {
        return victim.equals("chief")
                ? e.getMessage().contains("master at ") || e.getMessage().contains("does not answer")
                : ("/job:" + victim + "/replica:0/task:0").equals(e.task());
    }

    private void check(OxbowException e, String victim, double millis, String name) {
        assertTrue(List.of(ErrorCode.UNAVAILABLE, ErrorCode.ABORTED).contains(e.code()), name + ": " + e.getMessage());
        assertTrue(isOf(e, victim), name + ": " + e.getMessage());
        int limit = LOST_AFTER + GRACE;
        assertTrue(millis < limit, "%s: %.0f ms, %s".formatted(name, millis, e.getMessage()));
        System.getLogger("faults").log(System.Logger.Level.INFO, "{0}: {1} ms", name, Math.round(millis));
    }

    /** A session that works: a process that has just begun may stand still for longer than others wait. */
    private Session prepared(NamespaceCluster c, String job) {
        for (int i = 0; ; i++) {
            Session s = null;
            try {
                s = open(c, job);
                for (Parameter p : kept) s.target(p.initialiser()).run().close();
                whole(s);
                return s;
            } catch (OxbowException e) {
                if (s != null) s.close();
                if (i == 20) throw e;
            }
        }
    }

    /** A new session, as soon as all tasks are there. */
    private Session open(NamespaceCluster c, String job) {
        ConfigProto config =
                ConfigProto.newBuilder().setOperationTimeoutInMs(60_000).build();
        return Session.open(
                c.target(job),
                graph,
                SessionOptions.defaults()
                        .withService(ConfigProto.class, config)
                        .withTimeout(Duration.ofMinutes(1))
                        .withLostAfter(Duration.ofMillis(LOST_AFTER)));
    }

    /** Runs what is asked for until it fails. */
    private void busy(Session s, String victim, When when, CountDownLatch runs, CompletableFuture<OxbowException> end) {
        if (when == When.STEP) {
            runs.countDown();
            int at = JOBS.indexOf(victim);
            end.complete(error(() -> s.fetch(stuck.get(at).edge()).run().close()));
            return;
        }
        for (int i = 0; i < 100_000; i++) {
            Path to = folder.resolve("model-" + i % 3);
            float value = i;
            OxbowException e = error(() -> s.feed(x.edge(), Tensor.scalar(value))
                    .feed(prefix.edge(), Tensor.scalar(to.toString()))
                    .target(save)
                    .run()
                    .close());
            runs.countDown();
            if (e == null) continue;
            end.complete(e);
            return;
        }
    }

    private static OxbowException error(Runnable r) {
        try {
            r.run();
            return null;
        } catch (OxbowException e) {
            return e;
        }
    }

    private float whole(Session s) {
        try (Results r = s.feed(x.edge(), Tensor.scalar(0f)).fetch(all.edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    private static float value(Session s, Parameter p) {
        try (Results r = s.fetch(p.value().edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    /** Each checkpoint that is there can be read, and is of one step; a task that has just woken up may still write one. */
    private void checkpoints(String name) throws Exception {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); ; ) {
            try {
                readAll(name);
                return;
            } catch (OxbowException e) {
                boolean anew = e.code() == ErrorCode.ABORTED || e.code() == ErrorCode.NOT_FOUND;
                if (!anew || System.nanoTime() - end > 0) throw e;
            }
        }
    }

    private void readAll(String name) throws Exception {
        List<Path> found;
        try (Stream<Path> files = Files.list(folder)) {
            found = files.filter(f -> f.toString().endsWith(".index")).toList();
        }
        for (Path f : found) {
            Path at = Path.of(f.toString().replaceFirst("\\.index$", ""));
            try (CheckpointReader r = CheckpointReader.open(at);
                    Tensor t = r.read("v")) {
                float[] values = t.floats();
                for (float v : values) assertEquals(values[0], v, name + ": " + at);
            }
        }
    }
}
