package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import org.openjdk.jmh.annotations.Param;

/** Matrix products: square ones and those of the perceptron, {@code mxkxn} with a mark for each transposed side. */
public class Gemm extends OneOp {
    @Param({
        "512x512x512",
        "1024x1024x1024",
        "2048x2048x2048",
        "128x784x512",
        "128x512x256",
        "128x256x10",
        "784x128x512",
        "32x256x1024"
    })
    public String size;

    /** Which sides are transposed: a letter for each, n or t. */
    @Param({"nn", "tn", "nt"})
    public String form;

    @Override
    protected Value build() {
        long[] s = sizes(size);
        boolean a = form.charAt(0) == 't', b = form.charAt(1) == 't';
        Value x = a ? floats(s[1], s[0]) : floats(s[0], s[1]), y = b ? floats(s[2], s[1]) : floats(s[1], s[2]);
        return x.matMul(y, a, b);
    }
}
