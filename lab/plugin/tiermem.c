// SPDX-License-Identifier: GPL-2.0
/*
 * tiermem: a tiered-memory machine under QEMU's TCG.
 *
 * The glue between QEMU and the models: which instructions are watched, what
 * happens at each, and the two phases. While the guest boots only time is
 * counted; at the guest's first mark all blocks are translated anew, and from
 * then on every memory access goes through the model, until a mark says that
 * only time matters again.
 *
 * Not modelled: instruction fetches, coherence between caches; page-table walks only where the
 * configuration has TLBs; reads of devices only in the build with DEVICE_READS, see the Makefile.
 * A block's instructions are counted when it begins, so one that faults half-way counts whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "census.h"
#include "clock.h"
#include "config.h"
#include "guestram.h"
#include "memory.h"
#include "qemu.h"
#include "region.h"
#include "registers.h"
#include "translate.h"

#define PLUGIN_EXPORT	__attribute__((visibility("default")))
#define CONFIG_BYTES_MAX	65536
#define INSN_BYTES	16
#define APIC_BASE	0xfee00000
#define THAW_US		100000	/* a look at QEMU's main thread */
#define THAW_BUSY_NS	1000000	/* that it has worked or waited for in between */
#define THAW_RESTS	3	/* looks in a row at which it has not */
#define MODULES_START	UINT64_C(0xffffffffc0000000)

/* Operations of lab/guest/shared/marker.h. */
enum mark {
	MARK_NONE = 0,
	MARK_ARM = 1,
	MARK_BEGIN = 2,
	MARK_END = 3,
	MARK_HOT = 4,
	MARK_CENSUS = 5,
	MARK_CENSUS_END = 6,
	MARK_TIMED = 7,
	MARK_TIMED_LOAD = 8,
	MARK_TIMED_STORE = 9,
	MARK_REST = 10,
	MARK_FREEZE = 11,
	MARK_THAW = 12,
};

PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_VERSION;

static qemu_plugin_id_t plugin_id;
static struct config config;
static struct memory memory;
static struct region region;
static struct census census;
static FILE *out;
static bool armed;		/* a mark asked for the full model, and none for rest since */
static bool full_model;		/* blocks are translated for it */

static void die(const char *what)
{
	fprintf(stderr, "tiermem: %s\n", what);
	fflush(NULL);
	_exit(1);
}

/* ---- memory accesses ---- */

/* What has left the vCPU's modelled TLB has to leave QEMU's as well, see forget_translations(). */
static int64_t translation(unsigned int i, uint64_t vaddr)
{
	struct tlb *t = &memory.vcpu[i].tlb;
	struct page_tables tables;

	if (!t->root) {
		tables = registers_page_tables();
		t->root = tables.root;
		t->levels = tables.levels;
	}
	return translate_address(&memory, i, vaddr, clock_local_ps(i));
}

/* What the model of overlapping misses has to know of an access. A pointer has 64 bits. */
static void describe(unsigned int i, qemu_plugin_meminfo_t info, bool store)
{
	const struct meter *meter = clock_meter(i);
	struct overlap *o = &memory.vcpu[i].overlap;
	struct qemu_plugin_mem_value loaded;

	o->insn = meter->insn[INSN_USER] + meter->insn[INSN_KERNEL] + meter->insn[INSN_MODULE];
	o->value = 0;
	if (store)
		return;
	loaded = qemu_plugin_mem_get_value(info);
	if (loaded.type == QEMU_PLUGIN_MEM_VALUE_U64)
		o->value = loaded.data[0];
}

#ifdef DEVICE_READS
/*
 * A read of a device's memory waits until the device has answered. A write is posted: nobody
 * waits for it. The interrupt controller is a part of the CPU, and answers at once.
 */
