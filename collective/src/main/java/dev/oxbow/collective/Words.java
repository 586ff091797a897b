package dev.oxbow.collective;

import java.util.Locale;

/** Values in words, for messages. */
final class Words {
    private Words() {}

    /** A duration such as {@code 30 s} or {@code 0.25 s}. */
    static String seconds(long nanos) {
        String s = String.format(Locale.ROOT, "%.3f", nanos / 1e9).replaceAll("\\.?0+$", "");
        return s + " s";
    }
}
