// SPDX-License-Identifier: GPL-2.0

import java.io.IOException;
import java.util.concurrent.Phaser;

/**
 * A warehouse company's transactions, in the manner of SPECjbb2005, of which it has nothing but
 * the description: one thread for each warehouse, whose data other threads use once in a
 * hundred accesses.
 *
 * java Jbb SEED WAREHOUSES CUSTOMERS WARM-UP-MS MEASURED-MS
 *
 * Says "ready" when warm, and goes on; measures from the next line of standard input on; says
 * "done", checks the books, and prints transactions a second, transactions, and whether the
 * books are right.
 */
final class Jbb {
	private Jbb() { }

	private static long done(Teller[] tellers) {
		long sum = 0;

		for (Teller teller : tellers)
			sum += teller.done();
		return sum;
	}

	private static void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

	private static void awaitLine() throws IOException {
		int c;

		do {
			c = System.in.read();
			if (c < 0)
				throw new IOException("nobody says when to begin");
		} while (c != '\n');
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		long seed = Long.parseLong(args[0]);
		int warehouses = Integer.parseInt(args[1]);
		int customers = Integer.parseInt(args[2]);
		Company company = new Company(seed, warehouses);
		Phaser loaded = new Phaser(warehouses + 1);
		Teller[] tellers = new Teller[warehouses];

		for (int i = 0; i < warehouses; i++)
			tellers[i] = new Teller(company, i, customers, seed * 1000 + i, loaded);
		for (Teller teller : tellers)
			teller.start();
		loaded.arriveAndAwaitAdvance();
		Thread.sleep(Long.parseLong(args[3]));
		say("ready");
		awaitLine();

		long begin = System.nanoTime(), before = done(tellers);
		Thread.sleep(Long.parseLong(args[4]));
		long transactions = done(tellers) - before, ns = System.nanoTime() - begin;
		say("done");

		for (Teller teller : tellers)
			teller.finish();
		for (Teller teller : tellers)
			teller.join();
		String wrong = company.findWrong(tellers);
		if (wrong != null)
			System.err.println("jbb: the books do not balance: " + wrong);
		double bops = transactions * 1e9 / ns;
		say(String.format("%.2f %d %b", bops, transactions, wrong == null));
		System.exit(wrong == null ? 0 : 1);
	}
}
