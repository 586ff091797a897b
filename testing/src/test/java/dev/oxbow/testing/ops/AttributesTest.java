package dev.oxbow.testing.ops;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.RecordComponent;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each attribute of each op is read by something, or stands here with the reason why it has no effect. */
final class AttributesTest {

    /** Attributes without effect, by name, for all ops that have them. */
    private static final Map<String, String> WITHOUT_EFFECT = Map.ofEntries(
            entry("description", "TensorFlow leaves it to readers of the graph"),
            entry("labels", "TensorFlow leaves them to readers of the graph"),
            entry("display_name", "TensorFlow leaves it to readers of the graph"),
            entry("use_locking", "updates exclude each other always"),
            entry("timeout_ms", "TensorFlow knows only -1, no limit"),
            entry("validate_indices", "indices are checked always"),
            entry("bad_indices_policy", "bad indices are an error, as by default; IGNORE is not there"),
            entry("sparse_gradient", "gradients are dense"),
            entry("use_node_name_sharing", "tables without a shared name have the node's"),
            entry("use_cudnn_on_gpu", "says how, not what"),
            entry("grad_a", "says how, not what"),
            entry("internal_type", "says how, not what"),
            entry("grad_b", "says how, not what"),
            entry("grad_x", "says how, not what"),
            entry("grad_y", "says how, not what"),
            entry("a_is_sparse", "says how, not what"),
            entry("b_is_sparse", "says how, not what"),
            entry("swap_memory", "says how, not what"),
            entry("metadata", "names of data sets for messages; ours have the node's"),
            entry("output_shapes", "elements of data sets have shapes of their own"),
            entry("output_types", "elements of data sets have types of their own"),
            entry("acceptable_fraction", "what is missing of an image is grey, so all of it is there"),
            entry("deterministic", "the order of data sets is always the same"),
            entry("sloppy", "the order of data sets is always the same"),
            entry("parallel_copy", "says how, not what"),
            entry("use_inter_op_parallelism", "says how, not what"),
            entry("replicate_on_split", "data sets are not split over services"),
            entry("optimization_configs", "data sets are not rewritten"),
            entry("config", "functions have no settings of their own"),
            entry("config_proto", "functions have no settings of their own"));

