// SPDX-License-Identifier: GPL-2.0
import java.io.FileWriter;
import java.io.IOException;

/**
 * For Java: PghotMarks.mark("start") and PghotMarks.mark("end") say to `pghotlab try --marks` when
 * the measured part of a program begins and ends. Elsewhere they do nothing.
 */
final class PghotMarks {
    private PghotMarks() {
    }

    /** Give the mark "start" or "end". */
    static void mark(String what) throws IOException {
        String path = System.getenv("PGHOT_MARKS");
        if (path == null) {
            return;
        }
        try (FileWriter marks = new FileWriter(path)) {
            marks.write(what + "\n");
        }
    }
}
