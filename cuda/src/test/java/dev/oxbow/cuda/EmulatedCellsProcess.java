package dev.oxbow.cuda;

import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;

/** Computes layers of LSTM cells over time on the first card and on the CPU, and says how far they are apart. */
final class EmulatedCellsProcess {
    private EmulatedCellsProcess() {}

    public static void main(String[] words) {
        try (Engine card = new Engine(EngineOptions.defaults());
                Engine cpu = CardModel.onlyCpu()) {
            for (CellsOverTime.Sizes z : CellsOverTime.ALL) {
                CellsOverTime.Compared c = new CellsOverTime(z).compared(card, cpu);
                System.out.printf("%s %s, off by %.3g%n", z, c.repeats() ? "repeats" : "DOES NOT REPEAT", c.off());
                if (!c.repeats() || !(c.off() <= CellsOverTime.BOUND)) System.out.println("WRONG");
            }
        }
        System.out.println("fallbacks " + Fallback.runs() + ", graphs "
                + Card.of(0).commands.graphs());
    }
}
