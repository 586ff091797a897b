package dev.oxbow.benchmarks;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 64MB}, {@code 1KB,1MB}, or {@code 1KB..256MB} in steps of four. */
final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)\\s*([KMG]?)I?B?");
    private static final int STEP = 4;

    private Sizes() {}

    static List<Long> parse(String text) {
        List<Long> sizes = new ArrayList<>();
        for (String part : text.split(",")) {
            String[] ends = part.split("\\.\\.", 2);
            long from = bytes(ends[0]), to = ends.length > 1 ? bytes(ends[1]) : from;
            if (from > to || from == 0 && to > 0)
                throw new IllegalArgumentException("'" + part + "' is no range of sizes");
            for (long size = from; size <= to; size *= STEP) {
                sizes.add(size);
                if (size == 0) break;
            }
            if (sizes.getLast() != to) sizes.add(to);
        }
        return sizes;
    }

    private static long bytes(String text) {
        Matcher m = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!m.matches())
            throw new IllegalArgumentException("'" + text + "' is not a size such as 1KB, 64MB or 1KB..256MB");
        int power = m.group(2).isEmpty() ? 0 : "KMG".indexOf(m.group(2)) + 1;
        return new BigDecimal(m.group(1))
                .multiply(BigDecimal.valueOf(1L << 10 * power))
                .longValue();
    }
}
