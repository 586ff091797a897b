package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import dev.oxbow.wire.SafeTensors;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that use what {@code train --checkpoints} has kept. */
@Timeout(300)
final class TrainedCommandsTest {
    @TempDir
    private static Path folder;

    private static Path kept;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void train() {
        kept = folder.resolve("kept");
        StringWriter said = new StringWriter();
        int status = Main.run(
                new PrintWriter(said, true),
                new PrintWriter(said, true),
                "train",
                "digits",
                "--epochs",
                "3",
                "--checkpoints",
                kept.toString());
        assertEquals(0, status, said::toString);
    }

    /** Words of a line, with KEPT and FOLDER for the folders of this test. */
    private int run(String line) {
        String[] words = line.replace("KEPT", kept.toString())
                .replace("FOLDER", folder.toString())
                .split(" +");
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), words);
    }

    @Test
    void aTrainedModelIsEvaluated() {
        assertEquals(0, run("evaluate digits --checkpoints KEPT"), err::toString);
        assertTrue(out.toString().matches("loss \\d.\\d{4}, accuracy 0.\\d{4} on 359 digits\\R"), out::toString);
        out.getBuffer().setLength(0);
        assertEquals(0, run("evaluate digits --checkpoints KEPT --json"), err::toString);
        var figures = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertTrue(figures.get("accuracy").getAsDouble() > 0.85, out::toString);
        assertEquals(359, figures.get("examples").getAsInt());
    }

    @Test
    void rowsArePredicted() {
        try (Tensor x = Tensor.zeros(DType.F32, Shape.of(2, 64))) {
            for (int i = 0; i < 64; i++) x.set(64 + i, i % 8 / 8.0);
            Npy.write(folder.resolve("x.npy"), x);
        }
        assertEquals(0, run("predict digits --checkpoints KEPT --input FOLDER/x.npy"), err::toString);
        List<String> lines = out.toString().lines().toList();
        assertEquals(2, lines.size());
        assertTrue(lines.getFirst().matches("\\d:( -?\\d+\\.\\d{4}){10}"), lines.getFirst());
        assertEquals(
                0, run("predict digits --checkpoints KEPT --input FOLDER/x.npy --output FOLDER/y.npy"), err::toString);
        try (Tensor y = Npy.read(folder.resolve("y.npy"))) {
            assertEquals(Shape.of(2, 10), y.shape());
        }
        assertEquals(0, run("export digits --checkpoints KEPT --to FOLDER/saved"), err::toString);
        out.getBuffer().setLength(0);
        assertEquals(0, run("predict FOLDER/saved --input FOLDER/x.npy"), err::toString);
        assertEquals(lines, out.toString().lines().toList());
        assertEquals(3, run("predict FOLDER/saved --input FOLDER/x.npy --value other"));
        assertTrue(err.toString().contains("has the outputs [output]"), err::toString);
        out.getBuffer().setLength(0);
        assertEquals(0, run("explain FOLDER/saved"), err::toString);
        assertTrue(out.toString().contains("gives output: f32[?,10]"), out::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "a.onnx, onnx",
        "a.pb, frozen",
        "a.safetensors, safetensors",
        "a.npz, npz",
        "a.ckpt, checkpoint",
        "a, savedmodel"
    })
    void theEndingSaysWhatIsWritten(String name, String format) {
        assertEquals(0, run("export digits --checkpoints KEPT --to FOLDER/" + name), err::toString);
        assertEquals("wrote " + folder.resolve(name) + " (" + format + ")\n", out.toString());
        String file = format.equals("checkpoint")
                ? name + ".index"
                : format.equals("savedmodel") ? name + "/saved_model.pb" : name;
        assertTrue(Files.exists(folder.resolve(file)), file);
    }

    @Test
    void whatIsWrittenHasTheValuesOfTheCheckpoint() throws IOException {
        run("export digits --checkpoints KEPT --to FOLDER/b.safetensors");
        run("export digits --checkpoints KEPT --to FOLDER/b.npz");
        Path newest;
        try (Stream<Path> all = Files.list(kept)) {
            newest = all.sorted().toList().getLast();
        }
        Map<String, Tensor> npz = Npy.readNpz(folder.resolve("b.npz"));
        try (SafeTensors state = SafeTensors.open(newest.resolve("state.safetensors"));
                SafeTensors written = SafeTensors.open(folder.resolve("b.safetensors"))) {
            assertEquals(List.of("dense1/kernel", "dense1/bias", "dense2/kernel", "dense2/bias"), written.names());
            for (String name : written.names()) {
                assertArrayEquals(state.read(name).bytes(), written.read(name).bytes(), name);
                assertArrayEquals(state.read(name).bytes(), npz.get(name).bytes(), name);
            }
        }
    }

    /** {@code /proc} takes no files, whoever asks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "evaluate --checkpoints KEPT | 2 | Missing required parameter: 'EXAMPLE'",
                "evaluate digits | 2 | Missing required option: '--checkpoints=FOLDER'",
                "evaluate nothing --checkpoints KEPT | 2 | there is no example 'nothing', only digits, mnist, .*",
                "evaluate digits --checkpoints KEPT --batch 0 | 2 | --batch must be at least 1, got 0",
                "evaluate digits --checkpoints /no/such | 3 | evaluate: there is no folder /no/such",
                "evaluate digits --checkpoints FOLDER | 3 | evaluate: there is no checkpoint in .* that can be used",
                "evaluate lstm --checkpoints KEPT | 3 | evaluate: the checkpoint in .* has no 'lstm1/input/kernel', .*",
                "evaluate No.java --checkpoints KEPT | 3 | train: there is no file No.java",
                "evaluate com.example.No --checkpoints KEPT | 3 | train: there is no class com.example.No in .",
                "predict digits --checkpoints KEPT --input /no/x.npy | 3 | npy: there is no file /no/x.npy",
                "predict digits --checkpoints KEPT --input FOLDER/rows.npy --output /proc/y.npy | 3 | .*/proc/y.npy.*",
                "predict digits --checkpoints KEPT | 2 | Missing required option: '--input=FILE'",
                "export digits --checkpoints KEPT --to FOLDER/x.txt | 2 | --to: the ending of .*x.txt says nothing; .*",
                "export digits --checkpoints KEPT --to /no/x.onnx | 2 | --to: /no is no folder that can be written",
                "export digits --checkpoints KEPT --to FOLDER/kept/x --format pt | 2 | Invalid value for option '--format': .*",
                "export digits --checkpoints KEPT --to /proc/x.onnx | 3 | files: .*/proc/x.onnx.*",
                "export digits --checkpoints KEPT --to FOLDER/kept | 3 | Export: .*kept is there and is no SavedModel; .*",
                "train digits --checkpoints /proc/kept | 2 | --checkpoints: /proc/kept can not be written: /proc/kept.*",
                "train digits --checkpoints KEPT --checkpoint-every 0 | 2 | --checkpoint-every must be at least 1, got 0",
                "train digits --checkpoint-every 3 | 2 | --checkpoint-every wants a folder: give --checkpoints, too",
                "train digits --precision f8 | 2 | Invalid value for option '--precision': .*",
                "plan --graph /no/g.pb --workers 2 --rate 1MB/s --compute 1s | 3 | .*/no/g.pb.*",
                "plan --parameters 1MB --compute 1s --workers 2 --rate 1MB/s --curve /proc/x.svg | 3 | .*/proc/x.svg.*",
                "conformance pom.xml --json /proc/x.json | 3 | .*",
                "fuzz graphs --graphs /no/x.zip | 3 | .*/no/x.zip.*",
                "run | 2 | Missing required parameter: 'FILE'",
                "run No.java | 3 | run: there is no file No.java",
                "run pom.xml | 3 | run: pom.xml is no Java source file; its name must end in .java",
                "data get nothing --from FOLDER | 2 | there is no data set 'nothing', only .*",
                "data get mnist --from /no/such/folder | 3 | data: there is no file .*gz",
                "explain /no/graph.pb | 3 | .*there is no file /no/graph.pb",
                "explain | 2 | Missing required parameter: 'GRAPH.pb'",
                "explain pom.xml | 3 | .*not a valid protobuf message.*",
                "conformance | 2 | Missing required parameter.*",
                "ops extra | 2 | Unmatched argument at index 1: 'extra'",
                "plan | 2 | .*",
                "fuzz everything | 2 | .*",
                "launch -n 2 | 2 | Missing required parameter: 'ARGS'",
                "server --job worker --task 0 --cluster /no/cluster.json | 2 | .*/no/cluster.json.*",
                "doctor --fast | 2 | Unknown option: '--fast'"
            })
    void whatIsWrongIsOneLineAndLeavesNothing(String line, int status, String message) throws IOException {
        try (Tensor rows = Tensor.zeros(DType.F32, Shape.of(2, 64))) {
            Npy.write(folder.resolve("rows.npy"), rows);
        }
        List<String> before = everything();
        assertEquals(status, run(line), () -> out + "" + err);
        List<String> lines = err.toString().lines().toList();
        assertTrue(lines.getFirst().matches("oxbow: " + message), err::toString);
        assertTrue(lines.size() <= (status == 2 ? 3 : 1), err::toString);
        assertEquals(before, everything());
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String at = "127.0.0.1:" + taken.getLocalPort();
            assertNotEquals(0, run("server --address " + at));
            assertTrue(err.toString().contains(at), err::toString);
            assertTrue(err.toString().lines().count() <= 2, err::toString);
            err.getBuffer().setLength(0);
            assertEquals(5, run("launch -n 2 --rendezvous " + at + " -- train --epochs 1"), err::toString);
            assertTrue(
                    err.toString().startsWith("oxbow: launch: --rendezvous " + at + " can not be served here: "),
                    err::toString);
            assertEquals(1, err.toString().lines().count(), err::toString);
            assertEquals("", out.toString());
        }
    }

    private static List<String> everything() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(Path::toString).sorted().toList();
        }
    }

    @Test
    void anExperimentInASourceFileIsTrainedAndUsed() throws IOException {
        Path file = folder.resolve("Mine.java");
        Files.writeString(file, """
                import static dev.oxbow.train.layer.Layers.*;
                import dev.oxbow.tensor.*;
                import dev.oxbow.train.*;
                import dev.oxbow.train.loss.*;
                import dev.oxbow.train.optimizer.*;

                public class Mine implements Experiment {
                    public Trainer.Config trainer(Optimizer o, long seed) {
                        return Trainer.of(Model.of(Input.floats("x", 1), dense(1), seed), Losses.squaredError(), o);
                    }
                    public Data data(long seed) {
                        return new Data(line(), line());
                    }
                    private static Examples line() {
                        return Examples.of(Tensor.of(Shape.of(4, 1), 0f, 1f, 2f, 3f), Tensor.of(Shape.of(4, 1), 1f, 3f, 5f, 7f));
                    }
                }
                """);
        String mine = " FOLDER/Mine.java --checkpoints FOLDER/mine";
        assertEquals(0, run("train" + mine + " --epochs 300 --rate 0.05"), err::toString);
        assertTrue(out.toString().contains("test loss 0.0"), out::toString);
        assertEquals(0, run("evaluate" + mine), err::toString);
        assertTrue(out.toString().contains(" on 4 examples"), out::toString);
        Files.writeString(file, "public class Mine { int x = }");
        assertEquals(3, run("train" + mine));
        assertTrue(err.toString().contains("Mine.java does not compile:"), err::toString);
    }

    @Test
    void theDoctorFindsThisMachine() {
        assertEquals(0, run("doctor"), err::toString);
        for (String part : List.of("Java", "processors", "memory", "Vector API", "native access", "kernels", "ports"))
            assertTrue(out.toString().lines().anyMatch(l -> l.startsWith(part + " ")), () -> part + "\n" + out);
        out.getBuffer().setLength(0);
        assertEquals(0, run("doctor --json"), err::toString);
        assertTrue(JsonParser.parseString(out.toString()).getAsJsonArray().size() > 8, out::toString);
    }
}
