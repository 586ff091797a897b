package dev.oxbow.train;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.graph.Edge;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.ServerSession;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Tells a session that pulls ahead what comes behind the next run. */
final class Coming {
    private final Plan plan;
    private final Model model;
    private final TrainingGraph graph;
    private Batch first;

    Coming(Plan plan, Model model, TrainingGraph graph) {
        this.plan = plan;
        this.model = model;
        this.graph = graph;
    }

    /** Whether batches are wanted before the step that is on them; those that are dealt count as trained on. */
    boolean isWanted() {
        return plan.ahead() != null && plan.alone() < 0;
    }

    /** The first batch of the step behind the next one, which stays open until that; null for none. */
    void set(Batch next) {
        first = next;
    }

    /** What follows batch {@code i} of a step. */
    void tell(Session to, List<Batch> step, int i) {
        Batch b = i + 1 < step.size() ? step.get(i + 1) : first;
        if (!isWanted() || b == null || !(to instanceof ServerSession servers)) return;
        List<Edge> feeds = new ArrayList<>(List.of(graph.targets().edge()));
        model.inputs().forEach(x -> feeds.add(x.edge()));
        List<Tensor> values = new ArrayList<>(List.of(b.targets()));
        values.addAll(b.inputs());
        servers.announce(feeds, values);
    }
}
