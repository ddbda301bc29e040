package shop;

import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class RightTest {
    @Test public void works() { assertEquals("right", "right"); }
    @Test public void same() { assertEquals("left", "right"); }
}
