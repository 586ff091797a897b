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

/** Sessions with TensorFlow's answers that samples of single ops cannot show; testing/record/programs.py has them. */
final class ProgramsTest {
    private static final Path ANSWERS = Path.of("src", "test", "answers", "programs.zip");

    @ParameterizedTest
    @EnumSource(names = {"ONE_THREAD", "FOREIGN_MEMORY", "FOREIGN_MEMORY_NO_PASSES"})
    void everyProgramGivesTensorFlowsAnswers(Setting setting) throws InterruptedException {
        Report report = new Conformance(new SessionEngine(setting), Duration.ofMinutes(1), 2)
                .run(ANSWERS, Pattern.compile(""), Integer.MAX_VALUE, r -> {});
        assertEquals(
                List.of(),
                report.results().stream()
                        .filter(r -> !(r instanceof Result.Passed))
                        .toList());
        assertEquals(20, report.passed());
    }
}
