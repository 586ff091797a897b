package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.StageTime;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of an epoch: the mean loss over its examples, and metrics by name; those of validation begin with {@code validation}.
 *
 * @param waits how many steps had to wait for their input
 * @param waited how long all steps together were about getting it
 * @param stages how long the stages of the input's pipeline worked, since training began; none where it is no pipeline
 */
public record Epoch(
        long number,
        long steps,
        long examples,
        double loss,
        Map<String, Double> metrics,
        Duration time,
        long waits,
        Duration waited,
        List<StageTime> stages) {

    public Epoch {
        stages = List.copyOf(stages);
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    /** A figure by name, such as {@code loss}, {@code accuracy} or {@code validation loss}. */
    public double figure(String name) {
        if (name.equals("loss")) return loss;
        Double figure = metrics.get(name);
        require(figure != null, NOT_FOUND, "Epoch: there is no figure '%s', only loss and %s", name, metrics.keySet());
        return figure;
    }
}
