package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** The values of keys in a table, or the default for keys that are not there. */
@Signature(
        "LookupTableFind(table_handle: ref string, keys: Tin, default_value: Tout) -> (values: Tout) {Tin: type; Tout: type}")
public record LookupTableFind() implements TableVersions.Find {}