static void read_device(unsigned int i, uint64_t pa)
{
	int64_t ps = config.device_read_ns * 1000;

	if (pa >> 12 == APIC_BASE >> 12)
		return;
	clock_meter(i)->slice_ps += ps;
	memory.vcpu[i].counts.stall_ps += ps;
}
#else
static void read_device(unsigned int i, uint64_t pa)
{
}
#endif

static __attribute__((noinline)) void
access_beyond_l1(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, enum l1_result l1,
		 bool store, bool kernel)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t pa, off;

	if (!hw)
		return;
	pa = qemu_plugin_hwaddr_phys_addr(hw);
	if (qemu_plugin_hwaddr_is_io(hw) || !nodemap_offset(&memory.map, pa, &off)) {
		memory_not_cached(&memory.vcpu[i], vaddr);
		/* An interrupt may be on its way to a halted vCPU: QEMU would let it wait. */
		if (store && pa >> 12 == APIC_BASE >> 12)
			clock_yield(i);
		if (!store)
			read_device(i, pa);
		return;
	}
	if (census.open && !kernel && !store)
		census_load(&census, vaddr, off);
	/* What hits the first level of the caches is taken to be in the TLB as well. */
	if (memory.has_tlb && l1 == L1_MISS)
		clock_meter(i)->slice_ps += translation(i, vaddr);
	if (memory.overlaps)
		describe(i, info, store);
	clock_meter(i)->slice_ps += memory_access(&memory, i, l1, off, vaddr, store, kernel,
						  clock_local_ps(i));
}

static inline __attribute__((always_inline)) void
access_l1(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, bool store, bool kernel)
{
	enum l1_result l1 = memory_l1(&memory.vcpu[i], vaddr, store);

	if (l1 != L1_HIT)
		access_beyond_l1(i, info, vaddr, l1, store, kernel);
}

static void load_user(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	access_l1(i, info, vaddr, false, false);
}

static void store_user(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	access_l1(i, info, vaddr, true, false);
}

/* Both pages are in the kernel's linear map of RAM, or one of them is not in RAM. */
static __attribute__((noinline)) void
copied(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr)
{
	uint64_t from = memory.vcpu[i].copying.from << COPYING_LINE_SHIFT, pa, from_off, to_off;
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);

	if (!hw)
		return;
	pa = qemu_plugin_hwaddr_phys_addr(hw);
	if (nodemap_offset(&memory.map, pa, &to_off) &&
	    nodemap_offset(&memory.map, pa + from - vaddr, &from_off))
		memory_copied(&memory, i, from_off, to_off);
}

static void load_kernel(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	copying_access(&memory.vcpu[i].copying, vaddr, false);
	access_l1(i, info, vaddr, false, true);
}

static void store_kernel(unsigned int i, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused)
{
	if (copying_access(&memory.vcpu[i].copying, vaddr, true))
		copied(i, info, vaddr);
	access_l1(i, info, vaddr, true, true);
}

/* The guest changes its address space: virtual tags mean nothing any more. */
static void translation_changes(unsigned int i, void *unused)
{
	cache_flush(&memory.vcpu[i].l1);
}

/* The same on a machine with TLBs, by what changes: mov to cr3 */
static void space_changes(unsigned int i, void *unused)
{
	translation_changes(i, unused);
	tlb_flush_space(&memory.vcpu[i].tlb);
}

/* mov to cr4, invpcid, and invlpg with an operand that is not looked at */
static void everything_changes(unsigned int i, void *unused)
{
	translation_changes(i, unused);
	tlb_flush_everything(&memory.vcpu[i].tlb);
}

/* invlpg with an address in a register */
static void page_changes(unsigned int i, void *reg)
{
	translation_changes(i, NULL);
	tlb_flush_address(&memory.vcpu[i].tlb, registers_general((uintptr_t)reg));
}

/*
 * QEMU has a TLB of its own, which grows with what the guest uses. The guest's pages that are
 * in it get no accessed bit. So it forgets all whenever the modelled TLB has replaced as many
 * entries as it has. A page that the modelled TLB keeps is walked again, too: its bit may be set
 * once more where a real CPU would leave it clear.
 */
