/**
 * Lookup tables. Start with {@code Tables} and {@link dev.oxbow.ops.lookup.LookupTableFindV2}. A table is a resource of
 * a container; older ops know it by a reference, newer ones by a handle, and the bodies are the same.
 */
package dev.oxbow.ops.lookup;