    /** What is so of single ops, as {@code Op.attribute}. */
    private static final Map<String, String> OF_ONE_OP = Map.ofEntries(
            entry("AllCandidateSampler.seed", "all candidates are taken, none is drawn"),
            entry("AllCandidateSampler.seed2", "all candidates are taken, none is drawn"),
            entry("AllCandidateSampler.unique", "all candidates are taken once"),
            entry("ComputeAccidentalHits.seed", "nothing is drawn"),
            entry("ComputeAccidentalHits.seed2", "nothing is drawn"),
            entry("Batch.grad_timeout_micros", "TensorFlow does not read it either"),
            entry("BatchFunction.batch_padding_policy", "batches are filled up; those of TPUs are not there"),
            entry("BatchFunction.low_priority_allowed_batch_sizes", "calls have no priorities here"),
            entry("BatchFunction.low_priority_batch_timeout_micros", "calls have no priorities here"),
            entry("BatchFunction.low_priority_max_batch_size", "calls have no priorities here"),
            entry("BatchFunction.low_priority_max_enqueued_batches", "calls have no priorities here"),
            entry("BatchFunction.mixed_priority_policy", "calls have no priorities here"),
            entry("Copy.debug_ops_spec", "nothing is published to a debugger"),
            entry("Copy.tensor_name", "nothing is published to a debugger"),
            entry("CopyHost.debug_ops_spec", "nothing is published to a debugger"),
            entry("CopyHost.tensor_name", "nothing is published to a debugger"),
            entry("DebugIdentity.device_name", "nothing is published to a debugger"),
            entry("DebugIdentity.gated_grpc", "nothing is published to a debugger"),
            entry("DebugIdentityV2.circular_buffer_size", "nothing is published to a debugger"),
            entry("DebugIdentityV2.op_name", "nothing is published to a debugger"),
            entry("DebugIdentityV2.output_slot", "nothing is published to a debugger"),
            entry("DebugIdentityV2.tensor_debug_mode", "nothing is published to a debugger"),
            entry("DebugIdentityV2.tfdbg_context_id", "nothing is published to a debugger"),
            entry("DebugIdentityV2.tfdbg_run_id", "nothing is published to a debugger"),
            entry("DebugNanCount.device_name", "nothing is published to a debugger"),
            entry("DebugNanCount.gated_grpc", "nothing is published to a debugger"),
            entry("DebugNumericSummary.device_name", "nothing is published to a debugger"),
            entry("DebugNumericSummary.gated_grpc", "nothing is published to a debugger"),
            entry("DebugNumericSummary.mute_if_healthy", "nothing is published to a debugger"),
            entry("QuantizedMatMul.Tactivation", "TensorFlow does not read it either"),
            entry("TensorMapErase.value_dtype", "an entry goes whatever it holds"),
            entry("Barrier.capacity", "barriers have no limit, in TensorFlow either"),
            entry("BarrierTakeMany.wait_for_incomplete", "TensorFlow does not read it either"),
            entry("Cast.Truncate", "mantissas are rounded; dropping their bits is not there"),
            entry("CropAndResizeGradBoxes.method", "there is only bilinear"),
            entry("Empty.init", "memory is zeros always"),
            entry("ChooseFastestDataset.num_experiments", "all have the same elements, and the first serves"),
            entry("DatasetCardinality.cardinality_options", "how far one looks for a size; it is known or not"),
            entry("FinalizeDataset.has_captured_ref", "says how, not what"),
            entry("MapDataset.force_synchronous", "says how, not what"),
            entry("RebatchDataset.use_fallback", "says what to do where parts do not fit, which they do here"),
            entry("ScanDataset.use_default_device", "functions run where their nodes are placed"),
            entry("ModelDataset.algorithm", "nothing is tuned while data flow"),
            entry("ModelDataset.cpu_budget", "nothing is tuned while data flow"),
            entry("ModelDataset.ram_budget", "nothing is tuned while data flow"),
            entry("OptionsDataset.serialized_options", "options say how, not what; the order is always the same"),
            entry("ParallelMapDatasetV2.use_unbounded_threadpool", "says how, not what"),
            entry("ParseSequenceExample.Ncontext_dense", "the list of keys says how many there are"),
            entry("PrefetchDataset.buffer_size_min", "nothing is tuned while data flow"),
            entry("PrefetchDataset.legacy_autotune", "nothing is tuned while data flow"),
            entry("PrefetchDataset.slack_period", "says how, not what"),
            entry("RecordInput.file_parallelism", "says how, not what"),
            entry("Restore.preferred_shard", "says which file to look into first; all are read"),
            entry("RestoreSlice.preferred_shard", "says which file to look into first; all are read"),
            entry("TensorSliceDataset.is_files", "says how data are shared among services, which are not there"),
            entry("StageClear.dtypes", "the area is cleared whatever it holds"),
            entry("StageSize.dtypes", "elements are counted whatever they are"),
            entry("VarHandleOp.allowed_devices", "a variable is where its node is placed"),
            entry("VarHandleOp.debug_name", "messages have the node's name"));

