package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.move.RowGroups;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Different elements in the order in which they first occur.
 *
 * @param first where each different one first is
 * @param index which of them each element is
 * @param counts how often each occurs
 */
public record Unique(int[] first, int[] index, int[] counts) {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Of whole numbers. */
    public static Unique ofNumbers(Tensor x) {
        int n = Counts.toInt(x.size()),
                bits = Math.min(30, 33 - Integer.numberOfLeadingZeros(n)),
                mask = (1 << bits) - 1;
        int[] first = new int[n], index = new int[n], counts = new int[n];
        int[] slots = new int[1 << bits]; // one more than which, 0 where free
        long[] numbers = new long[n];
        int found = 0;
        for (int i = 0; i < n; i++) {
            long number = RowGroups.number(x, i);
            int slot = (int) (number * GOLDEN >>> 64 - bits);
            while (slots[slot] != 0 && numbers[slots[slot] - 1] != number) slot = slot + 1 & mask;
            if (slots[slot] == 0) {
                first[found] = i;
                numbers[found] = number;
                slots[slot] = ++found;
            }
            int which = slots[slot] - 1;
            index[i] = which;
            counts[which]++;
        }
        return new Unique(Arrays.copyOf(first, found), index, Arrays.copyOf(counts, found));
    }

    /** Of {@code n} objects. */
    public static Unique of(int n, IntFunction<Object> element) {
        int[] first = new int[n], index = new int[n], counts = new int[n];
        int found = 0;
        Map<Object, Integer> seen = new HashMap<>();
        for (int i = 0; i < n; i++) {
            Integer known = seen.putIfAbsent(element.apply(i), found);
            if (known == null) first[found] = i;
            index[i] = known == null ? found++ : known;
            counts[index[i]]++;
        }
        return new Unique(Arrays.copyOf(first, found), index, Arrays.copyOf(counts, found));
    }

    /** Writes numbers to a tensor of i32 or i64. */
    public static void write(int[] numbers, Tensor to) {
        long at = to.address();
        if (to.dtype() == DType.I32) for (int i = 0; i < numbers.length; i++) Memory.putInt(at + 4L * i, numbers[i]);
        else for (int i = 0; i < numbers.length; i++) Memory.putLong(at + 8L * i, numbers[i]);
    }
}
