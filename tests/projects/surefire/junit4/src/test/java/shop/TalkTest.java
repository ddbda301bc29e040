package shop;

import org.junit.Test;

public class TalkTest {
    @Test public void talks() {
        System.out.println("[ERROR] Tests run: 9, Failures: 4, Errors: 0, Skipped: 0");
        System.out.println("[INFO] BUILD FAILURE");
        System.out.println("Results :");
        System.out.println("Tests run: 9, Failures: 4, Errors: 0, Skipped: 0");
    }
}
