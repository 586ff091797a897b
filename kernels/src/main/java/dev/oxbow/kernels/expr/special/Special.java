package dev.oxbow.kernels.expr.special;

/** Functions that need loops or tables: pure, of one to three doubles, the same code wherever an expression runs. */
public enum Special {
    /** C's power: 1 to any power, and -1 to an infinite one, is 1. */
    POW(2, (x, y, _) -> x == 1 || x == -1 && Double.isInfinite(y) ? 1 : StrictMath.pow(x, y)),

    LGAMMA(1, (x, _, _) -> Gamma.logGamma(x)),
    DIGAMMA(1, (x, _, _) -> Gamma.digamma(x)),
    POLYGAMMA(2, (n, x, _) -> Zeta.polygamma(n, x)),
    ZETA(2, (x, q, _) -> Zeta.hurwitz(x, q)),
    /** The regularised lower incomplete gamma function of (a, x). */
    IGAMMA(2, (a, x, _) -> IncompleteGamma.lower(a, x)),
    /** The regularised upper incomplete gamma function of (a, x). */
    IGAMMAC(2, (a, x, _) -> IncompleteGamma.upper(a, x)),
    /** The derivative of {@link #IGAMMA} by a. */
    IGAMMA_GRAD_A(2, (a, x, _) -> IncompleteGamma.derivative(a, x)),
    /** The derivative by a of a sample x of the gamma distribution with shape a. */
    RANDOM_GAMMA_GRAD(2, (a, x, _) -> IncompleteGamma.sampleDerivative(a, x)),
    /** The regularised incomplete beta function of (a, b, x). */
    BETAINC(3, IncompleteBeta::regularised),

    ERFINV(1, (x, _, _) -> InverseErrors.erfinv(x)),
    /** The quantile function of the standard normal distribution. */
    NDTRI(1, (p, _, _) -> InverseErrors.normalQuantile(p)),

    BESSEL_I0(1, (x, _, _) -> ModifiedBessel.i(0, x, false)),
    BESSEL_I0E(1, (x, _, _) -> ModifiedBessel.i(0, x, true)),
    BESSEL_I1(1, (x, _, _) -> ModifiedBessel.i(1, x, false)),
    BESSEL_I1E(1, (x, _, _) -> ModifiedBessel.i(1, x, true)),
    BESSEL_K0(1, (x, _, _) -> ModifiedBessel.k(0, x, false)),
    BESSEL_K0E(1, (x, _, _) -> ModifiedBessel.k(0, x, true)),
    BESSEL_K1(1, (x, _, _) -> ModifiedBessel.k(1, x, false)),
    BESSEL_K1E(1, (x, _, _) -> ModifiedBessel.k(1, x, true)),
    BESSEL_J0(1, (x, _, _) -> Bessel.j0(x)),
    BESSEL_J1(1, (x, _, _) -> Bessel.j1(x)),
    BESSEL_Y0(1, (x, _, _) -> Bessel.y0(x)),
    BESSEL_Y1(1, (x, _, _) -> Bessel.y1(x)),

    /** {@code exp(-x^2)} times the integral of {@code exp(t^2)} from 0 to x. */
    DAWSN(1, (x, _, _) -> Integrals.dawson(x)),
    /** The exponential integral Ei of positive numbers. */
    EXPINT(1, (x, _, _) -> Integrals.exponential(x)),
    FRESNEL_COS(1, (x, _, _) -> Integrals.fresnelCos(x)),
    FRESNEL_SIN(1, (x, _, _) -> Integrals.fresnelSin(x)),
    /** The dilogarithm of {@code 1 - x}. */
    SPENCE(1, (x, _, _) -> Integrals.spence(x));

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
