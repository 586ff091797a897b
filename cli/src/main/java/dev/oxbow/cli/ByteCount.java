package dev.oxbow.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 1000}, {@code 64MB} or {@code 1.5GB} as bytes; units are powers of 1024. */
final class ByteCount implements ITypeConverter<Long> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*([KMGT]?)I?B?");

    @Override
    public Long convert(String text) {
        Matcher m = TEXT.matcher(text.toUpperCase(Locale.ROOT));
        if (!m.matches())
            throw new TypeConversionException("'" + text + "' is not a number of bytes such as 1000, 64MB or 1.5GB");
        int power = m.group(2).isEmpty() ? 0 : "KMGT".indexOf(m.group(2)) + 1;
        BigDecimal bytes = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(1L << 10 * power));
        return bytes.min(BigDecimal.valueOf(Long.MAX_VALUE - 1)).longValue();
    }
}
