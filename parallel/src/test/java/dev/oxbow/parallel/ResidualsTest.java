package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What top-k has not sent yet is state of the job, beside parameters and slots. */
@Timeout(300)
final class ResidualsTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);
    private static final Plan PLAN = Plan.ring().withWire(WireFormat.topK(0.05)).whole("state");
    private static final Shape WIDE = Shape.of(40, 40);

    /** A linear model of 40 numbers, and rows that are read through an index. */
    private static Model model() {
        Model m = new Model(4, DType.F32);
        Value x = m.input("x", DType.F32, -1, 40), ids = m.input("ids", DType.I32, -1);
        Value picked = m.ops.constant(Tensor.of(Shape.of(9), 1f, 1f, 1f, 1f, 1f, 1f, 1f, 1f, 1f))
                .gather(ids, 0);
        m.loss = x.matMul(m.parameter("w", 40, 40))
                .square()
                .mean(1)
                .times(picked)
                .mean();
        m.updates.addAll(Minimiser.descent(0.1).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    private static List<List<Tensor>> batches(int count) {
        Model m = model();
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++)
            all.add(List.of(m.numbers(m.inputs.get(0), 6, 1), m.numbers(m.inputs.get(1), 6, 9)));
        return all;
    }

    private static Session open(Model m, Communicator job) {
        return PLAN.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job);
    }

    private static void step(Session s, Model m, List<Tensor> batch) {
        Session.Run run = s.target(m.updates.toArray(Node[]::new));
        for (int i = 0; i < m.inputs.size(); i++) run.feed(m.inputs.get(i).edge(), batch.get(i));
        run.run().close();
    }

    private static Value handle(Model m) {
        VarHandleOp op = new VarHandleOp(StateEntry.OF_RANKS, "w/residual", "", DType.F32, WIDE, List.of());
        return Value.of(m.graph.add(op, List.of()).edge(0));
    }

    private static float[] read(Session s, Model m) {
        try (Results r = s.fetch(
                        Value.apply(new ReadVariableOp(DType.F32), handle(m)).edge())
                .run()) {
            return r.get(0).floats();
        }
    }

    private static float[] parameter(Session s, Model m) {
        try (Results r = s.fetch(m.parameters.getFirst().value().edge()).run()) {
            return r.get(0).floats();
        }
    }

    @Test
    void aJobThatGoesOnFromItsStateEndsWhereItWouldHaveWithoutAStop() {
        List<List<Tensor>> batches = batches(6);
        float[][] kept = new float[2][], weights = new float[2][], wanted = new float[2][];
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                Model m = model();
                List<List<Tensor>> mine = Model.share(batches, job.rank(), 2);
                try (Session s = open(m, job)) {
                    m.start(s);
                    for (int i = 0; i < 3; i++) step(s, m, mine.get(i));
                    kept[job.rank()] = read(s, m);
                    weights[job.rank()] = parameter(s, m);
                    for (int i = 3; i < 6; i++) step(s, m, mine.get(i));
                    wanted[job.rank()] = parameter(s, m);
                }
                return null;
            });
        }
        assertFalse(Arrays.equals(kept[0], kept[1]));
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                Model m = model();
                List<List<Tensor>> mine = Model.share(batches, job.rank(), 2);
                Value state = m.ops.placeholder("state", DType.F32, WIDE);
                Node restored = m.graph.add(
                        new AssignVariableOp(false), List.of(handle(m).edge(), state.edge()));
                Parameter w = m.parameters.getFirst();
                Node assigned = m.graph.add(
                        new AssignVariableOp(false), List.of(w.handle().edge(), state.edge()));
                try (Session s = open(m, job);
                        Tensor values = Tensor.of(WIDE, kept[job.rank()]);
                        Tensor start = Tensor.of(WIDE, weights[job.rank()])) {
                    s.feed(state.edge(), values).target(restored).run();
                    s.feed(state.edge(), start).target(assigned).run();
                    assertArrayEquals(kept[job.rank()], read(s, m), "the ranks' own");
                    for (int i = 3; i < 6; i++) step(s, m, mine.get(i));
                    assertArrayEquals(wanted[job.rank()], parameter(s, m));
                }
                return null;
            });
        }
    }

    @Test
    void aStepThatFailsLeavesWhatIsKept() {
        List<List<Tensor>> batches = batches(3);
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                Model m = model();
                List<List<Tensor>> mine = Model.share(batches, job.rank(), 2);
                try (Session s = open(m, job)) {
                    m.start(s);
                    step(s, m, mine.get(0));
                    float[] before = read(s, m);
                    if (job.rank() == 1) mine.get(1).get(1).setLong(0, 1_000_000); // there is no such row
                    assertThrows(OxbowException.class, () -> step(s, m, mine.get(1)));
                    assertArrayEquals(before, read(s, m));
                    step(s, m, mine.get(2));
                    assertFalse(Arrays.equals(before, read(s, m)));
                }
                return null;
            });
        }
    }

    @Test
    void residualsAreListedWithTheirSlices() {
        List<StateEntry> all = StateEntry.of(model().graph, PLAN, 3, 1);
        StateEntry r = all.getLast();
        assertEquals("w/residual", r.name());
        assertEquals(StateEntry.Role.RESIDUAL, r.role());
        assertEquals(Shape.of(3, 40, 40), r.type().shape());
        assertEquals(List.of(1L, 0L, 0L), r.slice().starts());
        assertTrue(StateEntry.of(model().graph, Plan.ring(), 3, 1).stream()
                .noneMatch(e -> e.role() == StateEntry.Role.RESIDUAL));
    }

    /** The share of rows that a perceptron on clusters of ten classes gets right after training by a wire format. */
    private static double accuracy(WireFormat wire) {
        try (Workers team = new Workers(2)) {
            return team.run(job -> {
                        Model m = new Model(7, DType.F32);
                        Value x = m.input("x", DType.F32, 64, 40), y = m.input("y", DType.I32, 64);
                        Value h = x.matMul(m.parameter("w0", 40, 64))
                                .plus(m.parameter("b0", 64))
                                .relu();
                        h = h.matMul(m.parameter("w1", 64, 40)).plus(m.parameter("b1", 40));
                        m.loss = Models.entropy(h, y).mean();
                        Value hits = Value.apply(
                                        Ops.named("Equal", Map.of()),
                                        h.argMax(1).cast(DType.I32),
                                        y)
                                .cast(DType.F32)
                                .mean();
                        m.updates.addAll(Minimiser.descent(0.05)
                                .minimise(m.loss, m.parameters)
                                .nodes());
                        Plan plan = Plan.ring().withWire(wire);
                        try (Session s = plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                            m.start(s);
                            Random random = new Random(3);
                            double right = 0;
                            for (int i = 0; i < 400; i++) {
                                List<Tensor> mine = Model.share(List.of(clusters(random)), job.rank(), 2)
                                        .getFirst();
                                Session.Run run = s.feed(x.edge(), mine.get(0)).feed(y.edge(), mine.get(1));
                                if (i < 350)
                                    run.target(m.updates.toArray(Node[]::new))
                                            .run()
                                            .close();
                                else
                                    try (Results r = run.fetch(hits.edge()).run()) {
                                        right += r.get(0).getDouble(0) / 50;
                                    }
                            }
                            return right;
                        }
                    })
                    .getFirst();
        }
    }

    /** 64 rows around ten centres of the 40 classes that there could be. */
    private static List<Tensor> clusters(Random random) {
        float[] x = new float[64 * 40];
        int[] y = new int[64];
        for (int i = 0; i < y.length; i++) {
            y[i] = random.nextInt(10);
            Random centre = new Random(y[i]);
            for (int d = 0; d < 40; d++)
                x[40 * i + d] = (float) (0.4 * centre.nextGaussian() + 0.6 * random.nextGaussian());
        }
        return List.of(Tensor.of(Shape.of(64, 40), x), Tensor.of(Shape.of(64), y));
    }

    @Test
    void topKReachesTheAccuracyOfWholeGradients() {
        double whole = accuracy(WireFormat.NONE), chosen = accuracy(WireFormat.topK(0.01));
        assertTrue(whole > 0.9, "" + whole);
        assertTrue(chosen >= whole - 0.01, chosen + ", whole gradients " + whole);
    }
}
