package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Const;
import dev.oxbow.observe.Event;
import dev.oxbow.observe.RunLog;
import dev.oxbow.ops.Ops;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.exceptions.TFOutOfRangeException;
import org.tensorflow.proto.RunMetadata;
import org.tensorflow.proto.Summary;

/** TensorFlow's own reader reads every record of our event files, and its messages have what was put in. */
@Timeout(300)
final class EventFilesTest {
    @TempDir
    private Path home;

    private static NodeDef.Builder node(GraphDef.Builder g, String name, String op, String... inputs) {
        return g.addNodeBuilder().setName(name).setOp(op).addAllInput(List.of(inputs));
    }

    private static AttrValue types() {
        return AttrValue.newBuilder()
                .setList(AttrValue.ListValue.newBuilder().addType(DataType.DT_STRING))
                .build();
    }

    /** The records of the one event file in a folder, as TensorFlow's reader of records gives them. */
    private List<org.tensorflow.proto.Event> read(Path folder) throws IOException {
        Path file;
        try (Stream<Path> all = Files.list(folder)) {
            file = all.filter(f -> f.getFileName().toString().contains("tfevents"))
                    .findFirst()
                    .orElseThrow();
        }
        GraphDef.Builder g = GraphDef.newBuilder();
        node(g, "file", "Placeholder")
                .putAttr(
                        "dtype",
                        AttrValue.newBuilder().setType(DataType.DT_STRING).build());
        node(g, "queue", "FIFOQueueV2").putAttr("component_types", types());
        node(g, "put", "QueueEnqueueV2", "queue", "file").putAttr("Tcomponents", types());
        node(g, "end", "QueueCloseV2", "queue");
        node(g, "reader", "TFRecordReaderV2");
        node(g, "read", "ReaderReadV2", "reader", "queue");
        List<org.tensorflow.proto.Event> events = new ArrayList<>();
        try (TensorFlow tf = new TensorFlow(g.build().toByteArray())) {
            tf.run(Map.of("file", Tensor.scalar(file.toString())), List.of(), List.of("put"));
            tf.run(Map.of(), List.of(), List.of("end"));
            while (true) {
                Tensor value = tf.run(Map.of(), List.of("read:1"), List.of()).getFirst();
                events.add(org.tensorflow.proto.Event.parseFrom((byte[]) value.objects()[0]));
            }
        } catch (TFOutOfRangeException e) {
            return events; // that was the last one
        }
    }

    @Test
    void everyRecordOfARunIsReadByTensorFlow() throws IOException {
        Graph graph = new Graph();
        Ops.in(graph).placeholder("x", DType.F32, Shape.of(2)).tanh();
        try (RunLog log = RunLog.open(home.resolve("run"));
                Tensor w = Tensor.of(Shape.of(4), 1f, -2f, 3f, 0f)) {
            log.settings(Map.of("rate", 0.1));
            log.stream().publish(new Event.Step(1, 0.5, 2_000_000, 1_000, 32));
            log.stream().publish(new Event.Health(1, Map.of("cpu", 1.5)));
            log.stream()
                    .publish(new Event.Traced(
                            1,
                            List.of(new Event.Span(
                                    "/device:CPU:0",
                                    List.of("a", "b"),
                                    List.of("Tanh", "Exp"),
                                    "M.java:1",
                                    5_000,
                                    9_000))));
            log.histogram("w", 1, w);
            log.images("p", 1, Tensor.zeros(DType.F32, Shape.of(1, 2, 2, 3)));
            log.audio("s", 1, Tensor.zeros(DType.F32, Shape.of(1, 10)), 8000);
            log.text("t", 1, "text");
            log.graph(graph);
            log.say("said");
        }
        List<org.tensorflow.proto.Event> all = read(home.resolve("run"));
        assertEquals("brain.Event:2", all.getFirst().getFileVersion());
        assertEquals(14, all.size(), () -> all.toString());
        Summary step = all.stream()
                .map(org.tensorflow.proto.Event::getSummary)
                .filter(s -> s.getValueCount() > 0 && s.getValue(0).getTag().equals("train/loss"))
                .findFirst()
                .orElseThrow();
        assertEquals(0.5f, step.getValue(0).getSimpleValue());
        assertEquals(2f, step.getValue(1).getSimpleValue());
        assertEquals(1, count(all, e -> has(e, Summary.Value::hasHisto)));
        assertEquals(1, count(all, e -> has(e, Summary.Value::hasImage)));
        assertEquals(1, count(all, e -> has(e, Summary.Value::hasAudio)));
        assertEquals(1, count(all, e -> e.getWhatCase().getNumber() == 6)); // a message of the log
        var graphed =
                all.stream().filter(e -> !e.getGraphDef().isEmpty()).findFirst().orElseThrow();
        assertEquals(
                2,
                org.tensorflow.proto.GraphDef.parseFrom(graphed.getGraphDef()).getNodeCount());
        var traced = all.stream()
                .filter(org.tensorflow.proto.Event::hasTaggedRunMetadata)
                .findFirst()
                .orElseThrow();
        RunMetadata stats = RunMetadata.parseFrom(traced.getTaggedRunMetadata().getRunMetadata());
        assertEquals("b", stats.getStepStats().getDevStats(0).getNodeStats(1).getNodeName());
        assertEquals(4, stats.getStepStats().getDevStats(0).getNodeStats(1).getAllEndRelMicros());
    }

