package dev.oxbow.runtime.plan;

import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.JoinedNodes;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the values of a plan lie: constants, places in the region's block of memory, and lanes within it. */
final class Places {

    /*
     * A value has a place from the unit that makes it to the end of the section of its last reader, since threads run
     * the units of a section in any order; in a chain whose calls all read the same rows of it, to that reader. A unit
     * that works in place takes over the place of an input that ends there. What only one chain reads lies in lanes:
     * a chain takes as much as one block of rows needs, once per thread, and gives it back when it ends. A value of the
     * chain over which one that stays is written is in no lane but has the place of that one.
     */

    private final Units units;
    private final RegionFacts facts;
    private final Parallel parallel;
    private final List<RegionPlan.Fixed> values = new ArrayList<>();
    private final BlockLayout block = new BlockLayout();

    /** By slot: its value, or -1. */
    private final int[] fixed;

    /** By slot: the last unit that reads it, or a view of it. */
    private final int[] lastUse;

    /** By slot: whether a value of its chain that stays is written over it, so that it has that one's place. */
    private final boolean[] becomes;

    /** By value: its slot. */
    private final Map<Integer, Integer> slotOf = new HashMap<>();

    /** By output: the slot whose value it is written over. */
    private final Map<Port, Integer> over = new HashMap<>();

    /** Values of outputs that have no slot. */
    private final Map<Port, Integer> unread = new HashMap<>();

    Places(Units units, Parallel parallel) {
        this.units = units;
        this.facts = units.facts;
        this.parallel = parallel;
        int slots = facts.producer.length;
        fixed = new int[slots];
        lastUse = new int[slots];
        becomes = new boolean[slots];
        Arrays.fill(fixed, -1);
        Arrays.fill(lastUse, -1);
        lifetimes();
        constants();
        List<List<Integer>> dying = lists();
        for (Sections.Section s : units.sections()) section(s, dying);
        views();
    }

    List<RegionPlan.Fixed> values() {
        return values;
    }

    /** Says which values are written over others. */
    void tell(JoinedNodes joined) {
        over.forEach((out, slot) -> joined.writesOver(
                facts.region[out.instruction()].node,
                out.output(),
                facts.region[facts.producer[slot]].node.edge(facts.port[slot])));
    }

    /** Bytes of the block. */
    long size() {
        return block.size();
    }

    /** The value of a slot, -1 when it has no place in the plan. */
    int of(int slot) {
        return fixed[slot];
    }

    /** The value of an output, a pair of instruction and port, -1 when it has no place in the plan. */
    int of(Port out) {
        int s = units.slot(out);
        return s < 0 ? unread.get(out) : fixed[s];
    }

    private void lifetimes() {
        Instruction[] region = facts.region;
        for (int u = 0; u < units.count(); u++)
            for (int m : units.get(u).members()) for (int s : region[m].in) lastUse[s] = Math.max(lastUse[s], u);
        for (int i = region.length - 1; i >= 0; i--) {
            for (int k = 0; k < region[i].in.length; k++) {
                if (!facts.shares(i, k)) continue;
                for (int o : region[i].out)
                    if (o >= 0) lastUse[region[i].in[k]] = Math.max(lastUse[region[i].in[k]], lastUse[o]);
            }
        }
    }

    private void constants() {
        for (int i = 0; i < facts.region.length; i++) {
            if (facts.modes[i] != RegionFacts.Mode.CONSTANT) continue;
            for (int s : facts.region[i].out) {
                if (s < 0) continue;
                Tensor t = facts.constant(s);
                fixed[s] = add(new RegionPlan.Fixed(TensorType.of(t), -1, t, 0, facts.region[i].onHost));
            }
        }
    }

    /** Gives views the place of what they show. */
    private void views() {
        for (int i = 0; i < facts.region.length; i++) {
            if (facts.modes[i] != RegionFacts.Mode.VIEW) continue;
            int s = facts.region[i].out[0], source = fixed[facts.roots[s]];
            if (source < 0) continue;
            RegionPlan.Fixed f = values.get(source);
            TensorType type = facts.type(s);
            Tensor constant = f.constant() == null ? null : f.constant().reshaped(type.shape());
            fixed[s] = add(new RegionPlan.Fixed(type, f.offset(), constant, f.stride()));
        }
    }

    private int add(RegionPlan.Fixed f) {
        values.add(f);
        return values.size() - 1;
    }

    private List<List<Integer>> lists() {
        List<List<Integer>> all = new ArrayList<>();
        for (int u = 0; u < units.count(); u++) all.add(new ArrayList<>());
        return all;
    }

    /** Places what the units of a section make; {@code dying} are the values whose places are free after each unit. */
    private void section(Sections.Section s, List<List<Integer>> dying) {
        List<Integer> inLanes = new ArrayList<>();
        long lane = s.blocks() == 0 ? 0 : lane(s, inLanes), size = lane * s.lanes(parallel);
        long lanes = size == 0 ? 0 : block.take(size);
        for (int u : s.units())
            for (Port out : units.outputs(units.get(u))) if (!isInLane(u, out)) place(u, out, 1, dying, block);
        for (int u : s.units()) free(dying.get(u), 1, block);
        if (size == 0) return;
        for (int v : inLanes) {
            RegionPlan.Fixed f = values.get(v);
            values.set(v, new RegionPlan.Fixed(f.type(), lanes + f.offset(), null, lane));
        }
        block.give(lanes, size);
    }

