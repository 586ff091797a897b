/**
 * Functions of graphs in pipelines: {@link dev.oxbow.data.graph.GraphFunction}.
 *
 * {@snippet :
 * GraphFunction halved = GraphFunction.of(
 *         List.of(new TensorType(DType.F32, Shape.of(4)), new TensorType(DType.I32, Shape.SCALAR)),
 *         s -> List.of(s.get(0).times(0.5f), s.get(1)));
 * Pipeline<Batch> batches = Pipeline.rows(Tensor.zeros(DType.F32, Shape.of(100, 4)), Tensor.zeros(DType.I32, Shape.of(100)))
 *         .map("halve", 0, halved) // an element at a time
 *         .batch(32)
 *         .map("halve again", 0, halved.onBatches()); // all rows of a batch at once
 * }
 */
package dev.oxbow.data.graph;
