package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.gson.JsonArray;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import dev.oxbow.wire.Npy;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code oxbow predict EXAMPLE --checkpoints FOLDER --input FILE.npy}: prints or writes what a trained model makes of rows. */
@Command(
        name = "predict",
        description = "Print, or write, what a trained model makes of given rows.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Each row becomes a line with the place of its greatest number, such as the number of a class, and the numbers"
                    + " themselves. A model of several inputs takes --input several times, in their order.",
            "",
            "Examples:",
            "  oxbow predict digits --checkpoints kept --input rows.npy",
            "  oxbow predict digits --checkpoints kept --input rows.npy --output numbers.npy"
        })
final class PredictCommand implements Callable<Integer> {
    private static final int SHOWN = 10;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainedOptions trained;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            required = true,
            description = "An array of NumPy (npy) whose first axis counts the rows.")
    private List<Path> input;

    @Option(names = "--output", paramLabel = "FILE", description = "Write the numbers there (npy), and print nothing.")
    private Path output;

    @Option(names = "--json", description = "Print one array of JSON for each row.")
    private boolean json;

    @Override
    public Integer call() {
        Experiment e = trained.experiment();
        List<Tensor> inputs = new ArrayList<>();
        try (Trainer t = trained.trainer(e)) {
            List<Value> wanted = t.model().inputs();
            require(
                    wanted.size() == input.size(),
                    INVALID_ARGUMENT,
                    "predict: the model has %d inputs, %d files were given",
                    wanted.size(),
                    input.size());
            for (int i = 0; i < input.size(); i++) {
                inputs.add(Npy.read(input.get(i)));
                require(
                        inputs.get(i).dtype() == wanted.get(i).dtype()
                                && inputs.get(i)
                                        .shape()
                                        .isCompatibleWith(wanted.get(i).shape()),
                        INVALID_ARGUMENT,
                        "predict: %s is %s, input '%s' is %s",
                        input.get(i),
                        inputs.get(i).describe(),
                        wanted.get(i).node().name(),
                        wanted.get(i).edge().type());
            }
            try (Tensor y = t.predict(inputs.toArray(Tensor[]::new))) {
                if (output != null) Npy.write(output, y);
                else print(spec.commandLine().getOut(), y);
            }
            return 0;
        } finally {
            inputs.forEach(Tensor::close);
        }
    }

    private void print(PrintWriter out, Tensor y) {
        long rows = y.shape().dim(0), width = rows == 0 ? 0 : y.size() / rows;
        for (long i = 0; i < rows; i++) {
            JsonArray all = new JsonArray();
            StringBuilder text = new StringBuilder();
            long best = 0;
            for (long j = 0; j < width; j++) {
                double v = y.getDouble(i * width + j);
                if (v > y.getDouble(i * width + best)) best = j;
                if (json) all.add(v);
                if (j < SHOWN) text.append(String.format(Locale.ROOT, " %.4f", v));
            }
            if (json) out.println(all);
            else out.println(best + ":" + text + (width > SHOWN ? " ..." : ""));
        }
    }
}
