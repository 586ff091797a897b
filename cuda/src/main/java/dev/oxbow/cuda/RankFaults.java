package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;

/** Has all ranks leave variables as they were when kernels of one of them have found something wrong before they sum. */
final class RankFaults {

    /*
     * What ranks sum on their cards has passed on before any host knows of a fault. So each sends its number along, or nothing, as
     * one more part of the exchange; who gets one and has no fault has one then. Who waits for the card next hears of it.
     */

    private static final String NODE = "what cards exchange";
    private static final int THREADS = 32;

    private static final String SAY = """
            extern "C" __global__ void __launch_bounds__(32) say(const int* word, int* mine, int number) {
              if (threadIdx.x == 0) *mine = *word != 0 ? number : 0;
            }
            """;

    private static final String HEAR = """
            extern "C" __global__ void __launch_bounds__(32) hear(const int* others, int* word, long long* report, int node) {
              if (threadIdx.x != 0 || *others == 0 || atomicCAS(word, 0, node) != 0) return;
              report[1] = *others - 1;
              __threadfence_system();
              report[0] = node;
            }
            """;

    /** What stands for the two kernels. */
    private enum Key {
        SAY,
        HEAR
    }

    private final Card card;
    private final long mine;
    private final long others;
    private final int rank;

    /** Of an engine's card, with a place of 8 bytes there. */
    RankFaults(Card card, long place, int rank) {
        this.card = card;
        this.mine = place;
        this.others = place + 4;
        this.rank = rank;
    }

    static String sayText() {
        return SAY;
    }

    static String hearText() {
        return HEAR;
    }

    /** What is exchanged between the two. */
    Fabric.Work work() {
        return new Fabric.Work(Fabric.Kind.ALL_REDUCE, mine, others, 1, DType.I32, Fabric.Combining.MAX, -1);
    }

    void say() {
        long word = card.faults.word();
        Spans spans = new Spans().reads(word, 4).writes(mine, 4);
        long[] arguments = {word, mine, rank + 1};
        card.commands.launch(
                "say", card.function(Key.SAY, "say", () -> SAY), 1, 1, THREADS, arguments, spans.touched());
    }

    void hear() {
        long word = card.faults.word();
        int node = card.faults.number(
                NODE, (rank, _, _) -> "rank %d of these has failed, and its error says why".formatted(rank));
        Spans spans = new Spans().reads(others, 4).writes(word, 4);
        long[] arguments = {others, word, card.faults.report(), node};
        card.commands.launch(
                "hear", card.function(Key.HEAR, "hear", () -> HEAR), 1, 1, THREADS, arguments, spans.touched());
    }
}
