package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.compile.RowKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Softmax and its losses over rows: the last dimension, for floating types. Inputs and outputs may be the same
 * memory.
 */
public final class Softmax {

    /* 16-bit floats are computed in f32 and rounded once. The greatest logit is taken away first, so exp stays in range. */

    private static final Map<DType, RowKernel> SOFTMAX = new ConcurrentHashMap<>();
    private static final Map<DType, RowKernel> LOG = new ConcurrentHashMap<>();
    private static final Map<DType, RowKernel> SPARSE = new ConcurrentHashMap<>();
    private static final Map<Dense, RowKernel> DENSE = new ConcurrentHashMap<>();
    private static final Map<DType, ElementwiseKernel> LOSS = new ConcurrentHashMap<>();

    /** Which of logits and labels are one value for a whole row. */
    private record Dense(DType dtype, boolean logitPerRow, boolean labelPerRow) {}

    private Softmax() {}

    /** {@code y = exp(x - max) / sum(exp(x - max))}. */
    public static void run(Tensor x, Tensor y, Parallel parallel) {
        if (x.size() == 0) return;
        long columns = x.shape().dim(-1);
        SOFTMAX.computeIfAbsent(x.dtype(), Softmax::softmax)
                .run(parallel, x.size() / columns, columns, new Tensor[] {x}, new Tensor[] {y});
    }

    private static RowKernel softmax(DType dtype) {
        return formula(dtype).kernel();
    }

    /** Of one row of logits. */
    public static RowFormula formula(DType dtype) {
        RowFormula f = new RowFormula();
        return f.store(joined(f, f.matrix(dtype)));
    }

    /** The softmax of rows that another formula has made. */
    public static Expr joined(RowFormula f, Expr logits) {
        Rows r = new Rows(f, logits.cast(Scratch.computed(logits.dtype())));
        return r.kept.times(r.sum.reciprocal()).cast(logits.dtype());
    }

    /** {@code y = x - max - log(sum(exp(x - max)))}. */
    public static void log(Tensor x, Tensor y, Parallel parallel) {
        if (x.size() == 0) return;
        long columns = x.shape().dim(-1);
        LOG.computeIfAbsent(x.dtype(), Softmax::logSoftmax)
                .run(parallel, x.size() / columns, columns, new Tensor[] {x}, new Tensor[] {y});
    }

    private static RowKernel logSoftmax(DType dtype) {
        return logFormula(dtype).kernel();
    }

    /** Of one row of logits. */
    public static RowFormula logFormula(DType dtype) {
        RowFormula f = new RowFormula();
        Expr x = f.matrix(dtype).cast(Scratch.computed(dtype)), centred = x.minus(f.fold(Fold.GREATEST, x));
        Expr sum = f.fold(Fold.SUM, centred.exp());
        return f.store(centred.minus(sum.log()).cast(dtype));
    }

    /** Loss and gradient of a row of logits and one of labels. */
    public static RowFormula lossFormula(DType dtype) {
        DType computed = Scratch.computed(dtype);
        RowFormula f = new RowFormula();
        Expr x = f.matrix(dtype).cast(computed), labels = f.matrix(dtype).cast(computed);
        Rows r = new Rows(f, x);
        Expr chosen = f.fold(Fold.SUM, r.centred.mulNoNan(labels)), weight = f.fold(Fold.SUM, labels);
        return f.storePerRow(weight.times(r.sum.log()).minus(chosen).cast(dtype))
                .store(r.kept.times(r.sum.reciprocal()).minus(labels).cast(dtype));
    }

    /** Loss and gradient of a row of logits and the number of its class. */
    public static RowFormula sparseLossFormula(DType dtype, DType labels) {
        RowFormula f = new RowFormula();
        List<Expr> both = joinedSparseLoss(f, f.matrix(dtype), f.perRow(labels));
        return f.storePerRow(both.get(0)).store(both.get(1));
    }

    /** Loss and gradient of rows that another formula has made. */
    public static List<Expr> joinedSparseLoss(RowFormula f, Expr logits, Expr label) {
        Expr x = logits.cast(Scratch.computed(logits.dtype())),
                isLabel = f.column().cast(label.dtype()).equalTo(label);
        Rows r = new Rows(f, x);
        Expr zero = x.literal(0), least = x.literal(Double.NEGATIVE_INFINITY);
        Expr chosen = f.fold(Fold.GREATEST, Expr.select(isLabel, r.centred, least)); // cheaper than the sum of one
        Expr p = r.kept.times(r.sum.reciprocal()), gradient = p.minus(Expr.select(isLabel, x.literal(1), zero));
        return List.of(r.sum.log().minus(chosen).cast(logits.dtype()), gradient.cast(logits.dtype()));
    }

