package dev.oxbow.ops;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The CPU kernel of an elementwise op: its expression, compiled for the dtypes that come. */
public final class ElementwiseCpu implements Kernel {
    private final Elementwise op;
    private DType[] dtypes;
    private ElementwiseKernel kernel;

    public ElementwiseCpu(Elementwise op) {
        this.op = op;
    }

    @Override
    public void run(KernelContext c) {
        Tensor[] in = new Tensor[c.inputCount()];
        for (int i = 0; i < in.length; i++) in[i] = c.input(i);
        Tensor[] out = new Tensor[c.outputCount()];
        for (int i = 0; i < out.length; i++) out[i] = c.output(i);
        kernel(in).run(c.parallel(), out[0].shape(), in, out);
    }

    private synchronized ElementwiseKernel kernel(Tensor[] in) {
        DType[] now = new DType[in.length];
        for (int i = 0; i < now.length; i++) now[i] = in[i].dtype();
        if (!Arrays.equals(now, dtypes)) {
            List<Expr> inputs = new ArrayList<>();
            for (int i = 0; i < now.length; i++) inputs.add(Expr.input(i, now[i]));
            kernel = ElementwiseKernel.of(op.expressions(inputs));
            dtypes = now;
        }
        return kernel;
    }
}
