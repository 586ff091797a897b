package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/** Text in any encoding as code points, with one treatment of what is not valid. */
final class Unicode {

    /** What is done about bytes and code points that are not valid. */
    record Errors(String policy, int replacement, boolean replaceControls) {

        void check() {
            require(
                    replacement >= 0 && replacement <= Character.MAX_CODE_POINT && !isSurrogate(replacement),
                    INVALID_ARGUMENT,
                    "replacement_char out of unicode codepoint range: %d",
                    replacement);
        }

        /** What an invalid part becomes; -1 for nothing. */
        int invalid() {
            require(!policy.equals("strict"), INVALID_ARGUMENT, "Invalid formatting on input string");
            return policy.equals("ignore") ? -1 : replacement;
        }

        int valid(int codePoint) {
            if (!replaceControls || codePoint > 0x1f) return codePoint;
            return policy.equals("ignore") ? -1 : replacement;
        }
    }

    /** Receives code points with the bytes they start at. */
    interface Sink {
        void accept(int codePoint, int at);
    }

    private Unicode() {}

    static Charset charset(String name) {
        try {
            return Charset.forName(name.replaceAll("(?i)^(utf-?(16|32))-?([lb]e)$", "UTF-$2$3"));
        } catch (IllegalArgumentException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "Could not create converter for input encoding: %s".formatted(name), e);
        }
    }

    static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    /** Room for every code point of all strings: each takes a byte at least. */
    static int[] room(Object[] strings) {
        long bytes = 0;
        for (Object s : strings) bytes += ((byte[]) s).length;
        return Counts.array(bytes, int[]::new);
    }

    /** Gives every code point of {@code s} to {@code sink}. */
    static void decode(byte[] s, Charset charset, Errors errors, Sink sink) {
        CharsetDecoder decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(s);
        CharBuffer out = CharBuffer.allocate(2);
        while (in.hasRemaining()) {
            int at = in.position(), codePoint;
            out.clear().limit(1);
            CoderResult r = decoder.decode(in, out, true);
            if (out.position() == 0 && r.isOverflow()) {
                out.limit(2);
                r = decoder.decode(in, out, true);
            }
            if (out.position() > 0) {
                codePoint =
                        errors.valid(out.position() == 2 ? Character.toCodePoint(out.get(0), out.get(1)) : out.get(0));
            } else if (r.isError()) {
                in.position(in.position() + r.length());
                codePoint = errors.invalid();
            } else {
                break;
            }
            if (codePoint >= 0) sink.accept(codePoint, at);
        }
    }

    static byte[] encode(int[] codePoints, int n, String encoding) {
        return new String(codePoints, 0, n).getBytes(charset(encoding));
    }
}
