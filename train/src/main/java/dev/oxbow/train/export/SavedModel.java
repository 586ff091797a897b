package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.CheckpointWriter;
import dev.oxbow.wire.WholeFolder;
import dev.oxbow.wire.proto.AssetFileDef;
import dev.oxbow.wire.proto.CollectionDef;
import dev.oxbow.wire.proto.MetaGraphDef;
import dev.oxbow.wire.proto.SavedObject;
import dev.oxbow.wire.proto.SaverDef;
import dev.oxbow.wire.proto.SignatureDef;
import dev.oxbow.wire.proto.TensorInfo;
import dev.oxbow.wire.proto.VariableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A model that TensorFlow, or {@link Export}, has saved, in a session: variables are restored, tables are filled, and
 * signatures can be called. It can be trained further: {@link #trainable} are variables of its graph like others.
 */
public final class SavedModel implements AutoCloseable {
    /** The signature that servers call when none is named. */
    public static final String SERVING = "serving_default";

    private static final String FILE = "saved_model.pb";
    private static final String INIT = "__saved_model_init_op";
    private static final String OLD_INIT = "legacy_init_op";
    private static final String MAIN = "saved_model_main_op";
    private static final String VARIABLES = "variables";

    /** Values by name that make other values by name. */
    public record Signature(Map<String, Edge> inputs, Map<String, Edge> outputs) {}

    private final Path folder;
    private final MetaGraphDef meta;
    private final Graph graph;
    private final Session session;
    private final Map<String, Signature> signatures = new TreeMap<>();

    /** Where the values of variables are in the checkpoint that functions take as objects, by their handles. */
    private final Map<Node, String> keys = new HashMap<>();

    private SavedModel(Path folder, MetaGraphDef meta, Graph graph, Session session) {
        this.folder = folder;
        this.meta = meta;
        this.graph = graph;
        this.session = session;
        meta.getSignatureDefMap().forEach((name, s) -> {
            if (!name.equals(INIT)) signatures.put(name, signature(s));
        });
    }

    /** Whether a folder holds one. */
    public static boolean isIn(Path folder) {
        return Files.isRegularFile(folder.resolve(FILE));
    }

    /** Loads the graph of a folder that servers are to take, and gives its variables their values. */
    public static SavedModel load(Path folder) {
        return load(folder, "serve");
    }

    /** Loads the graph that has these tags. */
    public static SavedModel load(Path folder, String... tags) {
        MetaGraphDef meta = find(folder, Set.of(tags));
        Graph graph = GraphImporter.read(meta.getGraphDef());
        Session session = Session.open(graph);
        try {
            SavedModel model = new SavedModel(folder, meta, graph, session);
            model.restore();
            return model;
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    private static MetaGraphDef find(Path folder, Set<String> tags) {
        require(isIn(folder), NOT_FOUND, "SavedModel: there is no %s in %s", FILE, folder);
        List<MetaGraphDef> all;
        try {
            all = dev.oxbow.wire.proto.SavedModel.parseFrom(Files.readAllBytes(folder.resolve(FILE)))
                    .getMetaGraphsList();
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(INVALID_ARGUMENT, "SavedModel: %s in %s is damaged".formatted(FILE, folder), e);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "SavedModel: can not read " + folder + ": " + e, e);
        }
        List<Set<String>> there = new ArrayList<>();
        for (MetaGraphDef m : all) {
            Set<String> own = new HashSet<>(m.getMetaInfoDef().getTagsList());
            if (own.equals(tags)) return m;
            there.add(own);
        }
        throw new OxbowException(
                NOT_FOUND, "SavedModel: no graph in %s has the tags %s; there are %s".formatted(folder, tags, there));
    }

    private Signature signature(SignatureDef s) {
        return new Signature(edges(s.getInputsMap()), edges(s.getOutputsMap()));
    }

    private Map<String, Edge> edges(Map<String, TensorInfo> infos) {
        Map<String, Edge> edges = new TreeMap<>();
        infos.forEach((name, i) -> edges.put(name, graph.edge(i.getName())));
        return edges;
    }

    private void restore() {
        SaverDef saver = meta.getSaverDef();
        Path prefix = folder.resolve(VARIABLES).resolve(VARIABLES);
        if (Files.exists(prefix.resolveSibling(VARIABLES + ".index"))) {
            if (!saver.getRestoreOpName().isEmpty())
                try (Tensor file = Tensor.scalar(prefix.toString())) {
                    session.feed(graph.edge(saver.getFilenameTensorName()), file)
                            .target(graph.node(saver.getRestoreOpName()))
                            .run()
                            .close();
                }
            keys.putAll(SavedObjects.keys(graph, meta.getObjectGraphDef(), prefix));
            try (CheckpointReader values = CheckpointReader.open(prefix)) {
                keys.forEach((handle, key) -> assign(handle, values.read(key)));
            }
        }
        Node init = initialiser();
        if (init == null) return;
        List<Tensor> paths = new ArrayList<>();
        try {
            Session.Run run = session.target(init);
            for (AssetFileDef a : meta.getAssetFileDefList()) {
                paths.add(Tensor.scalar(
                        folder.resolve("assets").resolve(a.getFilename()).toString()));
                run.feed(graph.edge(a.getTensorInfo().getName()), paths.getLast());
            }
            run.run().close();
        } finally {
            paths.forEach(Tensor::close);
        }
    }

    private void assign(Node handle, Tensor value) {
        try (value) {
            Ops ops = Ops.in(graph);
            Value given = ops.placeholder(value.dtype(), value.shape());
            Node assign = graph.add(new AssignVariableOp(false), List.of(handle.edge(0), given.edge()));
            session.feed(given.edge(), value).target(assign).run().close();
        }
    }

    /** What fills tables and the like once variables are there; null where nothing does. */
    private Node initialiser() {
        SignatureDef now = meta.getSignatureDefMap().get(INIT);
        if (now != null) {
            return graph.node(
                    node(now.getOutputsMap().values().iterator().next().getName()));
        }
        for (String key : List.of(MAIN, OLD_INIT)) {
            var list = meta.getCollectionDefOrDefault(key, CollectionDef.getDefaultInstance())
                    .getNodeList();
            if (list.getValueCount() > 0) return graph.node(list.getValue(0));
        }
        return null;
    }

    public Graph graph() {
        return graph;
    }

    /** Where its variables live. */
    public Session session() {
        return session;
    }

    /** What can be called, by name. */
    public Map<String, Signature> signatures() {
        return Map.copyOf(signatures);
    }

    public Signature signature(String name) {
        Signature s = signatures.get(name);
        require(
                s != null,
                NOT_FOUND,
                "SavedModel: there is no signature '%s' in %s; there are %s",
                name,
                folder,
                signatures.keySet());
        return s;
    }

    /** Calls a signature; the results are in the order of the names of its outputs. */
    public Results call(String name, Map<String, Tensor> inputs) {
        Signature s = signature(name);
        require(
                inputs.keySet().equals(s.inputs.keySet()),
                INVALID_ARGUMENT,
                "SavedModel: signature '%s' takes %s, given are %s",
                name,
                s.inputs.keySet(),
                inputs.keySet());
        Session.Run run = session.fetch(s.outputs.values().toArray(Edge[]::new));
        inputs.forEach((input, value) -> run.feed(s.inputs.get(input), value));
        return run.run();
    }

    /** The variables that a signature reads and that were trained, in the order of their names. */
    public List<Parameter> trainable(String signature) {
        Map<String, Boolean> trained = trained();
        Node restored = meta.getSaverDef().getRestoreOpName().isEmpty()
                ? null
                : graph.node(meta.getSaverDef().getRestoreOpName());
        Map<String, Parameter> all = new TreeMap<>();
        for (Node n : read(signature(signature))) {
            if (!(n.op() instanceof VarHandleOp v) || !v.dtype().isFloating()) continue;
            // a name that was taken in the graph has a number behind it
            Boolean is = trained.getOrDefault(n.name(), trained.get(n.name().replaceFirst("_[0-9]+$", "")));
            if (is == null || is)
                all.put(n.name(), Parameter.existing(n.name(), Value.of(n.edge(0)), v.dtype(), restored));
        }
        return List.copyOf(all.values());
    }

    /** All nodes that the outputs of a signature need. */
    private static Set<Node> read(Signature s) {
        Set<Node> met = new HashSet<>();
        List<Node> next = new ArrayList<>();
        s.outputs.values().forEach(e -> next.add(e.node()));
        while (!next.isEmpty()) {
            Node n = next.removeLast();
            if (!met.add(n)) continue;
            n.inputs().forEach(e -> next.add(e.node()));
        }
        return met;
    }

    /** Whether variables are trained, by the names that they were made with. */
    private Map<String, Boolean> trained() {
        Map<String, Boolean> trained = new HashMap<>();
        for (SavedObject o : meta.getObjectGraphDef().getNodesList())
            if (o.hasVariable())
                trained.put(o.getVariable().getName(), o.getVariable().getTrainable());
        for (String key : List.of(VARIABLES, "trainable_variables")) {
            for (ByteString bytes : meta.getCollectionDefOrDefault(key, CollectionDef.getDefaultInstance())
                    .getBytesList()
                    .getValueList()) {
                try {
                    trained.put(node(VariableDef.parseFrom(bytes).getVariableName()), !key.equals(VARIABLES));
                } catch (InvalidProtocolBufferException e) {
                    throw new OxbowException(
                            INVALID_ARGUMENT, "SavedModel: a variable in " + folder + " is damaged", e);
                }
            }
        }
        return trained;
    }

    /** The node that makes a value. */
    private static String node(String value) {
        return value.contains(":") ? value.substring(0, value.indexOf(':')) : value;
    }

    /** Writes it with the values that its variables have now, for TensorFlow as well; whole or not at all. */
    public void save(Path to) {
        SaverDef saver = meta.getSaverDef();
        Path part = WholeFolder.unfinished(to);
        try {
            require(
                    WholeFolder.isReplaceable(to, FILE),
                    FAILED_PRECONDITION,
                    "SavedModel: %s is there and is no SavedModel; give the name of a folder that is not there",
                    to);
            WholeFolder.delete(part);
            copy(part);
            Path prefix = part.resolve(VARIABLES).resolve(VARIABLES);
            Files.createDirectories(prefix.getParent());
            if (keys.isEmpty()) saveAsBefore(saver, prefix);
            else saveObjects(prefix);
            WholeFolder.replace(part, to);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "SavedModel: can not write " + to + ": " + e, e);
        } finally {
            WholeFolder.discard(part);
        }
    }

    /** By the nodes of the graph that do so. */
    private void saveAsBefore(SaverDef saver, Path prefix) {
        if (saver.getSaveTensorName().isEmpty()) return;
        try (Tensor file = Tensor.scalar(prefix.toString())) {
            session.feed(graph.edge(saver.getFilenameTensorName()), file)
                    .fetch(graph.edge(saver.getSaveTensorName()))
                    .run()
                    .close();
        }
    }

    /** What the checkpoint has, with the values that variables have now. */
    private void saveObjects(Path prefix) {
        Map<String, Tensor> now = new HashMap<>();
        try (CheckpointReader before =
                        CheckpointReader.open(folder.resolve(VARIABLES).resolve(VARIABLES));
                CheckpointWriter after = new CheckpointWriter(prefix)) {
            keys.forEach((handle, key) -> now.put(key, read(handle)));
            for (String name : before.names()) {
                if (now.containsKey(name)) after.add(name, now.get(name));
                else
                    try (Tensor t = before.read(name)) {
                        after.add(name, t);
                    }
            }
            after.finish();
        } finally {
            now.values().forEach(Tensor::close);
        }
    }

    private Tensor read(Node handle) {
        Value value = Value.apply(new ReadVariableOp(((VarHandleOp) handle.op()).dtype()), Value.of(handle.edge(0)));
        try (Results r = session.fetch(value.edge()).run()) {
            Tensor t = r.get(0);
            return t.reshaped(t.shape());
        }
    }

    /** Copies all but the values of variables, and the fingerprint, which is of other values. */
    private void copy(Path to) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.filter(Files::isRegularFile).toList()) {
                Path name = folder.relativize(f);
                if (name.startsWith(VARIABLES) || name.toString().equals("fingerprint.pb")) continue;
                Files.createDirectories(to.resolve(name).getParent());
                Files.copy(f, to.resolve(name));
            }
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
