package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Contraction;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sum of products in Einstein's notation, of one or two operands. */
@Signature("Einsum(inputs: N*T) -> (output: T) {equation: string; N: int >= 1; T: type}")
public record Einsum(String equation) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            if (!c.shape(i).isRankKnown()) return List.of(TensorType.of(c.dtype(0)));
            shapes.add(c.shape(i));
        }
        return List.of(
                new TensorType(c.dtype(0), EinsumEquation.of(equation, shapes).outputShape()));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        EinsumEquation e = EinsumEquation.of(equation, shapes(c));
        int[] places = e.places(e.output[axis], shapes(c));
        return places == null ? null : Pieces.along(axis, outputs, places);
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        EinsumEquation e = EinsumEquation.of(equation, shapes(c));
        int label = e.operands[0][axis];
        for (int l : e.output) if (l == label) return null;
        int[] places = e.places(label, shapes(c));
        return places == null ? null : Pieces.summands(outputs, places);
    }

    private static List<Shape> shapes(InferenceContext c) {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) shapes.add(c.shape(i));
        return shapes;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Shape> shapes = new ArrayList<>();
            for (int i = 0; i < c.inputCount(); i++) shapes.add(c.input(i).shape());
            EinsumEquation e = EinsumEquation.of(equation, shapes);
            int[] sizes = Arrays.stream(e.sizes).mapToInt(Counts::toInt).toArray();
            Contraction contraction = new Contraction(sizes, c.memory(), c.parallel());
            if (shapes.size() == 1) contraction.run(c.input(0), e.operands[0], c.output(0), e.output);
            else contraction.run(c.input(0), e.operands[0], c.input(1), e.operands[1], c.output(0), e.output);
        };
    }

    /** Contractions of the gradient with the other operand. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return EinsumGradient.of(g, equation, g.node().inputs().size());
    }
}
