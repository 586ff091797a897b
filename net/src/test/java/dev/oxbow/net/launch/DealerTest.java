package dev.oxbow.net.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Batches that are dealt to workers which come, go and are lost. */
final class DealerTest {
    private final Dealer dealer = new Dealer();

    private static Worker worker(int slot, int life) {
        return new Worker(slot, life, "localhost");
    }

    @Test
    void batchesOfALostWorkerAreDealtAgainFirst() {
        Worker a = worker(0, 0), b = worker(1, 1);
        assertEquals("at 0 0 0", dealer.answer(a, "begin 0 0 0"));
        assertEquals("at 0 0 0", dealer.answer(b, "begin 90 2 0")); // the first has said where
        assertEquals("batch 0 0", dealer.answer(a, "next 1 0"));
        assertEquals("batch 0 1", dealer.answer(b, "next 1 0"));
        dealer.answer(b, "done 0 1");
        dealer.gone(a);
        assertEquals("batch 0 0", dealer.answer(b, "next 1 0"));
        assertEquals("batch 0 2", dealer.answer(b, "next 1 0"));
        dealer.answer(b, "past 0 2");
        assertEquals("wait", dealer.answer(worker(0, 2), "next 1 0")); // batch 0 is not done
        dealer.answer(b, "done 0 0");
        assertEquals("report 2", dealer.answer(b, "next 1 0"));
        assertEquals("wait", dealer.answer(worker(0, 2), "next 1 0"));
        dealer.gone(b);
        assertEquals("report 2", dealer.answer(worker(0, 2), "next 1 0"));
        dealer.answer(worker(0, 2), "reported");
        assertEquals("end", dealer.answer(worker(0, 2), "next 1 0"));
    }

    @Test
    void oneWorkerAtATimeKeepsTheStateUpToTheFirstBatchThatIsNotDone() {
        Worker a = worker(0, 0), b = worker(1, 1);
        dealer.answer(a, "begin 0 0 0");
        for (int i = 0; i < 3; i++) dealer.answer(i == 0 ? a : b, "next 1 2");
        dealer.answer(b, "done 0 1");
        dealer.answer(b, "done 0 2");
        assertEquals("keep 2 0 0", dealer.answer(b, "next 1 2"));
        assertEquals("batch 0 3", dealer.answer(b, "next 1 2"));
        dealer.answer(b, "done 0 3");
        dealer.answer(a, "done 0 0");
        assertEquals("batch 0 4", dealer.answer(a, "next 1 2")); // b has not said that it has kept it
        dealer.answer(b, "kept");
        assertEquals("keep 4 0 4", dealer.answer(b, "next 1 2"));
    }

    @Test
    void aQuestionThatComesBehindTheLossOfItsWorkerIsDealtNothing() {
        Worker a = worker(0, 0), b = worker(1, 1);
        dealer.answer(a, "begin 0 0 0");
        dealer.gone(a);
        assertEquals("end", dealer.answer(a, "next 1 1"));
        assertEquals("batch 0 0", dealer.answer(b, "next 1 1"));
        dealer.answer(b, "done 0 0");
        assertEquals("end", dealer.answer(a, "next 1 1"), "nobody would keep the state");
        assertEquals("keep 1 0 1", dealer.answer(b, "next 1 1"));
        dealer.answer(b, "kept");
        assertEquals("batch 0 1", dealer.answer(b, "next 1 1"));
        dealer.answer(b, "past 0 1");
        assertEquals("end", dealer.answer(a, "next 1 1"), "nobody would report");
        assertEquals("report 1", dealer.answer(b, "next 1 1"));
    }

    @Test
    void whatIsNoQuestionIsRefused() {
        OxbowException e = assertThrows(OxbowException.class, () -> dealer.answer(worker(0, 0), "next x 1"));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals("elastic: 'next x 1' lacks a number", e.text());
        assertThrows(OxbowException.class, () -> dealer.answer(worker(0, 0), "next 1 1"));
        assertThrows(OxbowException.class, () -> dealer.answer(worker(0, 0), "sing"));
    }

    /** Workers that are lost at any time train on every batch; on one twice only if its worker was lost behind its push. */
    @Test
    void noBatchIsLostWhoeverIs() {
        for (long seed = 1; seed <= 300; seed++) check(seed);
    }

    private static void check(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Dealer d = new Dealer();
        int epochs = 1 + random.nextInt(4), size = 1 + random.nextInt(9), lives = 4;
        List<Worker> there = new ArrayList<>();
        for (int s = 0; s < 4; s++) there.add(worker(s, s));
        for (Worker w : there) d.answer(w, "begin 0 0 0");
        Map<Worker, String> has = new HashMap<>();
        TreeMap<String, Integer> pushed = new TreeMap<>();
        int twice = 0, reports = 0;
        for (int i = 0; reports == 0; i++) {
            assertTrue(i < 100_000, "seed " + seed + " does not end");
            int at = random.nextInt(there.size());
            Worker w = there.get(at);
            if (random.nextInt(20) == 0) {
                d.gone(w);
                has.remove(w);
                there.set(at, worker(w.slot(), lives++));
                continue;
            }
            String now = has.remove(w);
            if (now != null) {
                pushed.merge(now, 1, Integer::sum);
                if (random.nextInt(20) == 0) { // lost before it says so
                    d.gone(w);
                    there.set(at, worker(w.slot(), lives++));
                    twice++;
                } else d.answer(w, "done " + now);
                continue;
            }
            String said = d.answer(w, "next %d 0".formatted(epochs));
            if (said.startsWith("report")) reports++;
            if (!said.startsWith("batch ")) continue;
            String[] words = said.split(" ");
            if (Long.parseLong(words[2]) >= size) d.answer(w, "past %s %d".formatted(words[1], size));
            else has.put(w, words[1] + " " + words[2]);
        }
        assertEquals(epochs * size, pushed.size(), "seed " + seed);
        int more = pushed.values().stream().mapToInt(n -> n - 1).sum();
        assertEquals(twice, more, "seed " + seed);
        assertEquals(new HashSet<>(has.values()), new HashSet<>(), "seed " + seed);
    }
}
