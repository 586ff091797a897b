package dev.oxbow.cuda;

import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.OxbowException;

/** Trains until the card is lost, by a kernel that traps where one is asked for, and says what then is still done, line by line. */
final class LostCardProcess {
    static final int STEPS = 50;
    private static final String TRAP = "extern \"C\" __global__ void broken() { asm(\"trap;\"); }";

    private LostCardProcess() {}

    public static void main(String[] words) {
        CardModel m = new CardModel();
        try (Engine engine = new Engine(EngineOptions.defaults());
                Engine cpu = CardModel.onlyCpu();
                Session there = m.open(engine, SessionOptions.defaults());
                Session here = m.open(cpu, SessionOptions.defaults())) {
            System.out.println("devices " + engine.devices().size());
            if (engine.devices().size() == 1)
                System.out.println(
                        "why " + new CudaDevices().findings().getLast().text());
            try {
                for (int i = 0; i < STEPS; i++) m.train(there);
                if (words.length > 0) {
                    Card card = Card.of(0);
                    card.commands.launch(
                            "broken", card.function(TRAP, "broken"), 1, 1, 32, new long[0], new Spans().touched());
                }
                m.train(there);
                System.out.println("nothing was lost");
            } catch (OxbowException e) {
                System.out.println("first " + e.code() + " " + e.getMessage());
            }
            try {
                m.train(there);
            } catch (OxbowException e) {
                System.out.println("then " + e.code() + " " + e.getMessage());
            }
            for (int i = 0; i < 5; i++) m.train(here);
            System.out.println("the CPU trains on");
            try (Engine later = new Engine(EngineOptions.defaults());
                    Session again = m.open(later, SessionOptions.defaults())) {
                m.train(again);
                System.out.println("devices " + later.devices().size());
            }
        }
        System.out.println("closed");
    }
}
