package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.TensorType;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The calls that a region's instructions become, in the order in which they run. */
final class Units {

    /** Instructions that become one call, in order; the last says where it stands. */
    record Unit(RegionPlan.Kind kind, int[] members, Fusion fusion, boolean conditional) {
        int at() {
            return members[members.length - 1];
        }
    }

    final RegionFacts facts;
    private final List<Unit> units = new ArrayList<>();
    private final List<Sections.Section> sections = new ArrayList<>();

    /** By instruction: the unit that it is part of, -1 when it needs no call. */
    private final int[] unitOf;

    /** By unit: the last unit of its section. */
    private int[] sectionEnd;

    /** By unit: into how many blocks of rows its chain is cut, 0 outside of chains. */
    private int[] blocks;

    /** In the order of sections or, without them, in that of the instructions, each a section of its own. */
    Units(RegionFacts facts, List<Fusion> fusions, boolean sectioned) {
        this.facts = facts;
        Instruction[] region = facts.region;
        unitOf = new int[region.length];
        Arrays.fill(unitOf, -1);
        Map<Integer, Fusion> at = new HashMap<>();
        boolean[] part = new boolean[region.length];
        Map<Integer, List<Fusion>> early = new HashMap<>();
        for (Fusion f : fusions) {
            if (f.before() < 0) at.put(f.members()[f.members().length - 1], f);
            else early.computeIfAbsent(f.before(), _ -> new ArrayList<>()).add(f);
            for (int m : f.members()) part[m] = true;
        }
        for (int i = 0; i < region.length; i++) {
            for (Fusion f : early.getOrDefault(i, List.of())) add(f.members(), f);
            Fusion f = at.get(i);
            if (f != null || !part[i]) add(f == null ? new int[] {i} : f.members(), f);
        }
        arrange(sectioned);
    }

    private void add(int[] members, Fusion f) {
        int i = members[members.length - 1];
        RegionPlan.Kind kind = switch (facts.modes[i]) {
            case DYNAMIC -> RegionPlan.Kind.GENERAL;
            case CONSTANT, VIEW -> RegionPlan.Kind.STORE;
            case STATIC -> RegionPlan.Kind.KERNEL;
        };
        boolean conditional = false;
        for (int m : members) conditional |= facts.region[m].mayBeDead;
        if (kind == RegionPlan.Kind.STORE && !conditional && !facts.isWatched(i) && !facts.isGuarded(i)) return;
        for (int m : members) unitOf[m] = units.size();
        units.add(new Unit(kind, members, f, conditional));
    }

    private void arrange(boolean sectioned) {
        List<Sections.Section> found = new ArrayList<>();
        if (sectioned) found = Sections.of(new UnitView(this));
        else for (int u = 0; u < units.size(); u++) found.add(new Sections.Section(List.of(u), 0));
        List<Unit> before = List.copyOf(units);
        units.clear();
        sectionEnd = new int[before.size()];
        blocks = new int[before.size()];
        for (Sections.Section s : found) {
            List<Integer> numbers = new ArrayList<>();
            int end = units.size() + s.units().size() - 1;
            for (int u : s.units()) {
                int number = units.size();
                numbers.add(number);
                for (int m : before.get(u).members) unitOf[m] = number;
                units.add(before.get(u));
                sectionEnd[number] = end;
                blocks[number] = s.blocks();
            }
            sections.add(new Sections.Section(numbers, s.blocks()));
        }
    }

    int count() {
        return units.size();
    }

    Unit get(int u) {
        return units.get(u);
    }

    /** The unit that an instruction is part of, -1 when it needs no call. */
    int of(int instruction) {
        return unitOf[instruction];
    }

    List<Sections.Section> sections() {
        return sections;
    }

    /** The last unit of a unit's section. */
    int sectionEnd(int u) {
        return sectionEnd[u];
    }

    /** Whether a unit may write an output over an input of its size that nobody else reads any more. */
    boolean worksInPlace(int u, Port out) {
        Unit unit = units.get(u);
        if (unit.fusion == null || unit.fusion.rows() == null) return facts.worksInPlace(unit.at());
        return unit.fusion.rows().formula().isStoredLast(unit.fusion.outputs().indexOf(out));
    }

    /** Whether a unit runs by blocks of rows. */
    boolean isChained(int u) {
        return blocks[u] > 0;
    }

    /** Into how many blocks of rows a unit's chain is cut, 0 outside of chains. */
    int blocks(int u) {
        return blocks[u];
    }

    /** The slots that a kernel's call reads. */
    int[] inputs(Unit u) {
        return u.fusion != null ? u.fusion.inputSlots() : facts.region[u.at()].in;
    }

    /** The outputs of a kernel's call. */
    List<Port> outputs(Unit u) {
        if (u.kind != RegionPlan.Kind.KERNEL) return List.of();
        if (u.fusion != null) return u.fusion.outputs();
        return IntStream.range(0, facts.region[u.at()].out.length)
                .mapToObj(p -> new Port(u.at(), p))
                .toList();
    }

    /** The slot of an output, -1 when nobody reads it. */
    int slot(Port out) {
        return facts.region[out.instruction()].out[out.output()];
    }

    TensorType type(Port out) {
        return facts.record.types[out.instruction()][out.output()];
    }

    /** Which inputs of a kernel are cut when it runs by rows; null when it cannot. */
    boolean[] cut(Unit u) {
        if (u.kind != RegionPlan.Kind.KERNEL) return null;
        if (u.fusion == null) {
            for (boolean d : facts.region[u.at()].deref) if (d) return null;
            Pieces c = facts.rows(u.at());
            return c == null ? null : c.rowInputs();
        }
        if (u.fusion.rows() != null && u.fusion.rows().checked() >= 0) return null; // errors count rows from the first
        boolean joinsRows =
                u.fusion.reduces() && u.fusion.groups() == 0 && u.fusion.axes()[0] == 0;
        if (joinsRows || u.fusion.reduces() && u.fusion.shape().rank() < 2) return null;
        boolean[] cut = new boolean[u.fusion.inputSlots().length];
        for (int k = 0; k < cut.length; k++)
            cut[k] = Pieces.hasRows(facts.shape(u.fusion.inputSlots()[k]), u.fusion.shape());
        return cut;
    }

    /** Whether a slot is read by rows only. */
    boolean isCut(Unit u, boolean[] cut, int slot) {
        int[] slots = inputs(u);
        boolean all = true;
        for (int k = 0; k < slots.length; k++) if (slots[k] == slot) all &= cut[k];
        return all;
    }

    /** Into how many equal pieces a kernel that is cut by rows may fall. */
    long pieces(Unit u, boolean[] cut) {
        long multiple = u.fusion != null ? 1 : facts.rows(u.at()).multiple();
        int[] slots = inputs(u);
        long pieces = 0;
        for (Port out : outputs(u)) {
            Shape s = type(out).shape();
            if (s.rank() == 0 || s.size() == 0 || s.dim(0) % multiple != 0) return 0;
            pieces = Sections.gcd(pieces, s.dim(0) / multiple);
        }
        for (int k = 0; k < slots.length; k++) {
            if (!cut[k]) continue;
            Shape s = facts.shape(slots[k]);
            if (s == null || s.rank() == 0) return 0;
            pieces = Sections.gcd(pieces, s.dim(0));
        }
        return pieces;
    }
}
