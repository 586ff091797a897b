package dev.oxbow.kernels.expr;

/** Functions that need loops or tables: pure, of one to three doubles, and the same code wherever an expression runs. */
public enum Special {
    /** C's power: 1 to any power, and -1 to an infinite one, is 1. */
    POW(2, (x, y, _) -> x == 1 || x == -1 && Double.isInfinite(y) ? 1 : StrictMath.pow(x, y)),
    LGAMMA(1, (x, _, _) -> Gamma.logGamma(x)),
    DIGAMMA(1, (x, _, _) -> Gamma.digamma(x));

    /** A function of up to three doubles; those beyond its arity are ignored. */
    public interface Scalar {
        double apply(double x, double y, double z);
    }

    private final int arity;
    private final Scalar scalar;

    Special(int arity, Scalar scalar) {
        this.arity = arity;
        this.scalar = scalar;
    }

    public int arity() {
        return arity;
    }

    public Scalar scalar() {
        return scalar;
    }
}
