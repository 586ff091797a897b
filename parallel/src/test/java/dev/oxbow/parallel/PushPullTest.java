package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Helpers beside the workers of a job. */
@Timeout(300)
final class PushPullTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    /** Gradients of 64,000 numbers and one of 10. */
    private static Model model() {
        Model m = new Model(4, DType.F32);
        Value x = m.input("x", DType.F32, 12, 320);
        m.loss = x.matMul(m.parameter("w", 320, 200))
                .matMul(m.parameter("v", 200, 10))
                .plus(m.parameter("b", 10))
                .square()
                .mean();
        m.updates.addAll(Minimiser.descent(1e-4).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    private static List<List<Tensor>> batches() {
        List<List<Tensor>> all = new ArrayList<>();
        Model m = model();
        for (int i = 0; i < 4; i++) all.add(List.of(m.numbers(m.inputs.getFirst(), 12, 1)));
        return all;
    }

    /** What every rank has sent in a step, and the first parameter that it ends with. */
    private record End(long sent, float[] weights, double loss) {}

    private static List<End> train(Plan plan, int workers) {
        List<List<Tensor>> batches = batches();
        try (Workers team = new Workers(workers + plan.helpers())) {
            return team.run(job -> {
                Model m = model();
                List<List<Tensor>> mine = Model.share(batches, job.rank(), workers);
                try (Session s = plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                    m.start(s);
                    double loss = 0;
                    long before = 0;
                    for (int i = 0; i < mine.size(); i++) {
                        if (i == 1) before = job.trace().bytesSent(); // the first one compares graphs, too
                        try (Results r = s.feed(
                                        m.inputs.getFirst().edge(), mine.get(i).getFirst())
                                .fetch(m.loss.edge())
                                .target(m.updates.toArray(Node[]::new))
                                .run()) {
                            loss = r.get(0).getDouble(0);
                        }
                    }
                    long sent = (job.trace().bytesSent() - before) / (mine.size() - 1);
                    try (Results r =
                            s.fetch(m.parameters.getFirst().value().edge()).run()) {
                        return new End(sent, r.get(0).floats(), loss);
                    }
                }
            });
        }
    }

    @Test
    void linksCarryWhatTheFormulaSaysAndHelpersKeepTheirVariables() {
        int n = 4, k = 2;
        double bytes = 4.0 * (320 * 200 + 200 * 10 + 10);
        List<End> ends = train(Plan.pushPull(k), n);
        for (End e : ends) {
            double most = 2 * bytes * n * (n - 1) / (n * n + k * n - 2 * k);
            assertTrue(e.sent <= 1.03 * most + 2048, e.sent + " bytes, " + most + " by the formula");
            assertEquals(ends.getFirst().loss, e.loss, "what is fetched is that of the whole batch on helpers, too");
        }
        float[] start;
        Model m = model();
        try (Session s = Session.open(m.graph, ONE_THREAD)) {
            m.start(s);
            try (Results r = s.fetch(m.parameters.getFirst().value().edge()).run()) {
                start = r.get(0).floats();
            }
        }
        for (int h = n; h < n + k; h++) assertArrayEquals(start, ends.get(h).weights);
        List<End> alone = train(Plan.ring(), 1);
        for (int r = 0; r < n; r++) assertArrayEquals(alone.getFirst().weights, ends.get(r).weights, 1e-5f);
    }

    @Test
    void aJobOfHelpersAloneIsRefused() {
        try (Workers team = new Workers(2)) {
            team.run(job -> assertThrows(
                    OxbowException.class,
                    () -> Plan.pushPull(2).open(model().graph, ONE_THREAD, SessionOptions.defaults(), job)));
        }
    }
}
