package dev.oxbow.graph.wire;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;

/** Strings of attributes, which are bytes on the wire: those that are not UTF-8 keep their bytes as Latin-1 with a mark. */
public final class WireText {
    private static final String LATIN = "\u0000latin1:";

    private WireText() {}

    public static String text(ByteString s) {
        return s.isValidUtf8() ? s.toStringUtf8() : LATIN + s.toString(StandardCharsets.ISO_8859_1);
    }

    public static ByteString bytes(String s) {
        return s.startsWith(LATIN)
                ? ByteString.copyFrom(s.substring(LATIN.length()), StandardCharsets.ISO_8859_1)
                : ByteString.copyFromUtf8(s);
    }
}
