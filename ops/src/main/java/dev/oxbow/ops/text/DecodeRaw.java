package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Strings of equal length read as the bytes of numbers; their count becomes the last dimension. */
@Signature(
        "DecodeRaw(bytes: string) -> (output: out_type) {out_type: type in [FLOATING COMPLEX INT32 UINT16 UINT8 INT16 INT8 INT64 BOOL]; little_endian: bool = true}")
public record DecodeRaw(DType outType, boolean littleEndian) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(outType, c.shape(0).concat(Shape.of(-1))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            int length = x.size() == 0 ? 0 : Strings.get(x, 0).length, w = outType.size();
            for (long i = 0; i < x.size(); i++)
                require(
                        Strings.get(x, i).length == length,
                        INVALID_ARGUMENT,
                        "DecodeRaw requires input strings to all be the same size, but element %d has size %d != %d",
                        i,
                        length,
                        Strings.get(x, i).length);
            require(
                    length % w == 0,
                    INVALID_ARGUMENT,
                    "Input to DecodeRaw has length %d that is not a multiple of %d, the size of %s",
                    length,
                    w,
                    outType.inWords());
            Tensor y = c.allocate(0, x.shape().concat(Shape.of(length / w)));
            for (long i = 0; i < x.size(); i++)
                RawBytes.copy(Strings.get(x, i), length, y, i * (length / w), littleEndian);
        };
    }
}