static void forget_translations(unsigned int i)
{
	struct tlb *t = &memory.vcpu[i].tlb;

	if (t->replaced < t->entries)
		return;
	t->replaced = 0;
	tlb_flush(qemu_get_cpu(i));
}

/* ---- time ---- */

static void look_at_hmu(void)
{
	if (memory.hmu.present)
		hmu_look(&memory.hmu, clock_now_ns());
}

static void slice_is_over(unsigned int i, void *unused)
{
	if (clock_halted(clock_meter(i))) {
		clock_resume(i);
		return;
	}
	memory_slice_end(&memory, i, clock_slice_end(i));
	if (memory.has_tlb)
		forget_translations(i);
	look_at_hmu();
	if (region.open)
		region_sample(&region, &memory, i, clock_now_ns());
}

static void halts(unsigned int i, void *unused)
{
	if (clock_halted(clock_meter(i)))
		return;
	clock_halt(i);
	memory_stop(&memory, i);
	look_at_hmu();
	if (region.open)
		region_sample(&region, &memory, i, clock_now_ns());
}

static void pauses(unsigned int i, void *unused)
{
	clock_pause(i);
}

/* ---- marks ---- */

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void was_reset(qemu_plugin_id_t id)
{
	full_model = armed;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
}

static void arm(bool full)
{
	const char *failed;

	if (armed == full)
		return;
	if (full && memory.has_tlb) {
		failed = guestram_find(&memory);
		if (failed)
			die(failed);
	}
	armed = full;
	qemu_plugin_reset(plugin_id, was_reset);
}

/*
 * CPU time of QEMU's main thread so far, and time that it waited for a CPU, ns. 0 where the host's
 * kernel does not say.
 */
static uint64_t main_thread_ns(void)
{
	FILE *f = fopen("/proc/self/schedstat", "r");
	uint64_t ran = 0, waited = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
		ran = 0;
	fclose(f);
	return ran + waited;
}

/*
 * QEMU's main thread has just read the saved guest, and may still have vCPUs leave their blocks.
 * Wait until it rests, and have this one leave in any case: it is the only one that runs.
 */
static void thaw(unsigned int i)
{
	uint64_t now = main_thread_ns(), before;
	int rested = 0;

	while (rested < THAW_RESTS) {
		before = now;
		usleep(THAW_US);
		now = main_thread_ns();
		rested = now - before < THAW_BUSY_NS ? rested + 1 : 0;
	}
	clock_thaw();
	clock_yield(i);
}

static void marked(unsigned int i, void *mark)
{
	struct registers range = registers_read();	/* of the marks that name one */
	const char *failed = NULL;

	switch ((enum mark)(uintptr_t)mark) {
	case MARK_BEGIN:
		arm(true);
		region_begin(&region, &memory, config.interval_ns, clock_now_ns());
		break;
	case MARK_END:
		if (!region.open)
			die("end mark without a begin mark");
		failed = region_end(&region, &memory, clock_now_ns(), out, config.pages);
		break;
	case MARK_HOT:
		failed = region_name_hot(&region, &memory, range.rdi, range.rsi, clock_now_ns());
		break;
	case MARK_CENSUS:
		if (census.open || region.open)
			die("census mark within a census or a region");
		if (!census_begin(&census, &memory, range.rdi, range.rsi))
			die("out of memory");
		break;
	case MARK_REST:
		if (census.open || region.open)
			die("rest mark within a census or a region");
		arm(false);
		break;
	case MARK_FREEZE:
		if (armed)
			die("freeze mark within the full model");
		fprintf(out, "{\"frozen_ps\":%" PRId64 "}\n", clock_freeze());
		fflush(out);
		break;
	case MARK_THAW:
		thaw(i);
		break;
	case MARK_CENSUS_END:
		if (!census.open)
			die("census end mark without a census mark");
		failed = census_end(&census, &memory, out);
		break;
	default:
		arm(true);
	}
	if (failed)
		die(failed);
}

