package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Training with variables on parameter servers. */
@Timeout(300)
final class ParameterServerTest {
    private static final int STEPS = 20;

    /** Full batches, and last one with fewer rows than workers. */
    static List<List<Tensor>> batches(Model m) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, i == STEPS - 1 ? 3 : 7, 3));
            all.add(one);
        }
        return all;
    }

    static void check(Models kind, DType dtype, double tolerance, Plan plan) {
        Model alone = kind.model(5, dtype);
        List<List<Tensor>> batches = batches(alone);
        double[] wanted;
        try (Session one = Session.open(alone.graph, EngineOptions.defaults().withThreads(1))) {
            wanted = alone.train(one, batches);
        }
        try (Team team = new Team(plan)) {
            List<double[]> got = team.run(worker -> {
                Model mine = kind.model(5, dtype);
                try (Session s = team.open(mine.graph, worker)) {
                    return mine.train(s, Model.share(batches, worker, plan.workers()));
                }
            });
            for (double[] g : got) {
                double distance = Model.distance(wanted, g);
                assertTrue(distance <= tolerance, kind + ", " + plan + ": " + distance);
            }
        }
    }

    @Test
    void twoWorkersAndAServerEndWhereOneDeviceDoes() {
        check(Models.MLP, DType.F64, 1e-10, Plan.parameterServer(1, 2).sync());
    }
}
