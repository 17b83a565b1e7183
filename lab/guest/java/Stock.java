// SPDX-License-Identifier: GPL-2.0

/** How much of an item a warehouse has. Other warehouses take of it, too. */
final class Stock {
	private int quantity;
	private final byte[] info;
	/* Since the beginning: pieces taken, and order lines that took them. */
	private long taken;
	private long lines;

	Stock(Chance chance) {
		quantity = 10 + chance.below(90);
		info = chance.text(48);
	}

	/** Take pieces for an order line; it is refilled when little is left. Some of its info. */
	synchronized int take(int pieces) {
		quantity -= pieces;
		if (quantity < 10)
			quantity += 91;
		taken += pieces;
		lines++;
		return info[pieces];
	}

	synchronized int quantity() {
		return quantity;
	}

	synchronized long taken() {
		return taken;
	}

	synchronized long lines() {
		return lines;
	}
}
