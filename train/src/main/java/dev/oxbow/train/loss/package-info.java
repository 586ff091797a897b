/**
 * What training lowers and what people look at: a {@link dev.oxbow.train.loss.Loss} is a number for each example, a
 * {@link dev.oxbow.train.loss.Metric} adds up over examples. Both are values of the graph, so they are right under every
 * way to split a batch.
 */
package dev.oxbow.train.loss;
