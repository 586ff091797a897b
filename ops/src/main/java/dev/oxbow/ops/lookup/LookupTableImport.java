package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Replaces the contents of a table. */
@Signature("LookupTableImport(table_handle: ref string, keys: Tin, values: Tout) -> () {Tin: type; Tout: type}")
public record LookupTableImport() implements TableVersions.Import {}
