// SPDX-License-Identifier: GPL-2.0

import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;

/** The thread that loads a warehouse, and does its transactions until it is told to stop. */
final class Teller extends Thread {
	private enum Kind { ORDER, PAYMENT, STATUS, DELIVERY, LEVEL, REPORT }

	/* How many of each kind are in a deck of transactions. */
	private static final int[] MIX = { 10, 10, 1, 1, 1, 1 };
	/* One access in so many goes to another warehouse. */
	private static final int ELSEWHERE = 100;
	/* Orders of each district before the first transaction, not yet delivered. */
	private static final int BACKLOG = 20;
	private static final int LEVEL_ORDERS = 20;
	private static final int LEVEL_LEAST = 20;

	private final Company company;
	private final int number;
	private final int nrCustomers;
	private final Phaser loaded;
	private final Chance chance;
	private Warehouse warehouse;
	private final AtomicLong done = new AtomicLong();
	private volatile boolean stop;
	private final long[] count = new long[MIX.length];
	private long shown;
	private int turn;

	/** For the warehouse of a number; it says when that is loaded, and begins when all are. */
	Teller(Company company, int number, int nrCustomers, long seed, Phaser loaded) {
		super("teller " + number);
		this.company = company;
		this.number = number;
		this.nrCustomers = nrCustomers;
		this.loaded = loaded;
		chance = new Chance(seed);
	}

	/** Transactions so far. */
	long done() {
		return done.get();
	}

	void finish() {
		stop = true;
	}

	long orders() {
		return count[Kind.ORDER.ordinal()];
	}

	long payments() {
		return count[Kind.PAYMENT.ordinal()];
	}

	@Override
	public void run() {
		Kind[] deck = deck();

		warehouse = new Warehouse(chance, company.items.length, nrCustomers);
		company.warehouses[number] = warehouse;
		loaded.arriveAndAwaitAdvance();
		for (int i = 0; i < BACKLOG * Warehouse.DISTRICTS; i++)
			order();
		while (true) {
			shuffle(deck);
			for (Kind kind : deck) {
				if (stop)
					return;
				transact(kind);
				/* Others need not see it at once. */
				done.lazySet(done.getPlain() + 1);
			}
		}
	}

	private static Kind[] deck() {
		Kind[] deck = new Kind[24];
		int at = 0;

		for (Kind kind : Kind.values()) {
			for (int i = 0; i < MIX[kind.ordinal()]; i++)
				deck[at++] = kind;
		}
		return deck;
	}

	private void shuffle(Kind[] deck) {
		for (int i = deck.length - 1; i > 0; i--) {
			int other = chance.below(i + 1);
			Kind kind = deck[i];

			deck[i] = deck[other];
			deck[other] = kind;
		}
	}

	private void transact(Kind kind) {
		switch (kind) {
		case ORDER:
			order();
			break;
		case PAYMENT:
			pay();
			break;
		case STATUS:
			status();
			break;
		case DELIVERY:
			deliver();
			break;
		case LEVEL:
			level();
			break;
		default:
			report();
		}
	}

	/* Orders take the districts in turn, so that deliveries keep up in each. */
	private void order() {
		District district = warehouse.districts[turn++ % Warehouse.DISTRICTS];
		int nrLines = 5 + chance.below(11);
		Order order = new Order(district.nextOrder(), customer(district), nrLines);

		for (int i = 0; i < order.lines.length; i++) {
			int item = chance.below(company.items.length);
			int pieces = 1 + chance.below(10);
			int info = warehouseOfAccess().stock[item].take(pieces);
			long amount = (long) company.items[item].price * pieces;

			order.lines[i] = new Order.Line(item, pieces, amount, info);
		}
		district.add(order);
		count[Kind.ORDER.ordinal()]++;
		Receipt receipt = new Receipt();
		for (Order.Line line : order.lines)
			receipt.text(company.items[line.item].name);
		order.describe(receipt);
		show(receipt);
	}

	private void pay() {
		District district = district(warehouse);
		Customer customer = customer(district(warehouseOfAccess()));
		long amount = 100 + chance.below(500000);

		customer.pay(amount);
		district.paid += amount;
		warehouse.paid += amount;
		count[Kind.PAYMENT.ordinal()]++;
		Receipt receipt = new Receipt();
		customer.describe(receipt);
		receipt.number(amount);
		show(receipt);
	}

	private void status() {
		District district = district(warehouse);
		Customer customer = customer(district);
		Order order = district.order(customer.lastOrder());
		Receipt receipt = new Receipt();

		receipt.number(customer.balance());
		if (order != null)
			order.describe(receipt);
		show(receipt);
	}

	private void deliver() {
		Receipt receipt = new Receipt();

		for (District district : warehouse.districts) {
			Order order = district.deliver();
			if (order != null)
				receipt.number(order.id);
		}
		show(receipt);
	}

	private void level() {
		District district = district(warehouse);
		int low = 0;

		for (int i = 1; i <= LEVEL_ORDERS; i++) {
			Order order = district.order(Math.max(0, district.nextOrder() - i));
			if (order == null)
				continue;
			for (Order.Line line : order.lines) {
				if (warehouse.stock[line.item].quantity() < LEVEL_LEAST)
					low++;
			}
		}
		Receipt receipt = new Receipt();
		receipt.number(low);
		show(receipt);
	}

	private void report() {
		Receipt receipt = new Receipt();

		for (District district : warehouse.districts)
			customer(district).describe(receipt);
		show(receipt);
	}

	/* A terminal without anyone in front of it. */
	private void show(Receipt receipt) {
		shown += receipt.length();
	}

	private Warehouse warehouseOfAccess() {
		if (chance.below(ELSEWHERE) != 0)
			return warehouse;
		return company.warehouses[chance.below(company.warehouses.length)];
	}

	private District district(Warehouse of) {
		return of.districts[chance.below(Warehouse.DISTRICTS)];
	}

	private Customer customer(District of) {
		return of.customers[chance.below(of.customers.length)];
	}
}
