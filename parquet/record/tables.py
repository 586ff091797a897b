"""tables.py FOLDER: the Parquet files that ParquetTest reads, as pyarrow writes them. Row i of each has values that follow from i.

x = i / 8 (f32), y = -i / 3 (f64), n = i % 100 (i32), m = i * 2**33 (i64), b = i % 3 == 0, s = "s" + i, z = i / 2 or null where
i % 5 == 0 (f32), v = [i, i + 0.5, i + 0.25] (f32).
"""
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1000
i = np.arange(ROWS)
table = pa.table({
    "x": pa.array((i / 8).astype("f4")),
    "y": pa.array(-i / 3),
    "n": pa.array((i % 100).astype("i4")),
    "m": pa.array(i.astype("i8") * 2**33),
    "b": pa.array(i % 3 == 0),
    "s": pa.array(["s%d" % k for k in i]),
    "z": pa.array([None if k % 5 == 0 else k / 2 for k in i], pa.float32()),
    "v": pa.array([[k, k + 0.5, k + 0.25] for k in i.tolist()], pa.list_(pa.float32())),
})
for name, options in {
    "plain": dict(compression="none", use_dictionary=False),
    "snappy": dict(compression="snappy"),
    "gzip": dict(compression="gzip", data_page_version="2.0"),
    "zstd": dict(compression="zstd", use_dictionary=False, data_page_version="2.0", write_page_checksum=True),
    "lz4": dict(compression="lz4", use_dictionary=False, column_encoding={
        "x": "BYTE_STREAM_SPLIT", "m": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY"}),
}.items():
    pq.write_table(table, "%s/%s.parquet" % (sys.argv[1], name), row_group_size=300, data_page_size=512, **options)
