package dev.oxbow.kernels.expr;

/** Activation functions in TensorFlow's formulas. */
final class Activations {
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
}
