package dev.oxbow.kernels.audio;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A WAV file of 16-bit samples.
 *
 * @param data the samples of all channels, one moment after the other
 */
public record Wav(int channels, int rate, ByteBuffer data) {
    private static final int PCM = 1;
    private static final int WIDTH = 2;
    private static final int HEADER = 44;
    private static final float SCALE = 1 << 15;

    public int samples() {
        return data.remaining() / (WIDTH * channels);
    }

    /** A sample between -1 and 1. */
    public float sample(int moment, int channel) {
        return data.getShort(data.position() + WIDTH * (moment * channels + channel)) / SCALE;
    }

    /** Reads a file; chunks that are not known are skipped. */
    public static Wav read(byte[] file) {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        expect(in, "RIFF");
        number(in);
        expect(in, "WAVE");
        expect(in, "fmt ");
        long size = number(in);
        require(
                size == 16 || size == 18,
                INVALID_ARGUMENT,
                "Bad format chunk size for WAV: Expected 16 or 18, but got %d",
                size);
        need(in, (int) size, "the format");
        int format = in.getShort() & 0xffff,
                channels = in.getShort() & 0xffff,
                rate = in.getInt(),
                perSecond = in.getInt();
        int perMoment = in.getShort() & 0xffff, bits = in.getShort() & 0xffff;
        if (size == 18) in.getShort();
        require(format == PCM, INVALID_ARGUMENT, "Bad audio format for WAV: Expected 1 (PCM), but got %d", format);
        require(
                channels > 0,
                INVALID_ARGUMENT,
                "Bad number of channels for WAV: Expected at least 1, but got %d",
                channels);
        require(bits == 8 * WIDTH, INVALID_ARGUMENT, "Can only read 16-bit WAV files, but received %d", bits);
        require(
                perMoment == WIDTH * channels,
                INVALID_ARGUMENT,
                "Bad bytes per sample in WAV header: Expected %d but got %d",
                WIDTH * channels,
                perMoment);
        require(
                Integer.toUnsignedLong(perSecond) == Integer.toUnsignedLong(rate) * perMoment,
                INVALID_ARGUMENT,
                "Bad bytes per second in WAV header: Expected %d but got %d",
                Integer.toUnsignedLong(rate) * perMoment,
                Integer.toUnsignedLong(perSecond));
        return new Wav(channels, rate, data(in, perMoment));
    }

    private static ByteBuffer data(ByteBuffer in, int perMoment) {
        ByteBuffer data = null;
        while (in.hasRemaining()) {
            String chunk = name(in);
            long size = number(in);
            require(
                    size <= Integer.MAX_VALUE,
                    INVALID_ARGUMENT,
                    "WAV data chunk '%s' is too large: %d bytes",
                    chunk,
                    size);
            if (chunk.equals("data")) {
                require(data == null, INVALID_ARGUMENT, "More than one data chunk found in WAV");
                int whole = (int) size / perMoment * perMoment;
                need(in, whole, "the samples");
                data = in.slice(in.position(), whole).order(ByteOrder.LITTLE_ENDIAN);
                in.position(in.position() + whole);
            } else {
                in.position((int) Math.min(in.limit(), in.position() + size));
            }
        }
        require(data != null, INVALID_ARGUMENT, "No data chunk found in WAV");
        return data;
    }

    private static void expect(ByteBuffer in, String name) {
        String found = name(in);
        require(found.equals(name), INVALID_ARGUMENT, "Header mismatch: Expected %s but found %s", name, found);
    }

    private static String name(ByteBuffer in) {
        byte[] name = new byte[4];
        need(in, 4, "the name of a chunk");
        in.get(name);
        return new String(name, StandardCharsets.ISO_8859_1);
    }

    private static long number(ByteBuffer in) {
        need(in, 4, "a number");
        return Integer.toUnsignedLong(in.getInt());
    }

    private static void need(ByteBuffer in, int bytes, String what) {
        if (in.remaining() < bytes)
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Data too short when trying to read %s: %d bytes are left of %d"
                            .formatted(what, in.remaining(), bytes));
    }

    /** Where samples come from. */
    @FunctionalInterface
    public interface Samples {
        float at(int moment, int channel);
    }

    /** Writes a file; what is louder than 1 is cut off. */
    public static byte[] write(int samples, int channels, int rate, Samples from) {
        long data = (long) samples * channels * WIDTH;
        ByteBuffer out = ByteBuffer.allocate(Counts.objects(HEADER + data, 1)).order(ByteOrder.LITTLE_ENDIAN);
        out.put(ascii("RIFF")).putInt((int) (data + HEADER - 8)).put(ascii("WAVE"));
        out.put(ascii("fmt "))
                .putInt(16)
                .putShort((short) PCM)
                .putShort((short) channels)
                .putInt(rate);
        out.putInt(rate * channels * WIDTH).putShort((short) (channels * WIDTH)).putShort((short) (8 * WIDTH));
        out.put(ascii("data")).putInt((int) data);
        for (int i = 0; i < samples; i++)
            for (int c = 0; c < channels; c++) {
                float v = from.at(i, c) * SCALE;
                double rounded = Math.copySign(Math.floor(Math.abs((double) v) + 0.5), v); // halves away from zero
                out.putShort((short) Math.clamp(rounded, Short.MIN_VALUE, Short.MAX_VALUE));
            }
        return out.array();
    }

    private static byte[] ascii(String s) {
        return s.getBytes(StandardCharsets.US_ASCII);
    }
}
