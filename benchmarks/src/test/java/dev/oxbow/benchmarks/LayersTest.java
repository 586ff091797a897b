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
import org.junit.jupiter.params.provider.MethodSource;

/** A model of layers becomes the program of the graph that somebody built by hand, and has its losses. */
final class LayersTest {
    private static final Pattern REGION = Pattern.compile("(\\S+): (\\d+) region\\(s\\)");
    private static final Pattern KERNELS = Pattern.compile(
            "region \\d+ .*: ([\\d,]+) instructions in ([\\d,]+) kernels, ([\\d,]+) decided at run time, ([\\d,]+) of"
                    + " them fused into (\\d+) kernels; block of ([\\d,]+) bytes, ([\\d,]+) outside of it");
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

    /**
     * Layers take the batch first and count the step, which is all that is new: a variable that is read and set, by itself where
     * updates are in several regions; for a loop over time the inputs, turned once; and a transformer's result gets its three
     * dimensions back before the loss, which so is a kernel of its own.
     */
    @ParameterizedTest
    @MethodSource("workloads")
    void layersBecomeTheProgramOfTheGraphBuiltByHand(Workload w) {
        Program[] both = programs(w);
        Program hand = both[0], layers = both[1];
        String text = hand + "\n" + layers;
        boolean loops = w == Workload.LSTM_LOOP, reshapes = w == Workload.TRANSFORMER;
        List<String> regions = new ArrayList<>(hand.regions);
        List<Integer> fused = new ArrayList<>(hand.fused);
        if (loops) {
            regions.set(0, "root7");
            fused.add(6, 0);
            assertEquals("root6", hand.regions.getFirst(), text);
        }
        if (reshapes) fused.set(0, fused.getFirst() + 1);
        assertEquals(regions, layers.regions, text);
        assertEquals(fused, layers.fused, text);
        assertEquals(reshapes ? List.of("52x8") : hand.chains, layers.chains, text);
        long turned = loops ? 4L * 32 * 64 * 256 : 0;
        assertTrue(layers.bytes <= hand.bytes + turned + 256, text);
        assertTrue(layers.atRunTime <= hand.atRunTime + (loops ? 7 : 2), text);
    }

    private static Program[] programs(Workload w) {
        Inputs in = StartValues.of(w);
        try (OxbowModel hand = OxbowPeer.built(w, in).open(EngineOptions.defaults(), SessionOptions.defaults());
                Trainer layers = LayerModels.trainer(w, in)) {
            return new Program[] {Program.of(hand.explain()), Program.of(layers.explain())};
        }
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
