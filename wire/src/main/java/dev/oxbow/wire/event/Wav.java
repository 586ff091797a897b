package dev.oxbow.wire.event;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Sounds of 16 bits a sample as WAV files. */
final class Wav {
    private static final int HEADER = 44;
    private static final int BITS = 16;

    private Wav() {}

    /** Of samples between -1 and 1, frame after frame. */
    static byte[] encode(float[] samples, int rate, int channels) {
        int size = Math.multiplyExact(samples.length, Short.BYTES);
        ByteBuffer out = ByteBuffer.allocate(Math.addExact(HEADER, size)).order(ByteOrder.LITTLE_ENDIAN);
        out.put(ascii("RIFF")).putInt(HEADER - 8 + size).put(ascii("WAVEfmt ")).putInt(16);
        out.putShort((short) 1).putShort((short) channels).putInt(rate);
        out.putInt(rate * channels * Short.BYTES).putShort((short) (channels * Short.BYTES));
        out.putShort((short) BITS).put(ascii("data")).putInt(size);
        for (float s : samples) {
            float scaled = s * (1 << (BITS - 1)),
                    rounded = (float) (Math.signum(scaled) * Math.floor(Math.abs(scaled) + 0.5));
            out.putShort((short) Math.clamp(rounded, Short.MIN_VALUE, Short.MAX_VALUE));
        }
        return out.array();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
