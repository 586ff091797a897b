package dev.oxbow.benchmarks;

import java.util.Locale;

/**
 * What was timed of one workload: its rate, seconds of the first call, the most bytes that the card's values took, and the share
 * of what the card can do, NaN where that is not known.
 */
record GpuRow(
        String name,
        String unit,
        double median,
        double least,
        double most,
        double firstSeconds,
        long peakBytes,
        double share,
        Other other) {

    /** PyTorch's best way: its rate, seconds of its first step, with compilation, and the most memory that it took. */
    record Other(String way, double rate, double firstSeconds, double peakMib) {}

    private static final double MIB = 1 << 20;

    String inWords(double units) {
        String text = String.format(
                Locale.ROOT,
                "%-18s %12.4g %-9s %10.2f us a call   (%.4g to %.4g; first call %.2f s; %.0f MiB)",
                name,
                median,
                unit,
                1e6 * units / median,
                least,
                most,
                firstSeconds,
                peakBytes / MIB);
        if (!Double.isNaN(share)) text += String.format(Locale.ROOT, "  %.0f %% of the card", 100 * share);
        if (other == null) return text;
        return text
                + String.format(
                        Locale.ROOT,
                        "  %.3f times PyTorch's %.4g (%s; first call %.2f s; %.0f MiB)",
                        median / other.rate,
                        other.rate,
                        other.way,
                        other.firstSeconds,
                        other.peakMib);
    }

    String inJson() {
        String own = String.format(
                Locale.ROOT,
                "{\"name\": \"%s\", \"unit\": \"%s\", \"best\": %.6g, \"spread\": [%.6g, %.6g], \"first_s\": %.3f, \"peak_mib\": %.0f",
                name,
                unit,
                median,
                least,
                most,
                firstSeconds,
                peakBytes / MIB);
        if (!Double.isNaN(share)) own += String.format(Locale.ROOT, ", \"share\": %.4f", share);
        if (other != null)
            own += String.format(
                    Locale.ROOT,
                    ", \"peer\": %.6g, \"peer_way\": \"%s\", \"peer_first_s\": %.3f, \"peer_peak_mib\": %.0f, \"ratio\": %.4f",
                    other.rate,
                    other.way,
                    other.firstSeconds,
                    other.peakMib,
                    median / other.rate);
        return own + "}";
    }
}
