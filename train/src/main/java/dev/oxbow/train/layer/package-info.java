/**
 * Layers: descriptions that a {@link dev.oxbow.train.layer.Build} makes nodes of. Start at
 * {@link dev.oxbow.train.layer.Layer} and {@link dev.oxbow.train.layer.Dense}. One layer is one record in one file; what it
 * learns has a name that follows from its place in the model, and a seed that follows from the name.
 *
 * {@snippet :
 * Layer cnn = Layers.sequential(
 *         Layers.conv(32, 3, Value::relu),
 *         Layers.batchNorm(),
 *         Layers.residual(Layers.conv(32, 3)),
 *         Layers.maxPool(2),
 *         Layers.flatten(),
 *         Layers.dropout(0.5),
 *         Layers.dense(10).named("logits"));
 * }
 *
 * {@snippet :
 * // layers are values; the names of their classes are seldom needed
 * Dense dense = Layers.dense(64, Value::gelu).withoutBias().start(Initialiser.heNormal());
 * Conv conv = Layers.conv(8, 3).stride(2);
 * ConvTransposed up = Layers.convTransposed(8, 2);
 * Depthwise depthwise = Layers.depthwise(3);
 * Pool pool = Layers.avgPool(2).padded();
 * Sequential both = Layers.sequential(conv, pool);
 * Branches sides = Layers.concat(conv, depthwise);
 * BatchNorm batch = Layers.batchNorm();
 * LayerNorm layer = Layers.layerNorm();
 * GroupNorm group = Layers.groupNorm(4);
 * Dropout dropout = Layers.dropout(0.1);
 * Embedding embedding = Layers.embedding(10_000, 128);
 * Positions positions = Layers.positions(256);
 * Sinusoids sinusoids = Layers.sinusoids();
 * Attention attention = Layers.causalAttention(8).dropout(0.1);
 * TransformerBlock block = Layers.transformerBlock(attention, 512);
 * Recurrent lstm = Layers.lstm(64).sequences();
 * FusedLstm fused = Layers.fusedLstm(64);
 * OverTime backwards = fused.reversed();
 * Bidirectional two = Layers.bidirectional(lstm);
 * TimeDistributed each = Layers.timeDistributed(dense);
 * }
 *
 * {@snippet :
 * // a layer of one's own
 * record Scaled(double start) implements Layer {
 *     public Value apply(Build b, Value x) {
 *         Value factor = b.parameter("factor", Initialiser.constant(start), x.shape().dim(1));
 *         return b.training() ? x.times(factor) : b.layer("norm", Layers.layerNorm(), x.times(factor));
 *     }
 * }
 *
 * static Summary summary(Layer layer) {
 *     return Model.of(Input.floats("x", 8), layer, 1).summary();
 * }
 *
 * // what a model does by itself: build a layer over variables
 * static List<Parameter> built(Graph graph, Layer layer, Value x, Value training) {
 *     Variables variables = new Variables(graph, DType.F32, 42);
 *     layer.apply(new Build(graph, variables, training), x);
 *     return variables.trained();
 * }
 * }
 */
package dev.oxbow.train.layer;
