package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** The number of entries in a table. */
@Signature("LookupTableSizeV2(table_handle: resource) -> (size: int64) stateful")
public record LookupTableSizeV2() implements TableVersions.Size {}
