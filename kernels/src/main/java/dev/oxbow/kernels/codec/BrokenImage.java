package dev.oxbow.kernels.codec;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** Errors of files that are not what they should be. */
final class BrokenImage {
    private BrokenImage() {}

    static OxbowException at(String format, long offset, String rule, Object... values) {
        return new OxbowException(
                ErrorCode.INVALID_ARGUMENT, "%s at byte %d: %s".formatted(format, offset, rule.formatted(values)));
    }
}
