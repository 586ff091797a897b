package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;

/** Fills a table that is filled once from the lines of a text file. */
@Signature(
        "InitializeTableFromTextFileV2(table_handle: resource, filename: string) -> () {key_index: int >= -2; value_index: int >= -2; vocab_size: int = -1 >= -1; delimiter: string = \"\\t\"; offset: int = 0} stateful")
public record InitializeTableFromTextFileV2(int keyIndex, int valueIndex, long vocabSize, String delimiter, long offset)
        implements TableVersions.InitialiseFromFile {}
