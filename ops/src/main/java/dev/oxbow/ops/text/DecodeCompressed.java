package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.OxbowException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** What zlib or gzip packed; as it is when nothing did. */
@Signature("DecodeCompressed(bytes: string) -> (output: string) {compression_type: string = \"\"}")
public record DecodeCompressed(String compressionType) implements NotDifferentiable {
    private static final int MOST =
            (int) Math.min(Integer.MAX_VALUE - 8, Runtime.getRuntime().maxMemory() / 8);

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        require(
                List.of("", "ZLIB", "GZIP").contains(compressionType),
                INVALID_ARGUMENT,
                "Only ZLIB, GZIP or NONE are supported compressions, got '%s'",
                compressionType);
        return Strings.map(this::unpack);
    }

    private byte[] unpack(byte[] s) {
        if (compressionType.isEmpty()) return s;
        try (InputStream in = compressionType.equals("GZIP")
                ? new GZIPInputStream(new ByteArrayInputStream(s))
                : new InflaterInputStream(new ByteArrayInputStream(s))) {
            byte[] all = in.readNBytes(MOST);
            require(
                    in.read() < 0,
                    RESOURCE_EXHAUSTED,
                    "a string has more than %,d bytes, an eighth of the Java heap",
                    MOST);
            return all;
        } catch (IOException e) {
            throw new OxbowException(DATA_LOSS, "inflate failed", e);
        }
    }
}
