package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * A function to samples whose dtypes and shapes are known before. A batch right behind it has it write each row where it will lie, so
 * that nothing is allocated or copied for a sample.
 *
 * {@snippet :
 * record Scaled(float by) implements RowMapper<Integer> {
 *     public Optional<List<Row.Column>> columns() {
 *         return Optional.of(List.of(new Row.Column(DType.F32, Shape.SCALAR)));
 *     }
 *
 *     public void write(Integer x, Draw draw, Row row) {
 *         row.setFloat(0, 0, x * by);
 *     }
 * }
 * }
 */
public interface RowMapper<T> extends Pipeline.Mapper<T, Sample> {

    /** What each sample has; empty where that depends on the element, and samples are made one by one. */
    Optional<List<Row.Column>> columns();

    /** Writes all values of a row, which holds anything before. */
    void write(T x, Draw draw, Row row);

    /** The same for one thread and some rows in a row, between which it may keep what it has learned. */
    default RowMapper<T> forRows() {
        return this;
    }

    @Override
    default Sample apply(T x, Draw draw) {
        List<Row.Column> columns = columns().orElseThrow();
        Sample sample = new Sample(Row.allocate(columns, Shape.SCALAR));
        Row row = new Row(sample.tensors(), columns).at(0);
        try {
            write(x, draw, row);
            row.close();
            return sample;
        } catch (RuntimeException e) {
            sample.tensors().forEach(Tensor::close);
            throw e;
        }
    }
}
