package dev.oxbow.runtime.plan;

import dev.oxbow.kernels.Parallel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Puts a region's units into an order in which threads seldom wait for each other. */
public final class Sections {

    /*
     * A chain is a list of units that all can be computed some rows at a time (images, or tokens, of a batch), each row
     * from the same rows of the units before it. One thread then takes a block of rows through the whole chain, forward
     * and backward pass, without meeting the others, and finds what it reads in its own cache. What needs whole values
     * of the chain (gradients of weights, sums over the batch) is put off until the chain ends; what the chain needs and
     * does not make (reads of variables) is done before. Then units that do not depend on each other run side by side.
     * Last, a large update moves up to where its variable is read no more, since until then its gradient takes memory.
     * Other effects keep their order, and how a chain is cut follows from shapes alone, so results never change.
     */

    /** What is known of a unit. {@code after} must have run wholly, {@code rowsAfter} as far as the same rows go. */
    interface View {
        int count();

        /** Whether it may run at another place in the order. */
        boolean isMovable(int unit);

        /** Whether another thread may run it while this one runs others. */
        boolean isParallel(int unit);

        /** Whether its place among other units with effects matters. */
        boolean hasEffects(int unit);

        /** Whether effects of both may be on the same object. */
        boolean conflict(int unit, int other);

        /** Rows of its outputs over those of the smallest piece, 0 when it cannot be cut. */
        long pieces(int unit);

        List<Integer> after(int unit);

        List<Integer> rowsAfter(int unit);

        double work(int unit);

        long bytes(int unit);

        /** Whether it writes to variables whose readers are known, and reads so much that it had better run soon. */
        boolean isUpdate(int unit);

        /** Whether an update may run before another unit that stands before it. */
        boolean mayPass(int update, int other);

        /** Units with different conditions do not share a section. */
        int condition(int unit);
    }

    /** Units that run together: in a chain of {@code blocks} blocks of rows, or side by side when that is 0. */
    public record Section(List<Integer> units, int blocks) {

        /** How many blocks are under way at once, each in memory of its own for what nothing after the chain reads. */
        public int lanes(Parallel parallel) {
            return Math.min(blocks, parallel.threads());
        }
    }

    /*
     * Work is counted in multiplications and additions, of which a thread does about one in a nanosecond in elementwise
     * ops and up to a hundred in products. Handing work to a thread that spins costs a fraction of a microsecond.
     */

    /** Units among which one chain is sought: planning has to stay short beside a step. */
    private static final int LOOK_AHEAD = 2048;

    /** Blocks of a chain: with four for each of four threads, one that has none left helps in the last ones. */
    private static final long MOST_BLOCKS = 16;

    /** Units side by side; more would not make threads wait less. */
    private static final int MOST_BESIDE = 64;

    /** Work of the unit that starts a chain, and of a block: a microsecond in products, more in all else. */
    private static final double WORTH_CUTTING = 1 << 17, WORTH_A_BLOCK = 1 << 17;

    /** Work of a unit side by side with others that is worth handing over. */
    private static final double WORTH_A_THREAD = 1 << 14;

    /** Bytes that a chain may keep for what is put off until its end. */
    private static final long MOST_KEPT = 256L << 20;

    private final View view;
    private final List<Section> sections = new ArrayList<>();

    private Sections(View view) {
        this.view = view;
    }

    static List<Section> of(View view) {
        Sections s = new Sections(view);
        List<Integer> units = new ArrayList<>();
        for (int u = 0; u < view.count(); u++) units.add(u);
        s.arrange(units);
        s.moveUpdates();
        return s.sections;
    }

    private void moveUpdates() {
        for (int i = 1; i < sections.size(); i++) {
            if (sections.get(i).blocks > 0) continue;
            for (int u : sections.get(i).units) {
                if (!view.isUpdate(u)) continue;
                int to = i;
                while (to > 0 && sections.get(to - 1).units.stream().allMatch(v -> view.mayPass(u, v))) to--;
                // passing nothing but other updates gains nothing
                if (sections.subList(to, i).stream()
                        .allMatch(s -> s.units.stream().allMatch(view::isUpdate))) continue;
                List<Integer> left = new ArrayList<>(sections.remove(i).units);
                left.remove((Integer) u);
                if (left.isEmpty()) i--;
                else sections.add(i, new Section(left, 0));
                sections.add(to, new Section(List.of(u), 0));
                i++;
            }
        }
    }