    private static long count(List<org.tensorflow.proto.Event> all, Predicate<org.tensorflow.proto.Event> which) {
        return all.stream().filter(which).count();
    }

    private static boolean has(org.tensorflow.proto.Event e, Predicate<Summary.Value> which) {
        return e.getSummary().getValueList().stream().anyMatch(which);
    }

    private static Node add(Graph g, String op, Map<String, Object> attributes, Edge... inputs) {
        return g.add(OpRegistry.get().definition(op).create(attributes), List.of(inputs));
    }

    private static Edge constant(Graph g, Tensor t) {
        return g.add(new Const(t), List.of()).edge(0);
    }

    @Test
    void whatTheWritersOfAGraphWriteIsReadByTensorFlow() throws IOException {
        Graph g = new Graph();
        Edge w = add(g, "SummaryWriter", Map.of()).edge(0);
        Node open = add(
                g,
                "CreateSummaryFileWriter",
                Map.of(),
                w,
                constant(g, Tensor.scalar(home.resolve("ops").toString())),
                constant(g, Tensor.scalar(10)),
                constant(g, Tensor.scalar(1000)),
                constant(g, Tensor.scalar(".x")));
        Edge step = constant(g, Tensor.scalar(7L)), tag = constant(g, Tensor.scalar("loss"));
        Node write = add(g, "WriteScalarSummary", Map.of(), w, step, tag, constant(g, Tensor.scalar(0.25f)));
        Node close = add(g, "CloseSummaryWriter", Map.of(), w);
        try (Session s = Session.open(g)) {
            s.target(open).run().close();
            for (int i = 0; i < 25; i++) s.target(write).run().close();
            s.target(close).run().close();
        }
        List<org.tensorflow.proto.Event> all = read(home.resolve("ops"));
        assertEquals(26, all.size());
        assertEquals(7, all.getLast().getStep());
        assertEquals(0.25f, all.getLast().getSummary().getValue(0).getSimpleValue());
    }

    @Test
    void picturesHaveTensorFlowsPixels() throws IOException {
        Random random = new Random(20261118);
        for (DType dtype : List.of(DType.U8, DType.F32, DType.F64)) {
            for (int channels : List.of(1, 3, 4)) {
                for (double low : List.of(0.0, -3.0)) {
                    Tensor batch = Tensor.zeros(dtype, Shape.of(2, 5, 7, channels));
                    for (long i = 0; i < batch.size(); i++)
                        batch.set(i, dtype == DType.U8 ? random.nextInt(256) : low + 5 * random.nextDouble());
                    if (dtype != DType.U8) batch.set(3, Double.NaN);
                    Graph g = new Graph();
                    Edge out = add(
                                    g,
                                    "ImageSummary",
                                    Map.of("max_images", 2L),
                                    constant(g, Tensor.scalar("p")),
                                    constant(g, batch))
                            .edge(0);
                    try (Session s = Session.open(g);
                            TensorFlow tf = new TensorFlow(g)) {
                        byte[] ours = (byte[]) s.fetch(out).run().get(0).objects()[0];
                        byte[] theirs = (byte[]) tf.run(Map.of(), List.of(out.name()), List.of())
                                .getFirst()
                                .objects()[0];
                        Summary a = Summary.parseFrom(ours), b = Summary.parseFrom(theirs);
                        assertEquals(b.getValueCount(), a.getValueCount());
                        for (int i = 0; i < a.getValueCount(); i++) {
                            assertEquals(b.getValue(i).getTag(), a.getValue(i).getTag());
                            assertArrayEquals(
                                    pixels(b.getValue(i)), pixels(a.getValue(i)), dtype + " " + channels + " " + low);
                        }
                        assertTrue(a.getValueCount() == 2);
                    }
                }
            }
        }
    }

    private static int[] pixels(Summary.Value v) throws IOException {
        byte[] png = v.getImage().getEncodedImageString().toByteArray();
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
        int[] samples = image.getRaster().getPixels(0, 0, image.getWidth(), image.getHeight(), (int[]) null);
        return Arrays.copyOf(samples, samples.length);
    }
}
