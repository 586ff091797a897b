package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Strings cut at a separator as Python's split does: at white space when it is empty, at most maxsplit times. */
@Signature(
        "StringSplitV2(input: string, sep: string) -> (indices: int64, values: string, shape: int64) {maxsplit: int = -1}")
public record StringSplitV2(int maxsplit) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Strings.requireScalar("sep", c.shape(1));
        return SplitResult.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            byte[] separator = Strings.get(c.input(1), 0);
            List<List<byte[]>> rows = new ArrayList<>();
            for (Object s : c.input(0).objects())
                rows.add(separator.length == 0 ? atSpaces((byte[]) s) : at((byte[]) s, separator));
            SplitResult.write(c, rows);
        };
    }

    /** After maxsplit words comes the rest, even if nothing is left; no splits at all give the string as it is. */
    private List<byte[]> atSpaces(byte[] s) {
        List<byte[]> parts = new ArrayList<>();
        int i = 0;
        while (true) {
            if (maxsplit != 0) while (i < s.length && Strings.isSpace(s[i])) i++;
            if (parts.size() == maxsplit) {
                parts.add(Arrays.copyOfRange(s, i, s.length));
                return parts;
            }
            if (i == s.length) return parts;
            int from = i;
            while (i < s.length && !Strings.isSpace(s[i])) i++;
            parts.add(Arrays.copyOfRange(s, from, i));
        }
    }

    private List<byte[]> at(byte[] s, byte[] separator) {
        List<byte[]> parts = new ArrayList<>();
        int from = 0;
        for (int i = 0; i + separator.length <= s.length && (maxsplit < 0 || parts.size() < maxsplit); ) {
            if (Arrays.equals(s, i, i + separator.length, separator, 0, separator.length)) {
                parts.add(Arrays.copyOfRange(s, from, i));
                i += separator.length;
                from = i;
            } else {
                i++;
            }
        }
        parts.add(Arrays.copyOfRange(s, from, s.length));
        return parts;
    }
}
