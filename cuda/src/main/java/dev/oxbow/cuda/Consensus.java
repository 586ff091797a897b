package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Finds the plans of cuDNN that give what most of them give, on the operands that they are tried with. */
final class Consensus {

    /*
     * A gradient of a small filter was seen to lack half of its sum, in one of hundreds of runs: where a plan was the fastest that
     * usually is not. So plans whose results are others' too are taken alone. What nobody writes looks like nothing.
     */

    /** Of large results only the beginning is looked at. */
    private static final long READ = 1 << 18;

    private static final byte NOTHING = -1;

    private Consensus() {}

    /** The plans, or those of them that agree with most. Puts a plan into a stream by {@code run}, results are in {@code made}. */
    static List<DnnPlans.Plan> of(Card card, List<DnnPlans.Plan> all, Tensor made, Run run) {
        if (all.size() < 3) return all;
        List<double[]> results = new ArrayList<>();
        for (DnnPlans.Plan p : all) {
            int[] status = new int[1];
            card.commands.outside(() -> {
                Driver.fill(made.place(), NOTHING, made.byteSize(), card.commands.stream());
                status[0] = run.issue(p, card.commands.stream());
            });
            results.add(status[0] == 0 ? read(card, made) : null);
        }
        return agreeing(all, results, made.dtype() == DType.F32 ? 1e-4 : 3e-2);
    }

    /** How a plan is put into a stream; 0 where that went well. */
    @FunctionalInterface
    interface Run {
        int issue(DnnPlans.Plan plan, long stream);
    }

    private static double[] read(Card card, Tensor made) {
        long count = Math.min(READ / made.dtype().size(), made.size());
        Tensor here = Tensor.allocate(made.dtype(), Shape.of(count));
        try (here) {
            card.space.copyOut(made.place(), here.address(), here.byteSize());
            double[] values = new double[(int) count];
            Arrays.setAll(values, here::getDouble);
            return values;
        }
    }

    /** Those whose results, null for none, are within {@code tolerance} of most others', in parts of the largest number. */
    static <P> List<P> agreeing(List<P> all, List<double[]> results, double tolerance) {
        List<Integer> friends = new ArrayList<>();
        for (double[] a : results) {
            int n = 0;
            for (double[] b : results) if (a != null && b != null && areClose(a, b, tolerance)) n++;
            friends.add(n);
        }
        int most = Collections.max(friends);
        List<P> left = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) if (friends.get(i) == most) left.add(all.get(i));
        return left;
    }

    private static boolean areClose(double[] a, double[] b, double tolerance) {
        double largest = 0;
        for (int i = 0; i < a.length; i++) largest = Math.max(largest, Math.max(Math.abs(a[i]), Math.abs(b[i])));
        for (int i = 0; i < a.length; i++) if (!(Math.abs(a[i] - b[i]) <= tolerance * largest)) return false;
        return true;
    }
}
