package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** The number of entries in a table. */
@Signature("LookupTableSize(table_handle: ref string) -> (size: int64)")
public record LookupTableSize() implements TableVersions.Size {}
