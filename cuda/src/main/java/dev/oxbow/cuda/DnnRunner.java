package dev.oxbow.cuda;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work of cuDNN on a card: plans are tried when it is first met, and the fastest is kept. Thread-safe. */
final class DnnRunner {
    private static final Logger log = LoggerFactory.getLogger(DnnRunner.class);
    private static final int CANDIDATES = 16;

    private final Card card;
    private final DnnPlans plans;
    private final Map<DnnWork, Optional<DnnPlans.Plan>> known = new ConcurrentHashMap<>();

    /** The context must be entered. */
    DnnRunner(Card card) {
        this.card = card;
        this.plans = new DnnPlans(Dnn.handle());
    }

    /** Whether it is known that cuDNN does not do something, or not as fast as others. */
    boolean refuses(DnnWork w) {
        Optional<DnnPlans.Plan> p = known.get(w);
        return p != null && p.isEmpty();
    }

    /**
     * Does work with its tensors by number; of the places those of {@code in} come first, then those of {@code out}, which are
     * written. False where cuDNN can not, or where {@code own} entries, null for none, do it faster.
     */
    boolean run(
            DnnWork w,
            long[] numbers,
            long[] places,
            List<Tensor> in,
            List<Tensor> out,
            KernelContext c,
            Runnable own) {
        Optional<DnnPlans.Plan> chosen = known.get(w);
        if (chosen == null) chosen = choose(w, numbers, places, c, own);
        if (chosen.isEmpty()) return false;
        DnnPlans.Plan plan = chosen.get();
        Spans spans = new Spans();
        in.forEach(spans::reads);
        out.forEach(spans::writes);
        Tensor workspace = plan.workspace() == 0 ? null : c.temporary(DType.U8, Shape.of(plan.workspace()));
        try {
            if (workspace != null) spans.writes(workspace);
            long at = workspace == null ? 0 : workspace.place();
            card.commands.run(new Run(this, w, plan, numbers, places, at, spans.touched()));
            return true;
        } finally {
            if (workspace != null) workspace.release();
        }
    }

    private synchronized Optional<DnnPlans.Plan> choose(
            DnnWork w, long[] numbers, long[] places, KernelContext c, Runnable own) {
        Optional<DnnPlans.Plan> already = known.get(w);
        if (already != null) return already;
        card.enter();
        boolean doubtful = w.isTrueF32() && w instanceof Convolution;
        List<DnnPlans.Plan> all =
                new ArrayList<>(plans.of(w.isTrueF32(), Trials.WANTED || doubtful ? CANDIDATES : 1, w.operations()));
        int found = all.size();
        if (doubtful) all.removeIf(p -> !Rounding.isTrue(card, plans, p, (Convolution) w, c));
        if (all.size() < found) log.debug("{} of {} plans round what they multiply: {}", found - all.size(), found, w);
        Trials.Best best = new Trials.Best(all.isEmpty() ? -1 : 0, 0);
        if (Trials.WANTED && !all.isEmpty()) best = fastest(all, numbers, places, c);
        boolean ours = best.way() >= 0 && Trials.WANTED && own != null && Trials.time(card, own) < best.milliseconds();
        Optional<DnnPlans.Plan> made = best.way() < 0 || ours ? Optional.empty() : Optional.of(all.get(best.way()));
        known.put(w, made);
        return made;
    }

    private Trials.Best fastest(List<DnnPlans.Plan> all, long[] numbers, long[] places, KernelContext c) {
        long most = all.stream().mapToLong(DnnPlans.Plan::workspace).max().orElse(0);
        Tensor workspace = c.temporary(DType.U8, Shape.of(Math.max(1, most)));
        Trials.Best[] best = new Trials.Best[1];
        card.commands.outside(() -> best[0] = Trials.fastest(
                card,
                all.stream()
                        .<Trials.Way>map(p -> stream -> plans.run(p, numbers, places, workspace.place(), stream))
                        .toList()));
        workspace.release();
        return best[0];
    }

    private record Run(
            DnnRunner by,
            DnnWork work,
            DnnPlans.Plan plan,
            long[] numbers,
            long[] places,
            long workspace,
            Touched touched)
            implements Entry {
        @Override
        public String name() {
            return work.toString();
        }

        @Override
        public void issue(Commands commands, long stream) {
            int status = by.plans.run(plan, numbers, places, workspace, stream);
            if (status != 0)
                throw new OxbowException(ErrorCode.INTERNAL, "cuDNN: %s failed with %d".formatted(work, status));
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
