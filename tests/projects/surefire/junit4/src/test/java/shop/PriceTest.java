package shop;

import static org.junit.Assert.assertEquals;
import org.junit.Ignore;
import org.junit.Test;

public class PriceTest {
    @Test public void adds() { assertEquals(2, 1 + 1); }
    @Test public void price() { assertEquals("the price", 10, 9); }
    @Test public void raises() { throw new IllegalStateException("no stock"); }
    @Ignore("later") @Test public void later() { }
}
