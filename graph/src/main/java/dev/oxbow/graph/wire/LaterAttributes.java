package dev.oxbow.graph.wire;

import static java.util.Map.entry;

import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.Map;
import java.util.Set;

/**
 * The attributes that ops have got since TensorFlow 2.0. A task of that version knows nothing of them and refuses nodes
 * that have one, so they are left out where they have their default, which later versions add again. Attributes that it
 * knows are told: as a worker it misses them, too.
 */
public final class LaterAttributes {

    /** Names that no op of TensorFlow 2.0 has. */
    private static final Set<String> NAMES = Set.of(
            "Tk",
            "Tsegmentids",
            "allow_missing_files",
            "allowed_devices",
            "bad_indices_policy",
            "batch_padding_policy",
            "blank_index",
            "buffer_size_min",
            "cardinality_options",
            "communication_hint",
            "debug_name",
            "enable_large_batch_splitting",
            "ensure_minimum_range",
            "exponential_avg_factor",
            "force_synchronous",
            "grad_a",
            "grad_b",
            "grad_x",
            "grad_y",
            "is_files",
            "legacy_autotune",
            "log_warning",
            "low_priority_allowed_batch_sizes",
            "low_priority_batch_timeout_micros",
            "low_priority_max_batch_size",
            "low_priority_max_enqueued_batches",
            "metadata",
            "mixed_priority_policy",
            "multiply_linear_by_lr",
            "offset",
            "perturb_singular",
            "ram_budget",
            "replicate_on_split",
            "resize_if_index_out_of_bounds",
            "sparse_gradient",
            "stop_on_empty_dataset",
            "timeout_seconds",
            "use_default_device");

    private static final Set<String> SPECTRAL = Set.of("Treal", "Tcomplex");
    private static final Set<String> PADDED = Set.of("explicit_paddings");

    /** Names that other ops of TensorFlow 2.0 have, by op. */
    private static final Map<String, Set<String>> BY_OP = Map.ofEntries(
            entry("AssignVariableOp", Set.of("validate_shape")),
            entry("CTCBeamSearchDecoder", Set.of("T")),
            entry("CTCGreedyDecoder", Set.of("T")),
            entry("CTCLoss", Set.of("T")),
            entry("ConcatOffset", Set.of("shape_type")),
            entry("DepthwiseConv2dNative", PADDED),
            entry("DepthwiseConv2dNativeBackpropFilter", PADDED),
            entry("DepthwiseConv2dNativeBackpropInput", PADDED),
            entry("Dequantize", Set.of("axis", "dtype", "narrow_range")),
            entry("IRFFT", SPECTRAL),
            entry("IRFFT2D", SPECTRAL),
            entry("IRFFT3D", SPECTRAL),
            entry("MaxPool", PADDED),
            entry("MaxPoolGrad", PADDED),
            entry("QuantizeAndDequantizeV2", Set.of("axis")),
            entry("QuantizeAndDequantizeV3", Set.of("axis")),
            entry("QuantizeV2", Set.of("axis", "narrow_range")),
            entry("RFFT", SPECTRAL),
            entry("RFFT2D", SPECTRAL),
            entry("RFFT3D", SPECTRAL),
            entry("ShuffleAndRepeatDataset", Set.of("reshuffle_each_iteration")),
            entry("TensorListGetItem", Set.of("Tshape")),
            entry("TopKV2", Set.of("index_type")));

    private LaterAttributes() {}

    /** The same graph and functions without those that have their default. */
    public static GraphDef leftOut(GraphDef def) {
        GraphDef.Builder b = def.toBuilder();
        for (int i = 0; i < def.getNodeCount(); i++) if (has(def.getNode(i))) leaveOut(b.getNodeBuilder(i));
        for (int f = 0; f < def.getLibrary().getFunctionCount(); f++) {
            FunctionDef function = def.getLibrary().getFunction(f);
            for (int i = 0; i < function.getNodeDefCount(); i++)
                if (has(function.getNodeDef(i)))
                    leaveOut(b.getLibraryBuilder().getFunctionBuilder(f).getNodeDefBuilder(i));
        }
        return b.build();
    }

    private static boolean has(NodeDef n) {
        return n.getAttrMap().keySet().stream().anyMatch(a -> isLater(n.getOp(), a));
    }

    private static boolean isLater(String op, String attribute) {
        return NAMES.contains(attribute) || BY_OP.getOrDefault(op, Set.of()).contains(attribute);
    }

    private static void leaveOut(NodeDef.Builder n) {
        OpDefinition op = OpRegistry.get().definition(n.getOp());
        if (op == null) return;
        for (OpSignature.Attribute a : op.signature().attributes()) {
            if (a.defaultValue() == null || !isLater(n.getOp(), a.name())) continue;
            AttrValue v = n.getAttrOrDefault(a.name(), null);
            if (v != null && v.equals(AttributeCodec.encode(a.defaultValue()))) n.removeAttr(a.name());
        }
    }
}
