package dev.oxbow.cuda;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

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

    private static final BitSet NONE = new BitSet();

    private Capture() {}

    /** An executable of the entries. Only under the lock of the commands. */
    static long of(Commands commands, List<Entry> given) {
        List<Entry> entries = joined(given); // before the capture, which forbids loading kernels
        int early = commands.earlyBlocks();
        if (early == 0) return of(commands, entries, 0);
        try {
            return of(commands, entries, early);
        } catch (OxbowException e) {
            if (commands.isLost()) throw e;
            Early.refuse(e);
            commands.renewCapturing();
            return of(commands, entries, 0);
        }
    }

    private static long of(Commands commands, List<Entry> entries, int early) {
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
            Driver.follow(
                    stream,
                    joined(nodes, direct),
                    early > 0 && entries.get(i).waits(early) ? kernels(entries, nodes, direct) : NONE);
            entries.get(i).issue(commands, stream);
            nodes.add(Driver.captured(stream));
            for (int k : direct) last.clear(k);
            last.set(i);
        }
        Driver.follow(stream, joined(nodes, last.stream().boxed().toList()), NONE);
        return Driver.endCapture(stream);
    }

    /** Of the nodes of some entries those that may be followed early. */
    private static BitSet kernels(List<Entry> entries, List<long[]> nodes, List<Integer> which) {
        BitSet all = new BitSet();
        int at = 0;
        for (int k : which)
            for (long node : nodes.get(k))
                all.set(at++, !(entries.get(k) instanceof Entry.Meeting) && Driver.isKernel(node));
        return all;
    }

    /** The same with launches that can be one put together, where the last of them stands: the updates of many variables. */
    static List<Entry> joined(List<Entry> entries) {
        List<Entry> all = new ArrayList<>(entries);
        all.removeIf(e -> e instanceof Entry.Fresh); // written before the graph is launched
        for (int last = all.size() - 1; last > 0; last--) {
            if (!(all.get(last) instanceof Entry.Launch end) || end.together() == null) continue;
            List<Entry.Launch> group = new ArrayList<>(List.of(end));
            for (int i = last - 1; i >= 0 && group.size() < end.together().most(); i--) {
                if (!(all.get(i) instanceof Entry.Launch l) || !end.together().isSame(l.together())) continue;
                boolean conflicts = group.stream().anyMatch(g -> l.touched().conflictsWith(g.touched()));
                if (conflicts || !mayMove(all, i, last)) continue;
                group.addFirst(l);
                all.set(i, null);
            }
            if (group.size() > 1)
                all.set(
                        last,
                        new Entry.Joint(
                                group,
                                end.together().function().get(),
                                end.together().most()));
        }
        all.removeIf(Objects::isNull);
        return all;
    }

    /** Whether an entry may as well stand where a later one does. */
    private static boolean mayMove(List<Entry> all, int from, int to) {
        Entry.Touched t = all.get(from).touched();
        for (int k = from + 1; k <= to; k++)
            if (all.get(k) != null && t.conflictsWith(all.get(k).touched())) return false;
        return true;
    }

    private static long[] joined(List<long[]> nodes, List<Integer> which) {
        return which.stream().flatMapToLong(k -> Arrays.stream(nodes.get(k))).toArray();
    }
}