/* These come with each access, so nothing else is done for them. */
static void marked_timed(unsigned int i, void *mark)
{
	if (!region.open)
		return;
	if ((enum mark)(uintptr_t)mark == MARK_TIMED)
		latency_begin(&region.latency, i, clock_local_ps(i));
	else if (!latency_end(&region.latency, i, (enum mark)(uintptr_t)mark == MARK_TIMED_STORE,
			      clock_local_ps(i)))
		die("a timed access ends that did not begin on this CPU");
}

/* ---- translation ---- */

static enum insn_class class_of(uint64_t vaddr)
{
	if (!(vaddr >> 63))
		return INSN_USER;
	return vaddr >= MODULES_START ? INSN_MODULE : INSN_KERNEL;
}

static enum mark mark_of(const uint8_t *insn, size_t len)
{
	if (len != 8 || memcmp(insn, "\x0f\x1f\x84\x00", 4) || memcmp(insn + 5, "hgp", 3))
		return MARK_NONE;
	return insn[4] >= MARK_ARM && insn[4] <= MARK_THAW ? insn[4] : MARK_NONE;
}

/* What an instruction changes of the translation of addresses. */
struct change {
	enum {
		CHANGES_NOTHING,
		CHANGES_SPACE,
		CHANGES_EVERYTHING,
		CHANGES_PAGE,
	} what;
	unsigned int reg;	/* of CHANGES_PAGE: it has the address */
};

static struct change change_of(const uint8_t *insn, size_t len)
{
	struct change change = { CHANGES_NOTHING, 0 };
	unsigned int reg, rm, high = 0;

	while (len > 3 && (*insn == 0x66 || (*insn & 0xf0) == 0x40)) {
		high = (*insn & 0xf1) == 0x41 ? 8 : 0;
		insn++;
		len--;
	}
	if (len < 3 || insn[0] != 0x0f)
		return change;
	reg = insn[2] >> 3 & 7;
	rm = insn[2] & 7;
	if (insn[1] == 0x22 && reg == 3) {
		change.what = CHANGES_SPACE;
	} else if ((insn[1] == 0x22 && reg == 4) || (insn[1] == 0x38 && insn[2] == 0x82)) {
		change.what = CHANGES_EVERYTHING;
	} else if (insn[1] == 0x01 && reg == 7 && insn[2] >> 6 != 3) {
		/* (%reg) alone; 4 and 5 stand for other operands. */
		change.what = insn[2] >> 6 || rm == 4 || rm == 5 ? CHANGES_EVERYTHING :
								    CHANGES_PAGE;
		change.reg = rm | high;
	}
	return change;
}

static void watch_change(struct qemu_plugin_insn *insn, struct change change)
{
	static const qemu_plugin_vcpu_udata_cb_t changes[] = {
		[CHANGES_SPACE] = space_changes,
		[CHANGES_EVERYTHING] = everything_changes,
		[CHANGES_PAGE] = page_changes,
	};

	if (!memory.has_tlb)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, translation_changes,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(insn, changes[change.what],
						       QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)change.reg);
}

