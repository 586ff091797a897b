package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Samples of summaries and of the ops that write them, to the directory that programs are started in. */
public final class SummarySamples extends SampleFamily {
    private static final String DIRECTORY = "target/samples/";

    @Override
    public String name() {
        return "summary";
    }

    @Override
    protected void define() {
        scalars();
        histograms();
        pictures();
        sounds();
        tensors();
        writers();
    }

    private static Tensor strings(String... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private void scalars() {
        for (DType t : List.of(DType.F32, DType.F64, DType.F16, DType.BF16, DType.I8, DType.I64, DType.U8, DType.U64))
            sample(named("ScalarSummary"), strings("a", "b/c", "d"), random(t, 0, 100, 1, 3));
        sample(named("ScalarSummary"), Tensor.scalar("loss"), Tensor.scalar(0f));
        sample(named("ScalarSummary"), strings("loss"), Tensor.scalar(1.5f));
        sample(named("ScalarSummary"), Tensor.of(Shape.of(0), new String[0]), floats(2, 0));
        sample(named("ScalarSummary"), strings("a", "b"), floats(3, 3));
        program("MergeSummary", p -> {
            Edge a = p.add(named("ScalarSummary"), p.constant(Tensor.scalar("a")), p.constant(Tensor.scalar(1f)))
                    .edge(0);
            Edge b = p.add(named("ScalarSummary"), p.constant(strings("b", "c")), p.constant(floats(4, 2)))
                    .edge(0);
            p.fetch(p.add(named("MergeSummary", "N", 2L), a, b).edge(0));
            p.fetch(p.add(named("MergeSummary", "N", 1L), a).edge(0));
            p.fetch(p.add(named("MergeSummary", "N", 2L), a, a).edge(0));
        });
        sample(named("MergeSummary", "N", 1L), Tensor.scalar("no summary"));
    }

    private void histograms() {
        Tensor tag = Tensor.scalar("weights");
        for (DType t : List.of(DType.F32, DType.F64, DType.F16, DType.BF16, DType.I32, DType.I16, DType.U16, DType.U32))
            sample(named("HistogramSummary"), tag, random(t, 0, 50, 5, 4, 5));
        sample(named("HistogramSummary"), tag, random(DType.F32, -3, 3, 6, 100));
        sample(
                named("HistogramSummary"),
                tag,
                Tensor.of(Shape.of(8), 0f, -0f, 1e-30f, -1e-30f, 1e30f, -1e30f, 1f, -1f));
        sample(named("HistogramSummary"), tag, Tensor.of(Shape.of(3), 1e-12, 1.1e-12, -1e-12));
        sample(named("HistogramSummary"), tag, Tensor.scalar(2f));
        sample(named("HistogramSummary"), tag, floats(7, 0));
        sample(named("HistogramSummary"), tag, Tensor.of(Shape.of(2), 1f, Float.NaN));
        sample(named("HistogramSummary"), tag, Tensor.of(Shape.of(2), 1f, Float.POSITIVE_INFINITY));
        sample(named("HistogramSummary"), strings("a", "b"), floats(8, 2));
    }

    private void pictures() {
        Tensor tag = Tensor.scalar("pictures");
        for (DType t : List.of(DType.U8, DType.F32, DType.F16, DType.F64))
            sample(named("ImageSummary", "max_images", 2L), tag, random(t, 0, 9, 9, 3, 4, 5, 3));
        unanswered("ImageSummary", "TensorFlow packs its PNG by another library; pixels are compared beside it");
        sample(named("ImageSummary"), tag, floats(10, 3, 4, 5));
        sample(named("ImageSummary"), tag, floats(11, 1, 4, 5, 2));
    }

    private void sounds() {
        Tensor tag = Tensor.scalar("sounds");
        Tensor loud = Tensor.of(Shape.of(2, 4), 0f, 0.5f, -0.5f, 1f, -1f, 2f, -2f, 1e-5f);
        for (long most : List.of(1L, 3L)) {
            sample(named("AudioSummary", "sample_rate", 8000f, "max_outputs", most), tag, loud);
            sample(named("AudioSummaryV2", "max_outputs", most), tag, loud, Tensor.scalar(8000.6f));
        }
        sample(named("AudioSummaryV2"), tag, random(DType.F32, -1, 1, 12, 2, 3, 2), Tensor.scalar(44100f));
        sample(named("AudioSummaryV2"), tag, floats(13, 2), Tensor.scalar(44100f));
        sample(named("AudioSummaryV2"), tag, floats(13, 2, 3), Tensor.scalar(-1f));
    }

    private void tensors() {
        sample(named("TensorSummary"), floats(14, 2, 3));
        sample(named("TensorSummary"), strings("a", "bc"));
        sample(
                named("TensorSummary", "description", "of", "labels", List.of("x"), "display_name", "shown"),
                Tensor.scalar(1));
        sample(named("TensorSummaryV2"), Tensor.scalar("t"), doubles(15, 2), Tensor.scalar(""));
        // the message of a plugin with the name "text"
        sample(named("TensorSummaryV2"), Tensor.scalar("t"), strings("hello"), Tensor.scalar("\n\u0006\n\u0004text"));
    }

    private void writers() {
        for (String cover : List.of(
                "SummaryWriter",
                "CreateSummaryFileWriter",
                "FlushSummaryWriter",
                "CloseSummaryWriter",
                "ImportEvent",
                "WriteScalarSummary",
                "WriteHistogramSummary",
                "WriteImageSummary",
                "WriteAudioSummary",
                "WriteSummary",
                "WriteRawProtoSummary",
                "WriteGraphSummary")) writer(cover);
        program("CreateSummaryDbWriter", p -> {
            Edge w = p.add(named("SummaryWriter")).edge(0), text = p.constant(Tensor.scalar("x"));
            p.target(p.add(named("CreateSummaryDbWriter"), w, text, text, text, text));
        });
        unanswered("CreateSummaryDbWriter", "TensorFlow makes a file of that name");
    }

    /** Every op that writes, then a look at how many files there are. */
    private void writer(String cover) {
        String directory = DIRECTORY + cover + "Events";
        program(cover, p -> {
            Edge w = p.add(named("SummaryWriter", "shared_name", cover)).edge(0);
            Node open = p.add(
                    named("CreateSummaryFileWriter"),
                    w,
                    p.constant(Tensor.scalar(directory)),
                    p.constant(Tensor.scalar(10)),
                    p.constant(Tensor.scalar(1000)),
                    p.constant(Tensor.scalar("." + cover)));
            Edge step = p.constant(Tensor.scalar(7L)), tag = p.constant(Tensor.scalar("t"));
            Edge scalar = p.constant(Tensor.scalar(1f)), empty = p.constant(Tensor.scalar(""));
            Edge red = p.constant(Tensor.of(Shape.of(4), 255, 0, 0, 255));
            Edge bad = p.add(named("Cast", "SrcT", DType.I32, "DstT", DType.U8), red)
                    .edge(0);
            List<Node> writes = new ArrayList<>();
            writes.add(p.add(named("WriteScalarSummary"), w, step, tag, scalar));
            writes.add(p.add(named("WriteHistogramSummary"), w, step, tag, p.constant(floats(16, 9))));
            writes.add(p.add(named("WriteImageSummary"), w, step, tag, p.constant(floats(17, 1, 2, 2, 1)), bad));
            writes.add(p.add(named("WriteAudioSummary"), w, step, tag, p.constant(floats(18, 1, 5)), scalar));
            writes.add(p.add(named("WriteSummary"), w, step, scalar, tag, empty));
            writes.add(p.add(named("WriteRawProtoSummary"), w, step, empty));
            writes.add(p.add(named("WriteGraphSummary"), w, step, empty));
            writes.add(p.add(named("ImportEvent"), w, empty));
            p.target(open).target(writes.toArray(Node[]::new));
            p.target(p.add(named("FlushSummaryWriter"), w)).target(p.add(named("CloseSummaryWriter"), w));
        });
    }
}
