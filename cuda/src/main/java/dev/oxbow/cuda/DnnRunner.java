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

/** Work of cuDNN on a card: plans are tried when it is first met, by any process, and the fastest is kept. Thread-safe. */
final class DnnRunner {
    private static final Logger log = LoggerFactory.getLogger(DnnRunner.class);
    private static final int CANDIDATES = 16;

    /** The choice of no plan at all. */
    private static final int NONE = -1;

    private final Card card;
    private final DnnPlans plans;
    private final Choices choices;
    private final Map<DnnWork, Optional<DnnPlans.Plan>> known = new ConcurrentHashMap<>();
    private final Map<DnnWork, Long> rooms = new ConcurrentHashMap<>();

    /** The context must be entered. */
    DnnRunner(Card card) {
        this.card = card;
        this.plans = new DnnPlans(Dnn.handle());
        this.choices = new Choices(Sources.userFolder(), "cudnn", Dnn.version(), card.name);
    }

    /** The bytes that work takes beside its results: those of its likely fastest plan, beyond which none goes that has room for them. */
    long workspace(DnnWork w) {
        return Math.max(0, room(w));
    }

    /** As above; -1 where it has no plan. */
    long room(DnnWork w) {
        return rooms.computeIfAbsent(w, _ -> {
            card.enter();
            List<DnnPlans.Plan> first = plans.of(w.isTrueF32(), 1, w.operations());
            return first.isEmpty() ? -1 : first.getFirst().workspace();
        });
    }

    /** Whether it is known that cuDNN does not do something, or not as fast as others. */
    boolean refuses(DnnWork w) {
        Optional<DnnPlans.Plan> p = known.get(w);
        return p != null && p.isEmpty();
    }

    /**
     * Does work with its tensors by number; of the places those of {@code in} come first, then those of {@code out}, which are
     * written. False where cuDNN can not, or where {@code own} entries, null for none, do it faster. Works in {@code room} where
     * that is large enough; null for none.
     */
    boolean run(
            DnnWork w,
            long[] numbers,
            long[] places,
            List<Tensor> in,
            List<Tensor> out,
            KernelContext c,
            Runnable own,
            Tensor room) {
        Optional<DnnPlans.Plan> chosen = known.get(w);
        if (chosen == null) chosen = choose(w, numbers, places, out.getFirst(), c, own, room);
        if (chosen.isEmpty()) return false;
        DnnPlans.Plan plan = chosen.get();
        Spans spans = new Spans();
        in.forEach(spans::reads);
        out.forEach(spans::writes);
        boolean fits = room != null && plan.workspace() <= room.byteSize();
        Tensor workspace =
                plan.workspace() == 0 ? null : fits ? room.retain() : c.temporary(DType.U8, Shape.of(plan.workspace()));
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
            DnnWork w, long[] numbers, long[] places, Tensor out, KernelContext c, Runnable own, Tensor room) {
        Optional<DnnPlans.Plan> already = known.get(w);
        if (already != null) return already;
        card.enter();
        boolean doubtful = w.isTrueF32() && w instanceof Convolution;
        List<DnnPlans.Plan> all = plans.of(w.isTrueF32(), Trials.WANTED || doubtful ? CANDIDATES : 1, w.operations());
        int way = Trials.WANTED
                ? choices.way(w.key(), all.size(), () -> best(w, all, doubtful, numbers, places, out, c, own, room))
                : best(w, all, doubtful, numbers, places, out, c, own, room);
        Optional<DnnPlans.Plan> made = way < 0 ? Optional.empty() : Optional.of(all.get(way));
        known.put(w, made);
        return made;
    }

    /** The number of the fastest plan that is true, of the first one where nothing is timed; none where {@code own} is faster. */
    private int best(
            DnnWork w,
            List<DnnPlans.Plan> all,
            boolean doubtful,
            long[] numbers,
            long[] places,
            Tensor out,
            KernelContext c,
            Runnable own,
            Tensor room) {
        List<DnnPlans.Plan> left = new ArrayList<>(all);
        if (doubtful) left.removeIf(p -> !Rounding.isTrue(card, plans, p, (Convolution) w, c));
        if (left.size() < all.size())
            log.debug("{} of {} plans round what they multiply: {}", all.size() - left.size(), all.size(), w);
        if (room != null && room.size() > 0) left.removeIf(p -> p.workspace() > room.byteSize());
        if (w instanceof Convolution) left = agreeing(left, w, numbers, places, out, c);
        if (left.isEmpty()) return NONE;
        if (!Trials.WANTED) return all.indexOf(left.getFirst());
        Trials.Best best = fastest(left, numbers, places, c, room);
        if (best.way() < 0 || own != null && Trials.time(card, own) < best.milliseconds()) return NONE;
        return all.indexOf(left.get(best.way()));
    }

    private List<DnnPlans.Plan> agreeing(
            List<DnnPlans.Plan> all, DnnWork w, long[] numbers, long[] places, Tensor out, KernelContext c) {
        long most = all.stream().mapToLong(DnnPlans.Plan::workspace).max().orElse(0);
        Tensor workspace = c.temporary(DType.U8, Shape.of(Math.max(1, most)));
        List<DnnPlans.Plan> left;
        try {
            left = Consensus.of(
                    card, all, out, (p, stream) -> plans.run(p, numbers, places, workspace.place(), stream));
        } finally {
            workspace.release();
        }
        if (left.size() < all.size())
            log.info("{} of {} plans give other results than the rest: {}", all.size() - left.size(), all.size(), w);
        return left;
    }

    private Trials.Best fastest(List<DnnPlans.Plan> all, long[] numbers, long[] places, KernelContext c, Tensor room) {
        long most = all.stream().mapToLong(DnnPlans.Plan::workspace).max().orElse(0);
        boolean fits = room != null && room.byteSize() >= Math.max(1, most);
        Tensor workspace = fits ? room.retain() : c.temporary(DType.U8, Shape.of(Math.max(1, most)));
        Trials.Best[] best = new Trials.Best[1];
        try {
            card.commands.outside(() -> best[0] = Trials.fastest(
                    card,
                    all.stream()
                            .<Trials.Way>map(p -> stream -> plans.run(p, numbers, places, workspace.place(), stream))
                            .toList()));
        } finally {
            workspace.release();
        }
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
