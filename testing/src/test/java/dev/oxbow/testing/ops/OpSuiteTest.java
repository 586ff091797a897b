package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.GradientChecker;
import dev.oxbow.testing.SessionEngine;
import dev.oxbow.testing.Setting;
import dev.oxbow.testing.conformance.CaseWriter;
import dev.oxbow.testing.conformance.Conformance;
import dev.oxbow.testing.conformance.Report;
import dev.oxbow.testing.conformance.Result;
import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.testing.samples.SampleFamily;
import dev.oxbow.wire.GraphParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every op by its samples: answers of TensorFlow in every setting, types, gradients, wire form. */
final class OpSuiteTest {
    private static final Path ANSWERS = Path.of("src", "test", "answers");

    @Test
    void everyOpHasASample() {
        Set<String> sampled = new TreeSet<>();
        for (SampleFamily f : Families.all()) {
            for (Sample s : f.samples())
                s.graph().nodes().forEach(n -> sampled.add(n.op().signature().name()));
        }
        Set<String> missing = new TreeSet<>(OpRegistry.get().names());
        missing.removeAll(sampled);
        missing.removeAll(INTERNAL);
        missing.removeIf(OLD_ARRAYS.asMatchPredicate());
        assertTrue(missing.isEmpty(), () -> missing.size() + " ops have no sample: " + missing);
    }

    /** Ops that only passes make, each tested with the pass. */
    private static final Set<String> INTERNAL = Set.of(
            "_Arg", "_HostRecv", "_HostSend", "_Park", "_Recv", "_Retval", "_Send", "_Shadow", "_ToDevice", "_Unpark");

    /** TensorFlow refuses these in graphs of today, so it cannot answer; they are tested by TensorArrayVersionsTest. */
    private static final Pattern OLD_ARRAYS =
            Pattern.compile("TensorArray(Write|Read|Gather|Scatter|Split|Concat|Grad|Size|Close|Pack|Unpack)?(V2)?");

    @TestFactory
    Stream<DynamicTest> everyAnswerIsRecordedForTheSampleAsItIs() {
        return Families.all().stream()
                .map(f -> DynamicTest.dynamicTest(f.name(), () -> {
                    List<String> stale = CaseWriter.stale(f.samples(), answers(f));
                    assertTrue(stale.isEmpty(), () -> stale + "; run testing/record/record.sh " + f.name());
                }));
    }

    @TestFactory
    Stream<DynamicTest> everySampleGivesTensorFlowsAnswerInEverySetting() {
        return Families.all().stream()
                .flatMap(f -> Stream.of(Setting.values())
                        .map(setting -> DynamicTest.dynamicTest(
                                f.name() + " " + setting,
                                () -> setting.in(() -> {
                                    var conformance =
                                            new Conformance(new SessionEngine(setting), Duration.ofSeconds(20), 2);
                                    Report report = conformance.run(
                                            answers(f), Pattern.compile(""), Integer.MAX_VALUE, r -> {});
                                    List<Result> wrong = report.results().stream()
                                            .filter(r -> !(r instanceof Result.Passed))
                                            .toList();
                                    assertTrue(
                                            wrong.isEmpty(),
                                            () -> wrong.size() + " of "
                                                    + report.results().size() + " samples differ: "
                                                    + wrong.subList(0, Math.min(20, wrong.size())));
                                }))));
    }

    @TestFactory
    Stream<DynamicTest> typesAreAsInferredAndLaterRunsLikeTheFirst() {
        return Families.all().stream()
                .flatMap(f -> f.samples().stream().map(s -> DynamicTest.dynamicTest(s.name(), () -> types(s))));
    }

    private static void types(Sample s) {
        boolean pure = s.graph().nodes().stream()
                .allMatch(n -> n.op().effects() == Effects.NONE || n.op() instanceof Placeholder);
        try (Engine engine = Setting.PLAIN.engine();
                Session session = Session.open(s.graph(), engine)) {
            for (Sample.Run r : s.runs()) {
                List<Tensor> first = run(session, r);
                if (first == null) continue;
                for (int i = 0; i < first.size(); i++) {
                    Edge e = s.graph().edge(r.fetches().get(i));
                    assertEquals(e.type().dtype(), first.get(i).dtype(), e::name);
                    if (e.type().isRef()) continue; // an assignment may change the shape of a variable
                    assertTrue(
                            e.type().shape().isCompatibleWith(first.get(i).shape()),
                            () -> e + " was inferred as " + e.type() + " but is " + first);
                }
                for (int again = 0; pure && again < 2; again++) {
                    List<Tensor> later = run(session, r);
                    for (int i = 0; i < first.size(); i++) {
                        assertEquals(first.get(i).shape(), later.get(i).shape());
                        if (!first.get(i).dtype().isObject())
                            assertArrayEquals(
                                    first.get(i).bytes(),
                                    later.get(i).bytes(),
                                    r.fetches().get(i));
                    }
                    later.forEach(Tensor::close);
                }
                first.forEach(Tensor::close);
            }
        }
    }

    /** The results, or null when the run fails, as some samples are meant to. */
    private static List<Tensor> run(Session session, Sample.Run r) {
        try {
            return session.run(r.feeds(), r.fetches(), r.targets());
        } catch (OxbowException e) {
            return null;
        }
    }

    @TestFactory
    Stream<DynamicTest> theWireFormRoundTrips() {
        return Families.all().stream()
                .map(f -> DynamicTest.dynamicTest(f.name(), () -> {
                    List<String> wrong = new ArrayList<>();
                    for (Sample s : f.samples()) {
                        byte[] once = GraphParser.serialise(GraphExporter.write(s.graph()));
                        byte[] twice = GraphParser.serialise(GraphExporter.write(GraphImporter.read(once)));
                        if (!Arrays.equals(once, twice)) wrong.add(s.name());
                    }
                    assertTrue(wrong.isEmpty(), () -> "wire form changes: " + wrong);
                }));
    }

    @TestFactory
    Stream<DynamicTest> gradientsEqualFiniteDifferences() {
        return Families.all().stream()
                .flatMap(f -> f.samples().stream()
                        .filter(s -> s.gradient() != null)
                        .flatMap(s -> Stream.of(Setting.ONE_THREAD, Setting.FOREIGN_MEMORY)
                                .map(setting -> DynamicTest.dynamicTest(
                                        s.name() + " " + setting, () -> GradientChecker.check(s, setting)))));
    }

    private static Path answers(SampleFamily f) {
        return ANSWERS.resolve(f.name() + ".zip");
    }
}
