/** Stages of compilation that know ops: they match classes and properties, and are offered by {@link OpRewrites}. */
package dev.oxbow.ops.rewrite;
