package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.FileSamples.bytes;
import static dev.oxbow.testing.samples.FileSamples.damaged;
import static dev.oxbow.testing.samples.FileSamples.frames;
import static dev.oxbow.testing.samples.FileSamples.packed;
import static dev.oxbow.testing.samples.FileSamples.write;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;

/** Samples of readers: names in a queue that is closed behind them, records, counts and states. */
final class ReaderSamples {
    private static final List<String> VERSIONS = List.of("", "V2");

    private final IoSamples to;

    ReaderSamples(IoSamples to) {
        this.to = to;
    }

    void define() {
        for (String v : VERSIONS) {
            frameReaders(v);
            lineReaders(v);
            fixedReaders(v);
            wholeReaders(v);
            upTo(v);
            states(v);
        }
        input();
    }

    /** A reader and its queue in one sample. */
    private record Reading(SampleFamily.Program p, String v, Edge reader, Edge queue, String folder) {

        Node read() {
            return p.add(SampleFamily.named("ReaderRead" + v), reader, queue);
        }

        Edge ask(String op) {
            return p.add(SampleFamily.named(op + v), reader).edge(0);
        }

        /** Reads so many times, then asks for both counts. */
        void reads(int times) {
            Node read = read();
            for (int i = 0; i < times; i++) p.fetch(read.edge(0), read.edge(1));
            p.fetch(ask("ReaderNumRecordsProduced"), ask("ReaderNumWorkUnitsCompleted"));
        }

        Reading put(String name, byte[] content) {
            p.target(write(p, folder + name, content));
            return this;
        }

        /** Puts names into the queue and closes it. */
        Reading names(String... some) {
            String[] all = new String[some.length];
            for (int i = 0; i < all.length; i++) all[i] = folder + some[i];
            p.target(p.add(SampleFamily.named("QueueEnqueueMany" + v), queue, FileSamples.names(p, all)));
            p.target(p.add(SampleFamily.named("QueueClose" + v), queue));
            return this;
        }
    }

    private int count;

    private void sample(String cover, String v, Op reader, BiConsumer<Reading, SampleFamily.Program> body) {
        String folder = "readers/" + count++ + "/";
        to.add(cover, p -> {
            Edge handle = p.add(reader).edge(0);
            Edge queue = p.add(SampleFamily.named(
                            "FIFOQueue" + v, "component_types", List.of(DType.STRING), "shapes", List.of(Shape.SCALAR)))
                    .edge(0);
            body.accept(new Reading(p, v, handle, queue, folder), p);
        });
    }

    private void frameReaders(String v) {
        byte[] some = frames("one", "", "three");
        for (String kind : List.of("", "GZIP", "ZLIB"))
            sample(
                    "TFRecordReader" + v,
                    v,
                    SampleFamily.named("TFRecordReader" + v, "compression_type", kind),
                    (r, _) -> r.put("a", packed(some, kind))
                            .put("b", packed(frames(), kind))
                            .put("c", packed(frames("last"), kind))
                            .names("a", "b", "c")
                            .reads(6));
        sample(
                "TFRecordReader" + v,
                v,
                SampleFamily.named("TFRecordReader" + v),
                (r, _) -> r.put("a", damaged(some, 13)).names("a").reads(1));
        sample(
                "TFRecordReader" + v,
                v,
                SampleFamily.named("TFRecordReader" + v),
                (r, _) -> r.names("missing").reads(1));
    }

    private void lineReaders(String v) {
        for (long skipped : new long[] {0, 2})
            sample(
                    "TextLineReader" + v,
                    v,
                    SampleFamily.named("TextLineReader" + v, "skip_header_lines", skipped),
                    (r, _) -> r.put("a", bytes("one\r\n\ntwo\nthree\r"))
                            .put("b", bytes(""))
                            .put("c", bytes("x\ny\n"))
                            .names("a", "b", "c")
                            .reads(8));
    }

