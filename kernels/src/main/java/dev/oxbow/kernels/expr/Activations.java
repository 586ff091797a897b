package dev.oxbow.kernels.expr;

/** Activation functions and the gradients that TensorFlow has as ops, in its formulas; {@code y} is the op's output. */
public final class Activations {
    private static final double SELU_SCALE = 1.0507009873554804934193349852946;
    private static final double SELU_SCALE_ALPHA = 1.7580993408473768599402175208123;

    private Activations() {}

    static Expr leakyRelu(Expr x, double alpha) {
        return Expr.select(x.greater(x.literal(0)), x, x.times(x.literal(alpha)));
    }

    static Expr elu(Expr x) {
        return Lower.unary(Powers.floating("elu", x), v -> Expr.select(v.less(v.literal(0)), v.expm1(), v));
    }

    static Expr selu(Expr x) {
        return Lower.unary(Powers.floating("selu", x), v -> {
            Expr negative = v.expm1().times(v.literal(SELU_SCALE_ALPHA));
            return Expr.select(v.less(v.literal(0)), negative, v.times(v.literal(SELU_SCALE)));
        });
    }

    /** {@code log(1 + exp(x))}, which is x or exp(x) where the other term does not count. */
    static Expr softplus(Expr x) {
        double epsilon = switch (x.dtype()) {
            case F64 -> 0x1p-52;
            case F16 -> 0x1p-10;
            case BF16 -> 0x1p-7;
            default -> 0x1p-23;
        };
        double threshold = Math.log(epsilon) + 2;
        return Lower.unary(Powers.floating("softplus", x), v -> {
            Expr e = v.exp();
            Expr small = Expr.select(v.less(v.literal(threshold)), e, e.log1p());
            return Expr.select(v.greater(v.literal(-threshold)), v, small);
        });
    }

    static Expr softsign(Expr x) {
        return Lower.unary(
                Powers.floating("softsign", x), v -> v.dividedBy(v.abs().plus(v.literal(1))));
    }

    public static Expr sigmoidGrad(Expr y, Expr dy) {
        Expr c = y.conj();
        return dy.times(c).times(y.literal(1).minus(c));
    }

    public static Expr tanhGrad(Expr y, Expr dy) {
        Expr c = y.conj();
        return dy.times(y.literal(1).minus(c.times(c)));
    }

    public static Expr reciprocalGrad(Expr y, Expr dy) {
        Expr c = y.conj();
        return c.negated().times(dy).times(c);
    }

    public static Expr sqrtGrad(Expr y, Expr dy) {
        return y.literal(0.5).times(dy).dividedBy(y.conj());
    }

    public static Expr rsqrtGrad(Expr y, Expr dy) {
        Expr c = y.conj();
        return y.literal(-0.5).times(dy.times(c)).times(c.times(c));
    }

    public static Expr reluGrad(Expr dy, Expr x) {
        return Expr.select(x.greater(x.literal(0)), dy, dy.literal(0));
    }

    public static Expr relu6Grad(Expr dy, Expr x) {
        Expr inside = x.greater(x.literal(0)).and(x.less(x.literal(6)));
        return Expr.select(inside, dy, dy.literal(0));
    }

    public static Expr leakyReluGrad(Expr dy, Expr x, double alpha) {
        return Expr.select(x.greater(x.literal(0)), dy, dy.times(dy.literal(alpha)));
    }

    /** By the output of Elu. */
    public static Expr eluGrad(Expr dy, Expr y) {
        return Expr.select(y.less(y.literal(0)), y.plus(y.literal(1)).times(dy), dy);
    }

    /** By the output of Selu. */
    public static Expr seluGrad(Expr dy, Expr y) {
        Expr negative = dy.times(y.plus(y.literal(SELU_SCALE_ALPHA)));
        return Expr.select(y.less(y.literal(0)), negative, dy.times(dy.literal(SELU_SCALE)));
    }

    public static Expr softplusGrad(Expr dy, Expr x) {
        return dy.dividedBy(x.negated().exp().plus(x.literal(1)));
    }

    public static Expr softsignGrad(Expr dy, Expr x) {
        Expr d = x.abs().plus(x.literal(1));
        return dy.dividedBy(d.times(d));
    }
}
