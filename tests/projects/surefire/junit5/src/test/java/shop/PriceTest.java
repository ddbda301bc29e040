package shop;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class PriceTest {
    @Test void adds() { assertEquals(2, 1 + 1); }
    @Test void price() { assertEquals(10, 9, "the price"); }
    @Test void raises() { throw new IllegalStateException("no stock"); }
    @Disabled("later") @Test void later() { }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void rows(int n) { assertEquals(1, n); }
    @Nested class Inner { @Test void inner() { fail("in\nner"); } }
}
