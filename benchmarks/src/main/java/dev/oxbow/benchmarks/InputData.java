package dev.oxbow.benchmarks;

import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.wire.RecordFrame;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

/** The files that input is read from: photos of noise and waves, Examples and rows of numbers, in two files each. */
final class InputData {
    static final int IMAGES = 256, WIDTH = 500, HEIGHT = 375, FILES = 2, RECORDS = 20_000, FLOATS = 64, COLUMNS = 20;

    private InputData() {}

    /** Makes what is not there yet. */
    static void make(Path folder, boolean images) throws IOException {
        Path done = folder.resolve("made-with-parquet");
        if (Files.exists(done)) return;
        Files.createDirectories(folder.resolve("jpeg/a"));
        for (int i = 0; images && i < IMAGES; i++)
            Files.write(folder.resolve("jpeg/a/%04d.jpg".formatted(i)), photo(i));
        for (int f = 0; f < FILES; f++) {
            records(folder.resolve("records-" + f + ".tfrecord"), f);
            rows(folder.resolve("rows-" + f + ".csv"), f);
            BareParquet.write(folder.resolve("rows-" + f + ".parquet"), f);
        }
        Files.writeString(done, "whole\n");
    }

    private static byte[] photo(int seed) {
        Random r = new Random(seed);
        double a = 20 + r.nextInt(60), b = 15 + r.nextInt(50);
        byte[] s = new byte[3 * WIDTH * HEIGHT];
        for (int i = 0; i < s.length; i++) {
            int x = i / 3 % WIDTH, y = i / 3 / WIDTH, c = i % 3;
            double wave = 60 * Math.sin(x / a + c) + 40 * Math.cos(y / b - c) + 15 * Math.sin(x * y / 900.0);
            s[i] = (byte) Math.clamp(Math.round(125 + wave + r.nextInt(13) - 6), 0, 255);
        }
        JpegEncoder.Options quality = new JpegEncoder.Options(90, true, false, true, 300, 300, "");
        return JpegEncoder.encode(new Picture(WIDTH, HEIGHT, 3, s), quality);
    }

    private static void records(Path file, int seed) throws IOException {
        Random r = new Random(seed);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < RECORDS; i++) {
                ByteBuffer x = ByteBuffer.allocate(4 * FLOATS).order(ByteOrder.LITTLE_ENDIAN);
                while (x.hasRemaining()) x.putFloat(r.nextInt(1000) / 8f);
                byte[] id = field(3, field(1, new byte[] {(byte) (i & 127)}));
                byte[] name = field(1, field(1, ("n" + i).getBytes(StandardCharsets.UTF_8)));
                byte[] all = joined(entry("x", field(2, field(1, x.array()))), entry("id", id), entry("name", name));
                RecordFrame.write(out, field(1, all));
            }
        }
    }

    private static byte[] entry(String key, byte[] feature) {
        return field(1, joined(field(1, key.getBytes(StandardCharsets.UTF_8)), field(2, feature)));
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] p : parts) out.writeBytes(p);
        return out.toByteArray();
    }

    /** A field of a message that has a length. */
    private static byte[] field(int number, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(number << 3 | 2);
        int n = content.length;
        for (; n > 127; n >>= 7) out.write(n & 127 | 128);
        out.write(n);
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static void rows(Path file, int seed) throws IOException {
        Random r = new Random(seed);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < RECORDS; i++) {
                StringBuilder line = new StringBuilder();
                for (int c = 0; c < COLUMNS; c++)
                    line.append(String.format(Locale.ROOT, "%.4f,", r.nextInt(2_000_000) / 10_000.0 - 100));
                out.write(line.append(i % 10).append('\n').toString().getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
