/**
 * The language of scalar formulas. Start with {@link dev.oxbow.kernels.expr.Expr}: what is written with its methods is
 * lowered at once to a few dozen primitives, complex numbers to pairs, functions to polynomials, narrow types to the type
 * that computes for them. Equal formulas are one object. A primitive has one right result, so that all who run formulas,
 * fused or not, agree bit for bit.
 */
package dev.oxbow.kernels.expr;
