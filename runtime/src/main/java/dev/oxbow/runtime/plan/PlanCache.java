package dev.oxbow.runtime.plan;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.LocalCompiler;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** The plans of a region for the input shapes seen so far, the newest first. */
public final class PlanCache {
    private static final int MOST_PLANS = 4;

    private final Region region;
    private final int slots;
    private final Device device;
    private final AtomicReference<List<RegionPlan>> plans = new AtomicReference<>(List.of());
    private final AtomicBoolean ran = new AtomicBoolean();

    private volatile boolean doNotFit;

    /** Of a region whose frame has so many slots. */
    public PlanCache(Region region, int slots, Device device) {
        this.region = region;
        this.slots = slots;
        this.device = device;
    }

    /** Whether plans were found to hold more than the memory budget leaves, so that none are made. */
    public boolean doNotFit() {
        return doNotFit;
    }

    /** Whether the caller is the first to run the region, and so the one to make a plan ahead. */
    public boolean isFirstRun() {
        return !ran.getPlain() && ran.compareAndSet(false, true);
    }

    /** The newest plan for these arguments, or null. */
    public RegionPlan find(Tensor[] arguments) {
        for (RegionPlan p : plans.get()) if (p.fits(arguments)) return p;
        return null;
    }

    /** Makes the plan that a record leads to, and keeps it with the record's constants; null when memory does not suffice. */
    public RegionPlan make(Recording record, boolean fuses) {
        boolean sections = sections(device);
        MemoryPool memory = device.memory();
        RegionPlan made = plan(record, fuses, sections);
        int margin = 2 * LocalCompiler.MARGIN;
        // work that is put off, for sections or for fusing, keeps values longer
        if (sections && !made.fits(memory, LocalCompiler.MARGIN)) made = plan(record, fuses, false);
        if (fuses && !made.fits(memory, margin)) made = plan(record, false, false);
        if (made.fits(memory, margin)) {
            add(made);
            return made;
        }
        record.drop();
        doNotFit = true;
        return null;
    }

    /** Whether calls are put into an order that suits threads: a device that works later has one of its own. */
    static boolean sections(Device device) {
        return !device.defers() && device.order() == null;
    }

    private RegionPlan plan(Recording record, boolean fuses, boolean sections) {
        return new Planner(slots, region.instructions(), record, device, fuses, sections).plan();
    }

    /** Adds a plan in front; the oldest beyond a few is dropped. */
    private void add(RegionPlan p) {
        plans.updateAndGet(old -> {
            List<RegionPlan> list = new ArrayList<>(old.subList(0, Math.min(old.size(), MOST_PLANS - 1)));
            list.addFirst(p);
            return List.copyOf(list);
        });
    }

    /** Forgets a plan whose shapes no longer hold. */
    public void remove(RegionPlan p) {
        plans.updateAndGet(old -> old.stream().filter(x -> x != p).toList());
    }

    /** Gives up all plans. */
    public void close() {
        plans.getAndSet(List.of()).forEach(RegionPlan::close);
    }
}
