// SPDX-License-Identifier: GPL-2.0

/**
 * A district of a warehouse: its customers, and its last orders. One thread uses it: that of
 * its warehouse.
 */
final class District {
	/* A power of two. */
	private static final int KEPT = 64;

	final Customer[] customers;
	private final Order[] orders = new Order[KEPT];
	private int nextOrder = 1;
	private int nextDelivery = 1;
	/* Since the beginning, in cents. */
	long paid;
	long delivered;
	/* Since the beginning: what its orders' lines asked for. */
	long pieces;
	long lines;

	District(Chance chance, int nrCustomers) {
		customers = new Customer[nrCustomers];
		for (int i = 0; i < nrCustomers; i++)
			customers[i] = new Customer(chance);
	}

	int nextOrder() {
		return nextOrder;
	}

	void add(Order order) {
		if (nextOrder - nextDelivery == KEPT)
			throw new IllegalStateException("orders are not delivered");
		orders[nextOrder++ % KEPT] = order;
		order.customer.ordered(order.id);
		for (Order.Line line : order.lines) {
			pieces += line.pieces;
			lines++;
		}
	}

	/** An order by number, null if it is too old or there is none. */
	Order order(int id) {
		Order order = orders[id % KEPT];

		return order != null && order.id == id ? order : null;
	}

	/** Deliver the oldest order that is not: its customer is charged. Null if all are. */
	Order deliver() {
		if (nextDelivery == nextOrder)
			return null;
		Order order = orders[nextDelivery++ % KEPT];
		for (Order.Line line : order.lines)
			line.delivered = true;
		long amount = order.amount();
		order.customer.charge(amount);
		delivered += amount;
		return order;
	}

	/** Whether the kept orders are those that the counts say, and delivered if they say so. */
	boolean consistent() {
		for (int id = Math.max(1, nextOrder - KEPT); id < nextOrder; id++) {
			Order order = order(id);
			if (order == null)
				return false;
			for (Order.Line line : order.lines) {
				if (line.delivered != id < nextDelivery)
					return false;
			}
		}
		return order(nextOrder) == null;
	}
}
