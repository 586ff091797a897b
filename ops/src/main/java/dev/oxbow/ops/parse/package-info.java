/**
 * Ops that take Examples and SequenceExamples apart. Start with {@code FeatureColumns}, which all of them share: what each
 * feature becomes, over a batch or for a single one.
 */
package dev.oxbow.ops.parse;
