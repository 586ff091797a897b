/**
 * Runs programs instruction by instruction, in plain loops over tiles. Start with
 * {@link dev.oxbow.kernels.expr.interpret.Interpreter}. A program knows no formula, so that formulas of constants are
 * folded here too; what it computes is the reference for generated code.
 *
 * <p>Loops over floats, doubles, ints and longs are classes of their own: Java has no generics over primitive types, and
 * these loops run before code can be generated, and judge what was.
 */
package dev.oxbow.kernels.expr.interpret;
