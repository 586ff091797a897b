/**
 * CUDA C of formulas, for cards: the same primitives in the same order as the interpreter runs them, one line each, so that
 * both give the same bits (payloads of NaN aside). Text only; nothing here calls a card. Start with
 * {@link dev.oxbow.kernels.expr.cuda.CudaText}.
 */
package dev.oxbow.kernels.expr.cuda;
