package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** FarmHash's fingerprint of each row, as eight bytes. */
@Signature("Fingerprint(data: T, method: string) -> (fingerprint: uint8) {T: type}")
public record Fingerprint() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rankAtLeast(0, 1);
        c.scalar(1);
        long rows = c.shape(0).isRankKnown() ? c.shape(0).dim(0) : -1;
        return List.of(new TensorType(DType.U8, Shape.of(rows, Long.BYTES)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            String method = Strings.text((byte[]) c.input(1).objects()[0]);
            require(
                    method.equals("farmhash64"),
                    INVALID_ARGUMENT,
                    "Unsupported method: %s, there is farmhash64",
                    method);
            require(
                    x.dtype() == DType.STRING || !x.dtype().isObject(),
                    INVALID_ARGUMENT,
                    "data of %s have no bytes",
                    x.dtype());
            long rows = x.shape().dim(0);
            int width = rows == 0 ? 0 : Counts.toInt(x.size() / rows);
            for (long r = 0; r < rows; r++)
                Memory.putLong(
                        y.address() + Long.BYTES * r,
                        x.dtype() == DType.STRING ? ofStrings(x, r, width) : ofBytes(x, r, width));
        };
    }

    /** A single string's own; of several the fingerprint of theirs. */
    private static long ofStrings(Tensor x, long row, int width) {
        int from = (int) row * width;
        if (width == 1) return Hashes.farm((byte[]) x.objects()[from]);
        ByteBuffer all =
                ByteBuffer.allocate(Counts.toInt(Long.BYTES * (long) width)).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < width; i++) all.putLong(Hashes.farm((byte[]) x.objects()[from + i]));
        return Hashes.farm(all.array());
    }

    private static long ofBytes(Tensor x, long row, int width) {
        int n = Counts.toInt((long) width * x.dtype().size());
        byte[] bytes = new byte[n];
        for (int i = 0; i < n; i++) bytes[i] = Memory.getByte(x.address() + row * n + i);
        return Hashes.farm(bytes);
    }
}