    private void arrange(List<Integer> units) {
        List<Integer> rest = units;
        int from = 0;
        while (from < rest.size()) {
            int u = rest.get(from);
            Chain chain = canStart(u) ? chain(rest, from) : null;
            if (chain == null) {
                from = beside(rest, from);
                continue;
            }
            for (int h : chain.hoisted) single(h);
            sections.add(new Section(chain.units, chain.blocks()));
            List<Integer> next = new ArrayList<>(chain.putOff);
            next.addAll(rest.subList(chain.end, rest.size()));
            rest = next;
            from = 0;
        }
    }

    private boolean canStart(int u) {
        return view.isMovable(u) && view.isParallel(u) && view.pieces(u) >= 2 && view.work(u) >= WORTH_CUTTING;
    }

    /** A chain under construction. */
    private final class Chain {
        final List<Integer> units = new ArrayList<>();
        final List<Integer> hoisted = new ArrayList<>();
        final List<Integer> putOff = new ArrayList<>();
        final BitSet inside = new BitSet();
        final BitSet later = new BitSet();
        boolean effectPutOff;
        long pieces;
        long kept;
        int end;

        /** As many as there are pieces for, each with enough to do; 0 when no number of them divides the pieces. */
        int blocks() {
            double work = 0;
            for (int u : units) work += view.work(u);
            long most = (long) Math.min(Math.min(MOST_BLOCKS, pieces), Math.max(2, work / WORTH_A_BLOCK));
            for (long b = most; b > 1; b--) if (pieces % b == 0) return (int) b;
            return 0;
        }

        /** Takes a unit in, moves it before or after the chain; false when the chain must end before it. */
        boolean take(int u) {
            if (!view.isMovable(u)) return false;
            boolean waits = false, needsWhole = false, needsRows = false;
            for (int d : view.after(u)) {
                waits |= later.get(d);
                needsWhole |= inside.get(d);
            }
            for (int d : view.rowsAfter(u)) {
                waits |= later.get(d);
                needsRows |= inside.get(d);
            }
            boolean effects = view.hasEffects(u);
            if (!waits && !needsWhole && !effects && view.isParallel(u) && fits(u)) {
                pieces = units.isEmpty() ? view.pieces(u) : gcd(pieces, view.pieces(u));
                units.add(u);
                inside.set(u);
            } else if (waits || needsWhole || needsRows || effects && effectPutOff) {
                putOff.add(u);
                later.set(u);
                effectPutOff |= effects;
                kept += view.bytes(u);
            } else {
                hoisted.add(u);
            }
            return true;
        }

        /** Joining must not leave too few blocks. */
        private boolean fits(int u) {
            long p = view.pieces(u);
            if (p < 2) return false;
            if (units.isEmpty()) return true;
            if (view.condition(u) != view.condition(units.getFirst())) return false;
            long both = gcd(pieces, p);
            return both == pieces || both >= 4;
        }
    }

    private Chain chain(List<Integer> units, int from) {
        Chain c = new Chain();
        int at = from;
        for (; at < units.size() && at - from < LOOK_AHEAD && c.kept < MOST_KEPT; at++)
            if (!c.take(units.get(at))) break;
        c.end = at;
        return c.units.size() < 2 || c.blocks() == 0 ? null : c;
    }

    /** One unit, or it and those right after it that do not need each other, when two of them are worth a thread. */
    private int beside(List<Integer> units, int from) {
        List<Integer> group = new ArrayList<>();
        BitSet inside = new BitSet();
        int at = from, large = 0;
        for (; at < units.size() && group.size() < MOST_BESIDE; at++) {
            int u = units.get(at);
            boolean joins = view.isMovable(u)
                    && view.isParallel(u)
                    && (group.isEmpty() || view.condition(u) == view.condition(group.getFirst()))
                    && (at == from || !canStart(u));
            for (int d : view.after(u)) joins &= !inside.get(d);
            for (int d : view.rowsAfter(u)) joins &= !inside.get(d);
            for (int g : group) joins &= !view.conflict(u, g);
            if (!joins) break;
            group.add(u);
            inside.set(u);
            if (view.work(u) >= WORTH_A_THREAD) large++;
        }
        if (large > 1) {
            sections.add(new Section(group, 0));
            return at;
        }
        single(units.get(from));
        return from + 1;
    }

    private void single(int u) {
        sections.add(new Section(List.of(u), 0));
    }

    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
