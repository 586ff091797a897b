package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
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
                    "input %d must be a vector, got %s",
                    i,
                    c.shape(i));
        return List.of(new TensorType(DType.STRING, Shape.of(-1)), new TensorType(c.dtype(1), c.shape(1)));
    }

    @Override
    public Kernel cpu() {
        for (long w : ngramWidths)
            require(w >= 1, INVALID_ARGUMENT, "ngram_widths must contain positive values, got %d", w);
        return c -> {
            Tensor data = c.input(0), splits = c.input(1);
            checkSplits(data, splits);
            Grams grams = new Grams();
            Tensor y = c.allocate(1, splits.shape());
            if (splits.size() > 0) y.setLong(0, 0);
            for (long r = 0; r + 1 < splits.size(); r++) {
                List<byte[]> row = new ArrayList<>();
                for (long i = splits.getLong(r); i < splits.getLong(r + 1); i++) row.add(Strings.get(data, i));
                row(row, grams);
                y.setLong(r + 1, grams.all.size());
            }
            c.set(0, Tensor.ofObjects(DType.STRING, Shape.of(grams.all.size()), grams.all.toArray()));
        };
    }

    private static void checkSplits(Tensor data, Tensor splits) {
        if (splits.size() == 0) return;
        require(splits.getLong(0) == 0, INVALID_ARGUMENT, "First split value must be 0, got %d", splits.getLong(0));
        for (long i = 1; i < splits.size(); i++)
            require(
                    splits.getLong(i) >= splits.getLong(i - 1) && splits.getLong(i) <= data.size(),
                    INVALID_ARGUMENT,
                    "Invalid split value %d, must be in [%d, %d]",
                    splits.getLong(i),
                    splits.getLong(i - 1),
                    data.size());
        require(
                splits.getLong(splits.size() - 1) == data.size(),
                INVALID_ARGUMENT,
                "Last split value must be data size. Expected %d, got %d",
                data.size(),
                splits.getLong(splits.size() - 1));
    }

    /** What was made so far. */
    private static final class Grams {
        private final List<byte[]> all = new ArrayList<>();
        private long bytes;

        void add(byte[] gram) {
            bytes = Strings.counted(bytes, gram);
            all.add(gram);
        }
    }

    private void row(List<byte[]> row, Grams grams) {
        int before = grams.all.size();
        for (long width : ngramWidths) grams(row, width, pad(width), grams);
        if (preserveShortSequences && grams.all.size() == before && !row.isEmpty()) {
            long pad = pad(ngramWidths.stream().mapToLong(Long::longValue).min().orElse(1));
            grams(row, row.size() + 2 * pad, pad, grams);
        }
    }

    private long pad(long width) {
        return padWidth < 0 ? width - 1 : Math.min(padWidth, width - 1);
    }

    private void grams(List<byte[]> row, long width, long pad, Grams grams) {
        long size = row.size() + 2 * Counts.objects(pad, 8), count = size - width + 1;
        if (count <= 0) return;
        byte[] between = Strings.attribute(separator),
                left = Strings.attribute(leftPad),
                right = Strings.attribute(rightPad);
        Counts.objects(grams.all.size() + count, 32);
        List<byte[]> padded = new ArrayList<>();
        for (int i = 0; i < pad; i++) padded.add(left);
        padded.addAll(row);
        for (int i = 0; i < pad; i++) padded.add(right);
        for (int i = 0; i < count; i++) grams.add(Strings.join(padded.subList(i, i + (int) width), between));
    }
}
