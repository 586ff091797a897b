package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.image.Augment;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.data.pipeline.StageTime;
import dev.oxbow.data.source.Csv;
import dev.oxbow.data.source.ExampleFormat;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.data.source.Lines;
import dev.oxbow.data.source.Record;
import dev.oxbow.data.source.TfRecords;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow data bench FILE}: how fast a file of data becomes batches, and which stage takes the time. */
@Command(
        name = "bench",
        description = "Say how fast files become batches on this machine, and which stage takes the time.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Files are TFRecord with Examples (all features of the first one are read from all), CSV, text, plain or",
            "gzipped, or a folder with images as CLASS/NAME.jpg, which are cropped at random and resized to 224 x 224.",
            "A pattern such as 'train-*.tfrecord' stands for several files. They are read again and again.",
            "",
            "Examples:",
            "  oxbow data bench photos --batch 128 --threads 4",
            "  oxbow data bench 'train-*.tfrecord' --seconds 10"
        })
final class DataBench implements Callable<Integer> {
    private static final int SIDE = 224;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A file, a pattern, or a folder of images.")
    private String file;

    @Option(names = "--batch", paramLabel = "N", description = "Rows of a batch (default ${DEFAULT-VALUE}).")
    private int batch = 64;

    @Option(names = "--seconds", paramLabel = "S", description = "How long to read (default ${DEFAULT-VALUE}).")
    private double seconds = 5;

    @Option(names = "--threads", paramLabel = "N", description = "Threads (default: all processors).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        require(seconds > 0, INVALID_ARGUMENT, "data bench: --seconds must be more than 0, got %s", seconds);
        Pipeline<Batch> batches = samples().batch(batch).repeat().threads(threads);
        long rows = 0, bytes = 0, count = 0, start, end;
        List<StageTime> stages;
        try (Feed<Batch> feed = batches.open()) {
            feed.next().close(); // what is loaded once is not timed
            start = System.nanoTime();
            end = start + (long) (seconds * 1e9);
            while (System.nanoTime() < end)
                try (Batch b = feed.next()) {
                    rows += b.rows();
                    count++;
                    for (Tensor t : b.tensors()) if (!t.dtype().isObject()) bytes += t.byteSize();
                }
            end = System.nanoTime();
            stages = feed.stages();
        }
        double time = (end - start) / 1e9;
        out.printf(
                "%.0f rows a second, %.1f batches of %d, %.1f MB a second, %d threads%n",
                rows / time, count / time, batch, bytes / time / 1e6, threads);
        for (StageTime s : stages)
            out.printf(
                    "  %5.1f %%  %s: %d in %.3f s%n",
                    100 * s.share(stages), s.stage(), s.count(), s.time().toNanos() / 1e9);
        StageTime.longest(stages).ifPresent(s -> out.printf("most of the work is '%s'%n", s.stage()));
        return 0;
    }

    private Pipeline<Sample> samples() {
        if (Files.isDirectory(Path.of(file)))
            return ImageFolder.of(file)
                    .images()
                    .map(
                            "augment",
                            1,
                            Augment.to(SIDE, SIDE)
                                    .randomCrop(0.08, 1, 0.75, 4 / 3.0)
                                    .flip(0.5));
        String name = file.replaceAll("\\.gz$", "");
        if (name.endsWith(".csv") || name.endsWith(".data")) return csv();
        if (name.endsWith(".txt"))
            return Lines.of(file)
                    .map("line", 0, (r, _) -> Sample.of(Tensor.ofObjects(DType.STRING, Shape.SCALAR, r.bytes())));
        require(
                !name.endsWith(".parquet"),
                INVALID_ARGUMENT,
                "data bench: %s is for the artifact oxbow-parquet, which the command line does not have",
                file);
        return TfRecords.of(file).map("parse", 0, format());
    }

    private Record first(Pipeline<Record> records) {
        try (Feed<Record> feed = records.threads(0).open()) {
            if (!feed.hasNext())
                throw new OxbowException(INVALID_ARGUMENT, "data bench: there is no record in " + file);
            return feed.next();
        }
    }

    /** All features of the first Example, in the shapes that they have there. */
    private ExampleFormat format() {
        Features features = Features.ofExample(first(TfRecords.of(file)).bytes());
        ExampleFormat format = ExampleFormat.of();
        for (String name : features.names()) {
            Feature f = features.get(name);
            switch (f.kind()) {
                case FLOATS -> format = format.with(name, DType.F32, f.floats().length);
                case LONGS -> format = format.with(name, DType.I64, f.longs().length);
                case BYTES -> format = format.with(name, DType.STRING, f.strings().length);
                case NONE -> {}
            }
        }
        require(
                !format.fields().isEmpty(),
                INVALID_ARGUMENT,
                "data bench: the first Example of %s has no feature",
                file);
        return format;
    }

    /** All columns, as numbers where the first row, or the second behind a header, has them. */
    private Pipeline<Sample> csv() {
        List<String> rows = new ArrayList<>();
        try (Feed<Record> feed = Lines.of(file).threads(0).open()) {
            while (feed.hasNext() && rows.size() < 2) rows.add(feed.next().text());
        }
        require(!rows.isEmpty(), INVALID_ARGUMENT, "data bench: there is no row in %s", file);
        boolean header = rows.size() == 2 && numbers(rows.get(0)) == 0 && numbers(rows.get(1)) > 0;
        String[] fields = rows.get(header ? 1 : 0).split(",", -1);
        Csv csv = header ? Csv.of(fields.length).withHeader() : Csv.of(fields.length);
        for (int i = 0; i < fields.length; i++)
            csv = csv.with(new Csv.Group(
                    isNumber(fields[i]) ? DType.F32 : DType.STRING, i, 1, isNumber(fields[i]) ? "0" : ""));
        return csv.read(file);
    }

    private static int numbers(String row) {
        int n = 0;
        for (String f : row.split(",", -1)) if (isNumber(f)) n++;
        return n;
    }

    private static boolean isNumber(String field) {
        return field.strip().matches("-?[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)?");
    }
}