    @Test
    void everyAttributeIsReadOrSaysWhyNot() throws IOException, URISyntaxException {
        Map<String, Set<String>> calls = new HashMap<>(); // owners of what is called, by name
        Set<String> fields = new HashSet<>();
        Set<URL> places = new HashSet<>(Set.of(place(Value.class), place(Session.class)));
        for (String name : OpRegistry.get().names())
            places.add(place(OpRegistry.get().definition(name).type()));
        for (URL p : places) scan(Path.of(p.toURI()), calls, fields);
        Set<String> unread = new TreeSet<>();
        for (String name : OpRegistry.get().names()) {
            OpDefinition d = OpRegistry.get().definition(name);
            Set<String> read = new HashSet<>();
            for (RecordComponent c : d.type().getRecordComponents())
                if (isRead(c, d.type(), calls, fields)) read.add(wireName(c));
            for (OpSignature.Attribute a : d.signature().attributes()) {
                boolean followed = Stream.concat(d.signature().inputs().stream(), d.signature().outputs().stream())
                        .anyMatch(x -> a.name().equals(x.typeAttr())
                                || a.name().equals(x.listAttr())
                                || a.name().equals(x.numberAttr()));
                if (!followed && !read.contains(a.name())) unread.add(name + "." + a.name());
            }
        }
        Set<String> used = new TreeSet<>();
        Map<String, String> unexplained = new TreeMap<>();
        for (String u : unread) {
            String attribute = u.substring(u.indexOf('.') + 1);
            if (OF_ONE_OP.containsKey(u)) used.add(u);
            else if (WITHOUT_EFFECT.containsKey(attribute)) used.add(attribute);
            else unexplained.put(u, "nothing reads it");
        }
        assertEquals(Map.of(), unexplained);
        Set<String> listed = new TreeSet<>(WITHOUT_EFFECT.keySet());
        listed.addAll(OF_ONE_OP.keySet());
        assertEquals(listed, used, "listed as without effect, but read");
    }

    /** Whether the component's accessor is called, on the op or on an interface of it, or its field read by its own class. */
    private static boolean isRead(
            RecordComponent c, Class<?> type, Map<String, Set<String>> calls, Set<String> fields) {
        if (fields.contains(type.getName() + "." + c.getName())) return true;
        for (String owner : calls.getOrDefault(c.getName(), Set.of())) {
            try {
                if (Class.forName(owner, false, type.getClassLoader()).isAssignableFrom(type)) return true;
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
        return false;
    }

    private static String wireName(RecordComponent c) {
        Attr a = c.getAnnotation(Attr.class);
        return a != null ? a.value() : c.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static URL place(Class<?> c) {
        return c.getProtectionDomain().getCodeSource().getLocation();
    }

    private static void scan(Path place, Map<String, Set<String>> calls, Set<String> fields) throws IOException {
        if (Files.isDirectory(place)) {
            walk(place, calls, fields);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                walk(jar.getPath("/"), calls, fields);
            }
        }
    }

    private static void walk(Path root, Map<String, Set<String>> calls, Set<String> fields) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path f : files.filter(p -> p.toString().endsWith(".class")).toList()) {
                ClassModel c = ClassFile.of().parse(Files.readAllBytes(f));
                for (MethodModel m : c.methods())
                    m.code().ifPresent(code -> code.forEach(e -> note(c, m, e, calls, fields)));
            }
        }
    }

    private static void note(
            ClassModel c, MethodModel m, CodeElement e, Map<String, Set<String>> calls, Set<String> fields) {
        switch (e) {
            case InvokeInstruction i
            when i.type().stringValue().startsWith("()") ->
                call(i.owner().asInternalName(), i.name().stringValue(), calls);
            case InvokeDynamicInstruction i -> {
                if (i.invokedynamic()
                        .bootstrap()
                        .bootstrapMethod()
                        .reference()
                        .owner()
                        .asInternalName()
                        .endsWith("ObjectMethods")) return; // equals, hashCode and toString of a record
                for (LoadableConstantEntry a : i.invokedynamic().bootstrap().arguments())
                    if (a instanceof MethodHandleEntry h)
                        call(
                                h.reference().owner().asInternalName(),
                                h.reference().name().stringValue(),
                                calls);
            }
            case FieldInstruction i
            when i.opcode() == Opcode.GETFIELD -> {
                boolean accessor = m.methodName().equalsString(i.name().stringValue())
                        && m.methodType().stringValue().startsWith("()");
                if (!accessor)
                    fields.add(i.owner().asInternalName().replace('/', '.') + "."
                            + i.name().stringValue());
            }
            default -> {}
        }
    }

    private static void call(String owner, String name, Map<String, Set<String>> calls) {
        if (owner.startsWith("dev/oxbow/"))
            calls.computeIfAbsent(name, k -> new HashSet<>()).add(owner.replace('/', '.'));
    }
}
