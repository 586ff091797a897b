package dev.oxbow.kernels.expr.special;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.expr.Evaluation;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class SpecialTest {

    @ParameterizedTest
    @MethodSource("values")
    void agreesWithFortyDigitArithmetic(Special function, double[] arguments, double wanted) {
        Expr[] inputs = new Expr[arguments.length];
        Tensor[] tensors = new Tensor[arguments.length];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = Expr.input(i, DType.F64);
            tensors[i] = Tensor.scalar(arguments[i]);
        }
        Expr[] others = Arrays.copyOfRange(inputs, 1, inputs.length);
        double got =
                Evaluation.run(inputs[0].special(function, others), tensors).getDouble(0);
        assertEquals(wanted, got, 2e-13 * Math.max(Math.abs(wanted), 1e-3), function.name());
    }

    /** Computed with 40 digits by mpmath 1.3. */
    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(Special.LGAMMA, new double[] {0.1}, 2.252712651734206),
                Arguments.of(Special.LGAMMA, new double[] {0.9}, 0.06637623973474295),
                Arguments.of(Special.LGAMMA, new double[] {1.1}, -0.049872441259839764),
                Arguments.of(Special.LGAMMA, new double[] {1.9}, -0.03898427592308336),
                Arguments.of(Special.LGAMMA, new double[] {2.2}, 0.09694746679063887),
                Arguments.of(Special.LGAMMA, new double[] {5.5}, 3.9578139676187165),
                Arguments.of(Special.LGAMMA, new double[] {30.0}, 71.25703896716801),
                Arguments.of(Special.LGAMMA, new double[] {100000.0}, 1051287.7089736569),
                Arguments.of(Special.LGAMMA, new double[] {-0.5}, 1.2655121234846454),
                Arguments.of(Special.LGAMMA, new double[] {-3.7}, -1.3797399049658245),
                Arguments.of(Special.LGAMMA, new double[] {1e-10}, 23.025850929882736),
                Arguments.of(Special.DIGAMMA, new double[] {0.1}, -10.423754940411076),
                Arguments.of(Special.DIGAMMA, new double[] {1.5}, 0.03648997397857652),
                Arguments.of(Special.DIGAMMA, new double[] {7.0}, 1.8727843350984672),
                Arguments.of(Special.DIGAMMA, new double[] {100.0}, 4.600161852738087),
                Arguments.of(Special.DIGAMMA, new double[] {-0.3}, 2.113309779635399),
                Arguments.of(Special.DIGAMMA, new double[] {-4.6}, 0.6100665888225428),
                Arguments.of(Special.POLYGAMMA, new double[] {1.0, 0.5}, 4.934802200544679),
                Arguments.of(Special.POLYGAMMA, new double[] {2.0, 3.0}, -0.15411380631918858),
                Arguments.of(Special.POLYGAMMA, new double[] {5.0, 10.0}, 0.0003059451621172682),
                Arguments.of(Special.POLYGAMMA, new double[] {0.0, 2.0}, 0.42278433509846713),
                Arguments.of(Special.ZETA, new double[] {2.0, 1.0}, 1.6449340668482264),
                Arguments.of(Special.ZETA, new double[] {1.5, 3.0}, 1.2588219580922146),
                Arguments.of(Special.ZETA, new double[] {10.0, 0.3}, 169350.9508709071),
                Arguments.of(Special.ZETA, new double[] {3.0, 40.0}, 0.0003204101359176493),
                Arguments.of(Special.IGAMMA, new double[] {0.5, 0.1}, 0.345279153981423),
                Arguments.of(Special.IGAMMA, new double[] {0.5, 3.0}, 0.9856941215645704),
                Arguments.of(Special.IGAMMA, new double[] {3.0, 1.0}, 0.08030139707139419),
                Arguments.of(Special.IGAMMA, new double[] {10.0, 12.0}, 0.7576078383294876),
                Arguments.of(Special.IGAMMA, new double[] {100.0, 90.0}, 0.15822098918643016),
                Arguments.of(Special.IGAMMA, new double[] {100.0, 130.0}, 0.9972495916326934),
                Arguments.of(Special.IGAMMA, new double[] {2.0, 1e-05}, 4.999966666791667e-11),
                Arguments.of(Special.IGAMMAC, new double[] {0.5, 0.1}, 0.654720846018577),
                Arguments.of(Special.IGAMMAC, new double[] {0.5, 3.0}, 0.01430587843542964),
                Arguments.of(Special.IGAMMAC, new double[] {3.0, 1.0}, 0.9196986029286058),
                Arguments.of(Special.IGAMMAC, new double[] {10.0, 12.0}, 0.24239216167051233),
                Arguments.of(Special.IGAMMAC, new double[] {100.0, 90.0}, 0.8417790108135699),
                Arguments.of(Special.IGAMMAC, new double[] {100.0, 130.0}, 0.002750408367306526),
                Arguments.of(Special.IGAMMA_GRAD_A, new double[] {0.5, 0.1}, -0.8229360969795988),
                Arguments.of(Special.IGAMMA_GRAD_A, new double[] {3.0, 1.0}, -0.10645935294394226),
                Arguments.of(Special.IGAMMA_GRAD_A, new double[] {10.0, 12.0}, -0.09717797203717965),
                Arguments.of(Special.IGAMMA_GRAD_A, new double[] {2.0, 5.0}, -0.05585989605253678),
                Arguments.of(Special.RANDOM_GAMMA_GRAD, new double[] {0.5, 0.1}, 0.5097655670826973),
                Arguments.of(Special.RANDOM_GAMMA_GRAD, new double[] {3.0, 1.0}, 0.5787730491540525),
                Arguments.of(Special.RANDOM_GAMMA_GRAD, new double[] {10.0, 12.0}, 1.1123294430180883),
                Arguments.of(Special.BETAINC, new double[] {2.0, 3.0, 0.4}, 0.5248),
                Arguments.of(Special.BETAINC, new double[] {0.5, 0.5, 0.9}, 0.7951672353008665),
                Arguments.of(Special.BETAINC, new double[] {10.0, 2.0, 0.7}, 0.11299009959999994),
                Arguments.of(Special.BETAINC, new double[] {50.0, 60.0, 0.45}, 0.4642352914306036),
                Arguments.of(Special.ERFINV, new double[] {0.1}, 0.08885599049425769),
                Arguments.of(Special.ERFINV, new double[] {-0.5}, -0.4769362762044699),
                Arguments.of(Special.ERFINV, new double[] {0.9}, 1.1630871536766743),
                Arguments.of(Special.ERFINV, new double[] {0.999}, 2.3267537655135246),
                Arguments.of(Special.ERFINV, new double[] {-0.9999999}, -3.7665625816384707),
                Arguments.of(Special.ERFINV, new double[] {1e-10}, 8.862269254527581e-11),
                Arguments.of(Special.NDTRI, new double[] {0.5}, 0.0),
                Arguments.of(Special.NDTRI, new double[] {0.1}, -1.2815515655446004),
                Arguments.of(Special.NDTRI, new double[] {0.975}, 1.9599639845400538),
                Arguments.of(Special.NDTRI, new double[] {1e-10}, -6.361340902404057),
                Arguments.of(Special.NDTRI, new double[] {0.3}, -0.5244005127080408),
                Arguments.of(Special.NDTRI, new double[] {0.999999}, 4.753424308817087),
                Arguments.of(Special.BESSEL_I0, new double[] {0.5}, 1.0634833707413236),
                Arguments.of(Special.BESSEL_I0, new double[] {-3.0}, 4.8807925858650245),
                Arguments.of(Special.BESSEL_I0, new double[] {20.0}, 43558282.559553534),
                Arguments.of(Special.BESSEL_I0, new double[] {50.0}, 2.9325537838493362e+20),
                Arguments.of(Special.BESSEL_I0E, new double[] {0.5}, 0.6450352704491501),
                Arguments.of(Special.BESSEL_I0E, new double[] {-3.0}, 0.2430003541618254),
                Arguments.of(Special.BESSEL_I0E, new double[] {20.0}, 0.08978031188482602),
                Arguments.of(Special.BESSEL_I0E, new double[] {500.0}, 0.017845706500153168),
                Arguments.of(Special.BESSEL_K0, new double[] {1e-05}, 11.628856980944363),
                Arguments.of(Special.BESSEL_K0, new double[] {0.5}, 0.9244190712276659),
                Arguments.of(Special.BESSEL_K0, new double[] {3.0}, 0.03473950438627925),
                Arguments.of(Special.BESSEL_K0, new double[] {50.0}, 3.4101677497894956e-23),
                Arguments.of(Special.BESSEL_K0E, new double[] {0.5}, 1.5241093857739094),
                Arguments.of(Special.BESSEL_K0E, new double[] {3.0}, 0.6977615980438517),
                Arguments.of(Special.BESSEL_K0E, new double[] {500.0}, 0.056035915417234516),
                Arguments.of(Special.BESSEL_J0, new double[] {1e-05}, 0.999999999975),
                Arguments.of(Special.BESSEL_J0, new double[] {0.5}, 0.9384698072408129),
                Arguments.of(Special.BESSEL_J0, new double[] {-3.0}, -0.26005195490193345),
                Arguments.of(Special.BESSEL_J0, new double[] {20.0}, 0.16702466434058316),
                Arguments.of(Special.BESSEL_J0, new double[] {24.5}, 0.0236974337340679),
                Arguments.of(Special.BESSEL_J0, new double[] {26.0}, 0.15599931552242113),
                Arguments.of(Special.BESSEL_J0, new double[] {300.0}, -0.03329855487630567),
                Arguments.of(Special.BESSEL_Y0, new double[] {1e-05}, -7.40316028370197),
                Arguments.of(Special.BESSEL_Y0, new double[] {0.5}, -0.44451873350670656),
                Arguments.of(Special.BESSEL_Y0, new double[] {3.0}, 0.3768500100127904),
                Arguments.of(Special.BESSEL_Y0, new double[] {20.0}, 0.06264059680938383),
                Arguments.of(Special.BESSEL_Y0, new double[] {24.5}, -0.15942871774975043),
                Arguments.of(Special.BESSEL_Y0, new double[] {26.0}, 0.012044625860755602),
                Arguments.of(Special.BESSEL_Y0, new double[] {300.0}, -0.0318318897300034),
                Arguments.of(Special.BESSEL_I1, new double[] {0.5}, 0.2578943053908963),
                Arguments.of(Special.BESSEL_I1, new double[] {-3.0}, -3.9533702174026093),
                Arguments.of(Special.BESSEL_I1, new double[] {20.0}, 42454973.38512777),
                Arguments.of(Special.BESSEL_I1, new double[] {50.0}, 2.903078590103557e+20),
                Arguments.of(Special.BESSEL_I1E, new double[] {0.5}, 0.1564208031848717),
                Arguments.of(Special.BESSEL_I1E, new double[] {-3.0}, -0.19682671329730086),
                Arguments.of(Special.BESSEL_I1E, new double[] {20.0}, 0.08750622218328867),
                Arguments.of(Special.BESSEL_I1E, new double[] {500.0}, 0.017827851852898056),
                Arguments.of(Special.BESSEL_K1, new double[] {1e-05}, 99999.99993935571),
                Arguments.of(Special.BESSEL_K1, new double[] {0.5}, 1.656441120003301),
                Arguments.of(Special.BESSEL_K1, new double[] {3.0}, 0.040156431128194184),
                Arguments.of(Special.BESSEL_K1, new double[] {50.0}, 3.4441022267175555e-23),
                Arguments.of(Special.BESSEL_K1E, new double[] {0.5}, 2.731009708211786),
                Arguments.of(Special.BESSEL_K1E, new double[] {3.0}, 0.8065634801287869),
                Arguments.of(Special.BESSEL_K1E, new double[] {500.0}, 0.05609192337055557),
                Arguments.of(Special.BESSEL_J1, new double[] {1e-05}, 4.9999999999375e-06),
                Arguments.of(Special.BESSEL_J1, new double[] {0.5}, 0.2422684576748739),
                Arguments.of(Special.BESSEL_J1, new double[] {-3.0}, -0.3390589585259365),
                Arguments.of(Special.BESSEL_J1, new double[] {20.0}, 0.06683312417585005),
                Arguments.of(Special.BESSEL_J1, new double[] {24.5}, -0.1589784118193281),
                Arguments.of(Special.BESSEL_J1, new double[] {26.0}, 0.015045730586915811),
                Arguments.of(Special.BESSEL_J1, new double[] {300.0}, -0.03188743137749995),
                Arguments.of(Special.BESSEL_Y1, new double[] {1e-05}, -63661.97727536548),
                Arguments.of(Special.BESSEL_Y1, new double[] {0.5}, -1.471472392670243),
                Arguments.of(Special.BESSEL_Y1, new double[] {3.0}, 0.3246744247918),
                Arguments.of(Special.BESSEL_Y1, new double[] {20.0}, -0.1655116143625213),
                Arguments.of(Special.BESSEL_Y1, new double[] {24.5}, -0.026954655331885412),
                Arguments.of(Special.BESSEL_Y1, new double[] {26.0}, -0.15579655322960265),
                Arguments.of(Special.BESSEL_Y1, new double[] {300.0}, 0.03324554812131022),
                Arguments.of(Special.DAWSN, new double[] {0.1}, 0.09933599239785286),
                Arguments.of(Special.DAWSN, new double[] {-0.5}, -0.4244363835020223),
                Arguments.of(Special.DAWSN, new double[] {1.0}, 0.5380795069127684),
                Arguments.of(Special.DAWSN, new double[] {3.0}, 0.1782710306105583),
                Arguments.of(Special.DAWSN, new double[] {10.0}, 0.05025384718759853),
                Arguments.of(Special.EXPINT, new double[] {0.1}, -1.6228128139692766),
                Arguments.of(Special.EXPINT, new double[] {1.0}, 1.8951178163559368),
                Arguments.of(Special.EXPINT, new double[] {10.0}, 2492.2289762418777),
                Arguments.of(Special.EXPINT, new double[] {39.0}, 2280446200301902.5),
                Arguments.of(Special.EXPINT, new double[] {60.0}, 1.9361822139292765e+24),
                Arguments.of(Special.FRESNEL_COS, new double[] {0.3}, 0.2994009760520472),
                Arguments.of(Special.FRESNEL_COS, new double[] {-1.0}, -0.7798934003768229),
                Arguments.of(Special.FRESNEL_COS, new double[] {1.6}, 0.36546168344048763),
                Arguments.of(Special.FRESNEL_COS, new double[] {3.0}, 0.6057207892976856),
                Arguments.of(Special.FRESNEL_COS, new double[] {10.0}, 0.49989869420551575),
                Arguments.of(Special.FRESNEL_SIN, new double[] {0.3}, 0.014116998006576583),
                Arguments.of(Special.FRESNEL_SIN, new double[] {-1.0}, -0.43825914739035476),
                Arguments.of(Special.FRESNEL_SIN, new double[] {1.6}, 0.6388876835093809),
                Arguments.of(Special.FRESNEL_SIN, new double[] {3.0}, 0.496312998967375),
                Arguments.of(Special.FRESNEL_SIN, new double[] {10.0}, 0.46816997858488224),
                Arguments.of(Special.SPENCE, new double[] {0.1}, 1.2997147230049586),
                Arguments.of(Special.SPENCE, new double[] {0.7}, 0.32612951007547614),
                Arguments.of(Special.SPENCE, new double[] {1.5}, -0.4484142069236462),
                Arguments.of(Special.SPENCE, new double[] {5.0}, -2.369939796998366));
    }

    @Test
    void erfAndErfcAgreeWithFortyDigitArithmetic() {
        double[][] values = {
            {1e-10, 1.1283791670955126e-10, 0.999999999887162},
            {0.1, 0.1124629160182849, 0.887537083981715},
            {0.5, 0.5204998778130465, 0.4795001221869535},
            {0.99, 0.8385080695553698, 0.1614919304446302},
            {1.01, 0.8468104962282768, 0.1531895037717233},
            {1.5, 0.9661051464753108, 0.033894853524689274},
            {2.5, 0.999593047982555, 0.0004069520174449589},
            {4.0, 0.9999999845827421, 1.541725790028002e-08},
            {5.9, 0.9999999999999999, 7.190409783550478e-17},
            {10.0, 1.0, 2.088487583762545e-45},
            {26.0, 1.0, 5.663192408856143e-296},
            {-0.3, -0.3286267594591274, 1.3286267594591274},
            {-2.0, -0.9953222650189527, 1.9953222650189528},
        };
        Expr x = Expr.input(0, DType.F64);
        for (double[] v : values) {
            assertEquals(v[1], Evaluation.run(x.erf(), Tensor.scalar(v[0])).getDouble(0), 4 * Math.ulp(v[1]));
            assertEquals(v[2], Evaluation.run(x.erfc(), Tensor.scalar(v[0])).getDouble(0), 6 * Math.ulp(v[2]));
        }
    }

    @Test
    void polesAndInvalidArgumentsAreAsInTensorFlow() {
        assertEquals(Double.POSITIVE_INFINITY, Gamma.logGamma(-2));
        assertEquals(Double.NaN, Gamma.digamma(-1));
        assertEquals(Double.NaN, IncompleteGamma.lower(-1, 1));
        assertEquals(Double.POSITIVE_INFINITY, InverseErrors.erfinv(1));
        assertEquals(Double.NaN, InverseErrors.erfinv(1.5));
        assertEquals(Double.NEGATIVE_INFINITY, InverseErrors.normalQuantile(0));
        assertEquals(Double.POSITIVE_INFINITY, ModifiedBessel.k(0, 0, false));
        assertEquals(Double.NEGATIVE_INFINITY, Bessel.y0(0));
        assertEquals(Double.NaN, IncompleteBeta.regularised(1, 1, 2));
    }
}
