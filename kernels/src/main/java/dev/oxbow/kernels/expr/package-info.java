/**
 * The language of scalar formulas. Start with {@link dev.oxbow.kernels.expr.Expr}: what is written with its methods is
 * lowered at once to a few dozen primitives, complex numbers to pairs, functions to polynomials, narrow types to the type
 * that computes for them. Equal formulas are one object. A primitive has one right result, so that all who run formulas,
 * fused or not, agree bit for bit.
 *
 * {@snippet :
 * Expr x = Expr.input(0, DType.F32), y = x.times(x).plus(x.literal(1));
 * List<Expr> order = Dag.order(List.of(y)); // what is needed comes first
 * List<Expr> twice = Dag.substitute(List.of(y), List.of(y)); // (x^2 + 1)^2 + 1
 * List<Expr> rounded = RoundingToHalf.expand(twice);
 * var program = Assembler.assemble(rounded);
 * }
 */
package dev.oxbow.kernels.expr;