    /**
     * {@code loss = sum(labels * (log(sum(exp(x - max))) - (x - max)))} and its gradient to the logits,
     * {@code softmax(x) - labels}. Labels and logits are rows of {@code dx}'s shape, or one row repeated for all, or
     * one value repeated for each row.
     */
    public static void crossEntropy(Tensor logits, Tensor labels, Tensor loss, Tensor dx, Parallel parallel) {
        long columns = dx.shape().dim(-1);
        if (columns == 0) Memory.zero(loss.address(), loss.byteSize());
        if (dx.size() == 0) return;
        Dense key = new Dense(dx.dtype(), isPerRow(logits, columns), isPerRow(labels, columns));
        long rows = dx.size() / columns;
        DType computed = Scratch.computed(dx.dtype());
        try (Scratch s = new Scratch(MemoryPool.shared(), parallel)) {
            Tensor sum = s.tensor(computed, rows), chosen = s.tensor(computed, rows), weight = s.tensor(computed, rows);
            DENSE.computeIfAbsent(key, Softmax::dense)
                    .run(parallel, rows, columns, new Tensor[] {logits, labels}, new Tensor[] {sum, chosen, weight, dx
                    });
            loss(parallel, sum, chosen, weight, loss);
        }
    }

    /** {@code loss = weight * log(sum) - chosen}, apart from the rows, whose code must stay short. */
    private static void loss(Parallel parallel, Tensor sum, Tensor chosen, Tensor weight, Tensor loss) {
        LOSS.computeIfAbsent(loss.dtype(), dtype -> {
                    DType t = Scratch.computed(dtype);
                    Expr log = Expr.input(0, t).log();
                    return ElementwiseKernel.of(
                            Expr.input(2, t).times(log).minus(Expr.input(1, t)).cast(dtype));
                })
                .run(parallel, loss.shape(), new Tensor[] {sum, chosen, weight}, new Tensor[] {loss});
    }

    private static boolean isPerRow(Tensor t, long columns) {
        return t.shape().dim(-1) == 1 && columns != 1;
    }

    private static RowKernel dense(Dense key) {
        DType computed = Scratch.computed(key.dtype);
        RowFormula f = new RowFormula();
        Expr x = (key.logitPerRow ? f.perRow(key.dtype) : f.matrix(key.dtype)).cast(computed);
        Expr labels = (key.labelPerRow ? f.perRow(key.dtype) : f.matrix(key.dtype)).cast(computed);
        Rows r = new Rows(f, x);
        // A label of 0 contributes nothing even where the logit is -inf.
        Expr chosen = f.fold(Fold.SUM, r.centred.mulNoNan(labels)), weight = f.fold(Fold.SUM, labels);
        return f.storePerRow(r.sum)
                .storePerRow(chosen)
                .storePerRow(weight)
                .store(r.kept.times(r.sum.reciprocal()).minus(labels).cast(key.dtype))
                .kernel();
    }

    /** The same for one class per row; a label outside [0, classes) is an error. */
    public static void sparseCrossEntropy(Tensor logits, Tensor labels, Tensor loss, Tensor dx, Parallel parallel) {
        long classes = logits.shape().dim(-1), rows = labels.size();
        if (logits.size() == 0) return;
        try (Scratch s = new Scratch(MemoryPool.shared(), parallel)) {
            DType computed = Scratch.computed(logits.dtype());
            Tensor classOf = s.tensor(DType.I32, rows),
                    sum = s.tensor(computed, rows),
                    chosen = s.tensor(computed, rows);
            for (long r = 0; r < rows; r++) {
                long label = labels.getLong(r);
                if (label < 0 || label >= classes) {
                    throw new OxbowException(INVALID_ARGUMENT, noClass(r, label, classes));
                }
                classOf.setLong(r, label);
            }
            SPARSE.computeIfAbsent(logits.dtype(), Softmax::sparse)
                    .run(parallel, rows, classes, new Tensor[] {logits, classOf}, new Tensor[] {sum, chosen, dx});
            Tensor weight = s.tensor(computed);
            weight.set(0, 1);
            loss(parallel, sum, chosen, weight, loss);
        }
    }

    /** What is wrong with a label that is no class. */
    public static String noClass(long row, long label, long classes) {
        return "Received a label value of %d which is outside the valid range of [0, %d). labels[%d]"
                .formatted(label, classes, row);
    }

    private static RowKernel sparse(DType dtype) {
        RowFormula f = new RowFormula();
        Expr x = f.matrix(dtype).cast(Scratch.computed(dtype)),
                isLabel = f.column().equalTo(f.perRow(DType.I32));
        Rows r = new Rows(f, x);
        Expr zero = x.literal(0), chosen = f.fold(Fold.SUM, Expr.select(isLabel, r.centred, zero));
        Expr p = r.kept.times(r.sum.reciprocal());
        return f.storePerRow(r.sum)
                .storePerRow(chosen)
                .store(p.minus(Expr.select(isLabel, x.literal(1), zero)).cast(dtype))
                .kernel();
    }

    /** What all share: logits less the greatest of their row, exp of that, and its sum. */
    private static final class Rows {
        final Expr centred;
        final Expr kept;
        final Expr sum;

        Rows(RowFormula f, Expr x) {
            centred = x.minus(f.fold(Fold.GREATEST, x));
            kept = f.keep(centred.exp());
            sum = f.fold(Fold.SUM, kept);
        }
    }
}
