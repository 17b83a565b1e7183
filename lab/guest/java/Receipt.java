// SPDX-License-Identifier: GPL-2.0

/** What a transaction shows on its terminal: text, a new one each time. */
final class Receipt {
	private final byte[] text = new byte[1024];
	private int used;

	void text(byte[] bytes) {
		int n = Math.min(bytes.length, text.length - used);

		System.arraycopy(bytes, 0, text, used, n);
		used += n;
	}

	/** A number in decimal, last digit first: nobody reads it. */
	void number(long value) {
		long rest = Math.abs(value);

		do {
			if (used == text.length)
				return;
			text[used++] = (byte) ('0' + rest % 10);
			rest /= 10;
		} while (rest != 0);
	}

	int length() {
		return used;
	}
}
