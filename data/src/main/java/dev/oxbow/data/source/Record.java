package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;

/** Bytes of a file, with where they come from, so that whatever is wrong with them can be found. */
public record Record(String file, long offset, byte[] bytes) {

    /** The bytes as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** An error that names the place and the rule. */
    public OxbowException broken(String rule, Object... values) {
        return broken(file, offset, rule.formatted(values));
    }

    static OxbowException broken(String file, long offset, String what) {
        return new OxbowException(DATA_LOSS, "%s at byte %d: %s".formatted(file, offset, what));
    }
}
