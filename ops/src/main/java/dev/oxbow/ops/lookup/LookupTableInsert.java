package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Puts keys with values into a table. */
@Signature("LookupTableInsert(table_handle: ref string, keys: Tin, values: Tout) -> () {Tin: type; Tout: type}")
public record LookupTableInsert() implements TableVersions.Insert {}
