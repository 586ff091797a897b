package dev.oxbow.ops.text;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Strings, and numbers as text or bytes: the list of this package's ops. */
public final class TextOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AsString",
                "DecodeBase64",
                "DecodeCSV",
                "DecodeCompressed",
                "DecodePaddedRaw",
                "DecodeRaw",
                "EncodeBase64",
                "Fingerprint",
                "ParseTensor",
                "ReduceJoin",
                "RegexFullMatch",
                "RegexReplace",
                "SerializeTensor",
                "StaticRegexFullMatch",
                "StaticRegexReplace",
                "StringFormat",
                "StringJoin",
                "StringLength",
                "StringLower",
                "StringNGrams",
                "StringSplit",
                "StringSplitV2",
                "StringStrip",
                "StringToHashBucket",
                "StringToHashBucketFast",
                "StringToHashBucketStrong",
                "StringToNumber",
                "StringUpper",
                "Substr",
                "UnicodeDecode",
                "UnicodeDecodeWithOffsets",
                "UnicodeEncode",
                "UnicodeScript",
                "UnicodeTranscode",
                "UnsortedSegmentJoin");
    }
}
