import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A starter for @GAME@: it answers at random. Your ideas go into choose().
 *
 * Handed in alone, without its engine.toml, it is started as these two lines say:
 * agon: args = @ARGS@
 * agon: games = @GAMES@
 *
 * agon starts it as: Main SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
 * When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
 * error.
 */
public class Main {
    static int seat, seats;
    static double seconds;
    static Random chance;

    /**
     * The answer. `told` has all lines of the game so far, and `legal` the answers of the last line
     * `legal`. A referee that lists no legal answers leaves it empty: then the rules of the game say what
     * an answer is.
     */
    static String choose(List<String> told, List<String> legal) {
        return legal.isEmpty() ? "0" : legal.get(chance.nextInt(legal.size()));
    }

    public static void main(String[] args) throws IOException {
        seat = Integer.parseInt(args[0]);
        seats = Integer.parseInt(args[1]);
        seconds = Double.parseDouble(args[2]);
        chance = new Random(Long.parseUnsignedLong(args[3]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<String> told = new ArrayList<>();
        List<String> legal = new ArrayList<>();
        for (String line; (line = in.readLine()) != null;) { // at the end of the game the input ends
            if (line.equals("@PROMPT@")) {
                System.out.print(choose(told, legal) + "\n");
                System.out.flush(); // without it the answer would wait in a buffer
                continue;
            }
            told.add(line);
            List<String> words = Arrays.asList(line.trim().split("\\s+"));
            if (words.get(0).equals("legal")) {
                legal = words.subList(1, words.size());
            }
        }
    }
}
