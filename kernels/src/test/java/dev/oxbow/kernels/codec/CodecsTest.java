package dev.oxbow.kernels.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.OxbowException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of images: what is encoded comes back, windows are parts of the whole, and what is broken is said to be. */
final class CodecsTest {
    private static final int WIDTH = 61, HEIGHT = 43;

    /** Waves and some noise. */
    static Picture picture(int width, int height, int channels, long seed) {
        Random r = new Random(seed);
        byte[] s = new byte[width * height * channels];
        for (int i = 0; i < s.length; i++) {
            int p = i / channels, x = p % width, y = p / width, c = i % channels;
            s[i] = (byte) Math.clamp(128 + Math.round(90 * Math.sin(x / (5.0 + c) + y / 9.0)) + r.nextInt(24), 0, 255);
        }
        return new Picture(width, height, channels, s);
    }

    private static byte[] written(String format, boolean progressive) throws IOException {
        Picture p = picture(WIDTH, HEIGHT, 3, 1);
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            image.setRGB(
                    i % WIDTH,
                    i / WIDTH,
                    (p.samples()[3 * i] & 255) << 16
                            | (p.samples()[3 * i + 1] & 255) << 8
                            | p.samples()[3 * i + 2] & 255);
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriteParam param = writer.getDefaultWriteParam();
        if (progressive) param.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
        try (MemoryCacheImageOutputStream to = new MemoryCacheImageOutputStream(out)) {
            writer.setOutput(to);
            writer.write(null, new IIOImage(image, null, null), param);
        }
        writer.dispose();
        return out.toByteArray();
    }

    private static Picture decode(byte[] file) {
        if (JpegDecoder.isJpeg(file)) return JpegDecoder.decode(file, null, JpegDecoder.Options.RGB);
        if (PngDecoder.isPng(file)) return PngDecoder.decode(file, 3, false);
        if (GifDecoder.isGif(file)) return GifDecoder.decode(file, 10).picture();
        return BmpDecoder.decode(file, 0);
    }

    static Stream<byte[]> files() throws IOException {
        return Stream.of(
                written("jpeg", false),
                written("jpeg", true),
                written("png", false),
                written("gif", false),
                written("bmp", false),
                JpegEncoder.encode(picture(33, 20, 3, 2), JpegEncoder.Options.DEFAULT));
    }

