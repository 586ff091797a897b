/**
 * Models as ONNX: {@link dev.oxbow.train.onnx.OnnxExporter} translates the nodes of a graph without variables one by one, by
 * tables of conversions. An op without a conversion is an error that names it.
 */
package dev.oxbow.train.onnx;
