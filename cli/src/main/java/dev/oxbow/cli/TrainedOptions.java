package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.export.SavedModel;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What commands that use a trained model are told: which experiment, and where its checkpoints are. */
final class TrainedOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            paramLabel = "EXAMPLE",
            description = "The name of an example, a Java source file, or a class, as for train.")
    private String example;

    @Mixin
    private ClassPathOption classes;

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description = "What train --checkpoints has kept: the newest one is taken; or one of them.")
    private Path checkpoints;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The seed that it was trained with (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    long seed() {
        return seed;
    }

    /** The folder that was named instead of an example, where a model was saved; null without one. */
    Path savedModel() {
        Path folder = Path.of(example);
        return SavedModel.isIn(folder) ? folder : null;
    }

    Experiment experiment() {
        return Experiments.of(spec.commandLine(), example, classes.path());
    }

    /** A trainer with the values of the newest checkpoint, which the caller closes. */
    Trainer trainer(Experiment e) {
        String command = spec.name();
        if (checkpoints == null)
            throw new ParameterException(spec.commandLine(), "Missing required option: '--checkpoints=FOLDER'");
        require(Files.isDirectory(checkpoints), NOT_FOUND, "%s: there is no folder %s", command, checkpoints);
        boolean one = Files.exists(checkpoints.resolve("manifest.json"));
        try (Checkpoint c = one
                ? Checkpoints.load(checkpoints)
                : new Checkpoints(checkpoints, 1).latest().orElse(null)) {
            require(c != null, NOT_FOUND, "%s: there is no checkpoint in %s that can be used", command, checkpoints);
            Trainer t = e.trainer(Optimizer.sgd(0), seed).start();
            try {
                Map<String, Tensor> own = new LinkedHashMap<>();
                for (Parameter p : t.model().variables()) {
                    Tensor value = c.values().get(p.name());
                    require(
                            value != null,
                            NOT_FOUND,
                            "%s: the checkpoint in %s has no '%s', so it is of another model; it has %s",
                            command,
                            checkpoints,
                            p.name(),
                            c.values().keySet());
                    own.put(p.name(), value);
                }
                t.load(own);
                return t;
            } catch (RuntimeException failure) {
                t.close();
                throw failure;
            }
        }
    }
}
