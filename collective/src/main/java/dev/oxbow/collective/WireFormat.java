package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.codec.Bf16Codec;
import dev.oxbow.collective.codec.Codec;
import dev.oxbow.collective.codec.F16Codec;
import dev.oxbow.collective.codec.Int8Codec;
import dev.oxbow.tensor.OxbowException;
import java.util.Locale;

/**
 * How f32 values are written on the wire. All ranks end with the same bits under each format. In an all-reduce values are
 * rounded when a contribution is sent and once more when the result is: with the direct algorithm each contribution and the
 * result once, with the ring each of P-1 partial results and the result.
 */
public final class WireFormat {

    /** As they are. */
    public static final WireFormat NONE = new WireFormat("none", null, 0);

    /**
     * The upper 16 bits; the lower ones are filled with zeros. Half the bytes. Rounds towards zero with a relative error
     * below 2^-7, for denormals an absolute error below 2^-133. Infinities stay, NaN stays NaN.
     */
    public static final WireFormat BF16 = new WireFormat("bf16", new Bf16Codec(), 0);

    /**
     * IEEE half precision, rounded to nearest. Half the bytes. A relative error of at most 2^-11 from 2^-14 to 65,504, an
     * absolute error of at most 2^-25 below; 65,520 and more become infinite. NaN stays NaN.
     */
    public static final WireFormat F16 = new WireFormat("f16", new F16Codec(), 0);

    /**
     * Whole numbers from -127 to 127 with one f32 scale for each 1,024 values. About a quarter of the bytes. With m the
     * largest magnitude of a block the absolute error is at most m/253 + 2^-119; a block that holds an infinity or a NaN
     * becomes NaN throughout, so that the fault is seen.
     */
    public static final WireFormat INT8 = new WireFormat("int8", new Int8Codec(), 0);

    private final String name;
    private final Codec codec;
    private final double fraction;

    private WireFormat(String name, Codec codec, double fraction) {
        this.name = name;
        this.codec = codec;
        this.fraction = fraction;
    }

    /**
     * Only the given fraction of the values, those of the largest magnitude, with their indices. What a rank does not send
     * it keeps and adds to its values of the next call of the same name. The part that is kept has at most
     * {@code sqrt(1 - fraction)} times the norm of the values, and nothing is ever lost: results and what is kept add up to
     * all values ever given. For sums and means.
     */
    public static WireFormat topK(double fraction) {
        require(
                fraction > 0 && fraction <= 1,
                INVALID_ARGUMENT,
                "WireFormat: the fraction of top-k must be above 0 and at most 1, got %s",
                fraction);
        return new WireFormat("top-k", null, fraction);
    }

    /** The format with a name such as {@code none}, {@code bf16}, {@code f16}, {@code int8} or {@code top-k:0.01}. */
    public static WireFormat named(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (WireFormat f : new WireFormat[] {NONE, BF16, F16, INT8}) if (f.name.equals(lower)) return f;
        try {
            if (lower.startsWith("top-k:")) return topK(Double.parseDouble(lower.substring("top-k:".length())));
        } catch (NumberFormatException e) {
            throw unknown(name);
        }
        throw unknown(name);
    }

    private static OxbowException unknown(String name) {
        return new OxbowException(
                INVALID_ARGUMENT, "WireFormat: must be none, bf16, f16, int8 or top-k:FRACTION, got '" + name + "'");
    }

    /** How each value is written, or {@code null} when values are sent as they are or chosen. */
    Codec codec() {
        return codec;
    }

    /** Whether only the largest values travel. */
    public boolean isTopK() {
        return fraction > 0;
    }

    /** How many of {@code count} values top-k sends: at least one. */
    long chosen(long count) {
        return Math.min(count, Math.max(1, (long) Math.ceil(fraction * count)));
    }

    /** Bytes on the wire for each byte of f32, about. */
    public double ratio() {
        return isTopK() ? 2 * fraction : codec == null ? 1 : codec.bytes(1 << 20) / (double) (4 << 20);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof WireFormat f && f.name.equals(name) && f.fraction == fraction;
    }

    @Override
    public int hashCode() {
        return name.hashCode() + Double.hashCode(fraction);
    }

    @Override
    public String toString() {
        return isTopK() ? name + ":" + fraction : name;
    }
}
