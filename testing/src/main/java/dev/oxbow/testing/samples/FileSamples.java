package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.RecordFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Files that samples write and then read, record by record. */
final class FileSamples {
    static final String DIRECTORY = "target/samples/";

    private FileSamples() {}

    static byte[] frames(String... records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            for (String r : records) RecordFrame.write(out, r.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] packed(byte[] content, String kind) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream to = kind.equals("GZIP") ? new GZIPOutputStream(out) : new DeflaterOutputStream(out)) {
            to.write(content);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return kind.isEmpty() ? content : out.toByteArray();
    }

    /** The same with one byte changed. */
    static byte[] damaged(byte[] content, int at) {
        byte[] other = content.clone();
        other[at] ^= 1;
        return other;
    }

    /** A node that writes a file. */
    static Node write(SampleFamily.Program p, String name, byte[] content) {
        return p.add(
                SampleFamily.named("WriteFile"),
                p.constant(Tensor.scalar(DIRECTORY + name)),
                p.constant(Tensor.ofObjects(DType.STRING, Shape.SCALAR, content)));
    }

    /** Names of files of a folder. */
    static Edge names(SampleFamily.Program p, String... names) {
        String[] all = new String[names.length];
        for (int i = 0; i < all.length; i++) all[i] = DIRECTORY + names[i];
        return p.constant(Tensor.of(Shape.of(all.length), all));
    }

    static Edge text(SampleFamily.Program p, String text) {
        return p.constant(Tensor.scalar(text));
    }
}
