package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.pass.JoinedNodes;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes a region's plan from the record of one run of it. */
final class Planner {
    private final RegionFacts facts;
    private final Instruction[] region;
    private final Device device;
    private final Units units;
    private final Places places;
    private final List<Fusion> fusions;

    /** By slot: whether it holds its value while the plan runs. */
    private final boolean[] stored;

    /** By unit: its condition, numbered from 1, and whether it is the first of those with the same. */
    private final int[] condition;

    private final boolean[] leader;
    private int conditions;

    Planner(int slots, Instruction[] region, Recording record, Device device, boolean fuses, boolean sectioned) {
        this.region = region;
        this.device = device;
        facts = new RegionFacts(slots, region, record, device.space() == Space.HOST);
        boolean host = device.space() == Space.HOST;
        List<Fusion> rows = fuses && device.fusesRows() ? new RowFuser(facts, host).fuse() : List.of();
        Set<Integer> inRows = new HashSet<>();
        for (Fusion f : rows) for (int m : f.members()) inRows.add(m);
        Fuser fuser = new Fuser(
                region,
                record,
                facts.producer,
                facts.readers,
                fuses,
                i -> facts.isFusible(i) && !inRows.contains(i),
                device.fusing());
        fusions = fuser.fuse();
        fuser.reduce(fusions, i -> inRows.contains(i) ? null : facts.axes(i));
        fusions.addAll(rows);
        if (device.space() != Space.HOST) {
            fuser.reduceAlone(fusions, facts::axes, i -> facts.isKnown(i));
            if (fuses) new SumsTogether(facts, device.fusing()).join(fusions);
        }
        units = new Units(facts, fusions, sectioned);
        places = new Places(units, device.parallel());
        condition = new int[units.count()];
        leader = new boolean[units.count()];
        stored = new boolean[slots];
    }

    RegionPlan plan() {
        findConditions();
        for (int s = 0; s < stored.length; s++) stored[s] = isStored(s);
        Shape[] arguments = new Shape[region.length];
        int[][] fixedOutputs = new int[region.length][];
        for (int i = 0; i < region.length; i++) {
            if (region[i].kind == Instruction.Kind.ARG && region[i].out[0] >= 0) arguments[i] = facts.record.outputs[i];
            if (!facts.isLocal(i)) continue;
            int[] f = new int[region[i].out.length];
            boolean any = false;
            for (int p = 0; p < f.length; p++) {
                f[p] = region[i].out[p] < 0 ? -1 : places.of(region[i].out[p]);
                any |= f[p] >= 0;
            }
            if (any || facts.modes[i] == RegionFacts.Mode.CONSTANT) fixedOutputs[i] = f;
        }
        return new RegionPlan(
                region,
                places.values(),
                calls(),
                units.sections(),
                fixedOutputs,
                conditions,
                arguments,
                places.size(),
                fusions);
    }

    /** Says which nodes become one kernel, which of their values are written and where, and what the plan takes. */
    void tell(JoinedNodes joined) {
        for (Fusion f : fusions) {
            if (f.members().length < 2) continue;
            for (int m : f.members()) joined.join(region[m].node, region[f.members()[0]].node);
            for (Port p : f.outputs()) joined.writes(region[p.instruction()].node, p.output());
        }
        places.tell(joined);
        joined.takes(places.size());
        for (int u = 0; u < units.count(); u++)
            for (Port p : units.outputs(units.get(u)))
                if (places.of(p) < 0) joined.takes(units.type(p).byteSize());
    }

