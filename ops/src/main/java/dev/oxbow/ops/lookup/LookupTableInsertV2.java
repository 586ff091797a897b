package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Puts keys with values into a table. */
@Signature(
        "LookupTableInsertV2(table_handle: resource, keys: Tin, values: Tout) -> () {Tin: type; Tout: type} stateful")
public record LookupTableInsertV2() implements TableVersions.Insert {}
