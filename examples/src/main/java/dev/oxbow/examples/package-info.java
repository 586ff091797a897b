/**
 * Models with their data. Start at {@link dev.oxbow.examples.MnistExample}, which is what most programs look like;
 * {@link dev.oxbow.examples.DataParallel} shows what a plan does, written by hand.
 */
package dev.oxbow.examples;
