package dev.oxbow.benchmarks;

import java.util.Locale;

/** What was timed of one workload, with the share of what the card can do, NaN where that is not known, and the peer's best. */
record GpuRow(
        String name,
        String unit,
        double median,
        double least,
        double most,
        double firstSeconds,
        double share,
        double peer,
        String setting) {
    String inWords(double units) {
        String text = String.format(
                Locale.ROOT,
                "%-18s %12.4g %-9s %10.2f us a call   (%.4g to %.4g; ready in %.2f s)",
                name,
                median,
                unit,
                1e6 * units / median,
                least,
                most,
                firstSeconds);
        if (!Double.isNaN(share)) text += String.format(Locale.ROOT, "  %.0f %% of the card", 100 * share);
        if (setting != null)
            text += String.format(Locale.ROOT, "  %.3f times PyTorch's %.4g (%s)", median / peer, peer, setting);
        return text;
    }

    String inJson() {
        String own = String.format(
                Locale.ROOT,
                "{\"name\": \"%s\", \"unit\": \"%s\", \"best\": %.6g, \"spread\": [%.6g, %.6g], \"first_s\": %.3f",
                name,
                unit,
                median,
                least,
                most,
                firstSeconds);
        if (!Double.isNaN(share)) own += String.format(Locale.ROOT, ", \"share\": %.4f", share);
        if (setting != null)
            own += String.format(
                    Locale.ROOT,
                    ", \"peer\": %.6g, \"peer_setting\": \"%s\", \"ratio\": %.4f",
                    peer,
                    setting,
                    median / peer);
        return own + "}";
    }
}
