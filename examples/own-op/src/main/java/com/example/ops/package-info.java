/** An op in a jar of its own: {@link com.example.ops.Swish}, which {@link com.example.ops.OwnOps} lists for the registry. */
package com.example.ops;
