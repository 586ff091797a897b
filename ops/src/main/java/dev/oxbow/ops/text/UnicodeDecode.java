package dev.oxbow.ops.text;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.Charset;
import java.util.List;

/** Text as rows of code points. */
@Signature(
        "UnicodeDecode(input: string) -> (row_splits: Tsplits, char_values: int32) {input_encoding: string; errors: string in [\"strict\" \"replace\" \"ignore\"] = \"replace\"; replacement_char: int = 65533; replace_control_characters: bool = false; Tsplits: type in [INT32 INT64] = INT64}")
public record UnicodeDecode(
        String inputEncoding,
        String errors,
        int replacementChar,
        boolean replaceControlCharacters,
        @Attr("Tsplits") DType splitsType)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0), all = Shape.of(-1);
        TensorType splits = new TensorType(splitsType, Shape.of(x.isFullyKnown() ? x.size() + 1 : -1));
        return List.of(splits, new TensorType(DType.I32, all));
    }

    private Unicode.Errors policy() {
        return new Unicode.Errors(errors, replacementChar, replaceControlCharacters);
    }

    @Override
    public Kernel cpu() {
        policy().check();
        return c -> {
            Charset charset = Unicode.charset(inputEncoding);
            Object[] x = c.input(0).objects();
            int[] points = Unicode.room(x), n = {0};
            Tensor splits = c.output(0);
            splits.setLong(0, 0);
            for (int i = 0; i < x.length; i++) {
                Unicode.decode((byte[]) x[i], charset, policy(), (p, at) -> points[n[0]++] = p);
                splits.setLong(i + 1L, n[0]);
            }
            Tensor y = c.allocate(1, Shape.of(n[0]));
            for (int i = 0; i < n[0]; i++) y.setLong(i, points[i]);
        };
    }
}
