package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Strings read as the bytes of numbers, cut or filled with zeros to a fixed length. */
@Signature(
        "DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> (output: out_type) {out_type: type in [FLOATING INT32 UINT16 UINT8 INT16 INT8 INT64]; little_endian: bool = true}")
public record DecodePaddedRaw(DType outType, boolean littleEndian) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        long[] length = c.longs(1);
        if (length == null) return List.of(new TensorType(outType, c.shape(0).concat(Shape.of(-1))));
        require(
                length.length == 1 && length[0] > 0 && length[0] % outType.size() == 0,
                INVALID_ARGUMENT,
                "fixed_length %d must be a positive multiple of %d, the size of %s",
                length[0],
                outType.size(),
                outType);
        return List.of(new TensorType(outType, c.shape(0).concat(Shape.of(length[0] / outType.size()))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Memory.zero(y.address(), y.byteSize());
            int length = (int) c.input(1).getLong(0);
            for (long i = 0; i < x.size(); i++) {
                byte[] given = Strings.get(x, i);
                int used = Math.min(length, Math.ceilDiv(given.length, outType.size()) * outType.size());
                RawBytes.copy(Arrays.copyOf(given, used), used, y, i * (length / outType.size()), littleEndian);
            }
        };
    }
}