    @Test
    void losslessFormatsGiveWhatTheImageIoOfTheJdkGives() throws IOException {
        for (String format : new String[] {"png", "bmp", "gif"}) {
            byte[] file = written(format, false);
            BufferedImage wanted = ImageIO.read(new ByteArrayInputStream(file));
            Picture got = decode(file);
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                int rgb = wanted.getRGB(i % WIDTH, i / WIDTH);
                for (int c = 0; c < 3; c++)
                    assertEquals(rgb >> 16 - 8 * c & 255, got.samples()[3 * i + c] & 255, format + " pixel " + i);
            }
        }
    }

    @Test
    void whatIsEncodedComesBack() {
        for (int channels = 1; channels <= 4; channels++) {
            Picture p = picture(WIDTH, HEIGHT, channels, channels);
            for (int level : new int[] {-1, 0, 9})
                assertArrayEquals(
                        p.samples(),
                        PngDecoder.decode(PngEncoder.encode(p, false, level), channels, false)
                                .samples());
            if (channels == 2 || channels == 4) continue;
            for (boolean optimised : new boolean[] {false, true}) {
                byte[] file = JpegEncoder.encode(p, new JpegEncoder.Options(98, false, optimised, true, 300, 300, ""));
                byte[] got = JpegDecoder.decode(
                                file, null, new JpegDecoder.Options(channels, 1, true, false, false, false))
                        .samples();
                for (int i = 0; i < got.length; i++)
                    assertEquals(p.samples()[i] & 255, got[i] & 255, 12, "channels " + channels + ", sample " + i);
            }
        }
    }

    @Test
    void optimisedCodesMakeSmallerFilesOfTheSameSamples() {
        Picture p = picture(200, 150, 3, 3);
        byte[] plain = JpegEncoder.encode(p, JpegEncoder.Options.DEFAULT);
        byte[] small = JpegEncoder.encode(p, new JpegEncoder.Options(95, true, true, true, 300, 300, ""));
        assertTrue(small.length < plain.length, small.length + " and " + plain.length);
        assertArrayEquals(decode(plain).samples(), decode(small).samples());
    }

    @Test
    void aWindowIsAPartOfTheWhole() throws IOException {
        Random r = new Random(7);
        for (byte[] file : files().filter(JpegDecoder::isJpeg).toList())
            for (int ratio : new int[] {1, 2, 4, 8}) {
                JpegDecoder.Options o = new JpegDecoder.Options(3, ratio, true, false, false, false);
                Picture whole = JpegDecoder.decode(file, null, o);
                for (int i = 0; i < 30; i++) {
                    int x = r.nextInt(whole.width()), y = r.nextInt(whole.height());
                    int w = 1 + r.nextInt(whole.width() - x), h = 1 + r.nextInt(whole.height() - y);
                    Picture part = JpegDecoder.decode(file, new JpegDecoder.Window(x, y, w, h), o);
                    for (int k = 0; k < h; k++) {
                        int from = 3 * ((y + k) * whole.width() + x);
                        assertArrayEquals(
                                Arrays.copyOfRange(whole.samples(), from, from + 3 * w),
                                Arrays.copyOfRange(part.samples(), 3 * k * w, 3 * (k + 1) * w),
                                "row %d of %d, %d, %d x %d by %d".formatted(k, x, y, w, h, ratio));
                    }
                }
            }
    }

    @Test
    void theLibraryAndOurDecoderGiveTheSameBits() throws IOException {
        Assumptions.assumeTrue(TurboJpeg.isAvailable());
        for (byte[] file : files().filter(JpegDecoder::isJpeg).toList())
            for (int ratio : new int[] {1, 2, 4, 8}) {
                JpegDecoder.Options o = new JpegDecoder.Options(3, ratio, true, false, false, false);
                Picture ours = JpegDecoder.decode(file, null, o);
                JpegDecoder.Window all = new JpegDecoder.Window(0, 0, ours.width(), ours.height());
                Optional<Picture> theirs = TurboJpeg.decode(file, all, ratio);
                assertArrayEquals(ours.samples(), theirs.orElseThrow().samples(), "by " + ratio);
            }
    }

    @Test
    void aWindowOfTheLibraryIsAPartOfTheWholeAndABrokenOneIsRefused() throws IOException {
        Assumptions.assumeTrue(TurboJpeg.isAvailable());
        Random r = new Random(9);
        Picture noise = new Picture(301, 260, 3, new byte[3 * 301 * 260]);
        r.nextBytes(noise.samples());
        byte[] large = JpegEncoder.encode(noise, JpegEncoder.Options.DEFAULT);
        List<byte[]> all = new ArrayList<>(files().filter(JpegDecoder::isJpeg).toList());
        all.add(large);
        for (byte[] file : all)
            for (int ratio : new int[] {1, 2, 4, 8}) {
                JpegDecoder.Options o = new JpegDecoder.Options(3, ratio, true, false, false, false);
                Picture whole = JpegDecoder.decode(file, null, o);
                for (int i = 0; i < 30; i++) {
                    int x = r.nextInt(whole.width()), y = r.nextInt(whole.height());
                    int w = 1 + r.nextInt(whole.width() - x), h = 1 + r.nextInt(whole.height() - y);
                    JpegDecoder.Window window = new JpegDecoder.Window(x, y, w, h);
                    assertArrayEquals(
                            JpegDecoder.decode(file, window, o).samples(),
                            TurboJpeg.decode(file, window, ratio).orElseThrow().samples(),
                            window + " by " + ratio);
                }
            }
        byte[] broken = large.clone();
        for (int i = 5000; i < 5100; i++) broken[i] = (byte) (i % 3 == 0 ? 255 : i % 3 == 1 ? 0xd3 : 7);
        assertTrue(TurboJpeg.decode(broken, new JpegDecoder.Window(0, 0, 301, 100), 1)
                .isEmpty());
    }

    @ParameterizedTest
    @MethodSource("files")
    void aFileThatEndsEarlyIsAnError(byte[] file) {
        for (int n = 0; n < file.length - 200; n += 1 + n / 10) {
            byte[] cut = Arrays.copyOf(file, n);
            OxbowException e =
                    assertThrows(OxbowException.class, () -> decode(cut), n + " of " + file.length + " bytes");
            assertTrue(e.text().contains(" at byte ") || e.text().contains(" x "), e.text());
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void changedBitsGiveAnImageOrAnErrorThatNamesAByte(byte[] file) {
        long seed = 20261118;
        Random r = new Random(seed);
        for (int i = 0; i < 400; i++) {
            byte[] other = file.clone();
            for (int k = r.nextInt(4); k >= 0; k--)
                other[r.nextInt(r.nextBoolean() ? 64 : other.length)] ^= (byte) (1 << r.nextInt(8));
            try {
                Picture p = decode(other);
                assertEquals(p.samples().length, p.width() * p.height() * p.channels());
            } catch (OxbowException e) {
                assertTrue(!e.text().isEmpty(), "seed " + seed);
            }
        }
    }

    @Test
    void aLenientDecoderGivesWhatThereIsOfAFileThatEndsEarly() throws IOException {
        byte[] file = written("jpeg", false);
        Picture whole = decode(file);
        Picture part = JpegDecoder.decode(
                Arrays.copyOf(file, file.length * 4 / 5),
                null,
                new JpegDecoder.Options(3, 1, true, false, true, false));
        int rows = 3 * WIDTH * 8;
        assertArrayEquals(Arrays.copyOf(whole.samples(), rows), Arrays.copyOf(part.samples(), rows));
        assertEquals(128, part.samples()[part.samples().length - 1] & 255);
    }
}
