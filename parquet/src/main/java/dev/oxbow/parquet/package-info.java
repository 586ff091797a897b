/**
 * Parquet files, through Apache Parquet's own library: {@link dev.oxbow.parquet.Parquet} says which columns become tensors of a sample.
 * Footers and pages are the library's, values go from its decoders to arrays and from there to rows of a batch. A row group is read
 * when one of its rows is needed first, its columns by all threads that need one, and forgotten with its last row.
 *
 * {@snippet :
 * Pipeline<Batch> batches = Parquet.of()
 *         .with(DType.F32, "age", "income")
 *         .withList(DType.F32, "embedding", 64)
 *         .with(DType.I64, "class")
 *         .read("data/part-*.parquet")
 *         .batch(64);
 * }
 */
package dev.oxbow.parquet;
