package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.planner.ServedSimulator;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of four workers is three times slower, where computing is waiting: what the simulator says of each plan, and what it is. */
@Tag("long")
@Timeout(300)
final class StragglersTest {
    private static final double[] COMPUTE = {0.1, 0.1, 0.1, 0.3};
    private static final double SECONDS = 12;
    private static final int WARM = 5;

    private static Model model() {
        Model m = new Model(3, DType.F32);
        Value x = m.input("x", DType.F32, 4, 10);
        m.loss = x.matMul(m.parameter("w", 10, 10)).square().mean();
        m.updates.addAll(Minimiser.descent(1e-3).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    private static void step(Model m, Session s, int rows) {
        try (Tensor x = Tensor.zeros(DType.F32, Shape.of(rows, 10))) {
            s.feed(m.inputs.getFirst().edge(), x)
                    .target(m.updates.toArray(Node[]::new))
                    .run()
                    .close();
        }
    }

    private static void start(Model m, Session s) {
        s.target(m.parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run()
                .close();
    }

    /** Seconds of a step of one worker that computes nothing. */
    private static double exchange() {
        try (Team team = new Team(Plan.parameterServer(1, 1).async())) {
            Model m = model();
            try (Session s = team.open(m.graph, 0)) {
                start(m, s);
                for (int i = 0; i < 200; i++) step(m, s, 4);
                long begin = System.nanoTime();
                for (int i = 0; i < 200; i++) step(m, s, 4);
                return (System.nanoTime() - begin) / 200e9;
            }
        }
    }

    /** Gradients that count, a second. Workers that others wait for go on until the fast ones have ended. */
    private static double measured(Plan plan) {
        boolean shares = plan.served().isSynchronous(),
                all = shares && plan.served().backups() == 0;
        int steps = (int) (SECONDS / (all ? 0.32 : 0.12)),
                each = shares ? COMPUTE.length - plan.served().backups() : 1;
        try (Team team = new Team(plan)) {
            CyclicBarrier together = new CyclicBarrier(COMPUTE.length);
            AtomicInteger running = new AtomicInteger(COMPUTE.length - 1);
            double[] rate = new double[1];
            team.run(w -> {
                Model m = model();
                try (ServerSession s = (ServerSession) team.open(m.graph, w)) {
                    start(m, s);
                    for (int i = 0; i < WARM; i++) step(m, s, shares ? 1 : 4);
                    together.await();
                    long before = s.versions()[0], begin = System.nanoTime();
                    together.await();
                    boolean lasts = !all && COMPUTE[w] > COMPUTE[0];
                    for (int i = 0; lasts ? running.get() > 0 : goesOn(shares, i, steps, begin); i++) {
                        compute(w);
                        step(m, s, shares ? 1 : 4);
                    }
                    double seconds = (System.nanoTime() - begin) / 1e9;
                    if (w == 0) rate[0] = each * (s.versions()[0] - before) / seconds;
                    running.decrementAndGet();
                    return null;
                }
            });
            return rate[0];
        }
    }

    /** A thread may be let go early, by what it waited for before. */
    private static void compute(int worker) {
        long end = System.nanoTime() + (long) (COMPUTE[worker] * 1e9);
        for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
    }

    /** Those who wait for each other take the same number of steps. */
    private static boolean goesOn(boolean together, int step, int steps, long begin) {
        return together ? step < steps : System.nanoTime() - begin < SECONDS * 1e9;
    }

    @Test
    void eachPlanIsAsFastAsTheSimulatorSays() {
        double exchange = exchange();
        Plan four = Plan.parameterServer(1, 4);
        for (Plan p : List.of(four.sync(), four.withBackups(1), four.staleness(4), four.async())) {
            double said = new ServedSimulator(
                            COMPUTE, exchange, p.served().backups(), p.served().staleness())
                    .play(SECONDS)
                    .rate();
            double is = measured(p);
            System.out.printf("%s: %.1f gradients a second, by the simulator %.1f%n", p.served(), is, said);
            assertEquals(said, is, 0.2 * said, p.toString());
        }
    }
}
