package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.data.Idx;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.data.source.Lines;
import dev.oxbow.data.source.Record;
import dev.oxbow.data.source.TfRecords;
import dev.oxbow.kernels.codec.BmpDecoder;
import dev.oxbow.kernels.codec.GifDecoder;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngDecoder;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow data show FILE}: what a file of data has, its first records, and images as one picture. */
@Command(
        name = "show",
        description = "Show what a file of data has, and its first records.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Files are TFRecord with Examples or SequenceExamples, CSV, text, idx, npy and npz, plain or gzipped, an",
            "image, or a folder with images as CLASS/NAME.jpg. --sheet puts the images of a folder, or of an idx",
            "file, into one PNG.",
            "",
            "Examples:",
            "  oxbow data show train-00001.tfrecord",
            "  oxbow data show photos --sheet photos.png"
        })
final class DataShow implements Callable<Integer> {
    private static final int LONGEST = 100, VALUES = 8;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A file, or a folder of images.")
    private Path file;

    @Option(names = "--records", paramLabel = "N", description = "Records to show (default ${DEFAULT-VALUE}).")
    private int records = 5;

    @Option(names = "--sheet", paramLabel = "PNG", description = "Write images as a contact sheet.")
    private Path sheet;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (Files.isDirectory(file)) {
            folder(out);
            return 0;
        }
        if (!Files.exists(file)) throw new OxbowException(INVALID_ARGUMENT, "data show: there is no file " + file);
        String name = file.getFileName().toString().replaceAll("\\.gz$", "");
        if (name.endsWith(".npz")) Npy.readNpz(file).forEach((key, t) -> tensor(out, key, t));
        else if (name.endsWith(".npy")) tensor(out, name, Npy.read(file));
        else if (name.contains("idx") || name.endsWith("ubyte")) idx(out);
        else if (name.endsWith(".csv") || name.endsWith(".txt") || name.endsWith(".data")) text(out);
        else if (name.endsWith(".parquet"))
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "data show: %s is for the artifact oxbow-parquet, which the command line does not have"
                            .formatted(file));
        else if (name.matches("(?i).*\\.(jpe?g|png|gif|bmp)")) image(out);
        else examples(out);
        return 0;
    }

    private void image(PrintWriter out) throws IOException {
        byte[] content = Files.readAllBytes(file);
        if (JpegDecoder.isJpeg(content)) {
            JpegDecoder.Header h = JpegDecoder.header(content);
            out.printf("JPEG, %d x %d pixels, %d channels%n", h.width(), h.height(), h.components());
            return;
        }
        boolean png = PngDecoder.isPng(content), gif = GifDecoder.isGif(content);
        Picture p = png
                ? PngDecoder.decode(content, 0, false)
                : gif ? GifDecoder.decode(content, 1).picture() : BmpDecoder.decode(content, 0);
        String kind = png ? "PNG" : gif ? "GIF" : "BMP";
        out.printf("%s, %d x %d pixels, %d channels%n", kind, p.width(), p.height(), p.channels());
    }

    private void folder(PrintWriter out) {
        ImageFolder images = ImageFolder.of(file.toString());
        Map<Integer, Integer> counts = new LinkedHashMap<>();
        for (ImageFolder.Entry e : images.entries()) counts.merge(e.label(), 1, Integer::sum);
        out.printf(
                "%d images of %d classes%n",
                images.entries().size(), images.classes().size());
        counts.forEach((label, n) ->
                out.printf("  %d %s: %d%n", label, images.classes().get(label), n));
        if (sheet == null) return;
        ContactSheet.ofFolder(images).write(sheet);
        out.println(sheet);
    }

    private void idx(PrintWriter out) {
        try (Tensor t = Idx.read(file)) {
            tensor(out, file.getFileName().toString(), t);
            if (sheet == null) return;
            ContactSheet.of(t).write(sheet);
            out.println(sheet);
        }
    }

    private void tensor(PrintWriter out, String name, Tensor t) {
        out.printf("%s: %s%s%n", name, t.dtype(), t.shape());
        long rows = t.shape().rank() == 0 ? 1 : t.shape().dim(0), width = rows == 0 ? 0 : t.size() / rows;
        for (long r = 0; r < Math.min(rows, records); r++) {
            StringBuilder text = new StringBuilder();
            for (long i = 0; i < Math.min(width, VALUES); i++)
                text.append(i == 0 ? "" : ", ").append(value(t, r * width + i));
            out.printf("  %d: %s%s%n", r, text, width > VALUES ? ", ..." : "");
        }
    }

    private static String value(Tensor t, long i) {
        if (t.dtype().isObject()) return cut(new String((byte[]) t.objects()[(int) i], StandardCharsets.UTF_8));
        return t.dtype().isFloating() ? Double.toString(t.getDouble(i)) : Long.toString(t.getLong(i));
    }

    private void text(PrintWriter out) {
        long count = 0;
        try (Feed<Record> lines = Lines.of(file.toString()).threads(0).open()) {
            for (; lines.hasNext(); count++) {
                Record line = lines.next();
                if (count == 0 && file.toString().contains(".csv"))
                    out.printf("%d fields%n", line.text().split(",", -1).length);
                if (count < records) out.printf("  %d: %s%n", count, cut(line.text()));
            }
        }
        out.printf("%d lines%n", count);
    }

    private void examples(PrintWriter out) {
        Pipeline<Record> all = TfRecords.of(file.toString()).threads(0);
        Map<String, String> schema = new LinkedHashMap<>();
        long count = 0;
        try (Feed<Record> feed = all.open()) {
            for (; feed.hasNext(); count++) {
                Record record = feed.next();
                Features features = Features.ofExample(record.bytes());
                if (count < records) out.printf("%d, at byte %d:%n", count, record.offset());
                for (String name : features.names()) {
                    Feature f = features.get(name);
                    int n = count(f);
                    schema.merge(name, f.kind() + "[" + n + "]", (a, b) -> a.equals(b) ? a : f.kind() + "[any]");
                    if (count < records) out.printf("  %s: %s%n", name, cut(text(f)));
                }
                for (Features.NamedList l : Features.lists(record.bytes())) {
                    String name = new String(l.name(), StandardCharsets.UTF_8);
                    schema.putIfAbsent(name, "list of " + (l.steps().isEmpty() ? "nothing" : kind(l.steps())));
                    String steps =
                            l.steps().stream().map(DataShow::text).toList().toString();
                    if (count < records)
                        out.printf("  %s: %d steps %s%n", name, l.steps().size(), cut(steps));
                }
            }
        }
        out.printf("%d Examples%n", count);
        schema.forEach((name, kind) -> out.printf("  %s %s%n", name, kind));
    }

    private static String kind(List<Feature> steps) {
        return steps.getFirst().kind() + "[" + count(steps.getFirst()) + "]";
    }

    private static int count(Feature f) {
        return switch (f.kind()) {
            case NONE -> 0;
            case BYTES -> f.strings().length;
            case FLOATS -> f.floats().length;
            case LONGS -> f.longs().length;
        };
    }

    private static String text(Feature f) {
        return switch (f.kind()) {
            case NONE -> "nothing";
            case BYTES ->
                List.of(Arrays.stream(f.strings()).map(DataShow::text).toArray())
                        .toString();
            case FLOATS -> Arrays.toString(f.floats());
            case LONGS -> Arrays.toString(f.longs());
        };
    }

    private static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        boolean isText = text.chars().noneMatch(c -> c == 0xfffd || c < ' ' && c != '\n' && c != '\t');
        return isText ? '"' + text + '"' : bytes.length + " bytes";
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
