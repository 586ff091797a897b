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

/** Rows of code points as text. */
@Signature(
        "UnicodeEncode(input_values: int32, input_splits: Tsplits) -> (output: string) {errors: string in [\"ignore\" \"replace\" \"strict\"] = \"replace\"; output_encoding: string in [\"UTF-8\" \"UTF-16-BE\" \"UTF-32-BE\"]; replacement_char: int = 65533; Tsplits: type in [INT32 INT64] = INT64}")
public record UnicodeEncode(String errors, String outputEncoding, int replacementChar) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long n = c.shape(1).dim(0);
        require(c.shape(1).rank() <= 1, INVALID_ARGUMENT, "input_splits must be a vector, got %s", c.shape(1));
        return List.of(new TensorType(DType.STRING, Shape.of(n < 0 ? -1 : Math.max(0, n - 1))));
    }

    private Unicode.Errors policy() {
        return new Unicode.Errors(errors, replacementChar, false);
    }

    @Override
    public Kernel cpu() {
        policy().check();
        return c -> {
            Tensor values = c.input(0), splits = c.input(1);
            for (int r = 0; r < c.output(0).size(); r++) {
                long from = splits.getLong(r), to = splits.getLong(r + 1L);
                require(
                        from >= 0 && from <= to && to <= values.size(),
                        INVALID_ARGUMENT,
                        "Values in input_splits must be in order and not above %d, got [%d, %d]",
                        values.size(),
                        from,
                        to);
                int[] points = new int[(int) (to - from)];
                int n = 0;
                for (long i = from; i < to; i++) {
                    int p = (int) values.getLong(i);
                    if (!Character.isValidCodePoint(p) || Unicode.isSurrogate(p)) p = policy().invalid();
                    if (p >= 0) points[n++] = p;
                }
                c.output(0).objects()[r] = Unicode.encode(points, n, outputEncoding);
            }
        };
    }
}
