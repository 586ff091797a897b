package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.text.Printf;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Numbers as text in the ways that AsString offers. */
record NumberFormat(int precision, boolean scientific, boolean shortest, int width, String fill) {

    /** The most characters of one number. */
    private static final int LONGEST = 1 << 16;

    void check(DType d) {
        boolean whole = d.isInteger() || d == DType.BOOL || d == DType.STRING;
        require(
                !whole || precision < 0 && !scientific && !shortest,
                INVALID_ARGUMENT,
                "scientific and shortest format not supported for datatype %s, precision not supported for it either",
                d.inWords());
        require(
                precision <= LONGEST && width <= LONGEST,
                INVALID_ARGUMENT,
                "precision and width must be at most %d, got %d and %d",
                LONGEST,
                precision,
                width);
        require(!(scientific && shortest), INVALID_ARGUMENT, "Cannot select both scientific and shortest notation");
        require(fill.length() <= 1, INVALID_ARGUMENT, "Fill string must be one or fewer characters, got '%s'", fill);
        require(fill.isEmpty() || " +-0#".contains(fill), INVALID_ARGUMENT, "Fill argument not supported: '%s'", fill);
    }

    String text(Tensor x, long i) {
        DType d = x.dtype();
        if (d == DType.STRING) return padded(Strings.text(Strings.get(x, i)));
        if (d == DType.BOOL) return padded(x.getLong(i) != 0 ? "true" : "false");
        if (d == DType.U64) return padded(Long.toUnsignedString(x.getLong(i)));
        if (d == DType.C64)
            return "(" + number(Memory.getFloat(x.address() + 8 * i)) + ","
                    + number(Memory.getFloat(x.address() + 8 * i + 4)) + ")";
        if (d == DType.C128)
            return "(" + number(Memory.getDouble(x.address() + 16 * i)) + ","
                    + number(Memory.getDouble(x.address() + 16 * i + 8)) + ")";
        return d.isFloating() ? number(x.getDouble(i)) : padded(Long.toString(x.getLong(i)));
    }

    private String number(double x) {
        Printf.Style style =
                scientific ? Printf.Style.SCIENTIFIC : shortest ? Printf.Style.SHORTEST : Printf.Style.FIXED;
        return padded(Printf.number(x, style, precision));
    }

    private String padded(String s) {
        return Printf.padded(s, fill.isEmpty() ? 0 : fill.charAt(0), width);
    }
}
