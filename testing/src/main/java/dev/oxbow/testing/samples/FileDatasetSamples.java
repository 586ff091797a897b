package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.number;
import static dev.oxbow.testing.samples.DatasetParts.range;
import static dev.oxbow.testing.samples.DatasetParts.unary;
import static dev.oxbow.testing.samples.FileSamples.bytes;
import static dev.oxbow.testing.samples.FileSamples.damaged;
import static dev.oxbow.testing.samples.FileSamples.frames;
import static dev.oxbow.testing.samples.FileSamples.packed;
import static dev.oxbow.testing.samples.FileSamples.text;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples of data sets of files, two at a time. */
final class FileDatasetSamples {
    private static final List<DType> TEXTS = List.of(DType.STRING);

    private final DatasetSamples to;

    FileDatasetSamples(DatasetSamples to) {
        this.to = to;
    }

    void define() {
        byte[] records = frames("one", "", "three"), lines = bytes("one\r\n\ntwo");
        for (String kind : List.of("", "GZIP", "ZLIB"))
            for (String v : List.of("", "V2"))
                to.walk("TFRecordDataset" + v, 6, TEXTS, p -> {
                    Edge names = written(p, "records" + kind + v, packed(records, kind), packed(frames("x"), kind));
                    Edge size = number(p, 0);
                    return v.isEmpty()
                            ? p.add(SampleFamily.named("TFRecordDataset"), names, text(p, kind), size)
                                    .edge(0)
                            : p.add(
                                            SampleFamily.named("TFRecordDatasetV2"),
                                            names,
                                            text(p, kind),
                                            size,
                                            p.constant(Tensor.of(Shape.of(2), kind.isEmpty() ? 19L : 0L, 0L)))
                                    .edge(0);
                });
        for (String kind : List.of("", "GZIP", "ZLIB"))
            to.walk(
                    "TextLineDataset",
                    6,
                    TEXTS,
                    p -> p.add(
                                    SampleFamily.named("TextLineDataset"),
                                    written(p, "lines" + kind, packed(lines, kind), packed(bytes("\n"), kind)),
                                    text(p, kind),
                                    number(p, 100))
                            .edge(0));
        to.walk(
                "TFRecordDataset",
                4,
                TEXTS,
                p -> p.add(
                                SampleFamily.named("TFRecordDataset"),
                                written(p, "damaged", damaged(records, 13), frames("x")),
                                text(p, ""),
                                number(p, 0))
                        .edge(0));
        for (String kind : List.of("", "GZIP", "ZLIB"))
            to.walk(
                    "FixedLengthRecordDatasetV2",
                    6,
                    TEXTS,
                    p -> p.add(
                                    SampleFamily.named("FixedLengthRecordDatasetV2"),
                                    written(
                                            p,
                                            "fixed" + kind,
                                            packed(bytes("HaabbFF"), kind),
                                            packed(bytes("HxxFF"), kind)),
                                    number(p, 1),
                                    number(p, 2),
                                    number(p, 2),
                                    number(p, 0),
                                    text(p, kind))
                            .edge(0));
        to.walk("CacheDataset", 7, List.of(DType.I64), p -> {
            written(p, "cache", bytes("x"), bytes("y"));
            Edge kept = unary(p, "CacheDataset", range(p, 0, 3, 1), text(p, FileSamples.DIRECTORY + "sets/cache/kept"));
            return unary(p, "RepeatDataset", kept, number(p, 2));
        });
        for (String pattern : List.of("sets/matching/*", "sets/matching/[b-z]*", "sets/matching/none*"))
            to.walk("MatchingFilesDataset", 4, TEXTS, p -> {
                written(p, "matching", bytes("x"), bytes("y"));
                return p.add(SampleFamily.named("MatchingFilesDataset"), text(p, FileSamples.DIRECTORY + pattern))
                        .edge(0);
            });
        for (String body : List.of("HaabbFF", "HaabFF", "HFF", "H"))
            to.walk(
                    "FixedLengthRecordDataset",
                    5,
                    TEXTS,
                    p -> p.add(
                                    SampleFamily.named("FixedLengthRecordDataset"),
                                    written(p, "fixed1" + body, bytes(body), bytes("HxxFF")),
                                    number(p, 1),
                                    number(p, 2),
                                    number(p, 2),
                                    number(p, 0))
                            .edge(0));
    }

    /** The names of two files that the sample writes before it begins. */
    private Edge written(SampleFamily.Program p, String folder, byte[] a, byte[] b) {
        Node[] nodes = {
            FileSamples.write(p, "sets/" + folder + "/a", a), FileSamples.write(p, "sets/" + folder + "/b", b)
        };
        p.target(nodes);
        return FileSamples.names(p, "sets/" + folder + "/a", "sets/" + folder + "/b");
    }
}
