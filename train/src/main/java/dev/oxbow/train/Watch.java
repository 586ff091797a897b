package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.state.Position;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** Notices that training has left the numbers, finds the step and the node that did it, and goes back before it. */
final class Watch implements AutoCloseable {

    /*
     * A check in the graph before the updates would have to wait for all gradients, which costs every step its order and its
     * fused updates. So nothing is added to the graph: the loss of each step is looked at, and every so many steps, at the
     * beginning of each epoch and at its end, the state is copied if its parameters are finite. When a number is not finite,
     * training goes back to the copy and takes the same steps again, which give the same bits since batches and random
     * numbers follow from the position, until one of them breaks. That one is taken once more in a session that looks at the
     * outputs of all nodes, and then the state before it is put back.
     */

    private final Runs runs;
    private final Batches batches;
    private final int accumulation;
    private final int every;
    private final List<Parameter> trained;
    private Position from;
    private Map<String, Tensor> good;
    private Map<String, Tensor> slices = Map.of();

    Watch(Runs runs, Trainer.Config config, Batches batches, Position start) {
        this.runs = runs;
        this.batches = batches;
        this.accumulation = config.optimizer().accumulation();
        this.every = config.watch();
        this.trained = config.model().parameters();
        if (every > 0) keep(start);
    }

    private void keep(Position at) {
        Map<String, Tensor> now = runs.values(runs.graph().state()), own = runs.slices();
        close();
        good = now;
        slices = own;
        from = at;
    }

    /** After a step, with its loss: what is wrong, or null. */
    OxbowException step(Position before, Position after, double loss) {
        if (every == 0) return Double.isFinite(loss) ? null : plain(before, "a loss of " + loss);
        if (!Double.isFinite(loss)) return failed(before, "a loss of " + loss);
        return after.step() - from.step() >= every ? end(before, after) : null;
    }

    /** After the last step of a while: what is wrong with parameters, also those that no loss has seen yet, or null. */
    OxbowException end(Position before, Position after) {
        if (every == 0 || after.step() == from.step()) return null;
        String broken = broken();
        if (broken != null) return failed(before, broken);
        keep(after);
        return null;
    }

    /** What a parameter that is not finite has, or null. */
    private String broken() {
        Map<String, Tensor> now = runs.values(trained);
        try {
            for (var e : now.entrySet())
                if (!finite(e.getValue())) return "parameter '" + e.getKey() + "' numbers that are not finite";
            return null;
        } finally {
            now.values().forEach(Tensor::close);
        }
    }

    private static boolean finite(Tensor t) {
        if (!t.dtype().isFloating()) return true;
        if (t.dtype() == DType.F32) {
            MemorySegment all = t.segment();
            for (long i = 0; i < t.size(); i++)
                if (!Float.isFinite(all.getAtIndex(ValueLayout.JAVA_FLOAT, i))) return false;
            return true;
        }
        for (long i = 0; i < t.size(); i++) if (!Double.isFinite(t.getDouble(i))) return false;
        return true;
    }

    private void goBack() {
        runs.assign(runs.graph().state(), good);
        runs.restoreSlices(slices);
    }

    /** Goes back, takes the steps again up to {@code last}, and says which one broke what; the state is that before it. */
    private OxbowException failed(Position last, String seen) {
        goBack();
        Position at = from;
        try (Feed<Batch> all = batches.epoch(at.epoch(), at.batch())) {
            while (at.step() <= last.step() && all.hasNext()) {
                List<Batch> group = Runs.group(all, accumulation);
                try {
                    keep(at);
                    double l = runs.step(group, new Totals(List.of()));
                    String what = Double.isFinite(l) ? broken() : "a loss of " + l;
                    if (what != null) return brokenBy(at, what, group);
                } finally {
                    group.forEach(Batch::close);
                }
                at = at.afterBatches(group.size());
            }
        }
        from = at;
        return plain(
                last,
                seen + " which did not come again when its steps were repeated from the same"
                        + " values; batches or ops are not the same each time");
    }

    private OxbowException brokenBy(Position at, String what, List<Batch> group) {
        goBack();
        try {
            runs.checkedStep(group);
            return plain(at, what);
        } catch (OxbowException e) {
            return new OxbowException(e.code(), plain(at, what).getMessage() + ": " + e.getMessage(), e);
        } finally {
            goBack();
        }
    }

    private OxbowException plain(Position at, String what) {
        return new OxbowException(
                FAILED_PRECONDITION,
                "Trainer: step %d (epoch %d, batch %d) gives %s%s"
                        .formatted(
                                at.step(),
                                at.epoch(),
                                at.batch(),
                                what,
                                every > 0 ? "; the state is that before the step" : ""));
    }

    /** The position that the state belongs to after a failure. */
    Position position() {
        return from;
    }

    @Override
    public void close() {
        if (good != null) good.values().forEach(Tensor::close);
        good = null;
        slices.values().forEach(Tensor::close);
        slices = Map.of();
    }
}
