package dev.oxbow.ops.lookup;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Tables from keys to values: the list of this package's ops. */
public final class LookupOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AnonymousHashTable",
                "AnonymousMutableDenseHashTable",
                "AnonymousMutableHashTable",
                "AnonymousMutableHashTableOfTensors",
                "GenerateVocabRemapping",
                "HashTable",
                "HashTableV2",
                "InitializeTable",
                "InitializeTableFromTextFile",
                "InitializeTableFromTextFileV2",
                "InitializeTableV2",
                "LookupTableExport",
                "LookupTableExportV2",
                "LookupTableFind",
                "LookupTableFindV2",
                "LookupTableImport",
                "LookupTableImportV2",
                "LookupTableInsert",
                "LookupTableInsertV2",
                "LookupTableRemoveV2",
                "LookupTableSize",
                "LookupTableSizeV2",
                "MutableDenseHashTableV2",
                "MutableHashTable",
                "MutableHashTableOfTensors",
                "MutableHashTableOfTensorsV2",
                "MutableHashTableV2");
    }
}
