package dev.oxbow.ops.rewrite;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.Squeeze;
import dev.oxbow.ops.linalg.BatchMatMul;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.LeakyRelu;
import dev.oxbow.ops.math.LeakyReluGrad;
import dev.oxbow.ops.math.Maximum;
import dev.oxbow.ops.math.Minimum;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Neg;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Relu6;
import dev.oxbow.ops.math.Relu6Grad;
import dev.oxbow.ops.math.ReluGrad;
import dev.oxbow.ops.math.Sigmoid;
import dev.oxbow.ops.math.SigmoidGrad;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.math.Tanh;
import dev.oxbow.ops.math.TanhGrad;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.AvgPoolGrad;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropFilter;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.Conv3D;
import dev.oxbow.ops.nn.Conv3DBackpropFilterV2;
import dev.oxbow.ops.nn.Conv3DBackpropInputV2;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropFilter;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropInput;
import dev.oxbow.ops.nn.FusedBatchNormGradV3;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets products and convolutions of f32 work on numbers of 16 bits (Micikevicius et al., 2018), and what lies between them,
 * where that needs no more range: variables, sums, normalisations and losses stay in f32.
 */
public final class MixedPrecision implements Rewrite {

    /*
     * A product reads its operands in 16 bits and leaves its result in 16 bits; whoever needs it in f32 reads a cast of it,
     * which a device fuses with what follows. An activation, an addition or a mover between products stays in 16 bits when
     * one operand is there already and the others are, too, or are parameters and constants that fit. Everything else sees
     * f32, so reductions, exponentials and updates are as exact as before. Casts are made once for each value. A constant
     * that 16 bits do not hold stays as it is: its node computes in f32 and the result is rounded.
     */

    private static final double MOST_F16 = 65504;

    private final DType half;

    /** Works in bf16 or f16; gradients in f16 want a loss that is scaled. */
    public MixedPrecision(DType half) {
        require(
                half == DType.BF16 || half == DType.F16,
                INVALID_ARGUMENT,
                "MixedPrecision: works in bf16 or f16, got %s",
                half);
        this.half = half;
    }

    @Override
    public String name() {
        return "precision";
    }

