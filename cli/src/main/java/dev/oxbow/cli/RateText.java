package dev.oxbow.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 125MB/s}, {@code 1Gbit/s} or {@code 553.36MB} as bytes, a second or not; units are powers of 1000. */
final class RateText implements ITypeConverter<Double> {
    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*([kKMGT]?)(B|bit|b|)(?:/s|ps)?");

    @Override
    public Double convert(String text) {
        Matcher m = TEXT.matcher(text);
        if (!m.matches())
            throw new TypeConversionException("'" + text + "' is no amount such as 553.36MB, 125MB/s or 1Gbit/s");
        String unit = m.group(2).toUpperCase(Locale.ROOT);
        double bits = m.group(3).startsWith("b") ? 8 : 1;
        return Double.parseDouble(m.group(1)) * Math.pow(1000, unit.isEmpty() ? 0 : "KMGT".indexOf(unit) + 1) / bits;
    }
}
