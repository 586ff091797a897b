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
import org.tensorflow.proto.FloatList;

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
        photos = OxbowInput.images(folder, Integer.MAX_VALUE);
        ImageIO.setUseCache(false);
    }

    @Override
    public double[] check() throws Exception {
        if (row.equals("jpeg")) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (Path p : OxbowInput.images(folder, OxbowInput.CHECKED)) {
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
        Sums sums = new Sums();
        for (int f = 0; f < InputData.FILES; f++) read(f, sums);
        return sums.all;
    }

    @Override
    public long run(long until) throws InterruptedException {
        return InputTask.loop(
                threads,
                until,
                thread -> row.equals("jpeg") ? photo() : read(thread % InputData.FILES, InputRows.Taker.NOBODY));
    }

    private long read(int file, InputRows.Taker taker) throws IOException {
        return switch (row) {
            case "csv" -> rows(folder.resolve("rows-" + file + ".csv"), taker);
            case "parquet" -> BareParquet.read(folder.resolve("rows-" + file + ".parquet"), taker);
            default -> records(folder.resolve("records-" + file + ".tfrecord"), taker);
        };
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

    private static long records(Path file, InputRows.Taker taker) throws IOException {
        InputRows batch = new InputRows(InputData.FLOATS);
        long count = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            while (true) {
                byte[] header = in.readNBytes(Long.BYTES);
                if (header.length == 0) break;
                check(header, Integer.reverseBytes(in.readInt()));
                byte[] bytes = in.readNBytes((int)
                        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getLong());
                check(bytes, Integer.reverseBytes(in.readInt()));
                var features = Example.parseFrom(bytes).getFeatures();
                FloatList x = features.getFeatureOrThrow("x").getFloatList();
                int row = batch.rows++;
                for (int i = 0; i < InputData.FLOATS; i++) batch.x[row * InputData.FLOATS + i] = x.getValue(i);
                batch.y[row] = features.getFeatureOrThrow("id").getInt64List().getValue(0);
                batch.names[row] = features.getFeatureOrThrow("name")
                        .getBytesList()
                        .getValue(0)
                        .toByteArray();
                count++;
                if (batch.rows == OxbowInput.BATCH) batch = taken(batch, taker);
            }
        }
        if (batch.rows > 0) taker.take(batch);
        return count;
    }

    private static InputRows taken(InputRows batch, InputRows.Taker taker) {
        taker.take(batch);
        return new InputRows(batch.x.length / OxbowInput.BATCH);
    }

    private static void check(byte[] bytes, int stored) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        if (Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8 != stored)
            throw new IOException("another checksum");
    }

    private static long rows(Path file, InputRows.Taker taker) throws IOException {
        InputRows batch = new InputRows(InputData.COLUMNS);
        long count = 0;
        try (BufferedReader in = Files.newBufferedReader(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine(), count++) {
                String[] fields = line.split(",");
                int row = batch.rows++;
                for (int c = 0; c < InputData.COLUMNS; c++)
                    batch.x[row * InputData.COLUMNS + c] = Float.parseFloat(fields[c]);
                batch.y[row] = Long.parseLong(fields[InputData.COLUMNS]);
                if (batch.rows == OxbowInput.BATCH) batch = taken(batch, taker);
            }
        }
        if (batch.rows > 0) taker.take(batch);
        return count;
    }

    /** The number of rows, and the sums of their numbers and classes. */
    private static final class Sums implements InputRows.Taker {
        final double[] all = new double[3];

        @Override
        public void take(InputRows batch) {
            all[0] += batch.rows;
            for (int i = 0; i < batch.rows * (batch.x.length / OxbowInput.BATCH); i++) all[1] += batch.x[i];
            for (int i = 0; i < batch.rows; i++) all[2] += batch.y[i];
        }
    }
}
