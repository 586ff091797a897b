package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.gson.JsonArray;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.export.SavedModel;
import dev.oxbow.wire.Npy;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code oxbow predict EXAMPLE|FOLDER --input FILE.npy}: prints or writes what a trained or a saved model makes of rows. */
@Command(
        name = "predict",
        description = "Print, or write, what a trained model makes of given rows.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Each row becomes a line with the place of its greatest number, such as the number of a class, and the"
                    + " numbers themselves. A model of several inputs takes --input several times, in their order. In"
                    + " place of an example there may be the folder of a SavedModel; its inputs are in the order of their"
                    + " names.",
            "",
            "Examples:",
            "  oxbow predict exported --input images.npy",
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

    @Option(
            names = "--signature",
            paramLabel = "NAME",
            description = "What to call of a SavedModel (default ${DEFAULT-VALUE}).")
    private String signature = SavedModel.SERVING;

    @Option(
            names = "--value",
            paramLabel = "NAME",
            description = "Which output of a SavedModel to show, where it has several.")
    private String value;

    @Option(names = "--json", description = "Print one array of JSON for each row.")
    private boolean json;

    @Override
    public Integer call() {
        Path folder = trained.savedModel();
        if (folder != null) return saved(folder);
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

    private int saved(Path folder) {
        Map<String, Tensor> inputs = new LinkedHashMap<>();
        try (SavedModel model = SavedModel.load(folder)) {
            SavedModel.Signature s = model.signature(signature);
            require(
                    s.inputs().size() == input.size(),
                    INVALID_ARGUMENT,
                    "predict: signature '%s' has the inputs %s, %d files were given",
                    signature,
                    s.inputs().keySet(),
                    input.size());
            List<String> outputs = List.copyOf(s.outputs().keySet());
            require(
                    value == null ? outputs.size() == 1 : outputs.contains(value),
                    INVALID_ARGUMENT,
                    "predict: signature '%s' has the outputs %s; name one of them by --value",
                    signature,
                    outputs);
            int i = 0;
            for (String name : s.inputs().keySet()) inputs.put(name, Npy.read(input.get(i++)));
            try (Results all = model.call(signature, inputs)) {
                Tensor y = all.get(value == null ? 0 : outputs.indexOf(value));
                if (output != null) Npy.write(output, y);
                else print(spec.commandLine().getOut(), y);
            }
            return 0;
        } finally {
            inputs.values().forEach(Tensor::close);
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
