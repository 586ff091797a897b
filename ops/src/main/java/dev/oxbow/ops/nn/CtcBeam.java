package dev.oxbow.ops.nn;

import dev.oxbow.tensor.Counts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The most probable sequences of labels so far, as leaves of a tree (Graves, "Supervised Sequence Labelling with Recurrent
 * Neural Networks", 7.5). Probabilities are logarithms; the last class is the blank.
 */
final class CtcBeam {
    private static final double NONE = Double.NEGATIVE_INFINITY;

    /** About what a leaf takes. */
    private static final int BYTES = 256;

    /** A sequence: that of its parent and a label. It may end in a blank, or in the label. */
    private static final class Leaf {
        private final Leaf parent;
        private final int label;
        private final Map<Integer, Leaf> children = new HashMap<>();
        private long number;
        private double total = NONE, blank = NONE, ends = NONE;
        private double oldTotal = NONE, oldBlank = NONE;

        Leaf(Leaf parent, int label) {
            this.parent = parent;
            this.label = label;
        }

        boolean isActive() {
            return total != NONE;
        }

        /** Is no longer in the beam; what it was a time before may still grow. */
        void leave() {
            total = blank = ends = NONE;
        }

        void forget() {
            leave();
            oldTotal = oldBlank = NONE;
        }
    }

    /** A sequence of labels and the logarithm of its probability. */
    record Path(int[] labels, double probability) {}

    private static final Comparator<Leaf> WORST_FIRST =
            Comparator.<Leaf>comparingDouble(l -> l.total).thenComparing(l -> -l.number);

    private final int width;
    private final int classes;
    private PriorityQueue<Leaf> leaves = new PriorityQueue<>(WORST_FIRST);
    private long number;
    private long made;

    CtcBeam(int width, int classes) {
        this.width = width;
        this.classes = classes;
        Leaf root = new Leaf(null, -1);
        root.total = root.blank = 0;
        leaves.add(root);
    }

    /** Goes on by a time, whose classes have these logarithms of probabilities. */
    void step(double[] input) {
        Leaf[] branches = best();
        leaves = new PriorityQueue<>(WORST_FIRST);
        for (Leaf b : branches) {
            b.oldTotal = b.total;
            b.oldBlank = b.blank;
        }
        for (Leaf b : branches) {
            if (b.parent != null) {
                if (b.parent.isActive())
                    b.ends = CtcInputs.plus(b.ends, b.label == b.parent.label ? b.parent.oldBlank : b.parent.oldTotal);
                b.ends += input[b.label];
            }
            b.blank = b.oldTotal + input[classes - 1];
            b.total = CtcInputs.plus(b.blank, b.ends);
            add(b);
        }
        for (Leaf b : branches) if (isCandidate(b.oldTotal)) grow(b, input);
    }

    private void grow(Leaf b, double[] input) {
        for (int label = 0; label < classes - 1; label++) {
            Leaf c = b.children.get(label);
            if (c != null && c.isActive()) continue;
            double p = input[label] + (label == b.label ? b.oldBlank : b.oldTotal);
            if (!isCandidate(p)) {
                if (c != null) c.forget();
                continue;
            }
            if (c == null) {
                c = new Leaf(b, label);
                b.children.put(label, c);
                Counts.objects(++made, BYTES);
            }
            c.blank = NONE;
            c.ends = c.total = p;
            if (leaves.size() == width) leaves.poll().leave();
            add(c);
        }
    }

    private void add(Leaf l) {
        l.number = number++;
        leaves.add(l);
    }

    private boolean isCandidate(double total) {
        return total > NONE && (leaves.size() < width || total > leaves.peek().total);
    }

    private Leaf[] best() {
        Leaf[] all = leaves.toArray(Leaf[]::new);
        Arrays.sort(all, WORST_FIRST.reversed());
        return all;
    }

    int size() {
        return leaves.size();
    }

    /** The best of them; with {@code merged} equal labels behind each other are one. */
    List<Path> paths(int count, boolean merged) {
        List<Path> all = new ArrayList<>();
        for (Leaf l : Arrays.copyOf(best(), count)) {
            List<Integer> labels = new ArrayList<>();
            int last = -1;
            for (Leaf c = l; c.parent != null; c = c.parent) {
                if (!merged || c.label != last) labels.addFirst(c.label);
                last = c.label;
            }
            all.add(new Path(labels.stream().mapToInt(Integer::intValue).toArray(), l.total));
        }
        return all;
    }
}
