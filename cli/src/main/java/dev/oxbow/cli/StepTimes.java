package dev.oxbow.cli;

import dev.oxbow.train.Callback;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Trainer;
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

    StepTimes(ProgressBar bar, int epochs) {
        this.bar = bar;
        this.epochs = epochs;
    }

    List<Double> millis() {
        return millis;
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
        String text = "epoch %d/%d, %s".formatted(e.number() + 1, epochs, Figures.list(figures));
        bar.step((int) t.position().step(), text, true);
        last = System.nanoTime();
        return false;
    }
}
