/** Parquet files as a source of pipelines; optional, nothing of the engine requires it. */
module dev.oxbow.parquet {
    requires aircompressor.v3;
    requires transitive dev.oxbow.data;
    requires parquet.floor;
    requires parquet.hadoop.bundle;

    exports dev.oxbow.parquet;
}
