// SPDX-License-Identifier: GPL-2.0

/** Random numbers that a seed determines (xorshift64*): quick, and one for each thread. */
final class Chance {
	private long state;

	Chance(long seed) {
		/* Neighbouring seeds are to give other numbers; 0 would give none. */
		state = (seed + 1) * 0x9e3779b97f4a7c15L;
		state ^= state >>> 29;
		for (int i = 0; i < 8; i++)
			below(2);
	}

	/** A number within 0..limit-1. */
	int below(int limit) {
		state ^= state >>> 12;
		state ^= state << 25;
		state ^= state >>> 27;
		return (int) (((state * 0x2545f4914f6cdd1dL >>> 32) * limit) >>> 32);
	}

	/** Bytes of no meaning. */
	byte[] text(int length) {
		byte[] text = new byte[length];

		for (int i = 0; i < length; i++)
			text[i] = (byte) ('a' + below(26));
		return text;
	}
}
