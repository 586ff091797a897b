package dev.oxbow.observe;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.file.GraphFile;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.WholeFile;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The folder of a run, to which a program adds what should be seen: TensorBoard and {@code oxbow dashboard} show it, while it is
 * written and later. What a method takes of tensors is copied before it returns.
 *
 * {@snippet :
 * try (RunLog log = RunLog.open(Path.of("runs/mine"))) {
 *     log.settings(Map.of("rate", 0.1, "optimizer", "adam"));
 *     log.scalar("accuracy", 10, 0.93);
 *     log.histogram("dense1/kernel", 10, Tensor.zeros(DType.F32, Shape.of(20, 20)));
 *     log.images("digits", 10, Tensor.zeros(DType.F32, Shape.of(1, 28, 28, 1)));
 *     log.text("notes", 10, "better than **yesterday**");
 * }
 * }
 */
public final class RunLog implements AutoCloseable {
    private static final int PICTURES = 8, SOUNDS = 8;

    private final Path folder;
    private final EventStream stream;
    private long step;

    private RunLog(Path folder, EventStream stream) {
        this.folder = folder;
        this.stream = stream;
    }

    /** Begins a file in a folder, which is made where it is missing. */
    public static RunLog open(Path folder) {
        try {
            FileRecorder file = new FileRecorder(folder);
            EventStream stream = new EventStream();
            stream.attach(file.file().toString(), file);
            return new RunLog(folder, stream);
        } catch (IOException e) {
            throw new OxbowException(INVALID_ARGUMENT, "RunLog: %s can not be written: %s".formatted(folder, e), e);
        }
    }

    /** Where everything that is logged passes by; further readers may be attached to it. */
    public EventStream stream() {
        return stream;
    }

    public Path folder() {
        return folder;
    }

    /** What the run was started with: numbers, booleans and texts by name. */
    public void settings(Map<String, Object> settings) {
        stream.publish(new Event.Started(settings));
    }

    public void scalar(String tag, long step, double value) {
        this.step = Math.max(this.step, step);
        stream.publish(new Event.Figures(step, Map.of(tag, value)));
    }

    /** How the elements of a tensor are spread. */
    public void histogram(String tag, long step, Tensor values) {
        add(
                step,
                Summary.newBuilder().addValue(Summaries.histogram(tag, values)).build());
    }

    /** Pictures of shape [pictures, height, width, channels], of bytes or of numbers, which are scaled. */
    public void images(String tag, long step, Tensor pictures) {
        try (Tensor red = Tensor.of(Shape.of(4), 255, 0, 0, 255)) {
            add(step, Summaries.images(tag, pictures, PICTURES, red));
        }
    }

    /** Sounds of shape [sounds, frames] or [sounds, frames, channels], between -1 and 1, at so many frames a second. */
    public void audio(String tag, long step, Tensor sounds, float rate) {
        add(step, Summaries.audio(tag, sounds, rate, SOUNDS));
    }

    /** A text in Markdown. */
    public void text(String tag, long step, String text) {
        add(step, Summary.newBuilder().addValue(Summaries.text(tag, text)).build());
    }

    private void add(long at, Summary summary) {
        step = Math.max(step, at);
        stream.publish(new Event.Summarised(at, summary.toByteArray()));
    }

    public void graph(Graph graph) {
        stream.publish(new Event.Graphed(GraphFile.bytes(graph)));
    }

    /** A line of the log. */
    public void say(String text) {
        stream.publish(new Event.Said(20, text));
    }

    /**
     * Points for TensorBoard's projector: the rows of a matrix, and a label for each. They are files of their own, which are
     * there when this returns.
     */
    public void projector(String name, Tensor rows, List<String> labels) {
        require(
                rows.shape().rank() == 2 && rows.shape().dim(0) == labels.size() && name.matches("[\\w-]+"),
                INVALID_ARGUMENT,
                "RunLog: a projector wants a name of letters and digits, a matrix and a label for each of its rows, got '%s', %s"
                        + " and %d labels",
                name,
                rows.describe(),
                labels.size());
        StringBuilder values = new StringBuilder();
        long width = rows.shape().dim(1);
        for (long i = 0; i < rows.size(); i++)
            values.append((float) rows.getDouble(i)).append((i + 1) % width == 0 ? '\n' : '\t');
        write(name + ".tsv", values.toString());
        write(
                name + "-labels.tsv",
                String.join(
                                "\n",
                                labels.stream()
                                        .map(l -> l.replaceAll("\\s", " "))
                                        .toList()) + "\n");
        Path config = folder.resolve("projector_config.pbtxt");
        String entry =
                "embeddings {\n  tensor_name: \"%1$s\"\n  tensor_path: \"%1$s.tsv\"\n  metadata_path: \"%1$s-labels.tsv\"\n}\n"
                        .formatted(name);
        try {
            String before = Files.exists(config) ? Files.readString(config) : "";
            if (!before.contains(entry)) write(config.getFileName().toString(), before + entry);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String name, String text) {
        WholeFile.write(folder.resolve(name), out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Ends the run, and waits until its file is whole. */
    @Override
    public void close() {
        close("");
    }

    /** Ends a run that failed, and says why. */
    public void close(String why) {
        stream.publish(new Event.Ended(step, why));
        stream.close();
    }
}
