package dev.oxbow.cuda;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Convolutions by cuDNN: plans are tried when a convolution is first met, and the fastest is kept. Thread-safe. */
final class Convolver {
    private static final int CANDIDATES = 16;

    private final Card card;
    private final DnnPlans plans;
    private final boolean isTrueF32;
    private final Map<Convolution, Optional<DnnPlans.Plan>> known = new ConcurrentHashMap<>();

    /** The context must be entered. */
    Convolver(Card card) {
        this.card = card;
        this.plans = new DnnPlans(Dnn.handle());
        String precision = System.getProperty("oxbow.matmul", "");
        this.isTrueF32 = !precision.equals("tf32") && !precision.equals("bf16");
    }

    static boolean supports(DType t) {
        return t == DType.F32 || t == DType.F16 || t == DType.BF16;
    }

    /**
     * Computes one of the three of the others, filters as TensorFlow has them; false where cuDNN can not, or where {@code own}
     * entries, null for none, do it faster.
     */
    boolean run(Convolution v, Tensor images, Tensor filter, Tensor results, KernelContext c, Runnable own) {
        boolean known = this.known.containsKey(v), same = v.isFilterSame(), back = v.way() == Convolution.Way.TO_FILTER;
        if (known && this.known.get(v).isEmpty()) return false;
        Tensor turned = same ? filter.retain() : c.temporary(v.dtype(), v.filterShape());
        Tensor workspace = null;
        try {
            if (!same && !back) v.turn(card, filter.place(), turned.place(), false);
            long[] places = {images.place(), turned.place(), results.place()};
            DnnPlans.Plan plan = plan(v, places, c, own);
            if (plan == null) return false;
            if (plan.workspace() > 0) workspace = c.temporary(DType.U8, Shape.of(plan.workspace()));
            card.commands.run(entry(v, plan, List.of(images, turned, results), workspace));
            if (!same && back) v.turn(card, turned.place(), filter.place(), true);
            return true;
        } finally {
            turned.release();
            if (workspace != null) workspace.release();
        }
    }

    private DnnPlans.Plan plan(Convolution v, long[] places, KernelContext c, Runnable own) {
        Optional<DnnPlans.Plan> p = known.get(v);
        if (p == null) p = chosen(v, places, c, own);
        return p.orElse(null);
    }

    private synchronized Optional<DnnPlans.Plan> chosen(
            Convolution v, long[] places, KernelContext c, Runnable own) {
        Optional<DnnPlans.Plan> already = known.get(v);
        if (already != null) return already;
        card.enter();
        int most = Trials.WANTED ? CANDIDATES : 1;
        List<DnnPlans.Plan> all = plans.of(isTrueF32 && v.dtype() == DType.F32, most, v.operation());
        Trials.Best best = new Trials.Best(all.isEmpty() ? -1 : 0, 0);
        if (Trials.WANTED && !all.isEmpty()) best = fastest(all, places, c);
        boolean ours = best.way() >= 0 && Trials.WANTED && own != null && Trials.time(card, own) < best.milliseconds();
        Optional<DnnPlans.Plan> made =
                best.way() < 0 || ours ? Optional.empty() : Optional.of(all.get(best.way()));
        known.put(v, made);
        return made;
    }

    private Trials.Best fastest(List<DnnPlans.Plan> all, long[] places, KernelContext c) {
        long most = all.stream().mapToLong(DnnPlans.Plan::workspace).max().orElse(0);
        Tensor workspace = c.temporary(DType.U8, Shape.of(Math.max(1, most)));
        Trials.Best[] best = new Trials.Best[1];
        card.commands.outside(() -> best[0] = Trials.fastest(
                card,
                all.stream()
                        .<Trials.Way>map(p ->
                                stream -> plans.run(p, Convolution.NUMBERS, places, workspace.place(), stream))
                        .toList()));
        workspace.release();
        return best[0];
    }

    private Entry entry(Convolution v, DnnPlans.Plan plan, List<Tensor> tensors, Tensor workspace) {
        Spans spans = new Spans();
        int made = switch (v.way()) {
            case FORWARD -> 2;
            case TO_IMAGES -> 0;
            case TO_FILTER -> 1;
        };
        for (int i = 0; i < 3; i++) {
            if (i == made) spans.writes(tensors.get(i));
            else spans.reads(tensors.get(i));
        }
        if (workspace != null) spans.writes(workspace);
        long[] places = tensors.stream().mapToLong(Tensor::place).toArray();
        return new Run(this, v, plan, places, workspace == null ? 0 : workspace.place(), spans.touched());
    }

    private record Run(
            Convolver by, Convolution shape, DnnPlans.Plan plan, long[] places, long workspace, Touched touched)
            implements Entry {
        @Override
        public String name() {
            return shape.toString();
        }

        @Override
        public void issue(Commands commands, long stream) {
            int status = by.plans.run(plan, Convolution.NUMBERS, places, workspace, stream);
            if (status != 0)
                throw new OxbowException(ErrorCode.INTERNAL, "cuDNN: a %s failed with %d".formatted(shape, status));
        }

        @Override
        public boolean isSame(Entry other) {
            return other instanceof Run r
                    && r.plan == plan
                    && r.workspace == workspace
                    && Arrays.equals(r.places, places);
        }
    }
}
