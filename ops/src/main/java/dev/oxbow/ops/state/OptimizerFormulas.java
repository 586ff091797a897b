package dev.oxbow.ops.state;

import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** The formulas of the optimizers, each once. Names are those of the ops' arguments; g is the gradient. */
final class OptimizerFormulas {
    private OptimizerFormulas() {}

    /** {@code var -= alpha g}. */
    interface GradientDescent extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            return List.of(x.get("var").minus(x.gradient().times(x.get("alpha"))));
        }
    }

    /** {@code var = shrink(var - alpha g)}, see {@link #shrink}. */
    interface ProximalGradientDescent extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr alpha = x.get("alpha"), moved = x.get("var").minus(x.gradient().times(alpha));
            return List.of(shrink(x, moved, alpha));
        }
    }

    /** {@code sign(v) max(|v| - rate l1, 0) / (1 + rate l2)}: what l1 and l2 penalties leave of a step's result. */
    private static Expr shrink(OptimizerInputs x, Expr v, Expr rate) {
        Expr l1 = x.get("l1"), l2 = x.get("l2"), zero = x.constant(0);
        Expr cut = v.sign().times(v.abs().minus(rate.times(l1)).max(zero));
        return Expr.select(l1.greater(zero), cut, v).dividedBy(x.constant(1).plus(l2.times(rate)));
    }

    /** {@code accum = momentum accum + g; var -= lr accum}, or with Nesterov {@code var -= lr (g + momentum accum)}. */
    interface Momentum extends OptimizerStep {
        boolean useNesterov();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), lr = x.get("lr"), momentum = x.get("momentum");
            Expr accum = x.get("accum").times(momentum).plus(g);
            Expr move = useNesterov() ? g.times(lr).plus(accum.times(momentum).times(lr)) : accum.times(lr);
            return List.of(x.get("var").minus(move), accum);
        }
    }

    /** {@code accum = momentum accum - lr g; var += accum}, or with Nesterov {@code var += momentum accum - lr g}. */
    interface KerasMomentum extends OptimizerStep {
        boolean useNesterov();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr step = x.gradient().times(x.get("lr")), momentum = x.get("momentum");
            Expr accum = x.get("accum").times(momentum).minus(step);
            return List.of(
                    x.get("var").plus(useNesterov() ? accum.times(momentum).minus(step) : accum), accum);
        }
    }

    /** {@code accum += g^2; var -= lr g / sqrt(accum)}. */
    interface Adagrad extends OptimizerStep {
        boolean updateSlots();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), accum = updateSlots() ? x.get("accum").plus(g.square()) : x.get("accum");
            return List.of(x.get("var").minus(g.times(x.get("lr")).times(accum.rsqrt())), accum);
        }
    }

    /** {@code accum += g^2; var -= lr g / (sqrt(accum) + epsilon)}. */
    interface AdagradV2 extends OptimizerStep {
        boolean updateSlots();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), accum = updateSlots() ? x.get("accum").plus(g.square()) : x.get("accum");
            Expr scale = accum.sqrt().plus(x.get("epsilon"));
            return List.of(x.get("var").minus(g.times(x.get("lr")).dividedBy(scale)), accum);
        }
    }

    /** {@code a += g; s += g^2; var = -lr sign(a) max(|a| - l1 t, 0) / (l2 t lr + sqrt(s))} at step t. */
    interface AdagradDa extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), lr = x.get("lr"), l1 = x.get("l1"), t = x.get("global_step"), zero = x.constant(0);
            Expr sum = x.get("gradient_accumulator").plus(g);
            Expr squares = x.get("gradient_squared_accumulator").plus(g.square());
            Expr cut = sum.sign().times(sum.abs().minus(l1.times(t)).max(zero));
            Expr towards = Expr.select(l1.greater(zero), cut, sum).negated();
            Expr scale = x.get("l2").times(t).times(lr).plus(squares.sqrt());
            return List.of(lr.times(towards).dividedBy(scale), sum, squares);
        }
    }

    /** {@code accum += g^2; var = shrink(var - rate g)} with {@code rate = lr / sqrt(accum)}. */
    interface ProximalAdagrad extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(),
                    accum = x.get("accum").plus(g.square()),
                    rate = x.get("lr").times(accum.rsqrt());
            return List.of(shrink(x, x.get("var").minus(g.times(rate)), rate), accum);
        }
    }

    /** {@code accum = rho accum + (1 - rho) g^2; u = g sqrt(accum_update + eps) / sqrt(accum + eps); var -= lr u}. */
    interface Adadelta extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(),
                    rho = x.get("rho"),
                    epsilon = x.get("epsilon"),
                    rest = x.constant(1).minus(rho);
            Expr accum = x.get("accum").times(rho).plus(g.square().times(rest));
            Expr update = x.get("accum_update")
                    .plus(epsilon)
                    .sqrt()
                    .times(accum.plus(epsilon).rsqrt())
                    .times(g);
            Expr accumUpdate =
                    x.get("accum_update").times(rho).plus(update.square().times(rest));
            return List.of(x.get("var").minus(update.times(x.get("lr"))), accum, accumUpdate);
        }
    }

    /**
     * {@code m += (1 - beta1) (g - m); v += (1 - beta2) (g^2 - v); var -= a m / (sqrt(v) + epsilon)} with
     * {@code a = lr sqrt(1 - beta2^t) / (1 - beta1^t)}; Nesterov takes {@code beta1 m + (1 - beta1) g} for m.
     */
    interface Adam extends OptimizerStep {
        boolean useNesterov();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), beta1 = x.get("beta1"), m = firstMoment(x), v = secondMoment(x);
            Expr ahead = useNesterov() ? g.times(x.constant(1).minus(beta1)).plus(beta1.times(m)) : m;
            Expr move = ahead.times(adamRate(x)).dividedBy(v.sqrt().plus(x.get("epsilon")));
            return List.of(x.get("var").minus(move), m, v);
        }
    }

    /** Adam that divides by the largest {@code v} so far. */
    interface Amsgrad extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr m = firstMoment(x), v = secondMoment(x), vhat = x.get("vhat").max(v);
            Expr move = m.times(adamRate(x)).dividedBy(vhat.sqrt().plus(x.get("epsilon")));
            return List.of(x.get("var").minus(move), m, v, vhat);
        }
    }

    private static Expr firstMoment(OptimizerInputs x) {
        Expr m = x.get("m"), rest = x.constant(1).minus(x.get("beta1"));
        return m.plus(x.gradient().minus(m).times(rest));
    }

    private static Expr secondMoment(OptimizerInputs x) {
        Expr v = x.get("v"), rest = x.constant(1).minus(x.get("beta2"));
        return v.plus(x.gradient().square().minus(v).times(rest));
    }

    private static Expr adamRate(OptimizerInputs x) {
        Expr one = x.constant(1);
        return x.get("lr").times(one.minus(x.get("beta2_power")).sqrt()).dividedBy(one.minus(x.get("beta1_power")));
    }

    /** {@code m += (1 - beta1) (g - m); v = max(beta2 v, |g|); var -= lr / (1 - beta1^t) m / (v + epsilon)}. */
    interface AdaMax extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr m = firstMoment(x),
                    v = x.get("beta2").times(x.get("v")).max(x.gradient().abs());
            Expr rate = x.get("lr").dividedBy(x.constant(1).minus(x.get("beta1_power")));
            return List.of(x.get("var").minus(rate.times(m.dividedBy(v.plus(x.get("epsilon"))))), m, v);
        }
    }

    /** {@code ms += (1 - rho) (g^2 - ms); mom = momentum mom + lr g / sqrt(ms + epsilon); var -= mom}. */
    interface RmsProp extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr ms = meanSquare(x), mom = rmsStep(x, ms.plus(x.get("epsilon")));
            return List.of(x.get("var").minus(mom), ms, mom);
        }
    }

    /** RMSProp whose scale is the variance: {@code ms - mg^2} with {@code mg += (1 - rho) (g - mg)}. */
    interface CenteredRmsProp extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr ms = meanSquare(x);
            Expr mg = x.get("mg")
                    .plus(x.gradient().minus(x.get("mg")).times(x.constant(1).minus(x.get("rho"))));
            Expr mom = rmsStep(x, ms.minus(mg.square()).plus(x.get("epsilon")));
            return List.of(x.get("var").minus(mom), mg, ms, mom);
        }
    }

    private static Expr meanSquare(OptimizerInputs x) {
        Expr ms = x.get("ms"), rest = x.constant(1).minus(x.get("rho"));
        return ms.plus(x.gradient().square().minus(ms).times(rest));
    }

    private static Expr rmsStep(OptimizerInputs x, Expr scale) {
        Expr step = x.gradient().times(x.get("lr")).dividedBy(scale.sqrt());
        return x.get("mom").times(x.get("momentum")).plus(step);
    }

    /**
     * {@code n = accum + g^2; linear += h - (n^p - accum^p) / lr var; var = (clip(linear, l1) - linear) / (n^p / lr + 2 l2)}
     * with {@code p = -lr_power} and {@code h = g + 2 l2_shrinkage var}; linear may be kept multiplied by lr.
     */
    interface Ftrl extends OptimizerStep {
        boolean multiplyLinearByLr();

        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), v = x.get("var"), lr = x.get("lr"), l1 = x.get("l1"), l2 = x.get("l2");
            Expr power = x.get("lr_power").negated(), two = x.constant(2);
            Expr pulled = x.byName().containsKey("l2_shrinkage")
                    ? g.plus(two.times(x.get("l2_shrinkage")).times(v))
                    : g;
            Expr accum = x.get("accum").plus(g.square());
            Expr now = accum.pow(power), growth = now.minus(x.get("accum").pow(power));
            Expr linear, bound, quadratic;
            if (multiplyLinearByLr()) {
                linear = x.get("linear").plus(pulled.times(lr).minus(growth.times(v)));
                bound = l1.times(lr);
                quadratic = now.plus(two.times(l2).times(lr));
            } else {
                linear = x.get("linear").plus(pulled.minus(growth.dividedBy(lr).times(v)));
                bound = l1;
                quadratic = now.dividedBy(lr).plus(two.times(l2));
            }
            Expr kept = bound.times(linear.sign()).minus(linear).dividedBy(quadratic);
            Expr next = Expr.select(linear.abs().greater(bound), kept, x.constant(0));
            return List.of(next, accum, linear);
        }
    }

    /** {@code m = beta m + (1 - beta) g; var -= lr (alpha + sign_decay sign(g) sign(m)) g}. */
    interface AddSign extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), m = decayed(x);
            Expr scale = x.get("alpha").plus(x.get("sign_decay").times(g.sign().times(m.sign())));
            return List.of(x.get("var").minus(x.get("lr").times(scale).times(g)), m);
        }
    }

    /** {@code m = beta m + (1 - beta) g; var -= lr exp(logbase sign_decay sign(g) sign(m)) g}. */
    interface PowerSign extends OptimizerStep {
        @Override
        default List<Expr> step(OptimizerInputs x) {
            Expr g = x.gradient(), m = decayed(x);
            Expr scale = x.get("logbase")
                    .times(x.get("sign_decay"))
                    .times(g.sign().times(m.sign()))
                    .exp();
            return List.of(x.get("var").minus(x.get("lr").times(scale).times(g)), m);
        }
    }

    private static Expr decayed(OptimizerInputs x) {
        Expr beta = x.get("beta");
        return x.get("m").times(beta).plus(x.gradient().times(x.constant(1).minus(beta)));
    }
}
