package dev.oxbow.data.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.data.source.Record;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images on their way into tensors, against the same steps taken one by one in doubles. */
final class AugmentTest {
    private static final int WIDTH = 90, HEIGHT = 60;
    private static final Picture PHOTO = photo();
    private static final byte[] PNG = PngEncoder.encode(PHOTO, false, 1);
    private static final byte[] JPEG = JpegEncoder.encode(PHOTO, JpegEncoder.Options.DEFAULT);

    private static Picture photo() {
        Random r = new Random(3);
        byte[] s = new byte[3 * WIDTH * HEIGHT];
        for (int i = 0; i < s.length; i++)
            s[i] = (byte) Math.clamp(
                    120 + Math.round(100 * Math.sin(i / 3 % WIDTH / 7.0 + i % 3) + r.nextInt(20)), 0, 255);
        return new Picture(WIDTH, HEIGHT, 3, s);
    }

    private static Draw draw(long index) {
        return new Draw(11, 0, index);
    }

    private static float[] apply(Augment a, byte[] file, long index) {
        try (Tensor t = a.apply(file, draw(index))) {
            float[] all = new float[(int) t.size()];
            for (int i = 0; i < all.length; i++) all[i] = (float) t.getDouble(i);
            return all;
        }
    }

    /** The pixel between pixels, by the definition. */
    private static double between(Picture p, double x, double y, int c) {
        double sum = 0;
        for (int j = (int) Math.floor(y); j <= Math.floor(y) + 1; j++)
            for (int i = (int) Math.floor(x); i <= Math.floor(x) + 1; i++) {
                int cx = Math.clamp(i, 0, p.width() - 1), cy = Math.clamp(j, 0, p.height() - 1);
                double weight = (1 - Math.abs(x - i)) * (1 - Math.abs(y - j));
                sum += weight * (p.samples()[3 * (cy * p.width() + cx) + c] & 255);
            }
        return sum;
    }

    @Test
    void anImageIsResizedByItsDefinition() {
        for (int[] size : new int[][] {{30, 45}, {60, 90}, {120, 77}, {1, 1}}) {
            float[] got = apply(Augment.to(size[0], size[1]), PNG, 0);
            for (int i = 0; i < got.length; i++) {
                int y = i / 3 / size[1], x = i / 3 % size[1];
                double sx = (x + 0.5) * WIDTH / size[1] - 0.5, sy = (y + 0.5) * HEIGHT / size[0] - 0.5;
                assertEquals(between(PHOTO, sx, sy, i % 3), got[i], 0.01, "element " + i);
            }
        }
    }

    @Test
    void areaTakesMeansAndCubicKeepsPixelsThatStay() {
        float[] half = apply(Augment.to(HEIGHT / 2, WIDTH / 2).resize(Filter.AREA), PNG, 0);
        byte[] s = PHOTO.samples();
        int at = 3 * (2 * 4 * WIDTH + 2 * 5);
        double mean =
                ((s[at] & 255) + (s[at + 3] & 255) + (s[at + 3 * WIDTH] & 255) + (s[at + 3 * WIDTH + 3] & 255)) / 4.0;
        assertEquals(mean, half[3 * (4 * (WIDTH / 2) + 5)], 1e-3);
        float[] same = apply(Augment.to(HEIGHT, WIDTH).resize(Filter.BICUBIC), PNG, 0);
        for (int i = 0; i < same.length; i++) assertEquals(s[i] & 255, same[i], 1e-3);
    }

    @Test
    void flipsNormalisesAndChangesLayouts() {
        Augment plain = Augment.to(20, 31), flipped = plain.flip(1);
        float[] a = apply(plain, PNG, 0), b = apply(flipped, PNG, 0);
        float[] n = apply(plain.normalise(List.of(10f, 20f, 30f), List.of(2f, 4f, 8f)), PNG, 0);
        float[] planes = apply(plain.as(ImageLayout.CHW, DType.F32), PNG, 0);
        for (int y = 0; y < 20; y++)
            for (int x = 0; x < 31; x++)
                for (int c = 0; c < 3; c++) {
                    float v = a[3 * (31 * y + x) + c];
                    assertEquals(v, b[3 * (31 * y + 30 - x) + c]);
                    assertEquals((v - 10 * (c + 1)) / (2 << c), n[3 * (31 * y + x) + c], 1e-4);
                    assertEquals(v, planes[(c * 20 + y) * 31 + x]);
                }
        float[] bytes = apply(plain.as(ImageLayout.HWC, DType.U8), PNG, 0),
                half = apply(plain.as(ImageLayout.HWC, DType.F16), PNG, 0);
        for (int i = 0; i < a.length; i++) {
            assertEquals(Math.round(a[i]), bytes[i]);
            assertEquals(a[i], half[i], 0.07);
        }
    }

