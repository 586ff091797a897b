package dev.oxbow.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.testing.SessionEngine;
import dev.oxbow.testing.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pipelines as TensorFlow's tf.data makes them, with its elements; testing/record/datasets.py has them. */
final class DatasetProgramsTest {
    private static final Path ANSWERS = Path.of("src", "test", "answers", "tfdata.zip");

    @ParameterizedTest
    @EnumSource(names = {"ONE_THREAD", "FOREIGN_MEMORY"})
    void everyPipelineGivesTensorFlowsElements(Setting setting) throws InterruptedException {
        Report report = new Conformance(new SessionEngine(setting), Duration.ofMinutes(1), 2)
                .run(ANSWERS, Pattern.compile(""), Integer.MAX_VALUE, r -> {});
        assertEquals(
                List.of(),
                report.results().stream()
                        .filter(r -> !(r instanceof Result.Passed))
                        .toList());
        assertEquals(68, report.passed());
    }
}