static void translate_insn(struct qemu_plugin_insn *insn, enum insn_class class)
{
	bool kernel = class != INSN_USER;
	uint8_t data[INSN_BYTES];
	size_t len = qemu_plugin_insn_data(insn, data, sizeof(data));
	enum mark mark = mark_of(data, len);
	struct change change;

	if (len == 1 && data[0] == 0xf4)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, halts, QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (len == 2 && data[0] == 0xf3 && data[1] == 0x90)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, pauses, QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (mark >= MARK_TIMED && mark <= MARK_TIMED_STORE)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, marked_timed, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)mark);
	else if (mark)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)mark);
	if (!full_model)
		return;
	change = change_of(data, len);
	if (kernel && change.what != CHANGES_NOTHING)
		watch_change(insn, change);
	/* A locked instruction takes its line for writing at once: one access, a store. */
	if (data[0] != 0xf0)
		qemu_plugin_register_vcpu_mem_cb(insn, kernel ? load_kernel : load_user,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, NULL);
	qemu_plugin_register_vcpu_mem_cb(insn, kernel ? store_kernel : store_user,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, NULL);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_u64 slice = { clock_scoreboard(), offsetof(struct meter, slice_ps) };
	struct qemu_plugin_u64 insns = { clock_scoreboard(), offsetof(struct meter, insn) };
	enum insn_class class = class_of(qemu_plugin_tb_vaddr(tb));
	size_t n = qemu_plugin_tb_n_insns(tb), i;

	insns.offset += class * sizeof(uint64_t);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, slice,
							  n * config.insn_ps);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, insns, n);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, slice_is_over, QEMU_PLUGIN_CB_NO_REGS,
						  QEMU_PLUGIN_COND_GE, slice,
						  config.slice_ns * 1000, NULL);
	for (i = 0; i < n; i++)
		translate_insn(qemu_plugin_tb_get_insn(tb, i), class);
}

/* ---- start ---- */

static void vcpu_starts(qemu_plugin_id_t id, unsigned int i)
{
	static bool hooked;
	const char *failed;

	if (!hooked) {
		failed = clock_hook();
		if (!failed)
			failed = registers_init();
		if (failed)
			die(failed);
		hooked = true;
	}
	clock_vcpu_init(i);
}

static bool read_config(const char *path)
{
	static char text[CONFIG_BYTES_MAX + 1];
	FILE *f = fopen(path, "r");
	char err[512];
	size_t size;

	if (!f) {
		fprintf(stderr, "tiermem: config: %s: %s\n", path, strerror(errno));
		return false;
	}
	size = fread(text, 1, CONFIG_BYTES_MAX + 1, f);
	fclose(f);
	if (!size || size > CONFIG_BYTES_MAX) {
		fprintf(stderr, "tiermem: config: %s is empty or longer than %d bytes\n", path,
			CONFIG_BYTES_MAX);
		return false;
	}
	text[size] = '\0';
	if (config_parse(&config, text, err, sizeof(err)))
		return true;
	fprintf(stderr, "tiermem: %s\n", err);
	return false;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
				      char **argv)
{
	const char *failed;

	if (argc != 1 || strncmp(argv[0], "config=", 7)) {
		fprintf(stderr, "tiermem: wants one argument, config=FILE\n");
		return -1;
	}
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "tiermem: wants qemu-system-x86_64\n");
		return -1;
	}
	if (!read_config(argv[0] + 7))
		return -1;
	if (info->system.max_vcpus != config.nr_cpus) {
		fprintf(stderr, "tiermem: cpus: has %d values, but the machine has %d CPUs\n",
			config.nr_cpus, info->system.max_vcpus);
		return -1;
	}
	out = fopen(config.out, "w");
	if (!out) {
		fprintf(stderr, "tiermem: out: %s: %s\n", config.out, strerror(errno));
		return -1;
	}
	if (!memory_init(&memory, &config)) {
		fprintf(stderr, "tiermem: out of memory\n");
		return -1;
	}
	if (*config.hmu_file) {
		failed = memory_add_hmu(&memory, &config);
		if (failed) {
			fprintf(stderr, "tiermem: hmu_file: %s: %s\n", config.hmu_file, failed);
			return -1;
		}
	}
	clock_init(config.nr_cpus, config.slice_ns * 1000);
	if (config.frozen_ps)
		clock_begin_frozen(config.frozen_ps);
	plugin_id = id;
	qemu_plugin_register_vcpu_init_cb(id, vcpu_starts);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
