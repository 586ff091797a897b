package dev.oxbow.interop;

import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Gradients;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.Variable;
import org.tensorflow.op.nn.Conv2d;
import org.tensorflow.types.TFloat32;

/** Graphs that TensorFlow Java built, with the gradients it wrote, run here with its answers, updates included. */
final class TheirGraphsTest {

    @Test
    void aPerceptronTrainsAsInTensorFlow() {
        train(g -> {
            Operand<TFloat32> h = g.tf.nn.relu(g.dense(g.x, 12, 16));
            h = g.tf.math.tanh(g.dense(h, 16, 8));
            return g.dense(h, 8, 3);
        });
    }

    @Test
    void aConvolutionalNetworkTrainsAsInTensorFlow() {
        train(g -> {
            Operand<TFloat32> image = g.tf.reshape(g.x, g.tf.constant(new int[] {-1, 3, 4, 1}));
            Operand<TFloat32> h = g.tf.nn.conv2d(
                    image, g.variable(2, 2, 1, 4), List.of(1L, 1L, 1L, 1L), "SAME", Conv2d.dataFormat("NHWC"));
            h = g.tf.nn.relu(g.tf.nn.biasAdd(h, g.variable(4)));
            h = g.tf.nn.maxPool(
                    h, g.tf.constant(new int[] {1, 2, 2, 1}), g.tf.constant(new int[] {1, 2, 2, 1}), "SAME");
            return g.dense(g.tf.reshape(h, g.tf.constant(new int[] {-1, 16})), 16, 3);
        });
    }

    /** A network being built by TensorFlow Java's own API. */
    private static final class Network {
        final Graph graph = new Graph();
        final Ops tf = Ops.create(graph);
        final Placeholder<TFloat32> x = tf.withName("x")
                .placeholder(TFloat32.class, Placeholder.shape(org.tensorflow.ndarray.Shape.of(-1, 12)));
        final Placeholder<TFloat32> y =
                tf.withName("y").placeholder(TFloat32.class, Placeholder.shape(org.tensorflow.ndarray.Shape.of(-1, 3)));
        final List<Variable<TFloat32>> variables = new ArrayList<>();
        final List<String> initialisers = new ArrayList<>();
        private final Random random = new Random(3);

        Operand<TFloat32> variable(long... dims) {
            org.tensorflow.ndarray.Shape shape = org.tensorflow.ndarray.Shape.of(dims);
            Variable<TFloat32> v = tf.variable(shape, TFloat32.class);
            float[] start = new float[Math.toIntExact(shape.size())];
            for (int i = 0; i < start.length; i++) start[i] = (float) (random.nextGaussian() * 0.3);
            Operand<TFloat32> value = tf.reshape(tf.constant(start), tf.constant(shape));
            initialisers.add(tf.assign(v, value).op().name());
            variables.add(v);
            return v;
        }

        Operand<TFloat32> dense(Operand<TFloat32> in, int from, int to) {
            return tf.nn.biasAdd(tf.linalg.matMul(in, variable(from, to)), variable(to));
        }
    }

    private interface Model {
        Operand<TFloat32> logits(Network g);
    }

    private static void train(Model model) {
        Network g = new Network();
        Operand<TFloat32> logits = model.logits(g);
        Operand<TFloat32> loss = g.tf.math.mean(
                g.tf.nn.softmaxCrossEntropyWithLogits(logits, g.y).loss(), g.tf.constant(0));
        Gradients gradients = g.tf.gradients(loss, g.variables);
        List<String> updates = new ArrayList<>(),
                fetches = new ArrayList<>(List.of(loss.op().name() + ":0"));
        List<Op> computed =
                new ArrayList<>(); // without this order, updates race with gradients that read the variables
        for (int i = 0; i < g.variables.size(); i++) computed.add(gradients.dy(i));
        Ops after = g.tf.withControlDependencies(computed);
        for (int i = 0; i < g.variables.size(); i++) {
            Op update = after.train.applyGradientDescent(
                    g.variables.get(i), g.tf.constant(0.1f), gradients.<TFloat32>dy(i));
            updates.add(update.op().name());
            fetches.add(gradients.dy(i).op().name() + ":" + gradients.dy(i).index());
        }
        Random random = new Random(5);
        float[] x = new float[5 * 12], y = new float[5 * 3];
        for (int i = 0; i < x.length; i++) x[i] = (float) random.nextGaussian();
        for (int i = 0; i < 5; i++) y[3 * i + random.nextInt(3)] = 1;
        Map<String, Tensor> feeds = Map.of("x:0", Tensor.of(Shape.of(5, 12), x), "y:0", Tensor.of(Shape.of(5, 3), y));
        byte[] bytes = g.graph.toGraphDef().toByteArray();
        g.graph.close();
        try (TensorFlow theirs = new TensorFlow(bytes);
                Session ours = Session.open(GraphImporter.read(bytes))) {
            theirs.run(Map.of(), List.of(), g.initialisers);
            ours.run(Map.of(), List.of(), g.initialisers);
            for (int step = 0; step < 10; step++) {
                List<Tensor> wanted = theirs.run(feeds, fetches, List.of()), got = ours.run(feeds, fetches, List.of());
                for (int i = 0; i < got.size(); i++)
                    DifferentialTest.assertNear(wanted.get(i), got.get(i), "step " + step + ", " + fetches.get(i));
                theirs.run(feeds, List.of(), updates);
                ours.run(feeds, List.of(), updates);
            }
        }
    }
}
