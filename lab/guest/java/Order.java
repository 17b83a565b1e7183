// SPDX-License-Identifier: GPL-2.0

/** An order, and its lines. */
final class Order {
	/** One item of an order. Cents. */
	static final class Line {
		final int item;
		final int pieces;
		final long amount;
		final int info;
		boolean delivered;

		Line(int item, int pieces, long amount, int info) {
			this.item = item;
			this.pieces = pieces;
			this.amount = amount;
			this.info = info;
		}
	}

	final int id;
	final Customer customer;
	final Line[] lines;

	Order(int id, Customer customer, int nrLines) {
		this.id = id;
		this.customer = customer;
		lines = new Line[nrLines];
	}

	long amount() {
		long sum = 0;

		for (Line line : lines)
			sum += line.amount;
		return sum;
	}

	void describe(Receipt receipt) {
		receipt.number(id);
		for (Line line : lines) {
			receipt.number(line.item);
			receipt.number(line.pieces);
			receipt.number(line.amount);
		}
	}
}