    /** Gives places in a lane, the memory of one thread in a chain, to what only the chain reads; bytes of a lane. */
    private long lane(Sections.Section s, List<Integer> inLanes) {
        for (int u : s.units().reversed()) overwrite(u);
        BlockLayout lane = new BlockLayout();
        List<List<Integer>> dying = lists();
        for (int u : s.units()) {
            for (Port out : units.outputs(units.get(u)))
                if (isInLane(u, out)) inLanes.add(place(u, out, s.blocks(), dying, lane));
            free(dying.get(u), s.blocks(), lane);
        }
        return lane.size();
    }

    private void free(List<Integer> over, int blocks, BlockLayout layout) {
        for (int v : over)
            layout.give(values.get(v).offset(), values.get(v).type().byteSize() / blocks);
    }

    /** Finds a place for an output, or for one of {@code blocks} blocks of its rows; its number as a value, -1 for none. */
    private int place(int u, Port out, int blocks, List<List<Integer>> dying, BlockLayout layout) {
        int s = units.slot(out);
        if (s >= 0 && facts.escapes[s]) return -1;
        TensorType type = units.type(out);
        long bytes = type.byteSize();
        long offset = -1;
        if (units.worksInPlace(u, out)) {
            for (int k = 0; k < dying.get(u).size() && offset < 0; k++) {
                int other = dying.get(u).get(k);
                RegionPlan.Fixed f = values.get(other);
                if (f.type().byteSize() != bytes || !mayOverwrite(u, other, type.shape())) continue;
                offset = f.offset();
                dying.get(u).remove(k);
                over.put(out, slotOf.get(other));
            }
        }
        if (offset < 0) offset = layout.take(bytes / blocks);
        int value = add(new RegionPlan.Fixed(type, offset, null, 0));
        if (s < 0) unread.put(out, value);
        else {
            fixed[s] = value;
            slotOf.put(value, s);
        }
        dying.get(end(u, s)).add(value);
        return value;
    }

    /** The unit after which a value that unit {@code u} makes is free, its rows at least. */
    private int end(int u, int s) {
        int last = s < 0 ? u : Math.max(u, lastUse[s]), end = units.sectionEnd(last);
        return units.isChained(last) && isCutOnly(s, end) ? last : end;
    }

    /** Whether only its chain reads an output, each call the rows that it makes, so that a thread's lane is enough. */
    private boolean isInLane(int u, Port out) {
        int s = units.slot(out);
        if (!units.isChained(u) || s < 0) return units.isChained(u);
        if (facts.escapes[s] || becomes[s] || lastUse[s] > units.sectionEnd(u)) return false;
        // a run that leaves the plan asks for the inputs of what follows from several shapes
        for (int r : facts.memoryReaders.get(s)) if (units.of(r) < 0 && facts.region[r].in.length > 1) return false;
        return isCutOnly(s, units.sectionEnd(u));
    }

    /** Finds what a unit of a chain may write over with a value that stays. */
    private void overwrite(int u) {
        for (Port out : units.outputs(units.get(u))) {
            int s = units.slot(out);
            if (!units.worksInPlace(u, out) || isInLane(u, out) || s >= 0 && facts.escapes[s]) continue;
            TensorType type = units.type(out);
            for (int in : units.inputs(units.get(u))) {
                int from = facts.roots[in], p = facts.producer[from];
                if (p < 0 || units.of(p) < 0 || lastUse[from] != u) continue;
                if (!isInLane(units.of(p), new Port(p, facts.port[from]))
                        || facts.type(from).byteSize() != type.byteSize()
                        || !isRead(u, from, type.shape())) continue;
                becomes[from] = true;
                break;
            }
        }
    }

    /** Whether unit {@code u} reads a value elementwise, and no other thread may still read it. */
    private boolean mayOverwrite(int u, int value, Shape shape) {
        Integer s = slotOf.get(value);
        if (s == null || !isRead(u, s, shape)) return false;
        if (units.isChained(u)) return lastUse[s] == u && isCutOnly(s, units.sectionEnd(u));
        return units.sectionEnd(u) == u && (u == 0 || units.sectionEnd(u - 1) != u);
    }

    /** Whether all readers of a slot, and of its views, within a section read it by rows. */
    private boolean isCutOnly(int s, int end) {
        if (s < 0) return true;
        for (int r : facts.memoryReaders.get(s)) {
            int u = units.of(r);
            if (u < 0 || u == units.of(facts.producer[s]) || units.sectionEnd(u) != end) continue;
            boolean[] cut = units.cut(units.get(u));
            if (cut == null) return false;
            for (int in : facts.region[r].in)
                if (facts.roots[in] == s && !units.isCut(units.get(u), cut, in)) return false;
        }
        return true;
    }

    /** Whether a unit reads a slot's memory elementwise and in no other way. */
    private boolean isRead(int u, int slot, Shape shape) {
        boolean found = false;
        for (int m : units.get(u).members()) {
            for (int s : facts.region[m].in) {
                if (facts.roots[s] != slot) continue;
                if (!facts.type(s).shape().equals(shape)) return false;
                found = true;
            }
        }
        return found;
    }
}
