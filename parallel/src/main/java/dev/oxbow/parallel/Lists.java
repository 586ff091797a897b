package dev.oxbow.parallel;

import static dev.oxbow.parallel.Layout.BROADCAST;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.ops.flow.EmptyTensorList;
import dev.oxbow.ops.flow.TensorListConcatV2;
import dev.oxbow.ops.flow.TensorListElementShape;
import dev.oxbow.ops.flow.TensorListFromTensor;
import dev.oxbow.ops.flow.TensorListGather;
import dev.oxbow.ops.flow.TensorListGetItem;
import dev.oxbow.ops.flow.TensorListLength;
import dev.oxbow.ops.flow.TensorListPopBack;
import dev.oxbow.ops.flow.TensorListPushBack;
import dev.oxbow.ops.flow.TensorListReserve;
import dev.oxbow.ops.flow.TensorListSetItem;
import dev.oxbow.ops.flow.TensorListStack;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.parallel.Rule.Form;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;

/** The rules of lists of tensors, which loops keep values in: a list has the layout that its items have. */
final class Lists {
    private Lists() {}

    /** The rule of a node that makes, changes or reads a list; null for other ops. */
    static Rule rule(Node n, Layout[] in) {
        return switch (n.op()) {
            case EmptyTensorList _, TensorListReserve _ -> Rules.whole(n);
            case TensorListPushBack _ -> {
                Layout l = joined(n, in[0], in[1]);
                yield Rule.of(new Layout[] {l, l}, l);
            }
            case TensorListSetItem _ -> {
                Layout l = joined(n, in[0], in[2]);
                yield Rule.of(new Layout[] {l, BROADCAST, l}, l);
            }
            case TensorListPopBack _ ->
                Rule.of(new Layout[] {in[0], BROADCAST}, in[0], in[0]).as(Form.ITEMS, 1);
            case TensorListGetItem _ ->
                Rule.of(new Layout[] {in[0], BROADCAST, BROADCAST}, in[0]).as(Form.ITEMS, 2);
            case TensorListStack _ ->
                Rule.of(new Layout[] {in[0], BROADCAST}, moved(in[0], 1)).as(Form.ITEMS, 1);
            case TensorListGather _ ->
                Rule.of(new Layout[] {in[0], BROADCAST, BROADCAST}, moved(in[0], 1))
                        .as(Form.ITEMS, 2);
            case TensorListFromTensor _ -> {
                if (in[0].axis() == 0) yield null;
                yield Rule.of(new Layout[] {in[0], BROADCAST}, moved(in[0], -1)).as(Form.ITEMS, 1);
            }
            case TensorListConcatV2 _ -> {
                Layout[] wants = Rule.all(in.length, BROADCAST);
                wants[0] = in[0];
                Layout y = in[0].axis() == 0 ? new Layout.Split(0, true) : in[0];
                Layout lengths = in[0].axis() == 0 ? Layout.SUM : BROADCAST;
                yield Rule.of(wants, y, lengths).as(Form.ITEMS, 1);
            }
            case TensorListLength _, TensorListElementShape _ -> Rule.of(in, BROADCAST);
            case ZerosLike _ when isList(n) -> Rule.of(in, in[0]);
            case AddN _
            when isList(n) -> {
                Layout l = in[0];
                for (Layout other : in) l = joined(n, l, other);
                yield Rule.of(Rule.all(in.length, l), l);
            }
            default -> null;
        };
    }

    /** The rule by which what makes a list makes one of pieces; null for other ops. */
    static Rule pulled(Node n, Layout wanted) {
        return switch (n.op()) {
            case EmptyTensorList _, TensorListReserve _ ->
                Rule.of(Rule.all(2, BROADCAST), wanted).as(Form.ITEMS, 0);
            case TensorListPushBack _ -> Rule.of(new Layout[] {wanted, wanted}, wanted);
            case TensorListSetItem _ -> Rule.of(new Layout[] {wanted, BROADCAST, wanted}, wanted);
            case ZerosLike _ when isList(n) -> Rule.of(new Layout[] {wanted}, wanted);
            default -> null;
        };
    }

    /** Whether a node makes a list, which then does not say how many rows its items have: they differ between devices. */
    static boolean makes(Node n) {
        return n.op() instanceof EmptyTensorList
                || n.op() instanceof TensorListReserve
                || n.op() instanceof TensorListFromTensor;
    }

    private static boolean isList(Node n) {
        return n.output(0).dtype() == DType.VARIANT;
    }

    private static Layout moved(Layout l, int by) {
        return l.isSplit() ? Layout.split(l.axis() + by) : l;
    }

    private static Layout joined(Node n, Layout list, Layout item) {
        Layout l = Layouts.join(list, item);
        if (l == null)
            throw n.located(new OxbowException(
                    UNIMPLEMENTED, "puts an item laid out as %s into a list of items as %s".formatted(item, list)));
        return l;
    }
}
