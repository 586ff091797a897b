package dev.oxbow.cli;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What an evaluation says, as a line for people. */
final class Figures {
    private Figures() {}

    /** The accuracy with its counts where there is one, else the loss and all metrics. */
    static String text(Map<String, Double> figures, long size, String things) {
        Double share = figures.get("accuracy");
        if (share != null)
            return String.format(
                    Locale.ROOT,
                    "test accuracy %.2f %% (%d of %d %s)",
                    100 * share,
                    Math.round(share * size),
                    size,
                    things);
        return "test " + list(figures) + " (" + size + " " + things + ")";
    }

    /** All of them: {@code loss 0.1234, auc 0.9012}. */
    static String list(Map<String, Double> figures) {
        return figures.entrySet().stream()
                .map(e -> String.format(Locale.ROOT, "%s %.4f", e.getKey(), e.getValue()))
                .collect(Collectors.joining(", "));
    }
}
