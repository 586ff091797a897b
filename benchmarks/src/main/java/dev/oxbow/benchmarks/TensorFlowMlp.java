package dev.oxbow.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Gradients;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.Variable;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.types.TFloat32;

/** The same perceptron in TensorFlow Java, in graph mode with its own gradients. */
final class TensorFlowMlp implements Workload {
    private final Graph graph = new Graph();
    private final Session session;
    private final Operand<TFloat32> loss;
    private final List<Op> updates = new ArrayList<>();
    private final Placeholder<TFloat32> x;
    private final Placeholder<TFloat32> y;
    private final TFloat32 images = tensor(Data.images(), Data.BATCH, 784);
    private final TFloat32 labels = tensor(Data.labels(), Data.BATCH, 10);
    private double result;

    TensorFlowMlp(int threads) {
        Ops tf = Ops.create(graph);
        x = tf.placeholder(TFloat32.class, Placeholder.shape(Shape.of(Data.BATCH, 784)));
        y = tf.placeholder(TFloat32.class, Placeholder.shape(Shape.of(Data.BATCH, 10)));
        List<Op> init = new ArrayList<>();
        List<Variable<TFloat32>> variables = new ArrayList<>();
        Operand<TFloat32> h = x;
        for (int i = 0; i < 3; i++) {
            Variable<TFloat32> w = tf.variable(Shape.of(Data.SIZES[i], Data.SIZES[i + 1]), TFloat32.class);
            Variable<TFloat32> b = tf.variable(Shape.of(Data.SIZES[i + 1]), TFloat32.class);
            init.add(tf.assign(w, tf.reshape(tf.constant(Data.weights(i)), tf.constant(new int[] {
                Data.SIZES[i], Data.SIZES[i + 1]
            }))));
            init.add(tf.assign(b, tf.constant(new float[Data.SIZES[i + 1]])));
            variables.addAll(List.of(w, b));
            h = tf.nn.biasAdd(tf.linalg.matMul(h, w), b);
            if (i < 2) h = tf.nn.relu(h);
        }
        loss = tf.math.mean(tf.nn.softmaxCrossEntropyWithLogits(h, y).loss(), tf.constant(0));
        Gradients gradients = tf.gradients(loss, variables);
        List<Op> computed = new ArrayList<>();
        for (int i = 0; i < variables.size(); i++) computed.add(gradients.dy(i));
        Ops after = tf.withControlDependencies(computed);
        for (int i = 0; i < variables.size(); i++) {
            updates.add(after.train.applyGradientDescent(
                    variables.get(i), tf.constant(Data.RATE), gradients.<TFloat32>dy(i)));
        }
        session = new Session(
                graph,
                ConfigProto.newBuilder()
                        .setIntraOpParallelismThreads(threads)
                        .setInterOpParallelismThreads(threads)
                        .build());
        Session.Runner runner = session.runner();
        init.forEach(runner::addTarget);
        runner.run().close();
    }

    private static TFloat32 tensor(float[] values, long... shape) {
        return TFloat32.tensorOf(Shape.of(shape), DataBuffers.of(values, true, false));
    }

    @Override
    public String name() {
        return "tensorflow java";
    }

    @Override
    public void step() {
        Session.Runner runner = session.runner().feed(x, images).feed(y, labels).fetch(loss);
        updates.forEach(runner::addTarget);
        try (Result r = runner.run()) {
            result = ((TFloat32) r.get(0)).getFloat();
        }
    }

    @Override
    public double result() {
        return result;
    }

    @Override
    public void close() {
        session.close();
        graph.close();
        images.close();
        labels.close();
    }
}
