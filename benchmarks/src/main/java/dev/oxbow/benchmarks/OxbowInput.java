package dev.oxbow.benchmarks;

import dev.oxbow.data.image.Augment;
import dev.oxbow.data.image.ImageLayout;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.data.source.Csv;
import dev.oxbow.data.source.ExampleFormat;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.data.source.TfRecords;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.kernels.codec.TurboJpeg;
import dev.oxbow.parquet.Parquet;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Files read by our pipelines. */
final class OxbowInput implements InputTask {
    static final int BATCH = 64, CHECKED = 4;

    private final String row;
    private final Pipeline<Batch> batches;
    private final Feed<Batch> feed;
    private final Path decoded;
    private final Path folder;

    private OxbowInput(String row, Path folder, Path decoded, Pipeline<Sample> samples, int threads) {
        this.row = row;
        this.folder = folder;
        this.decoded = decoded;
        batches = samples.batch(BATCH).threads(threads);
        feed = batches.repeat().open();
    }

    static OxbowInput of(String row, String system, Path folder, int threads) {
        Path decoded = folder.resolve("decoded-" + system);
        return new OxbowInput(row, folder, decoded, samples(row, folder), threads);
    }

    private static Pipeline<Sample> samples(String row, Path folder) {
        return switch (row) {
            case "jpeg" -> {
                Augment augment = Augment.to(224, 224)
                        .randomCrop(0.08, 1, 0.75, 1.33)
                        .flip(0.5)
                        .normalise(List.of(127f, 127f, 127f), List.of(60f, 60f, 60f))
                        .as(ImageLayout.CHW, DType.F32);
                yield ImageFolder.of(folder.resolve("jpeg").toString())
                        .images()
                        .shuffle(1)
                        .map("augment", 1, augment);
            }
            case "tfrecord" -> {
                ExampleFormat format = ExampleFormat.of()
                        .with("x", DType.F32, InputData.FLOATS)
                        .with("id", DType.I64)
                        .with("name", DType.STRING);
                yield TfRecords.of(folder + "/records-*.tfrecord").map("parse", 0, format);
            }
            case "parquet" ->
                Parquet.of()
                        .with(
                                DType.F32,
                                IntStream.range(0, InputData.COLUMNS)
                                        .mapToObj(c -> "c" + c)
                                        .toArray(String[]::new))
                        .with(DType.I64, "class")
                        .read(folder + "/rows-*.parquet");
            case "csv" ->
                Csv.of(InputData.COLUMNS + 1)
                        .with(DType.F32, 0, InputData.COLUMNS)
                        .with(DType.I64, InputData.COLUMNS, 1)
                        .read(folder + "/rows-*.csv");
            default -> throw new UnsupportedOperationException("it has no " + row);
        };
    }

    /** The first images of a folder, in the order of their names. */
    static List<Path> images(Path folder, int most) throws IOException {
        try (var all = Files.walk(folder.resolve("jpeg"))) {
            return all.filter(Files::isRegularFile).sorted().limit(most).toList();
        }
    }

    @Override
    public double[] check() throws IOException {
        if (!row.equals("jpeg")) return sums();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Path p : images(folder, CHECKED)) {
            byte[] file = Files.readAllBytes(p);
            JpegDecoder.Header h = JpegDecoder.header(file);
            JpegDecoder.Window whole = new JpegDecoder.Window(0, 0, h.width(), h.height());
            all.writeBytes(TurboJpeg.decode(file, whole, 1)
                    .orElseGet(() -> JpegDecoder.decode(file, null, JpegDecoder.Options.RGB))
                    .samples());
        }
        Files.write(decoded, all.toByteArray());
        return new double[0];
    }

    private double[] sums() {
        double sum = 0, classes = 0, count = 0;
        try (Feed<Batch> once = batches.open()) {
            while (once.hasNext())
                try (Batch b = once.next()) {
                    Tensor x = b.tensors().get(0), y = b.tensors().get(1);
                    for (float v : x.floats()) sum += v;
                    for (long i = 0; i < y.size(); i++) classes += y.getLong(i);
                    count += b.rows();
                }
        }
        return new double[] {count, sum, classes};
    }

    @Override
    public long run(long until) {
        long rows = 0;
        while (System.nanoTime() < until)
            try (Batch b = feed.next()) {
                rows += b.rows();
            }
        return rows;
    }

    @Override
    public void close() {
        feed.close();
    }
}
