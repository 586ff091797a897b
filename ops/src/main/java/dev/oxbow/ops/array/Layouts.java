package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/** What the data-format ops share: positions of letters in two layouts such as NHWC and NCHW. */
final class Layouts {
    private Layouts() {}

    /** For each position of {@code to}, where its letter is in {@code from}. */
    static int[] permutation(String from, String to) {
        require(
                from.length() == to.length(),
                INVALID_ARGUMENT,
                "source format %s and destination format %s differ in length",
                from,
                to);
        int[] p = new int[to.length()];
        for (int i = 0; i < p.length; i++) {
            p[i] = from.indexOf(to.charAt(i));
            require(
                    p[i] >= 0,
                    INVALID_ARGUMENT,
                    "Destination format %s must be a permutation of source format %s",
                    to,
                    from);
        }
        return p;
    }
}
