package dev.oxbow.benchmarks;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
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
            else if (row.equals("parquet")) BareParquet.read(folder.resolve("rows-" + f + ".parquet"), sums);
            else records(f, sums);
        return sums;
    }

    @Override
    public long run(long until) throws InterruptedException {
        return InputTask.loop(threads, until, thread -> switch (row) {
            case "jpeg" -> photo();
            case "parquet" ->
                BareParquet.read(folder.resolve("rows-" + thread % InputData.FILES + ".parquet"), new double[3]);
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
        Batched batch = null;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(
                Files.newInputStream(folder.resolve("records-" + file + ".tfrecord")), 1 << 16))) {
            while (true) {
                byte[] header = in.readNBytes(Long.BYTES);
                if (header.length == 0) return count;
                check(header, Integer.reverseBytes(in.readInt()));
                byte[] bytes = in.readNBytes((int)
                        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getLong());
                check(bytes, Integer.reverseBytes(in.readInt()));
                var features = Example.parseFrom(bytes).getFeatures();
                Feature x = features.getFeatureOrThrow("x");
                int row = (int) (count++ % OxbowInput.BATCH);
                if (row == 0) batch = new Batched(InputData.FLOATS);
                for (int i = 0; i < InputData.FLOATS; i++)
                    sums[1] += batch.x[row * InputData.FLOATS + i] =
                            x.getFloatList().getValue(i);
                batch.y[row] = features.getFeatureOrThrow("id").getInt64List().getValue(0);
                batch.names[row] = features.getFeatureOrThrow("name")
                        .getBytesList()
                        .getValue(0)
                        .toByteArray();
                sums[2] += batch.y[row];
                sums[0]++;
            }
        }
    }

    /** Rows beside each other, as a model wants them. */
    private static final class Batched {
        final float[] x;
        final long[] y = new long[OxbowInput.BATCH];
        final byte[][] names = new byte[OxbowInput.BATCH][];

        Batched(int width) {
            x = new float[OxbowInput.BATCH * width];
        }
    }

    private static void check(byte[] bytes, int stored) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        if (Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8 != stored)
            throw new IOException("another checksum");
    }

    private long rows(int file, double[] sums) throws IOException {
        long count = 0;
        Batched batch = null;
        try (BufferedReader in = Files.newBufferedReader(folder.resolve("rows-" + file + ".csv"))) {
            for (String line = in.readLine(); line != null; line = in.readLine(), count++) {
                String[] fields = line.split(",");
                int row = (int) (count % OxbowInput.BATCH);
                if (row == 0) batch = new Batched(InputData.COLUMNS);
                for (int c = 0; c < InputData.COLUMNS; c++)
                    sums[1] += batch.x[row * InputData.COLUMNS + c] = Float.parseFloat(fields[c]);
                batch.y[row] = Long.parseLong(fields[InputData.COLUMNS]);
                sums[2] += batch.y[row];
                sums[0]++;
            }
        }
        return count;
    }
}
