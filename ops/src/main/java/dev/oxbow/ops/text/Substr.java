package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.BroadcastIndex;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Parts of strings by position and length in bytes or UTF-8 characters; negative positions count from the end. */
@Signature(
        "Substr(input: string, pos: T, len: T) -> (output: string) {T: type in [INT32 INT64]; unit: string in [\"BYTE\" \"UTF8_CHAR\"] = \"BYTE\"}")
public record Substr(String unit) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape positions = c.shape(1).merge(c.shape(2));
        require(
                positions != null,
                INVALID_ARGUMENT,
                "pos and len should have the same shape, got: %s vs. %s",
                c.shape(1),
                c.shape(2));
        Shape s = Shape.broadcast(c.shape(0), positions);
        require(s != null, INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", c.shape(0), positions);
        return List.of(new TensorType(DType.STRING, s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), pos = c.input(1), len = c.input(2), y = c.output(0);
            long[] fromX = BroadcastIndex.of(x.shape(), y.shape()), fromPos = BroadcastIndex.of(pos.shape(), y.shape());
            Strings.fill(y, i -> {
                long p = fromPos[i];
                return part(Strings.get(x, fromX[i]), pos.getLong(p), len.getLong(p), i);
            });
        };
    }

    private byte[] part(byte[] s, long pos, long len, int i) {
        int[] starts = unit.equals("BYTE") ? null : Strings.characterStarts(s);
        int n = starts == null ? s.length : starts.length - 1;
        require(
                pos <= n && pos >= -n,
                INVALID_ARGUMENT,
                "pos %d out of range for string at index %d of length %d",
                pos,
                i,
                n);
        int from = (int) (pos < 0 ? pos + n : pos), to = from + Math.clamp(len, 0, n - from);
        return starts == null ? Arrays.copyOfRange(s, from, to) : Arrays.copyOfRange(s, starts[from], starts[to]);
    }
}
