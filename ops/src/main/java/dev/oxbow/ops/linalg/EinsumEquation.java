package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** An equation such as {@code ab,bc->ac}, applied to shapes: every dimension gets a number for its label. */
final class EinsumEquation {
    static final String ELLIPSIS = "...";

    /** Label numbers per operand, and of the output. */
    final int[][] operands;

    final int[] output;

    /** The size of every label; -1 where it is not known. */
    final long[] sizes;

    private EinsumEquation(int[][] operands, int[] output, long[] sizes) {
        this.operands = operands;
        this.output = output;
        this.sizes = sizes;
    }

    /** The subscripts of the operands, then those of the output. */
    static String[] subscripts(String equation, int operands) {
        String[] sides = equation.replace(" ", "").split("->", -1);
        require(sides.length == 2, INVALID_ARGUMENT, "Expecting exactly one '->' in einsum equation: %s", equation);
        String[] inputs = sides[0].split(",", -1);
        require(
                inputs.length == operands && operands <= 2,
                INVALID_ARGUMENT,
                "Expecting 1 or 2 input subscripts in equation '%s', but got: %d inputs",
                equation,
                operands);
        String[] all = Arrays.copyOf(inputs, inputs.length + 1);
        all[inputs.length] = sides[1];
        return all;
    }

    /** The equation on operands of known rank. */
    static EinsumEquation of(String equation, List<Shape> shapes) {
        String[] subscripts = subscripts(equation, shapes.size());
        int[] broadcast = broadcast(subscripts, shapes);
        int widest = Arrays.stream(broadcast).max().orElse(0);
        require(
                widest == 0 || subscripts[subscripts.length - 1].contains(ELLIPSIS),
                INVALID_ARGUMENT,
                "the output must have an ellipsis where inputs have broadcast dimensions: %s",
                equation);
        // Labels 0 to widest - 1 are the dimensions of the ellipsis, aligned at their ends.
        TreeMap<Character, Integer> numbers = new TreeMap<>();
        int next = widest;
        for (String s : subscripts)
            for (char l : s.replace(ELLIPSIS, "").toCharArray())
                if (!numbers.containsKey(l)) {
                    require(Character.isLetter(l), INVALID_ARGUMENT, "Invalid character '%s' in '%s'", l, equation);
                    numbers.put(l, next++);
                }
        int[][] operands = new int[shapes.size()][];
        long[] sizes = new long[next];
        Arrays.fill(sizes, -2);
        for (int i = 0; i < operands.length; i++) {
            operands[i] = labels(subscripts[i], numbers, widest, broadcast[i]);
            for (int d = 0; d < operands[i].length; d++) {
                int l = operands[i][d];
                long n = shapes.get(i).dim(d);
                if (sizes[l] == -2 || sizes[l] == -1 && n != 1) sizes[l] = n;
                else if (l < widest && (sizes[l] == 1 || n == 1)) sizes[l] = sizes[l] == 1 ? n : sizes[l];
                else
                    require(
                            n < 0 || sizes[l] == n,
                            INVALID_ARGUMENT,
                            "Expected dimension %d at axis %d of the input shaped %s but got dimension %d",
                            sizes[l],
                            d,
                            shapes.get(i),
                            n);
            }
        }
        int[] output = labels(subscripts[operands.length], numbers, widest, widest);
        for (int l : output)
            require(
                    sizes[l] != -2,
                    INVALID_ARGUMENT,
                    "a label of the output does not occur in the inputs: %s",
                    equation);
        return new EinsumEquation(operands, output, sizes);
    }

    /** How many dimensions the ellipsis of each operand stands for. */
    private static int[] broadcast(String[] subscripts, List<Shape> shapes) {
        int[] broadcast = new int[shapes.size()];
        for (int i = 0; i < broadcast.length; i++) {
            int named = subscripts[i].replace(ELLIPSIS, "").length(),
                    rank = shapes.get(i).rank();
            boolean open = subscripts[i].contains(ELLIPSIS);
            require(
                    open ? rank >= named : rank == named,
                    INVALID_ARGUMENT,
                    "Expected input %d to have rank %s%d but got: %s",
                    i,
                    open ? ">= " : "",
                    named,
                    shapes.get(i));
            broadcast[i] = rank - named;
        }
        return broadcast;
    }

    private static int[] labels(String subscript, TreeMap<Character, Integer> numbers, int widest, int broadcast) {
        int dots = subscript.indexOf(ELLIPSIS);
        String before = dots < 0 ? subscript : subscript.substring(0, dots),
                after = dots < 0 ? "" : subscript.substring(dots + 3);
        int open = dots < 0 ? 0 : broadcast;
        int[] labels = new int[before.length() + open + after.length()];
        int at = 0;
        for (char l : before.toCharArray()) labels[at++] = numbers.get(l);
        for (int i = 0; i < open; i++) labels[at++] = widest - open + i;
        for (char l : after.toCharArray()) labels[at++] = numbers.get(l);
        return labels;
    }

    /** Where each operand has a label, -1 where it has not or is repeated along it; null where one has it twice. */
    int[] places(int label, List<Shape> shapes) {
        int[] places = new int[operands.length];
        Arrays.fill(places, -1);
        for (int i = 0; i < places.length; i++) {
            for (int d = 0; d < operands[i].length; d++) {
                if (operands[i][d] != label || shapes.get(i).dim(d) != sizes[label]) continue;
                if (places[i] >= 0) return null;
                places[i] = d;
            }
        }
        return places;
    }

    Shape outputShape() {
        long[] dims = new long[output.length];
        for (int i = 0; i < dims.length; i++) dims[i] = sizes[output[i]];
        return Shape.of(dims);
    }
}
