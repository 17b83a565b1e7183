// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for policy: who chooses the sources. It is one of two words, and NUMA balancing is paused
 * just while the policy chooses.
 */
#include "fuzz.h"
#include "policy/way.c"
#include "textfile.h"

nodemask_t pghot_slow_nodes = { { 2 } };

static bool paused;
static bool in_tiering_mode;
static unsigned int chosen;

bool pghot_placement_tiering_enabled(void)
{
	return in_tiering_mode;
}

bool pghot_sources_take_hint_faults(void)
{
	return false;
}

void pghot_balancing_pause(void)
{
	paused = true;
}

void pghot_balancing_resume(void)
{
	paused = false;
}

bool pghot_balancing_moves_slow(void)
{
	return !paused;
}

int pghot_sources_set(unsigned int sources)
{
	chosen = sources;
	return 0;
}

void pghot_sources_set_wanted(void)
{
	chosen = 1;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	if (len && text[len - 1] == '\n')
		len--;
	return len == strlen(word) && !memcmp(text, word, len);
}

void fuzz_one(struct input *in)
{
	assert(!pghot_way_start());
	while (in->left) {
		size_t len;
		char *text = input_text(in, &len);
		bool by_policy = is_word(text, len, "auto"), by_hand = is_word(text, len, "manual");
		int ret = textfile_write(&pghot_way_file, text, len);

		assert(ret == (by_policy || by_hand ? 0 : -EINVAL));
		assert(ret || pghot_way_is_auto() == by_policy);
		assert(paused == pghot_way_is_auto());
		free(text);
		/* Chosen again just if the mode has changed and the policy chooses. */
		chosen = 0;
		in_tiering_mode ^= len & 1;
		follow_work.queued = false;
		follow_work.work.function(&follow_work.work);
		assert(chosen == (len & 1 && pghot_way_is_auto()));
		assert(follow_work.queued);
	}
	pghot_way_stop();
	assert(!paused && !chosen && !follow_work.queued);
}
