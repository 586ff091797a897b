package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Fills a table that is filled once. */
@Signature("InitializeTable(table_handle: ref string, keys: Tkey, values: Tval) -> () {Tkey: type; Tval: type}")
public record InitializeTable() implements TableVersions.Initialise {}