    @Override
    public String purpose() {
        return "multiply and convolve in " + half + ", keep variables and sums in f32";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Map<Edge, Edge> halves = new HashMap<>(), casts = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            if (isBetween(n.op()) && stays(n, halves) && hasFinerConstant(n)) {
                round(w, n, halves);
                return;
            }
            boolean norm = isNorm(n.op()) && halves.containsKey(n.input(images(n) - 1));
            if (isProduct(n.op()) && hasFull(n) || norm || isBetween(n.op()) && stays(n, halves))
                narrow(w, n, norm ? images(n) : n.inputs().size(), halves, casts);
            else w.copy(n);
        });
    }

    private static boolean isFull(Edge e) {
        return e.type().dtype() == DType.F32 && !e.type().isRef();
    }

    private static boolean hasFull(Node n) {
        return n.inputs().stream().anyMatch(MixedPrecision::isFull);
    }

    /** Whether a node between products has an operand in 16 bits and loses nothing when the others are. */
    private boolean stays(Node n, Map<Edge, Edge> halves) {
        boolean any = false;
        for (Edge e : n.inputs()) {
            if (!isFull(e)) continue;
            if (halves.containsKey(e)) any = true;
            else if (!isParameter(e) && !(e.node().op() instanceof Const c && fits(c.value()))) return false;
        }
        return any;
    }

    /** Whether an elementwise node takes a constant that is not a number of 16 bits. */
    private boolean hasFinerConstant(Node n) {
        if (!(n.op() instanceof Elementwise) || n.outputCount() != 1) return false;
        for (Edge e : n.inputs()) if (isFull(e) && e.node().op() instanceof Const c && isFiner(c.value())) return true;
        return false;
    }

    private boolean isFiner(Tensor t) {
        if (t.size() != 1) return false;
        float v = (float) t.getDouble(0);
        return (half == DType.BF16 ? Half.fromBf16(Half.toBf16(v)) : Half.fromF16(Half.toF16(v))) != v;
    }

    /** Has a node compute in f32, from operands in 16 bits and constants as they are, and leave its result in 16 bits. */
    private void round(Rewriter w, Node n, Map<Edge, Edge> halves) {
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) inputs.add(w.edge(e));
        Node exact = w.add(n, "/exact", n.op(), inputs, w.controls(n));
        Edge y = w.add(n, "/narrow", new Cast(half), List.of(exact.edge(0)), List.of())
                .edge(0);
        halves.put(n.edge(0), y);
        Node wide = w.add(n, "/wide", new Cast(DType.F32), List.of(y), List.of());
        w.replace(n, List.of(wide.edge(0)), wide);
    }

    /** Whether something is a parameter or a part of one. */
    private static boolean isParameter(Edge e) {
        Node n = e.node();
        return n.op() instanceof ReadVariableOp || n.op() instanceof Split && isParameter(n.input(1));
    }

    private boolean fits(Tensor t) {
        if (half == DType.BF16) return true;
        for (long i = 0; i < t.size(); i++) if (Math.abs(t.getDouble(i)) > MOST_F16) return false;
        return true;
    }

    /** Has a node read its first {@code count} inputs, and leave its results of their dtype, in 16 bits. */
    private void narrow(Rewriter w, Node n, int count, Map<Edge, Edge> halves, Map<Edge, Edge> casts) {
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) {
            if (!isFull(e) || inputs.size() >= count) inputs.add(w.edge(e));
            else if (halves.containsKey(e)) inputs.add(halves.get(e));
            else
                inputs.add(casts.computeIfAbsent(
                        e,
                        _ -> w.add(n, "/" + half, new Cast(half), List.of(w.edge(e)), List.of())
                                .edge(0)));
        }
        Node narrow = w.add(n, "/narrow", n.op(), inputs, w.controls(n));
        List<Edge> outputs = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) {
            Edge y = narrow.edge(i);
            if (isFull(n.edge(i)) && narrow.output(i).dtype() == half) {
                halves.put(n.edge(i), y);
                y = w.add(n, "/wide", new Cast(DType.F32), List.of(y), List.of())
                        .edge(0);
            }
            outputs.add(y);
        }
        w.replace(n, outputs, narrow);
    }

    /** Normalisations of images in 16 bits, whose statistics are f32 all the same. */
    private static boolean isNorm(Op op) {
        return op instanceof FusedBatchNormV3 || op instanceof FusedBatchNormGradV3;
    }

    /** How many of the first inputs of a normalisation are images; what was normalised comes last of them. */
    private static int images(Node n) {
        return n.op() instanceof FusedBatchNormGradV3 ? 2 : 1;
    }

    private static boolean isProduct(Op op) {
        return switch (op) {
            case MatMul _,
                    BatchMatMul _,
                    BatchMatMulV2 _,
                    Conv2D _,
                    Conv2DBackpropFilter _,
                    Conv2DBackpropInput _,
                    Conv3D _,
                    Conv3DBackpropFilterV2 _,
                    Conv3DBackpropInputV2 _,
                    DepthwiseConv2dNative _,
                    DepthwiseConv2dNativeBackpropFilter _,
                    DepthwiseConv2dNativeBackpropInput _ -> true;
            default -> false;
        };
    }

    private static boolean isBetween(Op op) {
        return switch (op) {
            case AddV2 _,
                    AvgPool _,
                    AvgPoolGrad _,
                    BiasAdd _,
                    ExpandDims _,
                    Identity _,
                    LeakyRelu _,
                    LeakyReluGrad _,
                    MaxPool _,
                    MaxPoolGrad _,
                    Maximum _,
                    Minimum _,
                    Moving _,
                    Mul _,
                    Neg _,
                    Relu _,
                    Relu6 _,
                    Relu6Grad _,
                    ReluGrad _,
                    Reshape _,
                    Sigmoid _,
                    SigmoidGrad _,
                    Squeeze _,
                    Sub _,
                    Tanh _,
                    TanhGrad _ -> true;
            default -> false;
        };
    }
}
