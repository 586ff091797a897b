/**
 * Runs programs instruction by instruction, in plain loops over tiles. Start with
 * {@link dev.oxbow.kernels.expr.interpret.Interpreter}. A program knows no formula, so that formulas of constants are
 * folded here too; what it computes is the reference for generated code.
 */
package dev.oxbow.kernels.expr.interpret;
