package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.LaterAttributes;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.PlaceholderWithDefault;
import dev.oxbow.ops.io.RestoreV2;
import dev.oxbow.ops.io.SaveV2;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Model;
import dev.oxbow.wire.CheckpointWriter;
import dev.oxbow.wire.WholeFolder;
import dev.oxbow.wire.proto.CollectionDef;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.MetaGraphDef;
import dev.oxbow.wire.proto.SavedModel;
import dev.oxbow.wire.proto.SaverDef;
import dev.oxbow.wire.proto.SignatureDef;
import dev.oxbow.wire.proto.TensorInfo;
import dev.oxbow.wire.proto.TensorShapeProto;
import dev.oxbow.wire.proto.VariableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** TensorFlow's SavedModel: a graph that can be called and restored, beside a checkpoint of its variables. */
final class SavedModelFolder {
    private static final String VARIABLES = "variables";

    private SavedModelFolder() {}

    static void write(Path folder, Model model, Map<String, Tensor> values) {
        Path part = WholeFolder.unfinished(folder);
        try {
            require(
                    WholeFolder.isReplaceable(folder, "saved_model.pb"),
                    FAILED_PRECONDITION,
                    "Export: %s is there and is no SavedModel; give the name of a folder that is not there",
                    folder);
            WholeFolder.delete(part);
            Files.createDirectories(part.resolve(VARIABLES));
            if (!values.isEmpty()) save(part.resolve(VARIABLES).resolve(VARIABLES), values);
            Files.write(part.resolve("saved_model.pb"), message(model).toByteArray());
            WholeFolder.replace(part, folder);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "Export: can not write " + folder + ": " + e, e);
        } finally {
            WholeFolder.discard(part);
        }
    }

    /** Writes values by name as a checkpoint. */
    static void save(Path prefix, Map<String, Tensor> values) {
        try (CheckpointWriter w = new CheckpointWriter(prefix)) {
            values.forEach(w::add);
            w.finish();
        }
    }

    private static SavedModel message(Model model) {
        Graph g = EvaluationGraph.of(model, model.variables()).graph();
        Set<String> trained = model.parameters().stream().map(Parameter::name).collect(Collectors.toSet());
        CollectionDef.BytesList.Builder all = CollectionDef.BytesList.newBuilder(),
                trainable = CollectionDef.BytesList.newBuilder();
        for (Parameter p : model.variables()) {
            ByteString v = variable(g, p, trained.contains(p.name()));
            all.addValue(v);
            if (trained.contains(p.name())) trainable.addValue(v);
        }
        SignatureDef.Builder signature = SignatureDef.newBuilder().setMethodName("tensorflow/serving/predict");
        for (Value x : model.inputs())
            signature.putInputs(x.node().name(), info(g.node(x.node().name()).edge(0)));
        signature.putOutputs(Export.OUTPUT, info(g.node(Export.OUTPUT).edge(0)));
        MetaGraphDef.Builder meta = MetaGraphDef.newBuilder()
                .setMetaInfoDef(MetaGraphDef.MetaInfoDef.newBuilder().addTags("serve"))
                .putCollectionDef(VARIABLES, collection(all))
                .putCollectionDef("trainable_variables", collection(trainable))
                .putSignatureDef("serving_default", signature.build());
        if (!model.variables().isEmpty()) meta.setSaverDef(saver(g, model.variables()));
        meta.setGraphDef(LaterAttributes.leftOut(GraphExporter.writeReachable(g)));
        return SavedModel.newBuilder()
                .setSavedModelSchemaVersion(1)
                .addMetaGraphs(meta)
                .build();
    }

    private static CollectionDef collection(CollectionDef.BytesList.Builder list) {
        return CollectionDef.newBuilder().setBytesList(list).build();
    }

    private static ByteString variable(Graph g, Parameter p, boolean trained) {
        Node assign = g.node(p.initialiser().name());
        return VariableDef.newBuilder()
                .setVariableName(assign.input(0).node().name() + ":0")
                .setInitializerName(assign.name())
                .setSnapshotName(p.value().node().name() + ":0")
                .setInitialValueName(assign.input(1).name())
                .setIsResource(true)
                .setTrainable(trained)
                .build()
                .toByteString();
    }

    private static TensorInfo info(Edge e) {
        TensorShapeProto.Builder shape = TensorShapeProto.newBuilder();
        for (long d : e.type().shape().dims()) shape.addDimBuilder().setSize(d);
        return TensorInfo.newBuilder()
                .setName(e.node().name() + ":" + e.port())
                .setDtype(DataType.forNumber(e.type().dtype().number()))
                .setTensorShape(shape)
                .build();
    }

    /** Adds the nodes that save and restore variables by their names. */
    private static SaverDef saver(Graph g, List<Parameter> variables) {
        try (Graph.Scope _ = g.scope("save")) {
            String[] names = variables.stream().map(Parameter::name).toArray(String[]::new),
                    whole = new String[names.length];
            Arrays.fill(whole, "");
            Edge file =
                    add(g, new PlaceholderWithDefault(Shape.SCALAR), "filename", constant(g, Tensor.scalar("model")));
            List<Edge> header = List.of(
                    file,
                    constant(g, Tensor.of(Shape.of(names.length), names)),
                    constant(g, Tensor.of(Shape.of(names.length), whole)));
            List<Edge> saved = new ArrayList<>(header);
            for (Parameter p : variables)
                saved.add(g.node(p.value().node().name()).edge(0));
            Node save = g.add(new SaveV2(), "write", saved);
            Edge done;
            try (Graph.Scope _ = g.after(save)) {
                done = add(g, new Identity(), "done", file);
            }
            List<DType> dtypes = variables.stream().map(p -> p.value().dtype()).toList();
            Node restored = g.add(new RestoreV2(dtypes), "read", header);
            List<Node> assigned = new ArrayList<>();
            for (int i = 0; i < names.length; i++) {
                Edge handle = g.node(variables.get(i).initialiser().name()).input(0);
                assigned.add(g.add(new AssignVariableOp(false), "assign", List.of(handle, restored.edge(i))));
            }
            Node all;
            try (Graph.Scope _ = g.after(assigned.toArray(Node[]::new))) {
                all = g.add(new NoOp(), "restore_all", List.of());
            }
            return SaverDef.newBuilder()
                    .setFilenameTensorName(file.name())
                    .setSaveTensorName(done.name())
                    .setRestoreOpName(all.name())
                    .setVersion(SaverDef.CheckpointFormatVersion.V2)
                    .build();
        }
    }

    private static Edge add(Graph g, Op op, String name, Edge input) {
        return g.add(op, name, List.of(input)).edge(0);
    }

    private static Edge constant(Graph g, Tensor t) {
        return g.add(new Const(t), List.of()).edge(0);
    }
}
