package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Fields of comma-separated lines, one output for each column. */
@Signature(
        "DecodeCSV(records: string, record_defaults: OUT_TYPE) -> (output: OUT_TYPE) {OUT_TYPE: list(type) in [FLOAT DOUBLE INT32 INT64 STRING] >= 1; field_delim: string = \",\"; use_quote_delim: bool = true; na_value: string = \"\"; select_cols: list(int) = []}")
public record DecodeCSV(String fieldDelim, boolean useQuoteDelim, String naValue, List<Long> selectCols)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                selectCols.isEmpty() || selectCols.size() == c.outputCount(),
                INVALID_ARGUMENT,
                "select_cols should match output size, got %d and %d",
                selectCols.size(),
                c.outputCount());
        for (long column : selectCols)
            require(column >= 0, INVALID_ARGUMENT, "select_cols must not be negative, got %d", column);
        List<TensorType> out = new ArrayList<>();
        for (int i = 0; i < c.outputCount(); i++) {
            Shape s = c.shape(i + 1);
            require(
                    s.rank() <= 1 && (s.rank() < 1 || s.dim(0) <= 1),
                    INVALID_ARGUMENT,
                    "There should only be 1 default per field but field %d has %s",
                    i,
                    s);
            out.add(new TensorType(c.outputDtype(i), c.shape(0)));
        }
        return out;
    }

    @Override
    public Kernel cpu() {
        require(fieldDelim.length() == 1, INVALID_ARGUMENT, "field_delim should be only 1 char, got '%s'", fieldDelim);
        return c -> {
            Tensor x = c.input(0);
            for (long i = 0; i < x.size(); i++) {
                List<String> fields = fields(new String(Strings.get(x, i), StandardCharsets.ISO_8859_1), i);
                if (selectCols.isEmpty())
                    require(
                            fields.size() == c.outputCount(),
                            INVALID_ARGUMENT,
                            "Expect %d fields but have %d in record %d",
                            c.outputCount(),
                            fields.size(),
                            i);
                for (int k = 0; k < c.outputCount(); k++) {
                    int column = selectCols.isEmpty() ? k : Counts.toInt(selectCols.get(k));
                    require(
                            column < fields.size(),
                            INVALID_ARGUMENT,
                            "Expect %d fields but have %d in record %d",
                            c.outputCount(),
                            k,
                            i);
                    put(c.output(k), i, fields.get(column), c.input(k + 1), k);
                }
            }
        };
    }

    private void put(Tensor y, long i, String field, Tensor fallback, int k) {
        if (field.isEmpty() || field.equals(naValue)) {
            require(fallback.size() == 1, INVALID_ARGUMENT, "Field %d is required but missing in record %d!", k, i);
            if (y.dtype() == DType.STRING) y.objects()[(int) i] = fallback.objects()[0];
            else if (y.dtype().isFloating()) y.set(i, fallback.getDouble(0));
            else y.setLong(i, fallback.getLong(0));
            return;
        }
        if (y.dtype() == DType.STRING) y.objects()[(int) i] = field.getBytes(StandardCharsets.ISO_8859_1);
        else
            require(
                    Parsing.parse(field, y, i),
                    INVALID_ARGUMENT,
                    "Field %d in record %d is not a valid %s: %s",
                    k,
                    i,
                    y.dtype().inWords(),
                    field);
    }

    private List<String> fields(String line, long record) {
        List<String> fields = new ArrayList<>();
        char delimiter = fieldDelim.charAt(0);
        int at = 0, n = line.length();
        while (true) {
            StringBuilder field = new StringBuilder();
            if (useQuoteDelim && at < n && line.charAt(at) == '"') {
                at++;
                while (true) {
                    require(
                            at < n,
                            INVALID_ARGUMENT,
                            "Quoted field has to end with quote followed by delim or end, in record %d",
                            record);
                    if (line.charAt(at) == '"' && at + 1 < n && line.charAt(at + 1) == '"') at++;
                    else if (line.charAt(at) == '"') break;
                    field.append(line.charAt(at++));
                }
                at++;
                require(
                        at == n || line.charAt(at) == delimiter,
                        INVALID_ARGUMENT,
                        "Quoted field has to end with quote followed by delim or end, in record %d",
                        record);
            } else {
                while (at < n && line.charAt(at) != delimiter) {
                    char ch = line.charAt(at++);
                    require(
                            !useQuoteDelim || ch != '"' && ch != '\n' && ch != '\r',
                            INVALID_ARGUMENT,
                            "Unquoted fields cannot have quotes/CRLFs inside, in record %d",
                            record);
                    field.append(ch);
                }
            }
            fields.add(field.toString());
            if (at >= n) return fields;
            at++;
        }
    }
}
