import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

/** The bot of ply.rs in a process of about 40 threads: Bot REPORT. */
class Bot {
    public static void main(String[] words) throws IOException {
        for (int number = 0; number < 24; number++) {
            Thread thread = new Thread(() -> {
                while (true) {
                    LockSupport.park();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        int size = 0;
        int placed = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ");
            if (parts.length == 1 && Character.isDigit(line.charAt(0))) {
                size = Integer.parseInt(line);
            } else if (parts.length == 1 && line.length() == 1) {
                answer(placed / size + " " + placed % size);
                placed++;
            } else if (parts.length == 3 && ++placed < size * size) {
                String cell = parts[0] + " " + parts[1];
                answer(cell + " " + cell);
            }
        }
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ByteBuffer report = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        report.putLong(system.getProcessCpuTime());
        try (FileOutputStream file = new FileOutputStream(words[0])) {
            file.write(report.array());
        }
    }

    private static void answer(String move) throws IOException {
        System.out.write((move + "\n").getBytes());
        System.out.flush();
    }
}