    @Test
    void coloursTurnsAndHolesAreWhatTheyAreCalled() {
        float[] grey = apply(Augment.to(20, 20).colour(0, 0, 1), greyed(), 5);
        for (int i = 0; i < grey.length; i += 3) assertEquals(grey[i], grey[i + 1], 0.5);
        byte[] even = PngEncoder.encode(new Picture(8, 8, 3, filled(8 * 8 * 3, 77)), false, 1);
        for (float v : apply(Augment.to(20, 20).rotate(45), even, 1)) assertEquals(77, v, 1e-3);
        float[] turned = apply(Augment.to(HEIGHT, WIDTH).rotate(1e-9), PNG, 1);
        for (int i = 0; i < turned.length; i++) assertEquals(PHOTO.samples()[i] & 255, turned[i], 0.01);
        Augment holed = Augment.to(20, 20)
                .normalise(List.of(1f, 2f, 3f), List.of(1f, 1f, 1f))
                .cutout(8);
        int holes = 0;
        for (int k = 0; k < 10; k++) {
            int zeros = 0;
            for (float v : apply(holed, even, k)) if (v == 0) zeros++;
            assertTrue(zeros <= 3 * 64 && zeros % 3 == 0, zeros + " elements");
            holes += zeros;
        }
        assertTrue(holes > 0);
    }

    private static byte[] greyed() {
        byte[] s = PHOTO.samples().clone();
        for (int i = 0; i < s.length; i++) s[i] = s[i - i % 3];
        return PngEncoder.encode(new Picture(WIDTH, HEIGHT, 3, s), false, 1);
    }

    private static byte[] filled(int n, int value) {
        byte[] b = new byte[n];
        Arrays.fill(b, (byte) value);
        return b;
    }

    @Test
    void randomCropsHaveTheAreasAndFormsThatWereAskedFor() {
        Augment a = Augment.to(16, 16).randomCrop(0.1, 0.5, 0.5, 2);
        for (int k = 0; k < 500; k++) {
            Crop.Window w = a.crop().window(500, 375, a, draw(k));
            double area = w.width() * (double) w.height() / (500 * 375), form = w.width() / (double) w.height();
            assertTrue(area > 0.099 && area < 0.502 && form > 0.49 && form < 2.03, w + " of draw " + k);
            assertTrue(w.x() >= 0 && w.y() >= 0 && w.x() + w.width() <= 500 && w.y() + w.height() <= 375, w.toString());
        }
        Crop.Window narrow = a.crop().window(1000, 1, a, draw(1));
        assertEquals(1, narrow.height());
    }

    @Test
    void aCropOfAJpegIsACropOfTheDecodedImage() {
        Picture decoded = JpegDecoder.decode(JPEG, null, JpegDecoder.Options.RGB);
        byte[] lossless = PngEncoder.encode(decoded, false, 1);
        Augment a = Augment.to(33, 33).randomCrop(0.08, 1, 0.75, 1.33).flip(0.5).colour(0.2, 0.2, 0.2);
        for (int k = 0; k < 50; k++) assertArrayEquals(apply(a, lossless, k), apply(a, JPEG, k), "draw " + k);
    }

    @Test
    void aLargeJpegIsDecodedSmallerAndLooksTheSame() {
        byte[] big = JpegEncoder.encode(smooth(640, 480), JpegEncoder.Options.DEFAULT);
        float[] small = apply(Augment.to(60, 80), big, 0);
        byte[] exact = PngEncoder.encode(smooth(640, 480), false, 1);
        float[] wanted = apply(Augment.to(60, 80).resize(Filter.AREA), exact, 0);
        for (int i = 0; i < small.length; i++) assertEquals(wanted[i], small[i], 4, "element " + i);
    }

    private static Picture smooth(int w, int h) {
        byte[] s = new byte[3 * w * h];
        for (int i = 0; i < s.length; i++)
            s[i] = (byte) Math.round(128 + 90 * Math.sin(i / 3 % w / 90.0) * Math.cos(i / 3 / w / 70.0 + i % 3));
        return new Picture(w, h, 3, s);
    }

    @Test
    void aFolderOfImagesIsTheSameForAnyNumberOfThreads(@TempDir Path root) throws IOException {
        for (int i = 0; i < 12; i++) {
            Path folder = Files.createDirectories(root.resolve("class" + i % 3));
            Files.write(folder.resolve(i + (i % 2 == 0 ? ".jpg" : ".png")), i % 2 == 0 ? JPEG : PNG);
        }
        Augment a = Augment.to(24, 24)
                .randomCrop(0.1, 1, 0.7, 1.4)
                .flip(0.5)
                .rotate(10)
                .cutout(5);
        Pipeline<Sample> images =
                ImageFolder.of(root.toString()).images().shuffle(2).map("augment", 4, a);
        List<List<Float>> first = null;
        for (int threads : new int[] {0, 1, 4}) {
            List<List<Float>> all = new ArrayList<>();
            try (Feed<Sample> feed = images.threads(threads).epoch(1, 0)) {
                while (feed.hasNext()) {
                    Sample s = feed.next();
                    assertEquals(Shape.of(24, 24, 3), s.get(0).shape());
                    List<Float> values = new ArrayList<>();
                    for (int i = 0; i < s.get(0).size(); i++)
                        values.add((float) s.get(0).getDouble(i));
                    values.add((float) s.get(1).getLong(0));
                    all.add(values);
                    s.close();
                }
            }
            assertEquals(12, all.size());
            if (first == null) first = all;
            assertEquals(first, all);
        }
    }

    @Test
    void aBrokenImageIsAnErrorThatNamesItsFile() {
        Record cut = new Record("photos/a.jpg", 0, Arrays.copyOf(JPEG, JPEG.length / 2));
        OxbowException e =
                assertThrows(OxbowException.class, () -> Augment.to(8, 8).apply(cut, draw(0)));
        assertEquals(ErrorCode.DATA_LOSS, e.code());
        assertTrue(e.text().startsWith("photos/a.jpg at byte 0: JPEG at byte "), e.text());
    }
}
