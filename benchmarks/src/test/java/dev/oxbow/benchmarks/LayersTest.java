package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Trainer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A model of layers becomes the program of the graph that somebody built by hand, and has its losses. */
final class LayersTest {
    private static final Pattern REGION = Pattern.compile("(\\S+): (\\d+) region\\(s\\)");
    private static final Pattern KERNELS = Pattern.compile(
            "region \\d+ .*: ([\\d,]+) instructions in ([\\d,]+) kernels, ([\\d,]+) decided at run time, ([\\d,]+) of them fused"
                    + " into (\\d+) kernels; block of ([\\d,]+) bytes, ([\\d,]+) outside of it");
    private static final Pattern CHAIN = Pattern.compile("chain: (\\d+) calls, in (\\d+) blocks of rows");

    static Stream<Workload> workloads() {
        return LayerModels.ALL.stream();
    }

    /** What a program consists of: its regions by frame, fused kernels, chains, and bytes. */
    private record Program(List<String> regions, List<Integer> fused, List<String> chains, long atRunTime, long bytes) {
        static Program of(String explained) {
            List<String> regions = all(REGION, explained, m -> m.group(1).replaceAll("'.*", "") + m.group(2));
            List<Integer> fused = all(KERNELS, explained, m -> Integer.parseInt(m.group(5)));
            List<String> chains = all(CHAIN, explained, m -> m.group(1) + "x" + m.group(2));
            long late = all(KERNELS, explained, m -> number(m.group(3))).stream()
                    .mapToLong(Long::longValue)
                    .sum();
            long bytes = all(KERNELS, explained, m -> number(m.group(6)) + number(m.group(7))).stream()
                    .mapToLong(Long::longValue)
                    .sum();
            return new Program(regions, fused, chains, late, bytes);
        }

        private static long number(String text) {
            return Long.parseLong(text.replace(",", ""));
        }

        private static <T> List<T> all(Pattern p, String text, Function<Matcher, T> f) {
            Matcher m = p.matcher(text);
            List<T> found = new ArrayList<>();
            while (m.find()) found.add(f.apply(m));
            return found;
        }
    }

    /** Only the number of the step is new: one variable that is read and set. */
    @ParameterizedTest
    @EnumSource(names = {"MLP", "CNN"})
    void layersBecomeTheProgramOfTheGraphBuiltByHand(Workload w) {
        Program[] both = programs(w);
        Program hand = both[0], layers = both[1];
        String text = hand + "\n" + layers;
        assertEquals(hand.regions, layers.regions, text);
        assertEquals(hand.fused, layers.fused, text);
        assertEquals(hand.chains, layers.chains, text);
        assertEquals(hand.atRunTime + 2, layers.atRunTime, text);
        assertTrue(layers.bytes <= hand.bytes + 256, text);
    }

    /**
     * These are written with the batch first, and the graphs by hand over rows, or with the time first: a residual stream is
     * reshaped between its products, and the inputs of a loop are turned once.
     */
    @ParameterizedTest
    @EnumSource(names = {"TRANSFORMER", "LSTM_LOOP"})
    void layersWithTheBatchFirstBecomeNearlyTheProgramOfAGraphOverRows(Workload w) {
        Program[] both = programs(w);
        Program hand = both[0], layers = both[1];
        String text = hand + "\n" + layers;
        assertEquals(hand.chains.size(), layers.chains.size(), text);
        assertTrue(layers.regions.size() == hand.regions.size() && layers.fused.size() <= hand.fused.size() + 1, text);
        assertTrue(sum(layers.fused) <= sum(hand.fused) + 1, text);
        assertTrue(layers.atRunTime <= hand.atRunTime + 10, text);
        long turned = w == Workload.LSTM_LOOP ? 2L * 4 * 32 * 64 * 1024 : 0; // the projected inputs, and their gradient
        assertTrue(layers.bytes <= 1.25 * hand.bytes + turned, text);
    }

    private static Program[] programs(Workload w) {
        Inputs in = StartValues.of(w);
        try (OxbowModel hand = OxbowPeer.built(w, in).open(EngineOptions.defaults(), SessionOptions.defaults());
                Trainer layers = LayerModels.trainer(w, in)) {
            return new Program[] {Program.of(hand.explain()), Program.of(layers.explain())};
        }
    }

    private static int sum(List<Integer> all) {
        return all.stream().mapToInt(Integer::intValue).sum();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void layersHaveTheLossesOfTheGraphBuiltByHand(Workload w) {
        Inputs in = StartValues.of(w);
        try (OxbowModel hand = OxbowPeer.built(w, in).open(EngineOptions.defaults(), SessionOptions.defaults());
                Trainer layers = LayerModels.trainer(w, in);
                Tensor x = LayerModels.x(w, in);
                Tensor y = LayerModels.tensor(in.get("y"))) {
            Batches one = Batches.of(() -> List.of(new Batch(List.of(x.view(x.shape())), y.view(y.shape())))
                    .iterator());
            for (int i = 0; i < 3; i++) {
                hand.step();
                double loss = layers.fit(one, 1).getFirst().loss();
                assertEquals(hand.last(), loss, 1e-5 * Math.abs(hand.last()), "step " + i);
            }
        }
    }
}
