// SPDX-License-Identifier: GPL-2.0

/** All of an instance's data. */
final class Company {
	private static final int ITEMS = 20000;

	final Item[] items = new Item[ITEMS];
	final Warehouse[] warehouses;

	/** The items alone: each warehouse is its own thread's to load. */
	Company(long seed, int nrWarehouses) {
		Chance chance = new Chance(seed);

		for (int i = 0; i < ITEMS; i++)
			items[i] = new Item(chance);
		warehouses = new Warehouse[nrWarehouses];
	}

	/** What was booked in one place must have arrived in the other: the first that has not. */
	String findWrong(Teller[] tellers) {
		long orders = 0, payments = 0, paid = 0, delivered = 0, pieces = 0, lines = 0;
		long customersPaid = 0, customersPayments = 0, balances = 0;
		long taken = 0, stockLines = 0, tellersOrders = 0, tellersPayments = 0;

		for (Warehouse warehouse : warehouses) {
			long districtsPaid = 0;

			for (District district : warehouse.districts) {
				if (!district.consistent())
					return "orders of a district";
				orders += district.nextOrder() - 1;
				districtsPaid += district.paid;
				delivered += district.delivered;
				pieces += district.pieces;
				lines += district.lines;
				for (Customer customer : district.customers) {
					customersPaid += customer.paid();
					customersPayments += customer.payments();
					balances += customer.balance();
				}
			}
			if (districtsPaid != warehouse.paid)
				return "payments of a warehouse and its districts";
			paid += warehouse.paid;
			for (Stock stock : warehouse.stock) {
				taken += stock.taken();
				stockLines += stock.lines();
			}
		}
		for (Teller teller : tellers) {
			tellersOrders += teller.orders();
			tellersPayments += teller.payments();
		}
		if (orders != tellersOrders)
			return "number of orders";
		if (customersPayments != tellersPayments)
			return "number of payments";
		if (customersPaid != paid)
			return "payments of warehouses and customers";
		if (balances != delivered - paid)
			return "balances, deliveries and payments";
		if (taken != pieces || stockLines != lines)
			return "stock and orders";
		return null;
	}
}
