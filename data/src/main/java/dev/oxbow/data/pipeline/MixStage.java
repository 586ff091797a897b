package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;

/** Each time an element of one of several stages, drawn by weights from those that have not ended; each comes once. */
record MixStage<T>(List<Stage<? extends T>> from, List<Double> weights, long seed) implements Stage<T> {

    MixStage {
        from = List.copyOf(from);
        weights = List.copyOf(weights);
        require(
                from.size() == weights.size() && !from.isEmpty(),
                INVALID_ARGUMENT,
                "mix: needs a weight for each of %d pipelines, got %d",
                from.size(),
                weights.size());
        for (double w : weights)
            require(w > 0 && w < Double.POSITIVE_INFINITY, INVALID_ARGUMENT, "mix: weights are above 0, got %s", w);
    }

    @Override
    public Cursor<T> open(Setting setting) {
        List<Cursor<? extends T>> all = Opened.all(from, setting);
        List<Double> left = new ArrayList<>(weights);
        return new Cursor<>() {
            private final List<Cursor<? extends T>> open = new ArrayList<>(all);
            private long index;

            @Override
            public Lazy<T> next() {
                while (!open.isEmpty()) {
                    int chosen = choose(new Draw(seed, setting.epoch(), index++).uniform(), left);
                    Lazy<? extends T> next = open.get(chosen).next();
                    if (next != null) return next.then(x -> x);
                    open.remove(chosen);
                    left.remove(chosen);
                }
                return null;
            }

            @Override
            public void close() {
                Opened.close(all);
            }
        };
    }

    private static int choose(double at, List<Double> weights) {
        double rest = at * weights.stream().mapToDouble(w -> w).sum();
        for (int i = 0; i < weights.size() - 1; i++) {
            rest -= weights.get(i);
            if (rest < 0) return i;
        }
        return weights.size() - 1;
    }

    @Override
    public String describe() {
        return "mix " + weights;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.copyOf(from);
    }
}
