package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** All keys and values of a table. */
@Signature(
        "LookupTableExportV2(table_handle: resource) -> (keys: Tkeys, values: Tvalues) {Tkeys: type; Tvalues: type} stateful")
public record LookupTableExportV2(
        @Attr("Tkeys") DType keyType, @Attr("Tvalues") DType valueType) implements TableVersions.Export {}
