package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** All keys and values of a table. */
@Signature("LookupTableExport(table_handle: ref string) -> (keys: Tkeys, values: Tvalues) {Tkeys: type; Tvalues: type}")
public record LookupTableExport(
        @Attr("Tkeys") DType keyType, @Attr("Tvalues") DType valueType) implements TableVersions.Export {}
