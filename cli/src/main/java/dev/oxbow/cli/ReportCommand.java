package dev.oxbow.cli;

import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.report.Report;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow report RUN}: writes a run down as one HTML file and prints what held it up; exits with 2 where there is no run. */
@Command(
        name = "report",
        description = "Write a run down as one HTML file, with its curves, a timeline and what held it up.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The file needs nothing else, so it can be attached to a ticket.",
            "",
            "Examples:",
            "  oxbow report runs/first",
            "  oxbow report runs/first --output first.html"
        })
final class ReportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "The folder of a run.")
    private Path folder;

    @Option(names = "--output", paramLabel = "FILE", description = "The file (default: report.html in the folder).")
    private Path output;

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(folder)) throw wrong("there is no folder " + folder);
        PrintWriter out = spec.commandLine().getOut();
        try (Runs runs = Runs.read(List.of(folder))) {
            List<Run> all = runs.all();
            if (all.size() != 1)
                throw wrong(
                        all.isEmpty()
                                ? folder + " holds no event files"
                                : folder + " holds " + all.size() + " runs: name one of them, such as "
                                        + all.getFirst().name());
            Run run = all.getFirst();
            Path file = output == null ? folder.resolve("report.html") : output;
            Files.writeString(file, Report.html(run));
            Diagnosis.of(run).sentences().forEach(out::println);
            out.println("wrote " + file);
            return 0;
        }
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
