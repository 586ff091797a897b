package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fused batch normalisation, by the whole batch and by each replica. */
@Timeout(300)
final class NormsTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    /** A convolution, a normalisation with running statistics, and a sum of squares of what is left. */
    private static Model model(String format) {
        Model m = new Model(9, DType.F32);
        boolean first = format.equals("NCHW");
        Value x = first ? m.input("x", DType.F32, -1, 3, 4, 4) : m.input("x", DType.F32, -1, 4, 4, 3);
        Value scale = m.parameter("scale", 3), offset = m.parameter("offset", 3), w = m.parameter("w", 3);
        Value zeros = m.ops.constant(Tensor.zeros(DType.F32, Shape.of(3)));
        Parameter mean = Parameter.of("running/mean", zeros),
                variance = Parameter.of("running/variance", zeros.plus(1));
        m.state.addAll(List.of(mean, variance));
        Map<String, Object> attributes =
                Map.of("data_format", format, "is_training", true, "exponential_avg_factor", 0.25f, "epsilon", 0.01f);
        Value column = first ? w.reshape(3, 1, 1) : w;
        List<Value> y = Value.applyAll(
                Ops.named("FusedBatchNormV3", attributes),
                x.times(column),
                scale,
                offset,
                mean.value(),
                variance.value());
        m.loss = y.get(0).tanh().times(x).mean();
        m.updates.addAll(Minimiser.descent(0.5).minimise(m.loss, m.parameters).nodes());
        m.updates.add(m.graph.add(
                new AssignVariableOp(false),
                List.of(mean.handle().edge(), y.get(1).edge())));
        m.updates.add(m.graph.add(
                new AssignVariableOp(false),
                List.of(variance.handle().edge(), y.get(2).edge())));
        return m;
    }

    private static List<List<Tensor>> batches(Model m, int count, int rows) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) all.add(List.of(m.numbers(m.inputs.getFirst(), rows, 1)));
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"NHWC", "NCHW"})
    void synchronisedStatisticsAreThoseOfOneDevice(String format) {
        Model alone = model(format);
        List<List<Tensor>> batches = batches(alone, 6, 5);
        double[] wanted;
        try (Session s = Session.open(alone.graph, ONE_THREAD)) {
            wanted = alone.train(s, batches);
        }
        try (Workers team = new Workers(3)) {
            for (double[] got : team.run(job -> {
                Model m = model(format);
                try (Session s = Plan.ring().open(m.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                    return m.train(s, Model.share(batches, job.rank(), 3));
                }
            })) assertTrue(Model.distance(wanted, got) <= 1e-5, "" + Model.distance(wanted, got));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NHWC", "NCHW"})
    void replicasThatNormaliseByTheirOwnRowsTakeTheMeanOfTheirSteps(String format) {
        Model first = model(format);
        List<List<Tensor>> batches = batches(first, 1, 8);
        double[] mean = null;
        for (int r = 0; r < 2; r++) { // one replica after the other
            Model alone = model(format);
            try (Session s = Session.open(alone.graph, ONE_THREAD)) {
                double[] got = alone.train(s, Model.share(batches, r, 2));
                if (mean == null) mean = new double[got.length];
                for (int i = 0; i < mean.length; i++) mean[i] += got[i] / 2;
            }
        }
        double[] wanted = mean;
        try (Workers team = new Workers(2)) {
            for (double[] got : team.run(job -> {
                Model m = model(format);
                Plan plan = Plan.ring().withReplicaNorms();
                try (Session s = plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                    return m.train(s, Model.share(batches, job.rank(), 2));
                }
            })) assertTrue(Model.distance(wanted, got) <= 1e-6, "" + Model.distance(wanted, got));
        }
        Model m = model(format);
        try (Session s =
                Plan.replicas(2).withReplicaNorms().open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
            double distance = Model.distance(wanted, m.train(s, batches));
            assertTrue(distance <= 1e-6, "" + distance);
        }
    }
}
