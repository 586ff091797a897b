package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Optimizer;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjDoubleConsumer;

/** Training on the digits under a plan: the graph is that of one device, and each process feeds its share of every batch. */
record PlannedTraining(Plan plan, int epochs, int batch, double rate, long seed, boolean checked) {

    /** What comes out on every rank alike; {@code job} is null for one process. The caller closes the values. */
    DataParallel.Trained train(Communicator job, ObjDoubleConsumer<Integer> afterEpoch) {
        Graph g = new Graph();
        DigitsModel model = DigitsModel.in(g, seed);
        Value loss = model.losses().mean();
        Node[] updates =
                Optimizer.descent(rate).minimise(loss, model.parameters()).targets();
        Digits digits = Digits.load().shuffled(seed);
        int split = digits.size() - digits.size() / 5;
        Digits train = digits.slice(0, split), test = digits.slice(split, digits.size());
        int rank = job == null ? 0 : job.rank(), ranks = job == null ? 1 : job.size();
        SessionOptions options = SessionOptions.defaults().withCheckNumerics(checked);
        try (Session session = plan.open(g, EngineOptions.defaults(), options, job)) {
            model.initialise(session, List.of());
            List<Double> millis = new ArrayList<>();
            for (int epoch = 1; epoch <= epochs; epoch++) {
                Digits order = train.shuffled(seed + epoch);
                double sum = 0;
                for (int at = 0; at < order.size(); at += batch) {
                    int size = Math.min(batch, order.size() - at);
                    int from = at + size * rank / ranks, to = at + size * (rank + 1) / ranks;
                    long start = System.nanoTime();
                    try (Tensor images = order.images(from, to);
                            Tensor labels = order.labels(from, to);
                            Tensor mean = session.feed(model.x().edge(), images)
                                    .feed(model.y().edge(), labels)
                                    .fetch(loss.edge())
                                    .target(updates)
                                    .run()
                                    .get(0)) {
                        sum += LossException.check(mean.floats()[0], epoch) * size;
                    }
                    millis.add((System.nanoTime() - start) / 1e6);
                }
                afterEpoch.accept(epoch, sum / order.size());
            }
            int first = test.size() * rank / ranks, last = test.size() * (rank + 1) / ranks;
            float accuracy = model.accuracy(session, test.slice(first, last));
            return new DataParallel.Trained(model.names(), model.values(session), accuracy, test.size(), millis);
        }
    }
}
