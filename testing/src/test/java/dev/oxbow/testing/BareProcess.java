package dev.oxbow.testing;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.testing.conformance.Conformance;
import dev.oxbow.testing.conformance.Report;
import dev.oxbow.testing.conformance.Result;
import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.testing.samples.SampleFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A process of its own that runs a sample of each op, and the gradient of one, and prints a line for each that is wrong. */
final class BareProcess {
    private BareProcess() {}

    public static void main(String[] arguments) throws Exception {
        Set<String> seen = new HashSet<>(), differentiated = new HashSet<>();
        int samples = 0, gradients = 0;
        Conformance conformance = new Conformance(new SessionEngine(Setting.PLAIN), Duration.ofSeconds(60), 2);
        for (SampleFamily family : Families.all()) {
            Set<String> chosen = new HashSet<>();
            for (Sample s : family.samples()) {
                Set<String> ops = s.graph().nodes().stream()
                        .map(n -> n.op().signature().name())
                        .collect(Collectors.toSet());
                if (seen.addAll(ops)) chosen.add(s.name());
                if (s.gradient() != null && differentiated.addAll(ops)) {
                    gradients++;
                    try {
                        GradientChecker.check(s, Setting.ONE_THREAD);
                    } catch (Exception | Error e) {
                        System.out.println("wrong gradient of " + s.name() + ": " + e);
                    }
                }
            }
            Pattern only =
                    Pattern.compile(chosen.stream().map(Pattern::quote).collect(Collectors.joining("|", "^(", ")$")));
            Path answers = Path.of(arguments[0], family.name() + ".zip");
            Report report = conformance.run(answers, only, Integer.MAX_VALUE, r -> {
                if (!(r instanceof Result.Passed)) System.out.println("wrong: " + r);
            });
            samples += report.results().size();
        }
        System.out.printf(
                "%d ops by %d samples, %d gradients; kernels: %s%n",
                seen.size(), samples, gradients, KernelLevel.describe());
        System.exit(0);
    }
}
