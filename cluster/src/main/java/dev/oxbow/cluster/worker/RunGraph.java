package dev.oxbow.cluster.worker;

import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.StepStats;
import java.util.List;

/**
 * What one task is to do in a step.
 *
 * @param feedKeys the rendezvous keys of {@code feeds}
 * @param fetchKeys the rendezvous keys of what is wanted back
 * @param partial whether feeds and fetches of the step come in several such requests
 * @param last whether this one is the last of them
 * @param traced whether what the step does is wanted too
 */
public record RunGraph(
        String session,
        String graph,
        long step,
        List<String> feedKeys,
        List<Tensor> feeds,
        List<String> fetchKeys,
        boolean partial,
        boolean last,
        boolean traced) {

    /** What was fetched, in order, and what the step did; {@code stats} is null where it was not traced. */
    public record Result(List<Tensor> fetched, StepStats stats) {
        public void release() {
            fetched.forEach(Tensor::release);
        }
    }
}
