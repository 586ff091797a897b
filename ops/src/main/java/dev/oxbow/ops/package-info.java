/**
 * The fluent API, and what ops are written with. Start with {@link dev.oxbow.ops.Value} and {@link dev.oxbow.ops.Ops}.
 *
 * <p>A {@code Value} is an output of a node with the arithmetic of ops as methods; {@link dev.oxbow.ops.Parameter} is a
 * variable to train, {@link dev.oxbow.ops.ControlFlow} makes branches, loops and calls of lambdas.
 *
 * <p>Families: {@link dev.oxbow.ops.UnaryOp} and {@link dev.oxbow.ops.BinaryOp} give everything for one formula, {@link
 * dev.oxbow.ops.Stateful} names the ways of working with state. An op is {@link dev.oxbow.ops.Differentiable}, {@link
 * dev.oxbow.ops.NotDifferentiable}, or its gradient is an error. {@code gradient} differentiates; no family needs it.
 *
 * {@snippet :
 * // an op with a gradient is one record
 * @Signature("Swish(x: T) -> (y: T) {beta: float = 1.0; T: type in [FLOATING]}")
 * record Swish(float beta) implements UnaryOp, Differentiable {
 *     public Expr expression(Expr x) {
 *         return x.computed(v -> v.dividedBy(v.times(v.literal(-beta)).exp().plus(v.literal(1))));
 *     }
 *
 *     public List<Value> gradient(GradientContext g) {
 *         Value x = g.input(0), s = x.times(beta).sigmoid();
 *         return List.of(g.gradient(0).times(s.plus(x.times(beta).times(s).times(s.times(-1).plus(1)))));
 *     }
 * }
 *
 * @Signature("Larger(x: T, y: T) -> (z: T) {T: type in [FLOATING]}")
 * record Larger() implements BinaryOp, NotDifferentiable {
 *     public Expr expression(Expr x, Expr y) {
 *         return x.max(y);
 *     }
 *
 *     public Kernel cpu() {
 *         return new ElementwiseCpu(this);
 *     }
 * }
 * }
 *
 * {@snippet :
 * // a gradient that has few rows of a table
 * static Value applied(Parameter table, Value ids, Value rows) {
 *     Slices few = Slices.ofRows(rows, ids, table.value().runtimeShape());
 *     return few.summed().values();
 * }
 *
 * // both sides of an op that broadcasts
 * static List<Value> both(GradientContext g) {
 *     return Broadcasting.reduce(g.input(0), g.input(1), g.gradient(0), g.gradient(0));
 * }
 *
 * // branches and functions, made once and called
 * static List<Value> larger(Value x, Value y) {
 *     Ops ops = x.ops();
 *     List<Value> one = ops.cond(x.less(y), () -> List.of(y), () -> List.of(x));
 *     Function f = ops.function("same", List.of(x.edge().type()), v -> v);
 *     FunctionRef ref = Functions.ref(f);
 *     Value outside = FunctionBuilder.apart(() -> ops.constant(1f));
 *     return ControlFlow.outputs(ops.call(f, one.get(0)).get(0).node());
 * }
 *
 * // elements that are objects, such as lists, and can be added
 * static Tensor added(Tensor a, Tensor b, KernelContext c) {
 *     long[] axes = Arguments.longs(Tensor.of(Shape.of(1), 0));
 *     boolean sums = a.objects()[0] instanceof Summable && axes.length == 1;
 *     return sums ? Variants.sum(a, b, c) : Variants.zeros(a, c);
 * }
 *
 * // an op that takes from something that others fill
 * interface Reads extends Stateful.Taking {}
 * }
 */
package dev.oxbow.ops;