    private void fixedReaders(String v) {
        byte[] content = bytes("HEaabbccddeeFOOT");
        for (long hop : new long[] {0, 1, 4, 40})
            sample(
                    "FixedLengthRecordReader" + v,
                    v,
                    SampleFamily.named(
                            "FixedLengthRecordReader" + v,
                            "header_bytes",
                            2L,
                            "record_bytes",
                            2L,
                            "footer_bytes",
                            4L,
                            "hop_bytes",
                            hop),
                    (r, _) -> r.put("a", content)
                            .put("b", bytes("HEaab"))
                            .put("c", bytes("HExyzFOOT"))
                            .names("a", "b", "c")
                            .reads(12));
        if (v.isEmpty()) return;
        for (String kind : List.of("GZIP", "ZLIB"))
            sample(
                    "FixedLengthRecordReaderV2",
                    v,
                    SampleFamily.named(
                            "FixedLengthRecordReaderV2",
                            "header_bytes",
                            1L,
                            "record_bytes",
                            3L,
                            "footer_bytes",
                            2L,
                            "encoding",
                            kind),
                    (r, _) -> r.put("a", packed(bytes("HaaabbbcccFF"), kind))
                            .names("a")
                            .reads(4));
    }

    private void wholeReaders(String v) {
        for (String kind : List.of("WholeFileReader", "IdentityReader"))
            sample(
                    kind + v,
                    v,
                    SampleFamily.named(kind + v),
                    (r, _) -> r.put("a", bytes("whole"))
                            .put("b", bytes(""))
                            .names("a", "b", "missing")
                            .reads(4));
        for (String cover : List.of("ReaderRead", "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted"))
            sample(
                    cover + v,
                    v,
                    SampleFamily.named("WholeFileReader" + v),
                    (r, _) -> r.put("x", bytes("X"))
                            .put("y", bytes("Y"))
                            .names("x", "y")
                            .reads(3));
    }

    private void upTo(String v) {
        for (long n : new long[] {1, 2, 3, 100})
            sample(
                    "ReaderReadUpTo" + v,
                    v,
                    SampleFamily.named(v.isEmpty() ? "WholeFileReader" : "TextLineReaderV2"),
                    (r, p) -> {
                        r.put("a", bytes("1\n2\n3\n4\n5\n"))
                                .put("b", bytes("6\n"))
                                .names("a", "b");
                        Node read = p.add(
                                SampleFamily.named("ReaderReadUpTo" + v),
                                r.reader(),
                                r.queue(),
                                p.constant(Tensor.scalar(n)));
                        for (int i = 0; i < 7; i++) p.fetch(read.edge(0), read.edge(1));
                        p.fetch(r.ask("ReaderNumRecordsProduced"));
                    });
    }

    private void states(String v) {
        for (String cover : List.of("ReaderSerializeState", "ReaderRestoreState", "ReaderReset"))
            sample(cover + v, v, SampleFamily.named("WholeFileReader" + v), (r, p) -> {
                r.put("x", bytes("X")).put("y", bytes("Y")).put("z", bytes("Z")).names("x", "y", "z");
                Edge state = r.ask("ReaderSerializeState");
                p.fetch(state);
                r.reads(2);
                p.fetch(state);
                p.target(p.add(SampleFamily.named("ReaderReset" + v), r.reader()))
                        .fetch(state);
                Tensor other =
                        Tensor.ofObjects(DType.STRING, Shape.SCALAR, new byte[] {8, 2, 16, 2, 24, 1, 34, 1, 'q'});
                p.target(p.add(SampleFamily.named("ReaderRestoreState" + v), r.reader(), p.constant(other)))
                        .fetch(state);
                r.reads(3);
                Tensor wrong = Tensor.ofObjects(DType.STRING, Shape.SCALAR, new byte[] {8, 5, 16, 1});
                p.target(p.add(SampleFamily.named("ReaderRestoreState" + v), r.reader(), p.constant(wrong)));
            });
        if (!v.isEmpty())
            sample("ReaderSerializeStateV2", v, SampleFamily.named("TextLineReaderV2"), (r, p) -> {
                p.fetch(r.ask("ReaderSerializeState"));
            });
    }

    /** Records are drawn at random, so all of them are alike. */
    private void input() {
        for (String kind : List.of("", "GZIP"))
            to.add("RecordInput", p -> {
                String folder = "input" + kind + "/";
                p.target(
                        write(p, folder + "a", packed(frames("same", "same"), kind)),
                        write(p, folder + "b", packed(frames("same"), kind)));
                Edge records = p.add(SampleFamily.named(
                                "RecordInput",
                                "file_pattern",
                                FileSamples.DIRECTORY + folder + "*",
                                "batch_size",
                                5L,
                                "file_buffer_size",
                                2L,
                                "file_shuffle_shift_ratio",
                                0.5f,
                                "compression_type",
                                kind))
                        .edge(0);
                p.fetch(records).fetch(records);
            });
    }
}
