package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Replaces the contents of a table. */
@Signature(
        "LookupTableImportV2(table_handle: resource, keys: Tin, values: Tout) -> () {Tin: type; Tout: type} stateful")
public record LookupTableImportV2() implements TableVersions.Import {}
