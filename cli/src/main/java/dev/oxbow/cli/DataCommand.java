package dev.oxbow.cli;

import dev.oxbow.data.DataFolder;
import dev.oxbow.data.DataSet;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow data get NAME [--from PLACE]}: gets the files of a data set, checks them and keeps copies for the examples. */
@Command(
        name = "data",
        description = "Look after data sets.",
        mixinStandardHelpOptions = true,
        subcommands = {DataCommand.Get.class, DataShow.class, DataBench.class},
        footer = {
            "",
            "Examples:",
            "  oxbow data get mnist",
            "  oxbow data get mnist --from ~/Downloads",
            "  oxbow data show train.tfrecord",
            "  oxbow data bench photos"
        })
final class DataCommand implements Callable<Integer> {
    private static final List<DataSet> SETS = DataSet.all();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "say what to do: get, show or bench");
    }

    /** {@code oxbow data get}. */
    @Command(
            name = "get",
            description = "Get the files of a data set, check them and keep copies.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Copies are kept in the folder OXBOW_DATA, or in the user's cache. Without --from, public mirrors are"
                        + " asked.",
                "",
                "Examples:",
                "  oxbow data get mnist",
                "  oxbow data get mnist --from https://example.org/mnist/",
                "  oxbow data get mnist --from ~/Downloads"
            })
    static final class Get implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Parameters(paramLabel = "NAME", description = "adult, cifar10, fashion-mnist, mnist or tinyshakespeare.")
        private String name;

        @Option(
                names = "--from",
                paramLabel = "PLACE",
                description = "Where its files are, or one of them: a folder, a file or an address.")
        private String from;

        @Override
        public Integer call() {
            DataSet set = SETS.stream()
                    .filter(s -> s.name().equals(name) || ("tiny" + s.name()).equals(name))
                    .findAny()
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(),
                            "there is no data set '%s', only %s"
                                    .formatted(
                                            name,
                                            SETS.stream().map(DataSet::name).toList())));
            DataFolder folder = DataFolder.ofUser();
            for (Path p : from == null ? folder.fetch(set) : folder.fetch(set, from))
                spec.commandLine().getOut().println(p);
            return 0;
        }
    }
}
