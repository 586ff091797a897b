package dev.oxbow.parallel.planner;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The layers of a network, first to last. */
public record Network(String name, List<Layer> layers) {
    private static final Map<String, Supplier<Network>> KNOWN = new TreeMap<>(Map.of(
            "alexnet", Network::alexnet,
            "inception3", Network::inception3,
            "resnet50", Network::resnet50,
            "vgg16", Network::vgg16));

    public Network {
        layers = List.copyOf(layers);
    }

    /** The names that {@link #named} knows. */
    public static List<String> names() {
        return List.copyOf(KNOWN.keySet());
    }

    public static Network named(String name) {
        Supplier<Network> found = KNOWN.get(name);
        if (found == null)
            throw new OxbowException(
                    INVALID_ARGUMENT, "plan: there is no model '%s', only %s".formatted(name, KNOWN.keySet()));
        return found.get();
    }

    /**
     * The variables that a graph trains, a layer for each: those that an update changes, or, where there is none, all of
     * floating point. Work is that of the product or convolution which reads them first, rows that are not known counted once.
     */
    public static Network of(String name, Graph graph) {
        Set<Node> trained = new LinkedHashSet<>(), all = new LinkedHashSet<>();
        for (Node n : graph.nodes()) {
            if (size(n) > 0) all.add(n);
            boolean updates = n.op().signature().name().contains("Apply") && n.inputCount() > 0;
            if (updates && size(n.input(0).node()) > 0) trained.add(n.input(0).node());
        }
        List<Layer> layers = new ArrayList<>();
        for (Node v : all) {
            if (!trained.isEmpty() && !trained.contains(v)) continue;
            layers.add(new Layer(name(v), size(v), work(graph, v)));
        }
        if (layers.isEmpty())
            throw new OxbowException(
                    INVALID_ARGUMENT, "plan: %s has no variable of floating point with a known shape".formatted(name));
        return new Network(name, layers);
    }

    /** Elements of a variable of floating point; 0 for any other node. */
    private static long size(Node n) {
        String op = n.op().signature().name();
        if (!op.equals("VarHandleOp") && !op.equals("VariableV2") && !op.equals("Variable")) return 0;
        boolean isFloating = n.op().attributes().get("dtype") instanceof DType t && t.isFloating();
        return isFloating && n.op().attributes().get("shape") instanceof Shape s && s.isFullyKnown() ? s.size() : 0;
    }

    private static String name(Node variable) {
        Object shared = variable.op().attributes().get("shared_name");
        return shared instanceof String s && !s.isEmpty() ? s : variable.name();
    }

    private static double work(Graph graph, Node variable) {
        Shape shape = (Shape) variable.op().attributes().get("shape");
        if (shape.rank() < 2) return 0;
        double each = (double) shape.size() / shape.dim(shape.rank() - 1);
        for (Node n : graph.nodes()) {
            String op = n.op().signature().name();
            boolean multiplies = op.equals("MatMul") || op.startsWith("Conv") && !op.contains("Backprop");
            if (!multiplies || n.inputs().stream().noneMatch(e -> source(e) == variable)) continue;
            double outputs = 1;
            Shape y = n.output(0).shape();
            for (int d = 0; d < y.rank(); d++) outputs *= Math.max(1, y.dim(d));
            return outputs * each;
        }
        return 0;
    }

    /** What reads and casts of one input lead back to. */
    private static Node source(Edge e) {
        Node n = e.node();
        while (List.of("ReadVariableOp", "Identity", "Cast")
                .contains(n.op().signature().name())) n = n.input(0).node();
        return n;
    }

    public long parameters() {
        return layers.stream().mapToLong(Layer::parameters).sum();
    }

    public double work() {
        return layers.stream().mapToDouble(Layer::work).sum();
    }

    /** Layers one after the other, with the size of the image that reaches each. */
    private static final class Builder {
        private final List<Layer> layers = new ArrayList<>();
        private boolean norm;

        /** A convolution that gives {@code out} channels of {@code size} by {@code size}; normalised, or with a bias. */
        Builder conv(String name, int height, int width, long in, long out, long size) {
            long weights = height * width * in * out;
            layers.add(new Layer(name, weights + (norm ? 2 : 1) * out, (double) weights * size * size));
            return this;
        }

        Builder conv(String name, int kernel, long in, long out, long size) {
            return conv(name, kernel, kernel, in, out, size);
        }

        Builder dense(String name, long in, long out) {
            layers.add(new Layer(name, in * out + out, (double) in * out));
            return this;
        }
    }

    private static Network vgg16() {
        Builder b = new Builder();
        int[] channels = {64, 128, 256, 512, 512}, times = {2, 2, 3, 3, 3};
        long in = 3, size = 224;
        for (int i = 0; i < channels.length; i++, size /= 2) {
            for (int j = 1; j <= times[i]; j++) {
                b.conv("conv" + (i + 1) + "_" + j, 3, in, channels[i], size);
                in = channels[i];
            }
        }
        b.dense("fc6", 512 * 7 * 7, 4096).dense("fc7", 4096, 4096).dense("fc8", 4096, 1000);
        return new Network("vgg16", b.layers);
    }

