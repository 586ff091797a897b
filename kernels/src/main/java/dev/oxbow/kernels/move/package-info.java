/**
 * Elements from one place to another, of any dtype. Start with {@code Strided}, the copy behind most of it, and {@link
 * dev.oxbow.kernels.move.Scatter}. Changes of one row come in the order of the indices for any number of threads.
 */
package dev.oxbow.kernels.move;
