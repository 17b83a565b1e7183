// SPDX-License-Identifier: GPL-2.0

/** A customer of a district. Other warehouses take payments, too. Cents. */
final class Customer {
	private static final int TEXT = 192;

	private final byte[] data;
	private long balance;
	private long paid;
	private long payments;
	private int lastOrder;

	Customer(Chance chance) {
		data = chance.text(TEXT);
	}

	synchronized void pay(long amount) {
		balance -= amount;
		paid += amount;
		/* A trace of it in the customer's file. */
		data[(int) (payments++ % TEXT)] = (byte) amount;
	}

	synchronized void ordered(int id) {
		lastOrder = id;
	}

	synchronized void charge(long amount) {
		balance += amount;
	}

	synchronized int lastOrder() {
		return lastOrder;
	}

	synchronized long balance() {
		return balance;
	}

	synchronized long paid() {
		return paid;
	}

	synchronized long payments() {
		return payments;
	}

	/** Write down the file. */
	synchronized void describe(Receipt receipt) {
		receipt.text(data);
		receipt.number(balance);
		receipt.number(paid);
	}
}
