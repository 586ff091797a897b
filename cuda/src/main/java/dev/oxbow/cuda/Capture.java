package dev.oxbow.cuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Makes one graph of entries, with edges where two touch the same memory and one writes it. */
final class Capture {

    /*
     * In a stream everything waits for what came before. In a graph only what must: the gradient of a weight and that of the
     * layer before it run side by side, as do all updates. Which must follows from the memory that entries touch, so nobody has
     * to say it, and memory that a plan uses again is safe too. An edge that others imply is left out.
     */

    /** With {@code -Doxbow.cuda.graph=linear} entries follow each other as in a stream: to find one that hides what it touches. */
    private static final boolean LINEAR =
            System.getProperty("oxbow.cuda.graph", "").equals("linear");

    private Capture() {}

    /** An executable of the entries. Only under the lock of the commands. */
    static long of(Commands commands, List<Entry> entries) {
        long stream = commands.capturing();
        List<Entry.Touched> touched = new ArrayList<>();
        List<long[]> nodes = new ArrayList<>();
        BitSet[] before = new BitSet[entries.size()];
        BitSet last = new BitSet();
        Driver.beginCapture(stream);
        for (int i = 0; i < entries.size(); i++) {
            Entry.Touched t = entries.get(i).touched();
            BitSet all = new BitSet();
            List<Integer> direct = new ArrayList<>();
            for (int k = i - 1; k >= 0; k--) {
                if (all.get(k) || !LINEAR && !touched.get(k).conflictsWith(t)) continue;
                direct.add(k);
                all.set(k);
                all.or(before[k]);
            }
            before[i] = all;
            touched.add(t);
            Driver.follow(stream, joined(nodes, direct));
            entries.get(i).issue(commands, stream);
            nodes.add(Driver.captured(stream));
            for (int k : direct) last.clear(k);
            last.set(i);
        }
        Driver.follow(stream, joined(nodes, last.stream().boxed().toList()));
        return Driver.endCapture(stream);
    }

    private static long[] joined(List<long[]> nodes, List<Integer> which) {
        return which.stream().flatMapToLong(k -> Arrays.stream(nodes.get(k))).toArray();
    }
}
