package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * One case of one op, as data: a graph, the runs of one session on it, and how its gradient is to be checked. What
 * TensorFlow answers to it is recorded once and kept beside the samples, unless {@code unanswered} says why it cannot.
 */
public record Sample(String name, String op, Graph graph, List<Run> runs, GradientCheck gradient, String unanswered) {

    /** One run: what is fed, by {@code name:port}, what is fetched, what is only run. */
    public record Run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets) {}

    /**
     * A check by directional finite differences of {@code outputs} with respect to fed {@code inputs}; null for none.
     * It runs in f64 where the op has it.
     */
    public record GradientCheck(List<Edge> inputs, List<Edge> outputs, double step, double tolerance) {}
}