    private void findConditions() {
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int u = 0; u < condition.length; u++) {
            Units.Unit unit = units.get(u);
            if (!unit.conditional() || unit.kind() == RegionPlan.Kind.GENERAL) continue;
            leader[u] = !numbers.containsKey(region[unit.at()].condition);
            condition[u] = numbers.computeIfAbsent(region[unit.at()].condition, k -> ++conditions);
        }
    }

    /** Whether readers look for the value in its slot, because they are not bound to it. */
    private boolean isStored(int s) {
        if (places.of(s) < 0) return true;
        int p = facts.producer[s];
        if (region[p].escapes[facts.port[s]]) return true;
        for (int r : facts.readers.get(s)) {
            int u = units.of(r);
            if (u < 0) continue;
            if (units.get(u).kind() == RegionPlan.Kind.GENERAL || leader[u] && u != units.of(p)) return true;
        }
        return false;
    }

    private List<RegionPlan.Call> calls() {
        List<List<Integer>> release = releases();
        List<RegionPlan.Call> calls = new ArrayList<>();
        for (int u = 0; u < units.count(); u++) {
            Units.Unit unit = units.get(u);
            Kernel kernel = unit.kind() != RegionPlan.Kind.KERNEL
                    ? null
                    : unit.fusion() != null ? fused(unit.fusion().formula(units.blocks(u))) : region[unit.at()].kernel;
            calls.add(new RegionPlan.Call(
                    unit.kind(),
                    unit.members(),
                    kernel,
                    inputs(unit),
                    units.isChained(u) ? units.cut(unit) : null,
                    results(unit),
                    condition[u],
                    leader[u],
                    release.get(u).stream().mapToInt(Integer::intValue).toArray()));
        }
        return calls;
    }

    private Kernel fused(Formula f) {
        Kernel own = device.fused(f);
        return own != null ? own : new HostKernel(f.onHost());
    }

    /** By unit: the stored slots that nobody reads after its section. */
    private List<List<Integer>> releases() {
        List<List<Integer>> all = new ArrayList<>();
        for (int u = 0; u < units.count(); u++) all.add(new ArrayList<>());
        for (Instruction i : region) {
            for (int s : i.release) {
                if (!stored[s] || all.isEmpty()) continue;
                int last = -1;
                for (int r : facts.readers.get(s)) last = Math.max(last, sectionEnd(r));
                if (last < 0 && facts.producer[s] >= 0) last = sectionEnd(facts.producer[s]);
                all.get(last < 0 ? all.size() - 1 : last).add(s);
            }
        }
        return all;
    }

    /** The last unit of an instruction's section, -1 when it needs no call. */
    private int sectionEnd(int i) {
        return units.of(i) < 0 ? -1 : units.sectionEnd(units.of(i));
    }

    private RegionPlan.Source[] guards(int i) {
        List<RegionPlan.Source> all = new ArrayList<>();
        for (int k = 0; k < region[i].in.length && facts.modes[i] == RegionFacts.Mode.CONSTANT; k++) {
            int s = region[i].in[k];
            if (facts.isOpen(i, k) && facts.shape(s) != null)
                all.add(new RegionPlan.Source(-1, s, region[i].deref[k], facts.shape(s), null));
        }
        return all.toArray(RegionPlan.Source[]::new);
    }

    private RegionPlan.Source[] inputs(Units.Unit u) {
        if (u.kind() == RegionPlan.Kind.STORE) return guards(u.at());
        if (u.kind() != RegionPlan.Kind.KERNEL) return new RegionPlan.Source[0];
        int[] slots = units.inputs(u);
        RegionPlan.Source[] all = new RegionPlan.Source[slots.length];
        for (int k = 0; k < slots.length; k++) {
            int s = slots[k], p = facts.producer[s];
            boolean dereferences = u.fusion() == null && region[u.at()].deref[k];
            Shape as = u.fusion() == null ? null : u.fusion().shapeOf(facts.shape(s));
            if (places.of(s) >= 0 && !dereferences) {
                all[k] = new RegionPlan.Source(places.of(s), -1, false, null, as);
                continue;
            }
            boolean sure = p >= 0 && facts.modes[p] != RegionFacts.Mode.DYNAMIC && !dereferences;
            all[k] = new RegionPlan.Source(-1, s, dereferences, sure ? null : facts.shape(s), as);
        }
        return all;
    }

    private RegionPlan.Result[] results(Units.Unit u) {
        return switch (u.kind()) {
            case GENERAL -> new RegionPlan.Result[0];
            case STORE -> {
                List<RegionPlan.Result> list = new ArrayList<>();
                for (int s : region[u.at()].out)
                    if (s >= 0 && stored[s] && places.of(s) >= 0)
                        list.add(new RegionPlan.Result(places.of(s), null, s));
                yield list.toArray(RegionPlan.Result[]::new);
            }
            case KERNEL -> {
                List<Port> outputs = units.outputs(u);
                RegionPlan.Result[] all = new RegionPlan.Result[outputs.size()];
                for (int k = 0; k < all.length; k++) {
                    int s = units.slot(outputs.get(k));
                    boolean isStored = s >= 0 && stored[s];
                    all[k] = new RegionPlan.Result(
                            places.of(outputs.get(k)), units.type(outputs.get(k)), isStored ? s : -1);
                }
                yield all;
            }
        };
    }
}
