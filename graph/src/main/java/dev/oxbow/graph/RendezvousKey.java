package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * What a send and its receive share, in TensorFlow's words and form: {@code
 * /job:a/replica:0/task:0/device:CPU:0;00000000000000ff;/job:b/replica:0/task:0/device:CPU:0;edge_1_x;0:0}.
 *
 * @param incarnation of the device that sends
 * @param frame the loop, 0 outside of any: a number that follows from names, so that tasks agree on it
 */
public record RendezvousKey(
        String sendDevice, long incarnation, String recvDevice, String tensor, long frame, long iteration) {

    /** The number of a loop that was entered from an iteration of the frame around it. */
    public static long frame(long parent, long iteration, String name) {
        return combine(parent, combine(iteration, Hashes.murmur(name.getBytes(StandardCharsets.UTF_8))));
    }

    private static long combine(long a, long b) {
        return a ^ b + 0x9e3779b97f4a7800L + (a << 10) + (a >>> 4);
    }

    public static RendezvousKey parse(String text) {
        String[] parts = text.split(";", -1);
        try {
            int colon = parts[4].indexOf(':');
            long frame = Long.parseUnsignedLong(parts[4].substring(0, colon));
            long iteration = Long.parseLong(parts[4].substring(colon + 1));
            if (parts.length == 5 && parts[1].length() == 16)
                return new RendezvousKey(
                        parts[0], HexFormat.fromHexDigitsToLong(parts[1]), parts[2], parts[3], frame, iteration);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw malformed(text, e);
        }
        throw malformed(text, null);
    }

    private static OxbowException malformed(String text, RuntimeException cause) {
        return new OxbowException(
                INVALID_ARGUMENT,
                "Rendezvous: a key is 'device;16 hexadecimal digits;device;tensor;frame:iteration', got '" + text + "'",
                cause);
    }

    @Override
    public String toString() {
        return sendDevice + ";" + HexFormat.of().toHexDigits(incarnation) + ";" + recvDevice + ";" + tensor + ";"
                + Long.toUnsignedString(frame) + ":" + iteration;
    }
}
