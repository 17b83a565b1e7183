// SPDX-License-Identifier: GPL-2.0

/** A warehouse with its stock and districts. */
final class Warehouse {
	static final int DISTRICTS = 10;

	final Stock[] stock;
	final District[] districts = new District[DISTRICTS];
	/** Payments taken since the beginning, in cents. */
	long paid;

	Warehouse(Chance chance, int nrItems, int nrCustomers) {
		stock = new Stock[nrItems];
		for (int i = 0; i < nrItems; i++)
			stock[i] = new Stock(chance);
		for (int i = 0; i < DISTRICTS; i++)
			districts[i] = new District(chance, nrCustomers);
	}
}
