package dev.oxbow.train;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Gives the state of one process to all others of its group: to those that have just come, and to those that are behind. */
final class Handover {
    private static final long NOTHING = -1;

    private Handover() {}

    /** What this process has behind a step that has failed, which counts if its updates were done here: they are all or none. */
    static Checkpoint rescued(Runs runs, Position position, Trainer.Config config) {
        Map<String, Tensor> values = runs.ownValues(runs.graph().state());
        long done = values.get(runs.graph().count().name()).getLong(0);
        int batches = config.optimizer().accumulation();
        Position at = done == position.step() + 1 ? position.afterBatches(batches) : position;
        return new Checkpoint(at, values, Map.of("plan", config.plan().toString()));
    }

    /** What the root has; empty where that is nothing. Every process calls it; the caller closes what comes. */
    static Optional<Checkpoint> take(Group all, int root, List<Parameter> state, Checkpoint mine) {
        boolean gives = all.rank() == root;
        Position at = gives && mine != null ? mine.position() : new Position(NOTHING, 0, 0);
        try (Tensor position = Tensor.of(Shape.of(3), at.step(), at.epoch(), at.batch())) {
            broadcast(all, root, "position", position);
            if (position.getLong(0) == NOTHING) return Optional.empty();
            at = new Position(position.getLong(0), position.getLong(1), position.getLong(2));
        }
        Map<String, Tensor> values = new LinkedHashMap<>();
        try {
            for (Parameter p : state) {
                TensorType type = p.initialiser().input(1).type();
                Tensor t = Tensor.allocate(type.dtype(), type.shape());
                values.put(p.name(), t);
                if (gives) mine.values().get(p.name()).copyTo(t);
                broadcast(all, root, p.name(), t);
            }
            return Optional.of(new Checkpoint(at, values, Map.of()));
        } catch (RuntimeException e) {
            values.values().forEach(Tensor::close);
            throw e;
        }
    }

    private static void broadcast(Group all, int root, String name, Tensor t) {
        if (all.size() > 1)
            all.broadcast(t, root, Options.named("handover/" + name)).await();
    }
}
