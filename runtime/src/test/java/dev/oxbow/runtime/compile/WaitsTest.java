package dev.oxbow.runtime.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.runtime.HandMade;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which nodes share a region, which may be dead and which draw, from graphs written by hand. */
final class WaitsTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 4);

    private Waits waits() {
        return new Waits(made.graph, new Frames(made.graph));
    }

    private long region(Waits w, String node) {
        return w.region(made.graph.node(node));
    }

    @Test
    void aWaitingNodeIsApartAndWhatFollowsDifferentWaitsIsToo() {
        made.negate("before", x);
        Edge a = made.await("a", x), b = made.await("b", x);
        made.negate("afterA", a);
        made.add("alsoAfterA", a, x);
        made.negate("afterB", b);
        made.add("afterBoth", a, b);
        Waits w = waits();
        assertEquals(region(w, "x"), region(w, "before"));
        assertEquals(region(w, "afterA"), region(w, "alsoAfterA"));
        Set<Long> regions = new HashSet<>();
        for (String n : new String[] {"before", "a", "b", "afterA", "afterB", "afterBoth"}) regions.add(region(w, n));
        assertEquals(6, regions.size());
    }

    @Test
    void aControlEdgeFromAWaitIsAWait() {
        Node a = made.await("a", x).node();
        try (var _ = made.graph.after(a)) {
            made.negate("ordered", x);
        }
        made.negate("free", x);
        Waits w = waits();
        assertNotEquals(region(w, "free"), region(w, "ordered"));
    }

    @Test
    void theExitsOfALoopThatWaitsForNothingAreOneWait() {
        HandMade.Loop loop = made.loop("loop", x, v -> made.negate("body", v));
        Node second = made.node("second", new Exit(), loop.branch().edge(0));
        made.negate("afterFirst", loop.exit().edge(0));
        made.negate("afterSecond", second.edge(0));
        Waits w = waits();
        assertEquals(region(w, "afterFirst"), region(w, "afterSecond"));
        assertNotEquals(region(w, "x"), region(w, "afterFirst"));
        assertEquals(w.condition(loop.exit()), w.condition(second), "they live when the loop runs at all");
    }

    @Test
    void theExitsOfALoopThatWaitsInsideAreWaitsOfTheirOwn() {
        HandMade.Loop loop = made.loop("loop", x, v -> made.await("body", v));
        Node second = made.node("second", new Exit(), loop.branch().edge(0));
        made.negate("afterFirst", loop.exit().edge(0));
        made.negate("afterSecond", second.edge(0));
        Waits w = waits();
        assertNotEquals(region(w, "afterFirst"), region(w, "afterSecond"));
    }

    @Test
    void whatIsBehindASwitchMayBeDeadAndAMergeThatHasALiveInputIsNot() {
        Edge taken = made.node("taken", new HandMade.Positive(), x).edge(0);
        Node s = made.node("switch", new Switch(), x, taken), other = made.node("other", new Switch(), x, taken);
        Edge no = made.negate("no", s.edge(0)), yes = made.negate("yes", s.edge(1));
        made.negate("yesToo", other.edge(1));
        Node merge = made.node("merge", new Merge(), no, yes), live = made.node("live", new Merge(), x, yes);
        Node trigger;
        try (var _ = made.graph.after(yes.node())) {
            trigger = made.node("trigger", new ControlTrigger());
            made.negate("ordered", x);
        }
        Waits w = waits();
        for (String n : new String[] {"switch", "no", "yes", "merge", "ordered"})
            assertTrue(w.mayBeDead(made.graph.node(n)), n);
        for (Node n : new Node[] {live, trigger, x.node()}) assertFalse(w.mayBeDead(n), n.name());
        assertEquals(w.condition(yes.node()), w.condition(made.graph.node("yesToo")), "the same side of one predicate");
        assertEquals(w.condition(yes.node()), w.condition(made.graph.node("ordered")));
        assertNotEquals(w.condition(yes.node()), w.condition(no.node()));
        assertNotEquals(0, w.condition(merge), "it is a condition of its own");
        assertEquals(0, w.condition(x.node()));
    }

    @Test
    void aSeededRandomOpOfALoopDrawsApartUnlessTheLoopWaitsOrHangsOnIt() {
        made.loop("loop", made.input("a"), v -> drawing("draw", 7, made.negate("body", v)));
        made.loop("unseeded", made.input("b"), v -> drawing("free", 0, made.negate("body2", v)));
        made.loop("waiting", made.input("c"), v -> drawing("ordered", 7, made.await("body3", v)));
        made.loop("deciding", made.input("d"), v -> made.add("body4", v, draw("decider", 7, v)));
        made.node("root", new HandMade.Draw(7, 0));
        Waits w = waits();
        assertTrue(w.draws(made.graph.node("draw")));
        assertEquals(
                1,
                made.graph.nodes().stream()
                        .filter(n -> w.region(n) == region(w, "draw"))
                        .count());
        for (String n : new String[] {"free", "root", "ordered", "decider"})
            assertFalse(w.draws(made.graph.node(n)), n);
    }

    /** A draw after a value of a loop. */
    private Edge draw(String name, long seed, Edge after) {
        try (var _ = made.graph.after(after.node())) {
            return made.node(name, new HandMade.Draw(seed, 0)).edge(0);
        }
    }

    /** As above, the value itself. */
    private Edge drawing(String name, long seed, Edge after) {
        draw(name, seed, after);
        return after;
    }

    @Test
    void setsOfNodesAreEqualWhateverTheOrderOfTheirUnions() {
        NodeSets sets = new NodeSets();
        Random random = new Random(5);
        for (int round = 0; round < 50; round++) {
            int forward = 0, backward = 0;
            int[] list = random.ints(1 + random.nextInt(30), -40, 40).toArray();
            for (int e : list) forward = sets.union(forward, sets.single(e));
            for (int i = list.length - 1; i >= 0; i--) backward = sets.union(sets.single(list[i]), backward);
            int even = 0, odd = 0;
            for (int i = 0; i < list.length; i++) {
                if (i % 2 == 0) even = sets.union(even, sets.single(list[i]));
                else odd = sets.union(odd, sets.single(list[i]));
            }
            assertEquals(forward, backward, "round " + round);
            assertEquals(forward, sets.union(odd, even), "round " + round);
            assertNotEquals(forward, sets.union(forward, sets.single(1000)));
        }
    }
}
