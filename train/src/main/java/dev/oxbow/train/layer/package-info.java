/**
 * Layers: descriptions that a {@link dev.oxbow.train.layer.Build} makes nodes of. Start at
 * {@link dev.oxbow.train.layer.Layer} and {@link dev.oxbow.train.layer.Dense}. One layer is one record in one file; what it
 * learns has a name that follows from its place in the model, and a seed that follows from the name.
 */
package dev.oxbow.train.layer;
