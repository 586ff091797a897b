package dev.oxbow.cli;

import dev.oxbow.train.Trainer;
import dev.oxbow.train.export.Export;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code oxbow export EXAMPLE --checkpoints FOLDER --to PATH}: writes a trained model for other software. */
@Command(
        name = "export",
        description = "Write a trained model for other software.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The ending of the path says what is written: .onnx (ONNX), .pb (a frozen GraphDef), .safetensors and .npz"
                    + " (parameters by name), .ckpt (a checkpoint of TensorFlow), and no ending a folder that TensorFlow"
                    + " loads as SavedModel. --format says it where the ending does not, and graphdef is the graph with"
                    + " its variables.",
            "",
            "Examples:",
            "  oxbow export mnist --checkpoints kept --to mnist.onnx",
            "  oxbow export mnist --checkpoints kept --to served/1",
            "  oxbow export digits --checkpoints kept --to digits.pb --format graphdef"
        })
final class ExportCommand implements Callable<Integer> {

    private enum Format {
        onnx,
        frozen,
        graphdef,
        safetensors,
        npz,
        checkpoint,
        savedmodel
    }

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainedOptions trained;

    @Option(names = "--to", paramLabel = "PATH", required = true, description = "The file or folder to write.")
    private Path to;

    @Option(
            names = "--format",
            paramLabel = "NAME",
            description = "onnx, frozen, graphdef, safetensors, npz, checkpoint or savedmodel.")
    private Format format;

    @Override
    public Integer call() {
        Format f = format == null ? byEnding() : format;
        Path folder = to.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder))
            throw new ParameterException(spec.commandLine(), "--to: " + folder + " is no folder that can be written");
        if (f != Format.savedmodel && Files.isDirectory(to))
            throw new ParameterException(spec.commandLine(), "--to: " + to + " is a folder, wanted is a file");
        try (Trainer t = trained.trainer(trained.experiment());
                Export e = Export.of(t)) {
            switch (f) {
                case onnx -> e.onnx(to);
                case frozen -> e.frozen(to);
                case graphdef -> e.graphDef(to);
                case safetensors -> e.safetensors(to);
                case npz -> e.npz(to);
                case checkpoint -> e.tensorFlowCheckpoint(to);
                case savedmodel -> e.savedModel(to);
            }
        }
        spec.commandLine().getOut().println("wrote " + to + " (" + f + ")");
        return 0;
    }

    private Format byEnding() {
        String name = to.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return switch (dot < 0 ? "" : name.substring(dot + 1)) {
            case "onnx" -> Format.onnx;
            case "pb" -> Format.frozen;
            case "safetensors" -> Format.safetensors;
            case "npz" -> Format.npz;
            case "ckpt" -> Format.checkpoint;
            case "" -> Format.savedmodel;
            default ->
                throw new ParameterException(
                        spec.commandLine(),
                        "--to: the ending of %s says nothing; give --format, or one of .onnx .pb .safetensors .npz .ckpt"
                                .formatted(to));
        };
    }
}
