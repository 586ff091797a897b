package dev.oxbow.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500ms}, {@code 60s}, {@code 1.5m} or {@code 60} as a time; without a unit it is seconds. */
final class DurationText implements ITypeConverter<Duration> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|)");

    @Override
    public Duration convert(String text) {
        Matcher m = TEXT.matcher(text.toLowerCase(Locale.ROOT));
        if (!m.matches()) throw new TypeConversionException("'" + text + "' is not a time such as 500ms, 60s or 1.5m");
        long millis = switch (m.group(2)) {
            case "ms" -> 1;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 1000;
        };
        return Duration.ofNanos(new BigDecimal(m.group(1))
                .multiply(BigDecimal.valueOf(1_000_000 * millis))
                .longValue());
    }
}
