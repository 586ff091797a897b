package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SectionsTest {
    private static final double LARGE = 1 << 20;

    /** Units as data; names start with what they are: six letters, then the variable they work on. */
    private static final class Units implements Sections.View {
        record Unit(
                String name, long pieces, double work, boolean effects, List<String> after, List<String> rowsAfter) {}

        final List<Unit> all = new ArrayList<>();
        final Map<String, Integer> byName = new HashMap<>();

        Units add(String name, long pieces, double work, boolean effects, List<String> after, List<String> rowsAfter) {
            byName.put(name, all.size());
            all.add(new Unit(name, pieces, work, effects, after, rowsAfter));
            return this;
        }

        private List<Integer> numbers(List<String> names) {
            return names.stream().map(byName::get).toList();
        }

        @Override
        public int count() {
            return all.size();
        }

        @Override
        public boolean isMovable(int u) {
            return !all.get(u).name.startsWith("wait");
        }

        @Override
        public boolean isParallel(int u) {
            return !all.get(u).name.startsWith("read");
        }

        @Override
        public boolean hasEffects(int u) {
            return all.get(u).effects;
        }

        @Override
        public boolean conflict(int u, int v) {
            return hasEffects(u)
                    && hasEffects(v)
                    && all.get(u).name.substring(6).equals(all.get(v).name.substring(6));
        }

        @Override
        public long pieces(int u) {
            return all.get(u).pieces;
        }

        @Override
        public List<Integer> after(int u) {
            return numbers(all.get(u).after);
        }

        @Override
        public List<Integer> rowsAfter(int u) {
            return numbers(all.get(u).rowsAfter);
        }

        @Override
        public double work(int u) {
            return all.get(u).work;
        }

        @Override
        public long bytes(int u) {
            return 64;
        }

        @Override
        public boolean isUpdate(int u) {
            return all.get(u).name.startsWith("update");
        }

        @Override
        public boolean mayPass(int u, int v) {
            return isMovable(v) && !conflict(u, v) && !after(u).contains(v);
        }

        @Override
        public int condition(int u) {
            return 0;
        }

        List<String> sections() {
            return Sections.of(this).stream()
                    .map(s -> s.blocks() + ":"
                            + String.join(
                                    ",",
                                    s.units().stream().map(u -> all.get(u).name).toList()))
                    .toList();
        }
    }

    @Test
    void aTrainingStepIsOneChainThenItsGradientsThenItsUpdates() {
        List<String> sections = new Units()
                .add("read  1", 0, 1, true, List.of(), List.of())
                .add("h1", 4, LARGE, false, List.of("read  1"), List.of())
                .add("read  2", 0, 1, true, List.of(), List.of())
                .add("h2", 4, LARGE, false, List.of("read  2"), List.of("h1"))
                .add("loss", 128, LARGE, false, List.of(), List.of("h2"))
                .add("mean", 0, 128, false, List.of("loss"), List.of())
                .add("d2", 128, LARGE, false, List.of(), List.of("loss"))
                .add("dw2", 0, LARGE, false, List.of("d2", "h1"), List.of())
                .add("d1", 4, LARGE, false, List.of("read  2"), List.of("d2"))
                .add("dw1", 0, LARGE, false, List.of("d1"), List.of())
                .add("update1", 0, LARGE, true, List.of("dw1", "dw2"), List.of())
                .add("update2", 0, LARGE, true, List.of("dw1", "dw2"), List.of())
                .sections();
        assertEquals(
                List.of("0:read  1", "0:read  2", "4:h1,h2,loss,d2,d1", "0:mean,dw2,dw1", "0:update1,update2"),
                sections);
    }

    @Test
    void aWaitingUnitEndsTheChain() {
        List<String> sections = new Units()
                .add("a", 4, LARGE, false, List.of(), List.of())
                .add("b", 4, LARGE, false, List.of(), List.of("a"))
                .add("wait", 0, 1, false, List.of(), List.of())
                .add("c", 4, LARGE, false, List.of(), List.of("b"))
                .add("d", 4, LARGE, false, List.of(), List.of("c"))
                .sections();
        assertEquals(List.of("4:a,b", "0:wait", "4:c,d"), sections);
    }

    @Test
    void callsWhoseRowsCannotBeCutEvenlyAreNoChain() {
        List<String> sections = new Units()
                .add("a", 17, LARGE, false, List.of(), List.of())
                .add("b", 17, LARGE, false, List.of(), List.of("a"))
                .sections();
        assertEquals(List.of("0:a", "0:b"), sections);
    }

    @Test
    void effectsKeepTheirOrder() {
        List<String> sections = new Units()
                .add("a", 4, LARGE, false, List.of(), List.of())
                .add("b", 4, LARGE, false, List.of(), List.of("a"))
                .add("update1", 0, 1, true, List.of("b"), List.of())
                .add("read  1", 0, 1, true, List.of(), List.of())
                .add("c", 4, LARGE, false, List.of("read  1"), List.of("b"))
                .sections();
        assertEquals(List.of("4:a,b", "0:update1", "0:read  1", "0:c"), sections);
    }

    @Test
    void anUpdateMovesUpToItsGradientButNotAcrossReadersOfItsVariable() {
        List<String> sections = new Units()
                .add("read  2", 0, 1, true, List.of(), List.of())
                .add("dw2", 0, LARGE, false, List.of(), List.of())
                .add("wait", 0, 1, false, List.of(), List.of())
                .add("read  1", 0, 1, true, List.of(), List.of())
                .add("dw1", 0, 1, false, List.of(), List.of())
                .add("update1", 0, LARGE, true, List.of("dw1"), List.of())
                .add("update2", 0, LARGE, true, List.of("dw2"), List.of())
                .sections();
        assertEquals(List.of("0:read  2", "0:dw2", "0:wait", "0:update2", "0:read  1", "0:dw1", "0:update1"), sections);
    }

    @Test
    void anUpdateLeavesOthersBehindThatRunBesideIt() {
        List<String> sections = new Units()
                .add("dw2", 0, LARGE, false, List.of(), List.of())
                .add("d1", 4, LARGE, false, List.of(), List.of("dw2"))
                .add("dw1", 0, LARGE, false, List.of("d1"), List.of())
                .add("update1", 0, LARGE, true, List.of("dw1"), List.of())
                .add("update2", 0, LARGE, true, List.of("dw2"), List.of())
                .add("update3", 0, LARGE, true, List.of("dw1"), List.of())
                .sections();
        assertEquals(List.of("0:dw2", "0:update2", "0:d1", "0:dw1", "0:update1,update3"), sections);
    }

    @Test
    void updatesOfOneVariableDoNotRunSideBySide() {
        List<String> sections = new Units()
                .add("update1", 0, LARGE, true, List.of(), List.of())
                .add("update1", 0, LARGE, true, List.of(), List.of())
                .add("update2", 0, LARGE, true, List.of(), List.of())
                .sections();
        assertEquals(List.of("0:update1", "0:update1,update2"), sections);
    }

    @Test
    void littleWorkIsLeftAsItStands() {
        Units units = new Units();
        for (int i = 0; i < 100; i++)
            units.add("u" + i, 16, 100, false, List.of(), i == 0 ? List.of() : List.of("u" + (i - 1)));
        assertTrue(units.sections().stream().noneMatch(s -> s.contains(",")));
    }
}
