package dev.oxbow.kernels.random;

/** Uniform and normal doubles taken from shared blocks, the later of each pair first. */
final class Pairs {
    private final Philox stream;
    private final int[] block = new int[4];
    private final double[] normals = new double[2];
    private final double[] uniforms = new double[2];
    private int normalsLeft;
    private int uniformsLeft;

    Pairs(Philox stream) {
        this.stream = stream;
    }

    double normal() {
        if (normalsLeft == 0) {
            stream.next(block);
            Samples.normal(block[0], block[1], block[2], block[3], normals);
            normalsLeft = 2;
        }
        return normals[--normalsLeft];
    }

    double uniform() {
        if (uniformsLeft == 0) {
            stream.next(block);
            uniforms[0] = Samples.toDouble(block[0], block[1]);
            uniforms[1] = Samples.toDouble(block[2], block[3]);
            uniformsLeft = 2;
        }
        return uniforms[--uniformsLeft];
    }
}
