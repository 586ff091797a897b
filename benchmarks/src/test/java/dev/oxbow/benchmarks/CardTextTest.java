package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cuda.PaperCard;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.testing.cuda.CudaMeaning;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The CUDA C of all fused kernels and updates that training steps have on a card means what the interpreter does. */
@Timeout(300)
final class CardTextTest {
    private static final int STEPS = 3;

    private static Engine engine() {
        return new Engine(
                EngineOptions.defaults(),
                (o, width) -> List.of(new PaperCard(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width))));
    }

    private static void check(PaperCard card, int least) {
        Map<String, Program> all = card.programs();
        assertTrue(all.size() >= least, () -> "only " + all.size() + " programs");
        assertEquals(List.of(), card.refused());
        all.forEach((text, p) -> CudaMeaning.check(p, text.hashCode()));
    }

    @ParameterizedTest
    @EnumSource(names = {"MLP", "CNN", "TRANSFORMER", "LSTM", "EMBEDDING"})
    void textsOfAStepMeanTheSame(Workload w) {
        try (Engine engine = engine()) {
            PaperCard card = (PaperCard) engine.devices().getFirst();
            try (OxbowModel m = OxbowPeer.built(w, StartValues.of(w)).openOn(engine, card, SessionOptions.defaults())) {
                for (int i = 0; i < STEPS; i++) m.step();
            }
            check(card, 4);
        }
    }

    static Stream<Supplier<CardModel>> large() {
        return Stream.of(() -> Gpt2.of(1, 1, 32), () -> Gpt2.inHalf(1, 1, 32), () -> ResNet50.of(2, 32));
    }

    @ParameterizedTest
    @MethodSource("large")
    void textsOfAStepInHalfPrecisionMeanTheSame(Supplier<CardModel> model) {
        SessionOptions mixed = SessionOptions.defaults().withRewrite(new MixedPrecision(DType.BF16));
        try (Engine engine = engine()) {
            PaperCard card = (PaperCard) engine.devices().getFirst();
            try (CardModel m = model.get().openOn(engine, card, mixed)) {
                for (int i = 0; i < STEPS; i++) m.step();
                engine.await();
            }
            check(card, 10);
        }
    }

    @Test
    void languageModelsHaveAttentionAndActivationsInsideOfLargerKernels() {
        SessionOptions mixed = SessionOptions.defaults().withRewrite(new MixedPrecision(DType.BF16));
        for (CardModel model : List.of(Gpt2.of(1, 2, 64), Gpt2.inHalf(1, 2, 64)))
            try (Engine engine = engine()) {
                PaperCard card = (PaperCard) engine.devices().getFirst();
                try (CardModel m = model.openOn(engine, card, mixed)) {
                    m.step();
                    engine.await();
                }
                for (String op : List.of("_LinearGelu", "_LinearGeluGrad", "_Attention", "_AttentionGrad"))
                    assertTrue(card.ops().contains(op), () -> op + " is not among " + card.ops());
            }
    }
}
