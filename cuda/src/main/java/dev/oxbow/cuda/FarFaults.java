package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;

/** Has cards leave variables as they were when kernels of another one have found something wrong in what comes from it. */
final class FarFaults {

    /*
     * What cards sum, or copy from each other, has passed on before any host knows of a fault. So each rank sends its number along
     * with a sum, or nothing, as one more part of the exchange, and with a copy goes the word of the card that it comes from. Who gets one and has no
     * fault has one then. Who waits for the card next hears of it.
     */

    private static final String RANKS = "what cards exchange";
    private static final String COPIES = "what comes from another card";
    private static final int THREADS = 32;

    static final String SAY = """
            extern "C" __global__ void __launch_bounds__(32) say(const int* word, int* mine, int number) {
              if (threadIdx.x == 0) *mine = *word != 0 ? number : 0;
            }
            """;

    static final String HEAR = """
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

    /** Of a rank on an engine's card, with a place of 8 bytes there. */
    FarFaults(Card card, long place, int rank) {
        this.card = card;
        this.mine = place;
        this.others = place + Integer.BYTES;
        this.rank = rank;
    }

    /** What is exchanged between saying and hearing. */
    Fabric.Work work() {
        return new Fabric.Work(Fabric.Kind.ALL_REDUCE, mine, others, 1, DType.I32, Fabric.Combining.MAX, -1);
    }

    void say() {
        long word = card.faults.word();
        Spans spans = new Spans().reads(word, Integer.BYTES).writes(mine, Integer.BYTES);
        long function = card.function(Key.SAY, "say", () -> SAY);
        card.commands.launch("say", function, 1, 1, THREADS, new long[] {word, mine, rank + 1}, spans.touched());
    }

    void hear() {
        int node = card.faults.number(
                RANKS, (rank, _, _) -> "rank %d of these has failed, and its error says why".formatted(rank));
        Spans spans = new Spans().reads(others, Integer.BYTES).writes(card.faults.word(), Integer.BYTES);
        card.commands.launch("hear", heard(card), 1, 1, THREADS, arguments(card, others, node), spans.touched());
    }

    private static long heard(Card card) {
        return card.function(Key.HEAR, "hear", () -> HEAR);
    }

    private static long[] arguments(Card card, long others, int node) {
        return new long[] {others, card.faults.word(), card.faults.report(), node};
    }

    /** The number of the fault that a card has where another one has. */
    static int number(Card card, Card there) {
        return card.faults.number(
                COPIES, (_, _, _) -> "a step has failed on %s, and its error says why".formatted(there));
    }

    /** Has a card have that where the other one has, from which something was just copied. Only under the lock of the commands. */
    static void follow(Card card, Card there, int node) {
        long stream = card.commands.stream(), copy = card.farWord();
        Driver.copy(copy, card.context(), there.faults.word(), there.context(), Integer.BYTES, stream);
        Driver.launch(heard(card), 1, 1, THREADS, card.commands.pointers(arguments(card, copy, node)), stream);
    }
}
