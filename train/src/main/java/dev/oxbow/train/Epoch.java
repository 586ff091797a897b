package dev.oxbow.train;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What came of an epoch: the mean loss over its examples, and metrics by name; those of validation begin with {@code validation}. */
public record Epoch(long number, long steps, long examples, double loss, Map<String, Double> metrics, Duration time) {

    public Epoch {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }
}
