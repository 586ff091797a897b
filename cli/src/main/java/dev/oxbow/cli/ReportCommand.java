package dev.oxbow.cli;

import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.report.Report;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.wire.WholeFile;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow report RUN}: writes a run down as one file and prints what held it up; exits with 2 where there is no run. */
@Command(
        name = "report",
        description = "Write a run down as one file: curves, scaling, a step's timeline, settings and what held it up.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The file needs nothing else, so it can be attached to a ticket. Further runs, such as the same training with"
                    + " another number of workers, are held against the first one where it is about scaling.",
            "",
            "Examples:",
            "  oxbow report runs/first",
            "  oxbow report runs/first --format png",
            "  oxbow report runs/two-workers runs/one-worker --output scaling.svg"
        })
final class ReportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "RUN", description = "The folder of a run.")
    private Path folder;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "OTHERS", description = "Runs with other workers.")
    private List<Path> others = new ArrayList<>();

    @Option(names = "--output", paramLabel = "FILE", description = "The file (default: report.FORMAT in the folder).")
    private Path output;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "html, svg or png (default: as the name of the file says, else html).")
    private Kind format;

    private enum Kind {
        html,
        svg,
        png
    }

    @Override
    public Integer call() throws Exception {
        Report.Format f = format();
        PrintWriter out = spec.commandLine().getOut();
        List<Runs> open = new ArrayList<>();
        try {
            Run run = only(folder, open);
            List<Run> beside = new ArrayList<>();
            for (Path o : others) beside.add(only(o, open));
            byte[] bytes = Report.of(run, beside, f);
            Path file = output == null ? folder.resolve("report." + f.suffix()) : output;
            WholeFile.write(file, to -> to.write(bytes));
            Diagnosis.of(run).sentences().forEach(out::println);
            out.println("wrote " + file);
            return 0;
        } finally {
            open.forEach(Runs::close);
        }
    }

    private Report.Format format() {
        Report.Format named = output == null ? null : Report.Format.of(output.toString());
        if (format == null) return named == null ? Report.Format.HTML : named;
        return Report.Format.valueOf(format.name().toUpperCase(Locale.ROOT));
    }

    /** The one run of a folder. */
    private Run only(Path in, List<Runs> open) {
        if (!Files.isDirectory(in)) throw wrong("there is no folder " + in);
        open.add(Runs.read(List.of(in)));
        List<Run> all = open.getLast().all();
        if (all.size() == 1) return all.getFirst();
        throw wrong(
                all.isEmpty()
                        ? in + " holds no event files"
                        : in + " holds " + all.size() + " runs: name one of them, such as "
                                + all.getFirst().name());
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
