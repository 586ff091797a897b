package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Sends piece q of the rows to rank q of a group, and gives the pieces that came from all ranks one after the other, and
 * their rows. {@code rows} has the rows of each piece; when it is empty, all ranks have equally many rows and cut them as
 * evenly as can be, else ranks tell each other first.
 */
@Signature(
        "AllToAll(tensor: T, rows: int64) -> (output: T, received: int64) {T: type in [NUMBER BOOL]; group: string = \"\"; key: string = \"\"; timeout_ms: int = 0} stateful")
public record AllToAll(String group, String key, int timeoutMs) implements CollectiveOp {

    /** Between all ranks, matched by the node's name. */
    public AllToAll() {
        this("", "", 0);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Rows.checkCounts(c, 1);
        return List.of(Rows.any(c).deref(), Rows.counts());
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Group g = group(c);
        Options o = options(c);
        long rows = c.input(0).shape().dim(0);
        long[] sent = c.input(1).size() == 0 ? g.even(rows) : c.input(1).longs();
        require(
                sent.length == g.size()
                        && Rows.total(sent) == rows
                        && Arrays.stream(sent).allMatch(r -> r >= 0),
                INVALID_ARGUMENT,
                "rows must be %d numbers with the sum %d, got %s",
                g.size(),
                rows,
                Arrays.toString(sent));
        Waiting.start(c, w -> {
            long[] received = new long[sent.length];
            if (c.input(1).size() == 0) {
                Arrays.fill(received, sent[g.rank()]);
                exchange(c, w, g, o, sent, received);
                return;
            }
            Tensor told = w.hold(c.temporary(DType.I64, Shape.of(sent.length)));
            Tensor heard = w.hold(c.temporary(DType.I64, Shape.of(sent.length)));
            for (int i = 0; i < sent.length; i++) told.setLong(i, sent[i]);
            long[] ones = new long[sent.length];
            Arrays.fill(ones, 1);
            Options first = o.withName(o.name() + "/rows");
            w.phase(
                    () -> w.add(g.allToAll(Elements.of(told), ones, Elements.of(heard), ones, first)),
                    () -> exchange(c, w, g, o, sent, heard.longs()));
        });
    }

    private static void exchange(KernelContext c, Waiting w, Group g, Options o, long[] sent, long[] received) {
        Tensor x = c.input(0), y = c.allocate(0, x.shape().withDim(0, Rows.total(received)));
        Rows.give(c, 1, received);
        long[] sends = Rows.elements(sent, x.shape()), receives = Rows.elements(received, x.shape());
        w.phase(() -> w.add(g.allToAll(Elements.of(x), sends, Elements.of(y), receives, o)), w::done);
    }

    /** {@code dy} goes back the way that {@code y} came. */
    @Override
    public List<Value> gradient(GradientContext g) {
        AllToAll back = new AllToAll(group, gradientKey(g.graph()), timeoutMs);
        return Arrays.asList(Value.applyAll(back, g.gradient(0), g.output(1)).get(0), null);
    }
}
