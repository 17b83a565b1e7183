// SPDX-License-Identifier: GPL-2.0

/** What is sold; all warehouses read it, nobody writes it. Prices are in cents. */
final class Item {
	final int price;
	final byte[] name;

	Item(Chance chance) {
		price = 100 + chance.below(9900);
		name = chance.text(24);
	}
}
