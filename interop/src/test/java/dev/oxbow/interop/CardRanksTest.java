package dev.oxbow.interop;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Pending;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.memory.Network;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.QueueDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks whose tensors lie on devices that reach each other without the host; here threads with the testing device. */
@Timeout(300)
final class CardRanksTest {
    private static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .withDeadline(Duration.ofSeconds(20))
            .withGrace(Duration.ofMillis(200))
            .withMeasure(false);

    /** One rank: its place among the others, and an engine whose only device is such a one. */
    private record Rank(Communicator job, Engine engine) {
        int number() {
            return job.rank();
        }

        Group world() {
            return job.world();
        }

        QueueDevice device() {
            return (QueueDevice) engine.devices().getFirst();
        }

        Tensor there(float... values) {
            try (Tensor t = Tensor.of(Shape.of(values.length), values)) {
                return t.in(device().memory(), "a test");
            }
        }
    }

    private interface Work<T> {
        T run(Rank rank) throws Exception;
    }

    private static Engine engine() {
        return new Engine(
                EngineOptions.defaults().withThreads(1),
                (o, width) -> List.of(new QueueDevice(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width))));
    }

    private static <T> List<T> run(int ranks, Work<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ranks);
        List<Communicator> jobs = new ArrayList<>();
        for (Network n : Network.mesh(ranks)) jobs.add(Communicator.start(n, CONFIG));
        List<Future<T>> futures = new ArrayList<>();
        try {
            for (Communicator c : jobs)
                futures.add(threads.submit(() -> {
                    try (Engine engine = engine()) {
                        return work.run(new Rank(c, engine));
                    }
                }));
            List<T> all = new ArrayList<>();
            for (Future<T> f : futures) all.add(f.get(60, TimeUnit.SECONDS));
            return all;
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } finally {
            threads.shutdownNow();
            jobs.forEach(Communicator::close);
        }
    }

    private static float[] floats(Tensor t) {
        return t.onHost(Tensor::floats);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void tensorsOfDevicesAreCombinedWhereTheyLie(int ranks) throws Exception {
        int last = ranks - 1;
        run(ranks, r -> {
            float me = r.number() + 1;
            Tensor sum = r.there(me, 2 * me, 0), mean = r.there(me), most = r.there(me), given = r.there(me, -me);
            Tensor rows = r.there(new float[ranks + 1]), parts = r.there(rowsOf(ranks, me));
            Options o = Options.DEFAULT;
            long[] counts = r.world().even(ranks + 1);
            try (Tensor mine = r.there(1, me)) {
                int first = r.number() == 0 ? 0 : r.number() + 1;
                int n = (int) counts[r.number()];
                mine.space().copy(mine.place(), rows.place() + 4L * first, 4L * n);
                List<Pending> all = List.of(
                        r.world().allReduce(sum, Reduction.SUM, o),
                        r.world().allReduce(mean, Reduction.MEAN, o),
                        r.world().allReduce(most, Reduction.MAX, o),
                        r.world().broadcast(given, last, o),
                        r.world().allGather(Elements.of(rows), counts, o),
                        r.world().reduceScatter(Elements.of(parts), counts, Reduction.SUM, o));
                all.forEach(Pending::await);
            }
            float total = ranks * (ranks + 1) / 2f;
            assertArrayEquals(new float[] {total, 2 * total, 0}, floats(sum));
            assertArrayEquals(new float[] {total / ranks}, floats(mean));
            assertArrayEquals(new float[] {ranks}, floats(most));
            assertArrayEquals(new float[] {ranks, -ranks}, floats(given));
            float[] gathered = new float[ranks + 1];
            Arrays.fill(gathered, 1);
            gathered[1] = 1; // what rank 0 has of its own: two rows, 1 and its number
            assertArrayEquals(gathered, floats(rows));
            int first = r.number() == 0 ? 0 : r.number() + 1;
            assertEquals(total * (first + 1), floats(parts)[first]);
            for (Tensor t : List.of(sum, mean, most, given, rows, parts)) t.close();
            return null;
        });
    }

    private static float[] rowsOf(int ranks, float me) {
        float[] all = new float[ranks + 1];
        for (int i = 0; i < all.length; i++) all[i] = me * (i + 1);
        return all;
    }

    /** Each rank names its calls in an order of its own: the devices do them in one. */
    @Test
    void callsAreInOneOrderOnAllDevices() throws Exception {
        int ranks = 3, calls = 12;
        List<float[]> got = run(ranks, r -> {
            List<Tensor> all = new ArrayList<>();
            Pending[] pending = new Pending[calls];
            for (int i = 0; i < calls; i++) all.add(r.there(i + r.number(), 1));
            for (int i = 0; i < calls; i++) {
                int which = Math.floorMod(i * (r.number() == 1 ? 5 : 7) + r.number(), calls);
                pending[which] = r.world().allReduce(all.get(which), Reduction.SUM, Options.named("call " + which));
            }
            float[] sums = new float[calls];
            for (int i = 0; i < calls; i++) {
                pending[i].await();
                sums[i] = floats(all.get(i))[0];
            }
            return sums;
        });
        for (float[] sums : got) for (int i = 0; i < calls; i++) assertEquals(3 * i + 3, sums[i]);
    }

    /** Steps of a little model whose gradients go between devices; they are those of one device with the whole batch. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void trainingEndsWhereOneDeviceDoes(int ranks) throws Exception {
        float[] alone = run(1, r -> trained(r, Plan.local(), 0, 1)).getFirst();
        Plan plan = Plan.ring().withAlgorithm(AllReduce.CARDS).withBucketBytes(64);
        List<float[]> all = run(ranks, r -> trained(r, plan, r.number(), ranks));
        for (float[] one : all) {
            assertArrayEquals(all.getFirst(), one, "ranks have the same bits");
            assertArrayEquals(alone, one, 1e-5f);
        }
    }

    private static float[] trained(Rank r, Plan plan, int part, int parts) {
        Ops ops = Ops.in(new Graph());
        int rows = 8 / parts;
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 3)),
                y = ops.placeholder("y", DType.F32, Shape.of(-1, 1));
        Parameter w = Parameter.of("w", ops.constant(Tensor.of(Shape.of(3, 4), numbers(12, 1)))),
                v = Parameter.of("v", ops.constant(Tensor.of(Shape.of(4, 1), numbers(4, 2))));
        Value loss =
                x.matMul(w.value()).tanh().matMul(v.value()).minus(y).square().mean();
        Minimiser.Updates step = Minimiser.descent(0.1).minimise(loss, List.of(w, v));
        SessionOptions options = plan.options(SessionOptions.defaults(), r.job());
        try (Session s = Session.open(ops.graph(), r.engine(), options)) {
            for (Parameter p : List.of(w, v)) s.target(p.initialiser()).run();
            for (int i = 0; i < 6; i++)
                try (Tensor a = Tensor.of(Shape.of(rows, 3), part(24, 3 + i, part, parts));
                        Tensor b = Tensor.of(Shape.of(rows, 1), part(8, 9 + i, part, parts))) {
                    s.feed(x.edge(), a)
                            .feed(y.edge(), b)
                            .target(step.nodes().toArray(Node[]::new))
                            .run();
                }
            return s.fetch(w.value().edge()).run().get(0).floats();
        }
    }

    private static float[] part(int count, int seed, int part, int parts) {
        float[] all = numbers(count, seed);
        return Arrays.copyOfRange(all, count / parts * part, count / parts * (part + 1));
    }

    private static float[] numbers(int count, int seed) {
        float[] all = new float[count];
        for (int i = 0; i < count; i++) all[i] = (float) Math.sin(seed * 31 + i);
        return all;
    }

    /** A sum that goes into a variable. */
    private static final class Adding implements AutoCloseable {
        final Session session;
        final Value x;
        final Parameter p;
        final Node add;

        Adding(Rank r, Groups groups, String key) {
            Graph g = new Graph();
            Ops ops = Ops.in(g);
            x = ops.placeholder("x", DType.F32, Shape.of(2));
            p = Parameter.of("p", ops.constant(Tensor.of(Shape.of(2), 1f, 1f)));
            Value sum =
                    Value.apply(AllReduce.of(Reduction.SUM).withKey(key).withAlgorithm(AllReduce.CARDS), x.times(2));
            add = g.add(new AssignAddVariableOp(), List.of(p.handle().edge(), sum.edge()));
            session = Session.open(g, r.engine(), SessionOptions.defaults().withService(Groups.class, groups));
            session.target(p.initialiser()).run();
        }

        void step(float value) {
            try (Tensor fed = Tensor.of(Shape.of(2), value, value)) {
                session.feed(x.edge(), fed).target(add).run();
            }
        }

        float value() {
            return session.fetch(p.value().edge()).run().get(0).floats()[0];
        }

        @Override
        public void close() {
            session.close();
        }
    }

    @Test
    void aRankThatAsksForSomethingElseIsNamedAndTheNextStepWorksAgain() throws Exception {
        List<OxbowException> errors = run(2, r -> {
            Groups groups = Groups.of(r.job());
            try (Adding a = new Adding(r, groups, "a")) {
                for (int i = 0; i < 4; i++) a.step(1);
                assertEquals(17, a.value());
                OxbowException e = assertThrows(OxbowException.class, () -> {
                    if (r.number() == 0) {
                        for (int i = 0; i < 2; i++) a.step(1); // the second at the latest
                        return;
                    }
                    try (Tensor other = r.there(1, 2, 3)) {
                        Pending p = r.world().allReduce(other, Reduction.SUM, Options.named("a#" + shapesOf(2)));
                        p.await();
                    } finally {
                        assertThrows(OxbowException.class, () -> a.step(1));
                    }
                });
                assertEquals(17, a.value(), "the variable is as it was");
                for (int i = 0; i < 3; i++) a.step(1);
                assertEquals(29, a.value());
                return e;
            }
        });
        for (OxbowException e : errors) assertTrue(e.getMessage().contains("rank"), e::getMessage);
        assertEquals(INVALID_ARGUMENT, errors.get(1).code(), errors.get(1)::getMessage);
    }

    private static String shapesOf(long size) {
        return Integer.toHexString(List.of(Shape.of(size)).hashCode());
    }

    @Test
    void aRankThatDoesNotComeIsNamedAtTheDeadline() throws Exception {
        List<OxbowException> errors = run(2, r -> {
            if (r.number() == 1) return null;
            try (Tensor x = r.there(1, 2)) {
                Options soon = Options.named("x").withDeadline(Duration.ofMillis(300));
                Pending p = r.world().allReduce(x, Reduction.SUM, soon);
                return assertThrows(OxbowException.class, p::await);
            }
        });
        assertEquals(DEADLINE_EXCEEDED, errors.getFirst().code());
        assertTrue(errors.getFirst().getMessage().contains("rank 1"), errors.getFirst()::getMessage);
    }

    /** Rank 1's device does nothing any more, so that of rank 0 stands still in the middle of what both do, until the deadline. */
    @Test
    void whatADeviceWaitsForInVainEndsWhenTheGroupFails() throws Exception {
        List<OxbowException> errors = run(2, r -> {
            Tensor x = r.there(1, 2);
            r.world().allReduce(x, Reduction.SUM, Options.named("first")).await();
            if (r.number() == 1) r.device().lose("pulled out");
            Options soon = Options.named("second").withDeadline(Duration.ofSeconds(2));
            Pending p = r.world().allReduce(x, Reduction.SUM, soon);
            if (r.number() == 1) return null;
            OxbowException e = assertThrows(OxbowException.class, p::await);
            assertThrows(OxbowException.class, () -> floats(x), "who waits for the device hears of it");
            return e;
        });
        assertEquals(DEADLINE_EXCEEDED, errors.getFirst().code(), errors.getFirst()::getMessage);
    }

    @Test
    void whatIsNotOnACardIsRefusedWithASentence() throws Exception {
        run(1, r -> {
            Options cards = Options.DEFAULT.withAlgorithm(AllReduce.CARDS);
            try (Tensor here = Tensor.of(Shape.of(1), 1f);
                    Tensor there = r.there(1)) {
                OxbowException e =
                        assertThrows(OxbowException.class, () -> r.world().allReduce(here, Reduction.SUM, cards));
                assertEquals(
                        "all-reduce of group world: cards move what lies on them, and these elements are the host's",
                        e.getMessage());
                e = assertThrows(OxbowException.class, () -> r.world().send(Elements.of(there), 0, Options.DEFAULT));
                assertEquals(INVALID_ARGUMENT, e.code());
                e = assertThrows(
                        OxbowException.class, () -> r.world().allReduce(there, Reduction.XOR, Options.DEFAULT));
                assertEquals(INVALID_ARGUMENT, e.code());
            }
            Ops ops = Ops.in(new Graph());
            Value sum = Value.apply(
                    AllReduce.of(Reduction.SUM).withAlgorithm(AllReduce.CARDS),
                    ops.constant(Tensor.of(Shape.of(1), 1f)));
            SessionOptions options = SessionOptions.defaults().withService(Groups.class, Groups.of(r.job()));
            try (Session s = Session.open(ops.graph(), EngineOptions.defaults().withThreads(1), options)) {
                OxbowException e = assertThrows(
                        OxbowException.class, () -> s.fetch(sum.edge()).run());
                assertEquals(FAILED_PRECONDITION, e.code(), e::getMessage);
            }
            return null;
        });
    }
}
