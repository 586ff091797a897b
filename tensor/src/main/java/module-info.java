/** Dtypes, shapes, tensors and pooled off-heap memory. */
module dev.oxbow.tensor {
    exports dev.oxbow.tensor;
}
