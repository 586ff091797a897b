package dev.oxbow.examples;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjDoubleConsumer;

/**
 * Data-parallel training, written by hand: each rank builds the same graph, takes its share of each batch, and adds its
 * gradients to those of all others. Each all-reduce is on its way while gradients of earlier layers are still computed.
 */
public record DataParallel(int epochs, int batch, double rate, long seed, boolean checked) {

    /** What came out on every rank alike; the caller closes the values. */
    public record Trained(
            List<String> names, List<Tensor> values, float accuracy, int tested, List<Double> stepMillis) {}

    /** Trains as one rank of a job; the loss of each epoch is told. */
    public Trained train(Communicator job, ObjDoubleConsumer<Integer> afterEpoch) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        DigitsModel model = DigitsModel.in(g, seed);
        Value batchSize = ops.placeholder("batch_size", DType.F32, Shape.SCALAR);
        Value loss = model.losses().sum().dividedBy(batchSize); // this rank's part of the mean over the whole batch

        AllReduce sum = AllReduce.of(Reduction.SUM);
        Value wholeLoss = Value.apply(sum.withKey("loss"), loss);
        List<Value> gradients = new ArrayList<>();
        for (Value gradient : Gradients.of(List.of(loss), model.weights()))
            gradients.add(Value.apply(sum.withKey("gradient of " + model.names().get(gradients.size())), gradient));
        Node[] updates =
                Minimiser.descent(rate).apply(model.parameters(), gradients).targets();

        Digits digits = Digits.load().shuffled(seed);
        int split = digits.size() - digits.size() / 5;
        Digits train = digits.slice(0, split), test = digits.slice(split, digits.size());
        SessionOptions options = SessionOptions.defaults()
                .withService(Groups.class, Groups.of(job))
                .withCheckNumerics(checked);
        try (Session session = Session.open(g, options)) {
            model.initialise(session, List.of());
            List<Double> millis = new ArrayList<>();
            for (int epoch = 1; epoch <= epochs; epoch++) {
                Digits order = train.shuffled(seed + epoch);
                double lossSum = 0;
                for (int at = 0; at < order.size(); at += batch) {
                    int size = Math.min(batch, order.size() - at);
                    int from = at + size * job.rank() / job.size(), to = at + size * (job.rank() + 1) / job.size();
                    long start = System.nanoTime();
                    try (Tensor images = order.images(from, to);
                            Tensor labels = order.labels(from, to);
                            Tensor all = Tensor.scalar((float) size);
                            Tensor mean = session.feed(model.x().edge(), images)
                                    .feed(model.y().edge(), labels)
                                    .feed(batchSize.edge(), all)
                                    .fetch(wholeLoss.edge())
                                    .target(updates)
                                    .run()
                                    .get(0)) {
                        lossSum += mean.floats()[0] * size;
                    }
                    millis.add((System.nanoTime() - start) / 1e6);
                }
                afterEpoch.accept(epoch, lossSum / order.size());
            }
            float accuracy = model.accuracy(session, test);
            return new Trained(model.names(), model.values(session), accuracy, test.size(), millis);
        }
    }
}