    private static Network alexnet() {
        Builder b = new Builder()
                .conv("conv1", 11, 3, 64, 55)
                .conv("conv2", 5, 64, 192, 27)
                .conv("conv3", 3, 192, 384, 13)
                .conv("conv4", 3, 384, 256, 13)
                .conv("conv5", 3, 256, 256, 13)
                .dense("fc6", 256 * 6 * 6, 4096)
                .dense("fc7", 4096, 4096)
                .dense("fc8", 4096, 1000);
        return new Network("alexnet", b.layers);
    }

    private static Network resnet50() {
        Builder b = new Builder();
        b.norm = true;
        b.conv("conv1", 7, 3, 64, 112);
        int[] blocks = {3, 4, 6, 3};
        long in = 64, width = 64, size = 56;
        for (int s = 0; s < blocks.length; s++, width *= 2) {
            for (int i = 1; i <= blocks[s]; i++) {
                boolean first = i == 1;
                long before = size;
                if (first && s > 0) size /= 2;
                String name = "conv" + (s + 2) + "_" + i;
                b.conv(name + "a", 1, in, width, before)
                        .conv(name + "b", 3, width, width, size)
                        .conv(name + "c", 1, width, 4 * width, size);
                if (first) b.conv(name + "d", 1, in, 4 * width, size);
                in = 4 * width;
            }
        }
        b.dense("fc", 2048, 1000);
        return new Network("resnet50", b.layers);
    }

    private static Network inception3() {
        Builder b = new Builder();
        b.norm = true;
        b.conv("conv1a", 3, 3, 32, 149).conv("conv2a", 3, 32, 32, 147).conv("conv2b", 3, 32, 64, 147);
        b.conv("conv3b", 1, 64, 80, 73).conv("conv4a", 3, 80, 192, 71);
        inceptionA(b, "mixed5b", 192, 32);
        inceptionA(b, "mixed5c", 256, 64);
        inceptionA(b, "mixed5d", 288, 64);
        b.conv("mixed6a/3x3", 3, 288, 384, 17).conv("mixed6a/1x1", 1, 288, 64, 35);
        b.conv("mixed6a/3x3a", 3, 64, 96, 35).conv("mixed6a/3x3b", 3, 96, 96, 17);
        inceptionC(b, "mixed6b", 128);
        inceptionC(b, "mixed6c", 160);
        inceptionC(b, "mixed6d", 160);
        inceptionC(b, "mixed6e", 192);
        b.conv("mixed7a/1x1", 1, 768, 192, 17).conv("mixed7a/3x3", 3, 192, 320, 8);
        b.conv("mixed7a/1x1b", 1, 768, 192, 17).conv("mixed7a/1x7", 1, 7, 192, 192, 17);
        b.conv("mixed7a/7x1", 7, 1, 192, 192, 17).conv("mixed7a/3x3b", 3, 192, 192, 8);
        inceptionE(b, "mixed7b", 1280);
        inceptionE(b, "mixed7c", 2048);
        b.dense("fc", 2048, 1000);
        return new Network("inception3", b.layers);
    }

    private static void inceptionA(Builder b, String name, long in, long pooled) {
        b.conv(name + "/1x1", 1, in, 64, 35);
        b.conv(name + "/5x5a", 1, in, 48, 35).conv(name + "/5x5b", 5, 48, 64, 35);
        b.conv(name + "/3x3a", 1, in, 64, 35)
                .conv(name + "/3x3b", 3, 64, 96, 35)
                .conv(name + "/3x3c", 3, 96, 96, 35);
        b.conv(name + "/pool", 1, in, pooled, 35);
    }

    private static void inceptionC(Builder b, String name, long c) {
        b.conv(name + "/1x1", 1, 768, 192, 17);
        b.conv(name + "/7a", 1, 768, c, 17).conv(name + "/7b", 1, 7, c, c, 17).conv(name + "/7c", 7, 1, c, 192, 17);
        b.conv(name + "/77a", 1, 768, c, 17).conv(name + "/77b", 7, 1, c, c, 17).conv(name + "/77c", 1, 7, c, c, 17);
        b.conv(name + "/77d", 7, 1, c, c, 17).conv(name + "/77e", 1, 7, c, 192, 17);
        b.conv(name + "/pool", 1, 768, 192, 17);
    }

    private static void inceptionE(Builder b, String name, long in) {
        b.conv(name + "/1x1", 1, in, 320, 8);
        b.conv(name + "/3a", 1, in, 384, 8)
                .conv(name + "/3b", 1, 3, 384, 384, 8)
                .conv(name + "/3c", 3, 1, 384, 384, 8);
        b.conv(name + "/33a", 1, in, 448, 8).conv(name + "/33b", 3, 448, 384, 8);
        b.conv(name + "/33c", 1, 3, 384, 384, 8).conv(name + "/33d", 3, 1, 384, 384, 8);
        b.conv(name + "/pool", 1, in, 192, 8);
    }
}
