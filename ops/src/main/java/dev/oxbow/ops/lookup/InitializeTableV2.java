package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Fills a table that is filled once. */
@Signature(
        "InitializeTableV2(table_handle: resource, keys: Tkey, values: Tval) -> () {Tkey: type; Tval: type} stateful")
public record InitializeTableV2() implements TableVersions.Initialise {}
