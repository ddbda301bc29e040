package shop;

import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class LeftTest {
    @Test public void works() { assertEquals("left", "left"); }
    @Test public void same() { assertEquals("left", "left"); }
}
