package dev.oxbow.benchmarks;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.imageio.ImageIO;
import org.tensorflow.proto.Example;
import org.tensorflow.proto.Feature;

/** Plain loops with what the JVM and its usual libraries have: ImageIO, protobuf's own classes, lines that are split. */
final class JvmInput implements InputTask {
    private static final int SIDE = 224;

    private final String row;
    private final Path folder;
    private final int threads;
    private final List<Path> photos;

    JvmInput(String row, Path folder, int threads) throws IOException {
        this.row = row;
        this.folder = folder;
        this.threads = threads;
        try (var all = Files.walk(folder.resolve("jpeg"))) {
            photos = all.filter(Files::isRegularFile).sorted().toList();
        }
        ImageIO.setUseCache(false);
    }

    @Override
    public double[] check() throws Exception {
        if (row.equals("jpeg")) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (Path p : OxbowInput.images(folder)) {
                BufferedImage image = ImageIO.read(p.toFile());
                for (int y = 0; y < image.getHeight(); y++)
                    for (int x = 0; x < image.getWidth(); x++) {
                        int rgb = image.getRGB(x, y);
                        all.write(rgb >> 16);
                        all.write(rgb >> 8);
                        all.write(rgb);
                    }
            }
            Files.write(folder.resolve("decoded-jvm"), all.toByteArray());
            return new double[0];
        }
        double[] sums = new double[3];
        for (int f = 0; f < InputData.FILES; f++)
            if (row.equals("csv")) rows(f, sums);
            else records(f, sums);
        return sums;
    }

    @Override
    public long run(long until) throws InterruptedException {
        return InputTask.loop(threads, until, thread -> switch (row) {
            case "jpeg" -> photo();
            case "csv" -> rows(thread % InputData.FILES, new double[3]);
            default -> records(thread % InputData.FILES, new double[3]);
        });
    }

    private long photo() throws IOException {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        BufferedImage image = ImageIO.read(photos.get(r.nextInt(photos.size())).toFile());
        double area = r.nextDouble(0.08, 1) * image.getWidth() * image.getHeight(), form = r.nextDouble(0.75, 1.33);
        int w = Math.clamp(Math.round(Math.sqrt(area * form)), 1, image.getWidth());
        int h = Math.clamp(Math.round(Math.sqrt(area / form)), 1, image.getHeight());
        int x = r.nextInt(image.getWidth() - w + 1), y = r.nextInt(image.getHeight() - h + 1);
        boolean flip = r.nextBoolean();
        BufferedImage small = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = small.createGraphics();
        g.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        g.drawImage(image, flip ? SIDE : 0, 0, flip ? 0 : SIDE, SIDE, x, y, x + w, y + h, null);
        g.dispose();
        int[] pixels = small.getRGB(0, 0, SIDE, SIDE, null, 0, SIDE);
        float[] out = new float[3 * pixels.length];
        for (int i = 0; i < pixels.length; i++)
            for (int c = 0; c < 3; c++) out[c * pixels.length + i] = ((pixels[i] >> 16 - 8 * c & 255) - 127f) / 60f;
        return out.length > 0 ? 1 : 0;
    }

    private long records(int file, double[] sums) throws IOException {
        long count = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(
                Files.newInputStream(folder.resolve("records-" + file + ".tfrecord")), 1 << 16))) {
            while (true) {
                long length = Long.reverseBytes(in.readLong());
                in.readInt();
                byte[] bytes = in.readNBytes((int) length);
                in.readInt();
                var features = Example.parseFrom(bytes).getFeatures();
                Feature x = features.getFeatureOrThrow("x");
                float[] values = new float[x.getFloatList().getValueCount()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = x.getFloatList().getValue(i);
                    sums[1] += values[i];
                }
                sums[2] += features.getFeatureOrThrow("id").getInt64List().getValue(0);
                sums[0]++;
                count++;
            }
        } catch (EOFException end) {
            return count;
        }
    }

    private long rows(int file, double[] sums) throws IOException {
        long count = 0;
        try (BufferedReader in = Files.newBufferedReader(folder.resolve("rows-" + file + ".csv"))) {
            for (String line = in.readLine(); line != null; line = in.readLine(), count++) {
                String[] fields = line.split(",");
                float[] values = new float[InputData.COLUMNS];
                for (int c = 0; c < values.length; c++) {
                    values[c] = Float.parseFloat(fields[c]);
                    sums[1] += values[c];
                }
                sums[2] += Long.parseLong(fields[InputData.COLUMNS]);
                sums[0]++;
            }
        }
        return count;
    }
}
