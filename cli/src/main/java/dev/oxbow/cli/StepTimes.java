package dev.oxbow.cli;

import dev.oxbow.data.pipeline.StageTime;
import dev.oxbow.train.Callback;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Trainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Times each step and shows how training goes. */
final class StepTimes implements Callback {
    private final ProgressBar bar;
    private final int epochs;
    private final List<Double> millis = new ArrayList<>();
    private long last = System.nanoTime();
    private long epoch = -1;
    private double sum;
    private int count;
    private long steps;
    private long waits;
    private Duration waited = Duration.ZERO;
    private Duration time = Duration.ZERO;
    private List<StageTime> stages = List.of();

    StepTimes(ProgressBar bar, int epochs) {
        this.bar = bar;
        this.epochs = epochs;
    }

    List<Double> millis() {
        return millis;
    }

    /** How often steps of whole epochs waited for input, and what that means; null where there was no such epoch. */
    String input() {
        if (steps == 0) return null;
        double share = (double) waited.toNanos() / time.toNanos();
        String text = "%d of %d steps waited for input, which took %.1f %% of the time; %s is the bottleneck"
                .formatted(waits, steps, 100 * share, share > 0.5 ? "input" : "compute");
        return StageTime.longest(stages)
                .map(s -> "%s; most of the work for input is '%s' (%.0f %%)"
                        .formatted(text, s.stage(), 100 * s.share(stages)))
                .orElse(text);
    }

    @Override
    public void step(Trainer t, double loss) {
        long now = System.nanoTime();
        millis.add((now - last) / 1e6);
        if (t.position().epoch() != epoch) {
            epoch = t.position().epoch();
            sum = 0;
            count = 0;
        }
        sum += loss;
        count++;
        bar.step((int) t.position().step(), "epoch %d/%d, loss %.4f".formatted(epoch + 1, epochs, sum / count), false);
        last = System.nanoTime();
    }

    @Override
    public boolean epoch(Trainer t, Epoch e) {
        Map<String, Double> figures = new LinkedHashMap<>(Map.of("loss", e.loss()));
        figures.putAll(e.metrics());
        steps += e.steps();
        waits += e.waits();
        waited = waited.plus(e.waited());
        time = time.plus(e.time());
        stages = e.stages();
        String text = "epoch %d/%d, %s".formatted(e.number() + 1, epochs, Figures.list(figures));
        bar.step((int) t.position().step(), text, true);
        last = System.nanoTime();
        return false;
    }
}
