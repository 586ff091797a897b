package dev.oxbow.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What was measured for one collective of one size.
 *
 * @param algorithm the one that was wished, or {@code -}
 * @param seconds ours, or NaN when it failed
 * @param mpi Open MPI's seconds, or NaN
 * @param gloo Gloo's seconds, or NaN
 * @param predicted seconds that the links' rate allows, or NaN
 * @param pairs ours beside another build's
 */
record CollectiveRow(
        Collective collective,
        String transport,
        int ranks,
        long bytes,
        String wire,
        String algorithm,
        double seconds,
        double mpi,
        double gloo,
        double predicted,
        Optional<Pairs> pairs) {

    double algorithmBandwidth() {
        return bytes / seconds / 1e9;
    }

    double busBandwidth() {
        return collective.busFactor(ranks) * algorithmBandwidth();
    }

    static String head(List<String> peers, boolean predicted, Optional<String> other) {
        StringBuilder b = new StringBuilder("%-15s %-9s %5s %9s %-17s %12s %9s %9s"
                .formatted("collective", "transport", "ranks", "size", "algorithm", "time us", "alg GB/s", "bus GB/s"));
        for (String p : peers) b.append(" %12s %7s".formatted(p + " us", "ratio"));
        if (predicted) b.append(" %12s %9s".formatted("predicted us", "measured/"));
        other.ifPresent(o -> b.append(" %20s %14s  %s".formatted(o + " us", "quartiles", "beside")));
        return b.toString();
    }

    /** Such as {@code all-reduce of 64 KB, 2 ranks, tcp, chosen}. */
    String name() {
        return "%s of %s, %d ranks, %s, %s".formatted(collective.key(), size(bytes), ranks, transport, how());
    }

    private String how() {
        String how = (algorithm.equals("-") ? "" : algorithm) + (wire.equals("none") ? "" : " " + wire);
        return how.isBlank() ? "chosen" : how.strip();
    }

    String line(List<String> peers) {
        StringBuilder b = new StringBuilder("%-15s %-9s %5d %9s %-17s %12s %9s %9s"
                .formatted(
                        collective.key(),
                        transport,
                        ranks,
                        size(bytes),
                        how(),
                        micros(seconds),
                        number(algorithmBandwidth()),
                        number(busBandwidth())));
        for (String p : peers) {
            double theirs = p.equals("mpi") ? mpi : gloo;
            b.append(" %12s %7s".formatted(micros(theirs), number(theirs / seconds)));
        }
        if (!Double.isNaN(predicted)) b.append(" %12s %9s".formatted(micros(predicted), number(seconds / predicted)));
        pairs.ifPresent(p -> b.append(" %20s %14s  %s".formatted(micros(p.figure()), p.quartiles(), p.ratio())));
        return b.toString();
    }

    static String json(List<CollectiveRow> rows) {
        return rows.stream().map(CollectiveRow::json).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private String json() {
        return ("{\"collective\": \"%s\", \"transport\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"seconds\": %s,"
                        + " \"bus_gb_per_s\": %s, \"ratio_mpi\": %s, \"ratio_gloo\": %s, \"algorithm\": %s, \"wire\": \"%s\","
                        + " \"ratio_predicted\": %s, \"build\": %s}")
                .formatted(
                        collective.key(),
                        transport,
                        ranks,
                        bytes,
                        value(seconds),
                        value(busBandwidth()),
                        value(mpi / seconds),
                        value(gloo / seconds),
                        algorithm.equals("-") ? "null" : '"' + algorithm + '"',
                        wire,
                        value(seconds / predicted),
                        pairs.map(Pairs::json).orElse("null"));
    }

    static String size(long bytes) {
        String[] units = {" B", " KB", " MB", " GB"};
        int unit = 0;
        double n = bytes;
        for (; n >= 1024 && unit < units.length - 1; n /= 1024) unit++;
        return (n == Math.rint(n) ? Long.toString((long) n) : String.format(Locale.ROOT, "%.1f", n)) + units[unit];
    }

    private static String micros(double seconds) {
        return Double.isNaN(seconds) ? "-" : String.format(Locale.ROOT, "%.1f", 1e6 * seconds);
    }

    private static String number(double v) {
        return Double.isNaN(v) ? "-" : String.format(Locale.ROOT, v >= 100 ? "%.0f" : v >= 10 ? "%.1f" : "%.3f", v);
    }

    private static String value(double v) {
        return Double.isFinite(v) ? String.format(Locale.ROOT, "%.6g", v) : "null";
    }
}
