package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Twenty steps under every plan end with the parameters of one device. */
@Timeout(300)
final class EqualityTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);
    private static final int STEPS = 20;
    private static final int ROWS = 7;

    /** Full batches, and last one with a row less than workers. */
    private static List<List<Tensor>> batches(Model m) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, i == STEPS - 1 ? 3 : ROWS, 3));
            all.add(one);
        }
        return all;
    }

    static void check(Models kind, DType dtype, double tolerance, Plan plan, int workers) {
        Model alone = kind.model(5, dtype);
        List<List<Tensor>> batches = batches(alone);
        double[] wanted;
        try (Session one = Session.open(alone.graph, ONE_THREAD)) {
            wanted = alone.train(one, batches);
        }
        try (Workers team = new Workers(workers + plan.helpers())) {
            List<double[]> got = team.run(job -> {
                Model mine = kind.model(5, dtype);
                try (Session all = plan.open(mine.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                    return mine.train(all, Model.share(batches, job.rank(), workers));
                }
            });
            for (double[] g : got.subList(0, workers)) {
                double distance = Model.distance(wanted, g);
                assertTrue(distance <= tolerance, kind + ", " + plan + ", " + workers + " workers: " + distance);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void ringsEndWhereOneDeviceDoes(Models kind) {
        for (int workers = 2; workers <= 4; workers++) check(kind, DType.F64, 1e-10, Plan.ring(), workers);
        check(kind, DType.F32, 1e-4, Plan.ring().withBucketBytes(200), 2);
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void replicasEndWhereOneDeviceDoes(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.replicas(3), 1);
        check(kind, DType.F64, 1e-10, Plan.replicas(2), 2);
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersWithHelpersEndWhereOneDeviceDoes(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.pushPull(1), 2);
        check(kind, DType.F64, 1e-10, Plan.pushPull(2).withBucketBytes(5000), 3);
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersOfTwoDevicesEachEndWhereOneDeviceDoes(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.pushPull(1).withDevices(2), 2);
        check(kind, DType.F64, 1e-10, Plan.ring().acrossSteps().withDevices(2), 2);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Models.class)
    void everyPlanEndsWhereOneDeviceDoes(Models kind) {
        for (int n = 1; n <= 4; n++) {
            check(kind, DType.F64, 1e-10, Plan.ring().withDevices(3), n);
            check(kind, DType.F32, 1e-4, Plan.pushPull(n).withDevices(2), 2);
            check(kind, DType.F64, 1e-10, Plan.pushPull(1).acrossSteps().withDevices(2), n);
            check(kind, DType.F32, 1e-4, Plan.ring(), n);
            check(kind, DType.F64, 1e-10, Plan.ring().withBucketBytes(100), n);
            check(kind, DType.F64, 1e-10, Plan.ring().withOwners(true), n);
            check(kind, DType.F64, 1e-10, Plan.ring().withSparse(false).withDeterministic(true), n);
            check(kind, DType.F64, 1e-10, Plan.replicas(n), 1);
            check(kind, DType.F32, 1e-4, Plan.replicas(n), 1);
            check(kind, DType.F64, 1e-10, Plan.replicas(n).onHost(), 1);
            check(kind, DType.F64, 1e-10, Plan.replicas(2), n);
            for (int helpers = 1; helpers <= 2; helpers++) {
                check(kind, DType.F64, 1e-10, Plan.pushPull(helpers), n);
                check(kind, DType.F32, 1e-4, Plan.pushPull(helpers).withBucketBytes(300), n);
            }
            check(kind, DType.F32, 1e-4, Plan.pushPull(n), 4);
        }
    }
}
