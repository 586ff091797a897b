package dev.oxbow.cli;

import com.google.gson.JsonObject;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code oxbow evaluate EXAMPLE --checkpoints FOLDER}: prints loss and metrics of a trained model on what it has not seen. */
@Command(
        name = "evaluate",
        description = "Print loss and metrics of a trained model on its test data.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  oxbow train mnist --checkpoints kept && oxbow evaluate mnist --checkpoints kept",
            "  oxbow evaluate digits --checkpoints kept/step-000000000450 --json"
        })
final class EvaluateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainedOptions trained;

    @Option(names = "--batch", paramLabel = "N", description = "Rows in each run (default ${DEFAULT-VALUE}).")
    private int batch = 64;

    @Option(names = "--json", description = "Print one object of JSON.")
    private boolean json;

    @Override
    public Integer call() {
        if (batch < 1) throw new ParameterException(spec.commandLine(), "--batch must be at least 1, got " + batch);
        PrintWriter out = spec.commandLine().getOut();
        Experiment e = trained.experiment();
        try (Trainer t = trained.trainer(e);
                Experiment.Data data = e.data(trained.seed())) {
            Map<String, Double> figures = t.evaluate(data.test().batches(batch));
            if (json) {
                JsonObject object = new JsonObject();
                figures.forEach(object::addProperty);
                object.addProperty("examples", data.test().size());
                out.println(object);
            } else {
                out.printf(
                        "%s on %d %s%n",
                        Figures.list(figures), data.test().size(), e.about().things());
            }
            return 0;
        }
    }
}
