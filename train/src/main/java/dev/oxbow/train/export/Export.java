package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.LaterAttributes;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.onnx.OnnxExporter;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.Npy;
import dev.oxbow.wire.SafeTensors;
import dev.oxbow.wire.WholeFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model with the values of its parameters and states, ready to be written for others. It computes what evaluation does,
 * from placeholders of the names of its inputs to a node {@code output}. Whoever has it closes it.
 */
public final class Export implements AutoCloseable {
    /** The name of what a written model computes. */
    public static final String OUTPUT = "output";

    private final Model model;
    private final Map<String, Tensor> values;

    private Export(Model model, Map<String, Tensor> values) {
        this.model = model;
        this.values = values;
    }

    /** The model of a trainer as it is now. */
    public static Export of(Trainer t) {
        try (Checkpoint c = t.checkpoint()) {
            return of(t.model(), c.values());
        }
    }

    /** A model with values by the names of its variables; those that it does not have are left out. */
    public static Export of(Model model, Map<String, Tensor> values) {
        Map<String, Tensor> own = new LinkedHashMap<>();
        for (Parameter p : model.variables()) {
            Tensor t = values.get(p.name());
            require(
                    t != null
                            && t.dtype() == p.value().dtype()
                            && t.shape().equals(p.value().shape()),
                    FAILED_PRECONDITION,
                    "Export: there is %s for '%s', which is %s",
                    t == null ? "nothing" : t.describe(),
                    p.name(),
                    p.value().edge().type());
            own.put(p.name(), t.view(t.shape()));
        }
        return new Export(model, own);
    }

    /** Parameters and states by name, for any software that reads safetensors. */
    public void safetensors(Path file) {
        SafeTensors.write(file, values, Map.of("format", "pt"));
    }

    /** Parameters and states by name, for NumPy. */
    public void npz(Path file) {
        Npy.writeNpz(file, values);
    }

    /** Parameters and states by name as a checkpoint of TensorFlow: {@code prefix.index} and a file of data. */
    public void tensorFlowCheckpoint(Path prefix) {
        SavedModelFolder.save(prefix, values);
    }

    /** The graph with its variables, as a GraphDef of TensorFlow. */
    public void graphDef(Path file) {
        write(file, EvaluationGraph.of(model, model.variables()).graph());
    }

    /** The graph with values in the place of variables, as a GraphDef of TensorFlow. */
    public void frozen(Path file) {
        write(file, frozen());
    }

    /** A folder that TensorFlow and its servers load, with the signature {@code serving_default}. */
    public void savedModel(Path folder) {
        SavedModelFolder.write(folder, model, values);
    }

    /** A model that ONNX Runtime and others run. */
    public void onnx(Path file) {
        byte[] bytes = OnnxExporter.write(frozen(), inputs(), OUTPUT);
        WholeFile.write(file, out -> out.write(bytes));
    }

    private static void write(Path file, Graph g) {
        byte[] bytes = GraphParser.serialise(LaterAttributes.leftOut(GraphExporter.writeReachable(g)));
        WholeFile.write(file, out -> out.write(bytes));
    }

    private Graph frozen() {
        return EvaluationGraph.of(model, List.of()).frozen(values);
    }

    private List<String> inputs() {
        return model.inputs().stream().map(x -> x.node().name()).toList();
    }

    @Override
    public void close() {
        values.values().forEach(Tensor::close);
    }
}
