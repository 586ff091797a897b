/**
 * Special functions of doubles, one element at a time. Start with {@link dev.oxbow.kernels.expr.special.Special}, which
 * names them; each family has its file and says how far off it may be.
 */
package dev.oxbow.kernels.expr.special;
