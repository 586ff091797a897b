package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** The values of keys in a table, or the default for keys that are not there. */
@Signature(
        "LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> (values: Tout) {Tin: type; Tout: type} stateful")
public record LookupTableFindV2() implements TableVersions.Find {}
