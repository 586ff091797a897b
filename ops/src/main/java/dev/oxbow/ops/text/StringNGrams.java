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
import java.util.ArrayList;
import java.util.List;

/** The n-grams of every row of a ragged batch of strings, padded at both ends. */
@Signature(
        "StringNGrams(data: string, data_splits: Tsplits) -> (ngrams: string, ngrams_splits: Tsplits) {separator: string; ngram_widths: list(int) >= 0; left_pad: string; right_pad: string; pad_width: int; preserve_short_sequences: bool; Tsplits: type in [INT32 INT64] = INT64}")
public record StringNGrams(
        String separator,
        List<Long> ngramWidths,
        String leftPad,
        String rightPad,
        int padWidth,
        boolean preserveShortSequences)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 2; i++)
            require(
                    c.shape(i).rank() == 1 || !c.shape(i).isRankKnown(),
                    INVALID_ARGUMENT,
                    "StringNGrams: input %d must be a vector, got %s",
                    i,
                    c.shape(i));
        return List.of(new TensorType(DType.STRING, Shape.of(-1)), new TensorType(c.dtype(1), c.shape(1)));
    }

    @Override
    public Kernel cpu() {
        for (long w : ngramWidths)
            require(w >= 1, INVALID_ARGUMENT, "StringNGrams: ngram_widths must contain positive values, got %d", w);
        return c -> {
            Tensor data = c.input(0), splits = c.input(1);
            checkSplits(data, splits);
            List<byte[]> grams = new ArrayList<>();
            Tensor y = c.allocate(1, splits.shape());
            if (splits.size() > 0) y.setLong(0, 0);
            for (long r = 0; r + 1 < splits.size(); r++) {
                List<byte[]> row = new ArrayList<>();
                for (long i = splits.getLong(r); i < splits.getLong(r + 1); i++) row.add(Strings.get(data, i));
                row(row, grams);
                y.setLong(r + 1, grams.size());
            }
            c.set(0, Tensor.ofObjects(DType.STRING, Shape.of(grams.size()), grams.toArray()));
        };
    }

    private static void checkSplits(Tensor data, Tensor splits) {
        if (splits.size() == 0) return;
        require(
                splits.getLong(0) == 0,
                INVALID_ARGUMENT,
                "StringNGrams: First split value must be 0, got %d",
                splits.getLong(0));
        for (long i = 1; i < splits.size(); i++)
            require(
                    splits.getLong(i) >= splits.getLong(i - 1) && splits.getLong(i) <= data.size(),
                    INVALID_ARGUMENT,
                    "StringNGrams: Invalid split value %d, must be in [%d, %d]",
                    splits.getLong(i),
                    splits.getLong(i - 1),
                    data.size());
        require(
                splits.getLong(splits.size() - 1) == data.size(),
                INVALID_ARGUMENT,
                "StringNGrams: Last split value must be data size. Expected %d, got %d",
                data.size(),
                splits.getLong(splits.size() - 1));
    }

    private void row(List<byte[]> row, List<byte[]> grams) {
        int before = grams.size();
        for (long width : ngramWidths) {
            int pad = (int) (padWidth < 0 ? width - 1 : Math.min(padWidth, width - 1));
            grams(row, (int) width, pad, grams);
        }
        if (preserveShortSequences && grams.size() == before && !row.isEmpty()) {
            int least = ngramWidths.stream().mapToInt(Long::intValue).min().orElse(1);
            int pad = padWidth < 0 ? least - 1 : Math.min(padWidth, least - 1);
            grams(row, row.size() + 2 * pad, pad, grams);
        }
    }

    private void grams(List<byte[]> row, int width, int pad, List<byte[]> grams) {
        List<byte[]> padded = new ArrayList<>();
        for (int i = 0; i < pad; i++) padded.add(Strings.attribute(leftPad));
        padded.addAll(row);
        for (int i = 0; i < pad; i++) padded.add(Strings.attribute(rightPad));
        byte[] between = Strings.attribute(separator);
        for (int i = 0; i + width <= padded.size(); i++) grams.add(Strings.join(padded.subList(i, i + width), between));
    }
}
