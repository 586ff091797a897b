package dev.oxbow.observe;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.LinkCost;
import dev.oxbow.observe.diagnosis.Planned;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.parallel.planner.Simulator;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.Trainer;
import dev.oxbow.wire.proto.RunMetadata;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the planner expects of a step: that its kernels take as long as they did in a traced one, and that gradients leave in
 * buckets, layer by layer, over links as they were measured when the job began. Everything that makes steps longer than this is
 * waiting, input or what lies between kernels.
 */
final class Forecast {
    private static final double WIDTH = 4;

    private Forecast() {}

    /** By tag; empty where the planner knows nothing of the graph. */
    static Map<String, Double> of(Trainer trainer, Communicator job, List<Event.Span> spans) throws IOException {
        RunMetadata trace = RunMetadata.parseFrom(Messages.trace(spans));
        double compute = Timeline.of(0, Map.of("worker", trace), Map.of()).computeMillis("worker") / 1e3;
        Network network;
        try {
            network = Network.of("run", trainer.model().graph());
        } catch (OxbowException e) {
            return Map.of(); // there is nothing to train, or no shape is known
        }
        Map<String, Double> all = new LinkedHashMap<>();
        Plan plan = trainer.plan();
        double width = WIDTH * plan.wire().ratio();
        all.put(Planned.COMPUTE, 1e3 * compute);
        all.put(Planned.BYTES, width * network.parameters());
        LinkCost link = job == null ? null : job.linkCost();
        if (job == null || job.size() == 1) all.put(Planned.STEP, 1e3 * compute);
        if (link == null) return all;
        double bucket = plan.bucketBytes() * plan.wire().ratio();
        Simulator.Played played = Simulator.of(
                        network, compute, width, bucket, true, link.bytesPerSecond(), link.latency())
                .play(job.size());
        all.put(Planned.STEP, 1e3 * played.step());
        all.put(Planned.EXCHANGE, 1e3 * played.exchange());
        all.put(Planned.RATE, link.bytesPerSecond());
        all.put(Planned.LATENCY, 1e3 * link.latency());
        return all;
    }
}
