package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow run FILE.java ARGS}: runs a program in a source file with Oxbow on its path; exits with its status. */
@Command(
        name = "run",
        description = "Run a program in a Java source file, with Oxbow on its path and the flags that it wants.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The program is compiled in memory, as java FILE.java does; what comes behind the file is its own.",
            "",
            "Examples:",
            "  oxbow run Hello.java",
            "  oxbow run -cp lib/mine.jar Train.java --epochs 3"
        })
final class RunCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClassPathOption classes;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The source file, then arguments of the program.")
    private List<String> arguments;

    @Override
    public Integer call() throws InterruptedException {
        Path file = Path.of(arguments.getFirst());
        require(Files.isRegularFile(file), NOT_FOUND, "run: there is no file %s", file);
        require(
                file.toString().endsWith(".java"),
                FAILED_PRECONDITION,
                "run: %s is no Java source file; its name must end in .java",
                file);
        spec.commandLine().getOut().flush();
        try {
            Process program = new ProcessBuilder(JavaCommand.source(classes.path(), arguments))
                    .inheritIO()
                    .start();
            Thread hook = new Thread(program::destroy, "end the program");
            Runtime.getRuntime().addShutdownHook(hook);
            int status = program.waitFor();
            Runtime.getRuntime().removeShutdownHook(hook);
            return status;
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "run: can not start " + file + ": " + e, e);
        }
    }
}
