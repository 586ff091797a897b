package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.L2Loss;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random losses have the scale of one device on any number of workers, whatever rows each has. */
@Timeout(300)
final class ScaleTest {
    private static final int ROWS = 17;
    private static final int SEEDS = 34;
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    /** A network with terms that scale in different ways; which ones, the seed says. */
    private static Model model(long seed, boolean isStatic, long rows) {
        Random r = new Random(seed);
        Model m = new Model(seed, DType.F64);
        long batch = isStatic ? rows : -1;
        Value x = m.input("x", DType.F64, batch, 4), ids = m.input("ids", DType.I32, batch, 2);
        Value y = m.input("y", DType.F64, batch);
        Value w = m.parameter("w", 4, 5), b = m.parameter("b", 5), v = m.parameter("v", 5, 1);
        Value table = m.parameter("table", 7, 5);
        Value h = x.matMul(w).plus(b).tanh();
        if (r.nextBoolean()) {
            Value rows2 = Value.apply(new GatherV2(0), table, ids, m.ops.constant(DType.I32, 0));
            h = h.plus(r.nextBoolean() ? rows2.sum(1) : rows2.mean(1));
        } else {
            h = h.times(table.sum(0));
        }
        if (r.nextBoolean()) {
            Value mask = Value.apply(new RandomUniform(3, seed, DType.F64), h.runtimeShape());
            h = h.times(mask.greaterEqual(mask.constantLike(0.3)).cast(DType.F64))
                    .dividedBy(0.7);
        }
        if (r.nextBoolean()) h = h.minus(h.mean(true, 0));
        Value error = h.matMul(v).reshape(-1).minus(y).square();
        List<Value> terms = new ArrayList<>();
        terms.add(r.nextBoolean() ? error.mean() : error.sum().times(0.02));
        if (r.nextBoolean()) terms.add(Value.apply(new L2Loss(), w).times(0.01));
        if (r.nextBoolean())
            terms.add(Value.apply(new L2Loss(), h).dividedBy(x.runtimeSize().cast(DType.F64)));
        if (r.nextBoolean()) terms.add(h.mean(0).square().sum().times(0.1));
        if (r.nextBoolean()) terms.add(h.max().times(0.05));
        m.loss = terms.size() == 1 ? terms.get(0) : Value.apply(new AddN(), terms.toArray(Value[]::new));
        List<Value> weights = m.parameters.stream().map(Parameter::value).toList();
        List<Value> gradients = new ArrayList<>(Minimiser.gradients(m.loss, m.parameters));
        if (r.nextBoolean())
            for (int i = 0; i < gradients.size(); i++)
                gradients.set(i, gradients.get(i).plus(weights.get(i).times(0.001)));
        if (r.nextBoolean()) clip(gradients);
        m.updates.addAll(Minimiser.descent(0.1).apply(m.parameters, gradients).nodes());
        return m;
    }

    private static void clip(List<Value> gradients) {
        Value[] squares =
                gradients.stream().map(g -> Value.apply(new L2Loss(), g)).toArray(Value[]::new);
        Value norm = Value.apply(new AddN(), squares).times(2).sqrt();
        Value scale = norm.constantLike(0.5).dividedBy(norm.maximum(norm.constantLike(0.5)));
        gradients.replaceAll(g -> g.times(scale));
    }

    private static List<List<Tensor>> batches(Model m, long rows, int count) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, rows, 7));
            all.add(one);
        }
        return all;
    }

    @Test
    void anyNumberOfWorkersTakesTheStepsOfOneDevice() {
        for (int workers = 1; workers <= 4; workers++) {
            int n = workers;
            try (Workers team = new Workers(n)) {
                for (int s = 0; s < SEEDS; s++) {
                    long seed = 100 * n + s, rows = 1 + s % ROWS;
                    boolean isStatic = s >= ROWS;
                    Model alone = model(seed, isStatic, rows);
                    List<List<Tensor>> batches = batches(alone, rows, 2);
                    double[] wanted;
                    try (Session one = Session.open(alone.graph, ONE_THREAD)) {
                        wanted = alone.train(one, batches);
                    }
                    List<double[]> got = team.run(job -> {
                        Model mine = model(seed, isStatic, rows);
                        Plan plan = Plan.ring().withBucketBytes(seed % 2 == 0 ? 100 : 1 << 20);
                        try (Session all = plan.open(mine.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                            return mine.train(all, Model.share(batches, job.rank(), n));
                        }
                    });
                    for (int r = 0; r < n; r++) {
                        double distance = Model.distance(wanted, got.get(r));
                        String what = "seed " + seed + ", " + rows + " rows" + (isStatic ? " (static)" : "") + ", rank "
                                + r + " of " + n + ": " + distance;
                        assertTrue(distance <= 1e-10, what);
                    }
                }
            }
        }
    }
}
