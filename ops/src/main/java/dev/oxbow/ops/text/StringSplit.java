package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Strings cut at every byte that the delimiter holds, or into bytes when it is empty. */
@Signature(
        "StringSplit(input: string, delimiter: string) -> (indices: int64, values: string, shape: int64) {skip_empty: bool = true}")
public record StringSplit(boolean skipEmpty) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Strings.requireScalar("delimiter", c.shape(1));
        return SplitResult.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            byte[] delimiters = Strings.get(c.input(1), 0);
            List<List<byte[]>> rows = new ArrayList<>();
            for (Object s : c.input(0).objects()) rows.add(split((byte[]) s, delimiters));
            SplitResult.write(c, rows);
        };
    }

    private List<byte[]> split(byte[] s, byte[] delimiters) {
        List<byte[]> parts = new ArrayList<>();
        if (delimiters.length == 0) {
            for (byte b : s) parts.add(new byte[] {b});
            return parts;
        }
        int from = 0;
        for (int i = 0; i <= s.length && s.length > 0; i++) {
            if (i < s.length && !contains(delimiters, s[i])) continue;
            if (i > from || !skipEmpty) parts.add(Arrays.copyOfRange(s, from, i));
            from = i + 1;
        }
        return parts;
    }

    private static boolean contains(byte[] set, byte b) {
        for (byte x : set) if (x == b) return true;
        return false;
    }
}
