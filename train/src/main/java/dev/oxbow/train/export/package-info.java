/**
 * Trained models on their way elsewhere, and values from elsewhere on their way into a model. Start at
 * {@link dev.oxbow.train.export.Export}. Whatever is written is there whole or not at all.
 */
package dev.oxbow.train.export;
