package shop;

public class BrokenTest {
    @org.junit.Test public void broken() { int n = "three"; }
}
